// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "analyzer/capture/load_number.h"

// draft-ietf-opsawg-pcapng. A file is blocks:
//   | type 32 | total length 32 | body, padded to 32 bits | total length 32 |
// in the byte order of the section header that they follow.
namespace weft::analyzer {

enum class BlockType : uint32_t {
  kInterface = 1,
  kOldPacket = 2,  // obsolete
  kSimplePacket = 3,
  kInterfaceStatistics = 5,
  kEnhancedPacket = 6,
  kSection = 0x0a0d0d0a,  // the same in both byte orders
};
inline constexpr uint32_t kByteOrderMagic = 0x1a2b3c4d;
inline constexpr uint16_t kPcapngMajorVersion = 1;

inline constexpr size_t kBlockHeaderBytes = 8;
inline constexpr size_t kMinBlockBytes = 12;
// Up to and with the trailing length, without options and packet data.
inline constexpr size_t kSectionBlockBytes = 28;
inline constexpr size_t kInterfaceBlockBytes = 20;
inline constexpr size_t kSimplePacketBlockBytes = 16;
inline constexpr size_t kStatisticsBlockBytes = 24;
inline constexpr size_t kPacketBlockBytes = 32;  // enhanced and old

// Option codes, each with its block's name in front.
inline constexpr uint16_t kIfName = 2;
inline constexpr uint16_t kIfSpeed = 8;
inline constexpr uint16_t kIfTsresol = 9;
inline constexpr uint16_t kIfTsoffset = 14;
inline constexpr uint16_t kIsbIfdrop = 5;
inline constexpr uint16_t kIsbOsdrop = 7;
inline constexpr uint16_t kEpbDropcount = 4;

// The options at the end of a block, one after the other; what is cut or contradicts itself ends
// them.
class OptionReader {
 public:
  OptionReader(std::span<const std::byte> bytes, bool swap) : bytes_(bytes), swap_(swap) {}

  bool Next() {
    if (bytes_.size() < kHeaderBytes) return false;
    code = Load16(bytes_.data(), swap_);
    const size_t size = Load16(bytes_.data() + 2, swap_);
    if (code == 0 || size > bytes_.size() - kHeaderBytes) return false;
    value = bytes_.subspan(kHeaderBytes, size);
    const size_t padded = kHeaderBytes + (size + 3) / 4 * 4;
    bytes_ = bytes_.subspan(padded < bytes_.size() ? padded : bytes_.size());
    return true;
  }
  // The value as a number; 0 where it is shorter.
  uint64_t U64() const { return value.size() < 8 ? 0 : Load64(value.data(), swap_); }
  uint8_t U8() const { return value.empty() ? uint8_t{0} : static_cast<uint8_t>(value.front()); }

  uint16_t code = 0;
  std::span<const std::byte> value{};

 private:
  static constexpr size_t kHeaderBytes = 4;
  std::span<const std::byte> bytes_;
  bool swap_;
};

}  // namespace weft::analyzer
