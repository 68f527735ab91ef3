// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kIpoibBytes = 44;
inline constexpr size_t kIpoibAddressBytes = 20;

// IP over InfiniBand as captures have it (LINKTYPE_IPOIB): a pseudo header of 40 bytes with the
// hardware addresses, which is not on the wire, then the encapsulation header of RFC 4391, section
// 6. Real captures leave the first 20 bytes empty but for what the driver left there.
//   | source: 20 bytes, mostly unset | destination: flags 8, QPN 24, GID 128 | type 16 | res 16 |
// Reserved bits are written as zero and ignored on receipt.
struct Ipoib {
  std::array<uint8_t, kIpoibAddressBytes> source{};
  std::array<uint8_t, kIpoibAddressBytes> destination{};
  uint16_t ethertype = 0;
  bool operator==(const Ipoib&) const = default;
};

Ipoib ReadIpoib(ByteReader& reader);  // check reader.ok() after
std::optional<Ipoib> ParseIpoib(std::span<const std::byte> bytes);
void WriteIpoib(const Ipoib& header, ByteWriter& writer);

}  // namespace weft::wire
