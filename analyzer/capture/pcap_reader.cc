// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/pcap_reader.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/link_number.h"
#include "analyzer/capture/load_number.h"
#include "analyzer/capture/open_capture.h"

namespace weft::analyzer {
namespace {

// What most programs write as snaplen when they mean all: a record may be as long even where the
// file header's snaplen is smaller, since some writers fill in a wrong one.
constexpr uint32_t kUsualMaxPacketBytes = 262144;

// Of the link type field: the type, whether an FCS length is told and how many 16-bit words it has.
// What is between must be zero.
constexpr uint32_t kLinkTypeMask = 0x0000ffff;
constexpr uint32_t kLinkReservedMask = 0x03ff0000;

// Version 2.3 and older, and DEC's 543.0, had the two lengths in either order.
constexpr uint16_t kMajorVersion = 2;
constexpr uint16_t kLastOldMinorVersion = 3;
constexpr uint16_t kDecMajorVersion = 543;

constexpr size_t kSubsecondAt = 4;
constexpr size_t kCapturedAt = 8;
constexpr size_t kLengthAt = 12;
constexpr int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

std::optional<PcapReader::Format> PcapReader::FormatOf(uint32_t magic) {
  constexpr std::array kFormats = {
      Format{0xa1b2c3d4, 16, 1000},
      Format{0xa1b23c4d, 16, 1},
      Format{0xa1b2cd34, 24, 1000},
      Format{0xa1e2cb12, 24, 1},
  };
  for (const Format& format : kFormats) {
    if (format.magic == magic) return format;
  }
  return std::nullopt;
}

bool PcapReader::IsMagic(uint32_t first_four_bytes) {
  return FormatOf(first_four_bytes) || FormatOf(__builtin_bswap32(first_four_bytes));
}

PcapReader::PcapReader(std::string name, RecordBuffer buffer, const Format& format, bool is_swapped)
    : FileReader(std::move(name), std::move(buffer)), format_(format), is_swapped_(is_swapped) {}

absl::StatusOr<std::unique_ptr<CaptureSource>> PcapReader::Open(RecordBuffer buffer,
                                                                const std::string& name) {
  if (!buffer.Fill(kFileHeaderBytes)) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ends after ", buffer.bytes().size(),
                                                   " bytes, in the ", kFileHeaderBytes,
                                                   " bytes of its pcap header"));
  }
  const uint32_t magic = Load32<false>(buffer.bytes().data());
  const auto in_our_order = FormatOf(magic);
  const auto format = in_our_order ? in_our_order : FormatOf(__builtin_bswap32(magic));
  if (!format) return absl::InvalidArgumentError(name + ": does not begin with a magic of pcap");
  std::unique_ptr<PcapReader> reader(
      new PcapReader(name, std::move(buffer), *format, !in_our_order));
  if (absl::Status status = reader->ReadFileHeader(); !status.ok()) return status;
  return reader;
}

absl::Status PcapReader::ReadFileHeader() {
  const std::byte* header = buffer_.bytes().data();
  const uint16_t major = Load16(header + 4, is_swapped_);
  const uint16_t minor = Load16(header + 6, is_swapped_);
  const uint32_t snaplen = Load32(header + 16, is_swapped_);
  const uint32_t link = Load32(header + 20, is_swapped_);
  if (major != kMajorVersion && major != kDecMajorVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": pcap version ", major, ".", minor, ", 2.x expected"));
  }
  if ((link & kLinkReservedMask) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(file_, ": link type field 0x",
                                                   absl::Hex(link, absl::kZeroPad8),
                                                   " of the pcap header has reserved bits set"));
  }
  has_old_lengths_ = major == kDecMajorVersion || minor <= kLastOldMinorVersion;
  max_packet_bytes_ =
      snaplen == 0 ? kMaxPacketBytes : std::clamp(snaplen, kUsualMaxPacketBytes, kMaxPacketBytes);
  CaptureInterface interface;
  interface.file = file_;
  interface.link_type = LinkNumber(static_cast<uint16_t>(link & kLinkTypeMask));
  interface.snaplen = snaplen;
  pattern_.has_time = true;
  pattern_.link_type = static_cast<wire::LinkType>(interface.link_type);
  pattern_.link_is_known = wire::IsKnownLinkType(interface.link_type);
  interfaces_.push_back(std::move(interface));
  buffer_.Consume(kFileHeaderBytes);
  return absl::OkStatus();
}

size_t PcapReader::Read(std::span<CapturedPacket> packets) {
  if (packets.empty()) return 0;
  while (!is_finished_) {
    const size_t count = is_swapped_ ? ReadBuffered<true>(packets) : ReadBuffered<false>(packets);
    if (count > 0) return count;
    FillOrStop();
  }
  return 0;
}

// As many whole records as the buffer holds. What it cannot take, it leaves for FillOrStop().
template <bool kSwap>
size_t PcapReader::ReadBuffered(std::span<CapturedPacket> packets) {
  const std::span<const std::byte> bytes = buffer_.bytes();
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  const size_t header_bytes = format_.record_header_bytes;
  const int64_t subsecond_ns = format_.subsecond_ns;
  const uint32_t max_packet_bytes = max_packet_bytes_;
  const uint64_t first_number = packets_ + 1;
  CapturedPacket packet = pattern_;
  size_t count = 0;
  uint64_t cut = 0;
  while (count < packets.size()) {
    const size_t left = static_cast<size_t>(end - at);
    if (left < header_bytes) break;
    uint32_t captured = Load32<kSwap>(at + kCapturedAt);
    uint32_t length = Load32<kSwap>(at + kLengthAt);
    if (has_old_lengths_ && captured > length) std::swap(captured, length);
    if (captured > max_packet_bytes || captured > left - header_bytes) break;
    packet.number = first_number + count;
    packet.time_ns = int64_t{Load32<kSwap>(at)} * kNsPerSecond +
                     int64_t{Load32<kSwap>(at + kSubsecondAt)} * subsecond_ns;
    packet.wire_bytes = std::max(captured, length);
    packet.bytes = {at + header_bytes, captured};
    cut += captured < length ? 1u : 0u;
    packets[count++] = packet;
    at += header_bytes + captured;
  }
  buffer_.Consume(static_cast<size_t>(at - bytes.data()));
  packets_ += count;
  interfaces_.front().packets = packets_;
  interfaces_.front().cut_packets += cut;
  return count;
}

void PcapReader::FillOrStop() {
  const size_t header_bytes = format_.record_header_bytes;
  const uint64_t offset = buffer_.offset();
  if (!buffer_.Fill(header_bytes)) {
    const size_t left = buffer_.bytes().size();
    return StopAtEnd(offset,
                     left == 0 ? ""
                               : absl::StrCat(left, " bytes at the end, where a record header has ",
                                              header_bytes));
  }
  uint32_t captured = Load32(buffer_.bytes().data() + kCapturedAt, is_swapped_);
  if (has_old_lengths_) {
    captured = std::min(captured, Load32(buffer_.bytes().data() + kLengthAt, is_swapped_));
  }
  if (captured > max_packet_bytes_) {
    return Stop(offset, absl::StrCat("record says ", captured, " bytes, at most ",
                                     max_packet_bytes_, " expected"));
  }
  if (buffer_.Fill(header_bytes + captured)) return;
  StopAtEnd(offset, absl::StrCat("record says ", captured, " bytes, the file has ",
                                 buffer_.bytes().size() - header_bytes, " of them"));
}

}  // namespace weft::analyzer
