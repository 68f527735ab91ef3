// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

// Capture files in memory, of either byte order, for tests: right ones and, by hand, wrong ones.
namespace weft::analyzer {

class NumberWriter {
 public:
  explicit NumberWriter(std::endian order) : order_(order) {}

  NumberWriter& U8(uint8_t number) { return Number(number, 1); }
  NumberWriter& U16(uint16_t number) { return Number(number, 2); }
  NumberWriter& U32(uint32_t number) { return Number(number, 4); }
  NumberWriter& U64(uint64_t number) { return Number(number, 8); }
  NumberWriter& Bytes(std::string_view more) {
    bytes.append(more);
    return *this;
  }
  NumberWriter& Pad() {
    bytes.resize((bytes.size() + 3) / 4 * 4);
    return *this;
  }

  std::string bytes;

 private:
  NumberWriter& Number(uint64_t number, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (order_ == std::endian::big ? size - 1 - i : i);
      bytes.push_back(static_cast<char>(number >> shift & 0xff));
    }
    return *this;
  }
  std::endian order_;
};

inline constexpr uint32_t kMicrosecondMagic = 0xa1b2c3d4;
inline constexpr uint32_t kNanosecondMagic = 0xa1b23c4d;
inline constexpr uint32_t kModifiedMagic = 0xa1b2cd34;
inline constexpr uint32_t kNetsniffMagic = 0xa1e2cb12;

struct PcapHeader {
  uint32_t magic = kMicrosecondMagic;
  uint16_t major = 2;
  uint16_t minor = 4;
  uint32_t snaplen = 65535;
  uint32_t link = 1;
};

class PcapBuilder {
 public:
  explicit PcapBuilder(std::endian order, PcapHeader header = {})
      : order_(order),
        has_long_records_(header.magic == kModifiedMagic || header.magic == kNetsniffMagic) {
    bytes = NumberWriter(order)
                .U32(header.magic)
                .U16(header.major)
                .U16(header.minor)
                .U64(0)
                .U32(header.snaplen)
                .U32(header.link)
                .bytes;
  }
  PcapBuilder& Record(uint32_t seconds, uint32_t subsecond, std::string_view data,
                      uint32_t length) {
    return Record(seconds, subsecond, static_cast<uint32_t>(data.size()), length, data);
  }
  // With a captured length that need not be that of `data`.
  PcapBuilder& Record(uint32_t seconds, uint32_t subsecond, uint32_t captured, uint32_t length,
                      std::string_view data) {
    NumberWriter header(order_);
    header.U32(seconds).U32(subsecond).U32(captured).U32(length);
    if (has_long_records_) header.U32(7).U16(0x0800).U16(0);
    bytes += header.bytes;
    bytes += data;
    return *this;
  }

  std::string bytes;

 private:
  std::endian order_;
  bool has_long_records_;
};

class PcapngBuilder {
 public:
  explicit PcapngBuilder(std::endian order) : order_(order) { Section(order); }

  PcapngBuilder& Section(std::endian order, uint64_t length = ~uint64_t{0}) {
    order_ = order;
    return Block(0x0a0d0d0a, Numbers().U32(0x1a2b3c4d).U16(1).U16(0).U64(length).bytes);
  }
  // `options`: from Option(), closed here.
  PcapngBuilder& Interface(uint16_t link = 1, uint32_t snaplen = 0,
                           const std::string& options = "") {
    return Block(1, Numbers().U16(link).U16(0).U32(snaplen).Bytes(Closed(options)).bytes);
  }
  PcapngBuilder& Enhanced(uint32_t interface, uint64_t time, std::string_view data, uint32_t length,
                          const std::string& options = "") {
    return Block(6, Numbers()
                        .U32(interface)
                        .U32(static_cast<uint32_t>(time >> 32))
                        .U32(static_cast<uint32_t>(time))
                        .U32(static_cast<uint32_t>(data.size()))
                        .U32(length)
                        .Bytes(data)
                        .Pad()
                        .Bytes(Closed(options))
                        .bytes);
  }
  PcapngBuilder& OldPacket(uint16_t interface, uint64_t time, std::string_view data,
                           uint32_t length) {
    return Block(2, Numbers()
                        .U16(interface)
                        .U16(0xffff)
                        .U32(static_cast<uint32_t>(time >> 32))
                        .U32(static_cast<uint32_t>(time))
                        .U32(static_cast<uint32_t>(data.size()))
                        .U32(length)
                        .Bytes(data)
                        .Pad()
                        .bytes);
  }
  PcapngBuilder& Simple(std::string_view data, uint32_t length) {
    return Block(3, Numbers().U32(length).Bytes(data).Pad().bytes);
  }
  PcapngBuilder& Statistics(uint32_t interface, const std::string& options) {
    return Block(5, Numbers().U32(interface).U64(0).Bytes(Closed(options)).bytes);
  }
  PcapngBuilder& Block(uint32_t type, std::string_view body) {
    const uint32_t size = static_cast<uint32_t>(body.size() + 12);
    return RawBlock(type, size, body, size);
  }
  PcapngBuilder& RawBlock(uint32_t type, uint32_t size, std::string_view body, uint32_t last_size) {
    bytes += Numbers().U32(type).U32(size).Bytes(body).U32(last_size).bytes;
    return *this;
  }

  std::string Option(uint16_t code, std::string_view value) const {
    return Numbers().U16(code).U16(static_cast<uint16_t>(value.size())).Bytes(value).Pad().bytes;
  }
  std::string Option(uint16_t code, uint64_t value) const {
    return Option(code, Numbers().U64(value).bytes);
  }
  NumberWriter Numbers() const { return NumberWriter(order_); }

  std::string bytes;

 private:
  std::string Closed(const std::string& options) const {
    return options.empty() ? "" : options + std::string(4, '\0');
  }
  std::endian order_;
};

}  // namespace weft::analyzer
