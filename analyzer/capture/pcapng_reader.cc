// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/pcapng_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/load_number.h"
#include "analyzer/capture/open_capture.h"

namespace weft::analyzer {
namespace {

// A packet and its options.
constexpr uint32_t kMaxHeldBlockBytes = kMaxPacketBytes + (1u << 20);

bool HoldsPacket(BlockType type) {
  return type == BlockType::kEnhancedPacket || type == BlockType::kSimplePacket ||
         type == BlockType::kOldPacket;
}

bool IsBlockLength(uint32_t size) { return size >= kMinBlockBytes && size % 4 == 0; }

std::string AboutLength(uint32_t size) {
  return absl::StrCat("block length ", size, ", a multiple of 4 and at least ", kMinBlockBytes,
                      " expected");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureSource>> PcapngReader::Open(RecordBuffer buffer,
                                                                  const std::string& name) {
  std::unique_ptr<PcapngReader> reader(new PcapngReader(name, std::move(buffer)));
  if (absl::Status status = reader->BeginSection(); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
  }
  return reader;
}

size_t PcapngReader::Read(std::span<CapturedPacket> packets) {
  if (packets.empty()) return 0;
  while (!is_finished_) {
    const size_t count = is_swapped_ ? ReadBuffered<true>(packets) : ReadBuffered<false>(packets);
    if (count > 0) return count;
    FillOrStop();
  }
  return 0;
}

// As many whole blocks as the buffer holds, up to the next section. What it cannot take, it leaves
// for FillOrStop().
template <bool kSwap>
size_t PcapngReader::ReadBuffered(std::span<CapturedPacket> packets) {
  const std::span<const std::byte> bytes = buffer_.bytes();
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  size_t count = 0;
  while (count < packets.size()) {
    const size_t left = static_cast<size_t>(end - at);
    if (left < kMinBlockBytes) break;
    const auto type = static_cast<BlockType>(Load32<kSwap>(at));
    const uint32_t size = Load32<kSwap>(at + 4);
    if (type == BlockType::kSection || size > left || !IsBlockLength(size)) break;
    if (HoldsPacket(type) && size > kMaxHeldBlockBytes) break;
    if (Load32<kSwap>(at + size - 4) != size) {
      Tolerate(kTrailingLength, OffsetOf(at),
               absl::StrCat("block of ", size, " bytes says ", Load32<kSwap>(at + size - 4),
                            " at its end; taken by the former"));
    }
    const bool holds_packet = type == BlockType::kEnhancedPacket
                                  ? ReadPacketBlock<kSwap>({at, size}, false, packets[count])
                                  : ReadOtherBlock(type, {at, size}, packets[count]);
    count += holds_packet ? 1u : 0u;
    at += size;
  }
  buffer_.Consume(static_cast<size_t>(at - bytes.data()));
  return count;
}

void PcapngReader::FillOrStop() {
  const uint64_t offset = buffer_.offset();
  if (!buffer_.Fill(kMinBlockBytes)) {
    const size_t left = buffer_.bytes().size();
    StopAtEnd(offset, left == 0 ? ""
                                : absl::StrCat(left, " bytes at the end, where a block has ",
                                               kMinBlockBytes, " at least"));
    return TellCounts();
  }
  const std::byte* block = buffer_.bytes().data();
  const auto type = static_cast<BlockType>(Load32(block, is_swapped_));
  const uint32_t size = Load32(block + 4, is_swapped_);
  if (type == BlockType::kSection) {
    const absl::Status status = BeginSection();
    if (!status.ok()) StopAtEnd(offset, std::string(status.message()));
  } else if (!IsBlockLength(size)) {
    Stop(offset, AboutLength(size));
  } else if (HoldsPacket(type) && size > kMaxHeldBlockBytes) {
    Stop(offset, absl::StrCat("packet block of ", size, " bytes, at most ", kMaxHeldBlockBytes,
                              " expected"));
  } else {
    FillOrSkip(type, size);
  }
  if (is_finished_) TellCounts();
}

void PcapngReader::FillOrSkip(BlockType type, uint32_t size) {
  const uint64_t offset = buffer_.offset();
  const bool is_there = size <= kMaxHeldBlockBytes ? buffer_.Fill(size) : buffer_.Skip(size);
  if (is_there) return;
  const uint64_t there = buffer_.offset() - offset + buffer_.bytes().size();
  StopAtEnd(offset, absl::StrCat("block of type ", static_cast<uint32_t>(type), " says ", size,
                                 " bytes, the file has ", there, " of them"));
}

// Consumes the section header block, which says the byte order of itself and what follows.
absl::Status PcapngReader::BeginSection() {
  if (!buffer_.Fill(kSectionBlockBytes)) {
    return absl::InvalidArgumentError(absl::StrCat("ends after ", buffer_.bytes().size(),
                                                   " bytes of a section header, which has ",
                                                   kSectionBlockBytes, " at least"));
  }
  const std::byte* block = buffer_.bytes().data();
  const uint32_t magic = Load32<false>(block + 8);
  if (magic != kByteOrderMagic && magic != __builtin_bswap32(kByteOrderMagic)) {
    return absl::InvalidArgumentError(absl::StrCat("section header has byte-order magic 0x",
                                                   absl::Hex(magic, absl::kZeroPad8),
                                                   ", 0x1a2b3c4d in either order expected"));
  }
  is_swapped_ = magic != kByteOrderMagic;
  const uint32_t size = Load32(block + 4, is_swapped_);
  const uint16_t major = Load16(block + 12, is_swapped_);
  const uint16_t minor = Load16(block + 14, is_swapped_);
  if (major != kPcapngMajorVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("section of pcapng version ", major, ".", minor, ", 1.x expected"));
  }
  if (!IsBlockLength(size) || size < kSectionBlockBytes) {
    return absl::InvalidArgumentError(absl::StrCat("section header: ", AboutLength(size)));
  }
  const uint64_t offset = buffer_.offset();
  if (!buffer_.Skip(size)) {
    return absl::InvalidArgumentError(absl::StrCat("section header says ", size,
                                                   " bytes, the file has ",
                                                   buffer_.offset() - offset, " of them"));
  }
  section_.clear();
  return absl::OkStatus();
}

template <bool kSwap>
inline bool PcapngReader::ReadPacketBlock(std::span<const std::byte> block, bool is_old,
                                          CapturedPacket& packet) {
  // | type, length | interface 32 | time, upper 32 | lower 32 | captured 32 | length 32 | data
  // In the old block two numbers of 16 bits stand for the interface: it and a drop count.
  if (block.size() < kPacketBlockBytes) {
    Tolerate(kBadBlock, OffsetOf(block.data()),
             absl::StrCat("packet block of ", block.size(), " bytes, at least ", kPacketBlockBytes,
                          " expected"));
    return false;
  }
  const std::byte* at = block.data();
  const uint32_t id = is_old ? Load16<kSwap>(at + 8) : Load32<kSwap>(at + 8);
  const uint32_t captured = Load32<kSwap>(at + 20);
  if (id >= section_.size()) {
    Tolerate(
        kBadBlock, OffsetOf(at),
        absl::StrCat("packet of interface ", id, ", the section has described ", section_.size()));
    return false;
  }
  if (captured > block.size() - kPacketBlockBytes || captured > kMaxPacketBytes) {
    Tolerate(kBadBlock, OffsetOf(at),
             absl::StrCat("packet of ", captured, " bytes in a block of ", block.size()));
    return false;
  }
  SectionInterface& interface = section_[id];
  const auto time =
      interface.unit.ToNs(uint64_t{Load32<kSwap>(at + 12)} << 32 | Load32<kSwap>(at + 16));
  packet = Counted(interface, captured, Load32<kSwap>(at + 24), at + 28, time);
  const size_t options_at = 28 + (size_t{captured} + 3) / 4 * 4;
  if (options_at + 4 < block.size()) {
    ReadDropCount(block.subspan(options_at, block.size() - 4 - options_at), interface);
  }
  return true;
}

// What all packet blocks have in common.
inline CapturedPacket PcapngReader::Counted(const SectionInterface& interface, uint32_t captured,
                                            uint32_t length, const std::byte* data,
                                            std::optional<int64_t> time_ns) {
  CaptureInterface& counts = interfaces_[interface.index];
  ++counts.packets;
  counts.cut_packets += captured < length ? 1u : 0u;
  return {.number = ++packets_,
          .time_ns = time_ns.value_or(0),
          .has_time = time_ns.has_value(),
          .wire_bytes = std::max(captured, length),
          .bytes = {data, captured},
          .link_type = interface.link_type,
          .link_is_known = interface.link_is_known,
          .interface = interface.index};
}

// No time, no interface (it is the section's first), and the length of what was captured follows
// from the interface's snaplen.
bool PcapngReader::ReadSimplePacket(std::span<const std::byte> block, CapturedPacket& packet) {
  const uint64_t offset = OffsetOf(block.data());
  if (block.size() < kSimplePacketBlockBytes || section_.empty()) {
    Tolerate(kBadBlock, offset,
             section_.empty() ? "simple packet block before any interface is described"
                              : absl::StrCat("simple packet block of ", block.size(), " bytes, ",
                                             kSimplePacketBlockBytes, " at least expected"));
    return false;
  }
  const SectionInterface& interface = section_.front();
  const uint32_t length = Load32(block.data() + 8, is_swapped_);
  const uint32_t captured = interface.snaplen == 0 ? length : std::min(length, interface.snaplen);
  if (captured > block.size() - kSimplePacketBlockBytes || captured > kMaxPacketBytes) {
    Tolerate(kBadBlock, offset,
             absl::StrCat("packet of ", captured, " bytes in a block of ", block.size()));
    return false;
  }
  packet = Counted(interface, captured, length, block.data() + 12, std::nullopt);
  return true;
}

bool PcapngReader::ReadOtherBlock(BlockType type, std::span<const std::byte> block,
                                  CapturedPacket& packet) {
  switch (type) {
    case BlockType::kSimplePacket:
      return ReadSimplePacket(block, packet);
    case BlockType::kOldPacket:
      return is_swapped_ ? ReadPacketBlock<true>(block, true, packet)
                         : ReadPacketBlock<false>(block, true, packet);
    case BlockType::kInterface:
      ReadInterface(block);
      return false;
    case BlockType::kInterfaceStatistics:
      ReadStatistics(block);
      return false;
    default:
      return false;  // name resolution, secrets, custom blocks, ...
  }
}

void PcapngReader::Tolerate(Tolerated kind, uint64_t offset, std::string what) {
  ToleratedProblem& problem = tolerated_[kind];
  if (++problem.count > 1) return;
  problem.index = problems_.size();
  problems_.push_back({.file = file_, .offset = offset, .what = std::move(what)});
}

void PcapngReader::TellCounts() {
  for (const ToleratedProblem& problem : tolerated_) {
    if (problem.count < 2) continue;
    absl::StrAppend(&problems_[problem.index].what, " (the first of ", problem.count,
                    " blocks of this kind)");
  }
}

}  // namespace weft::analyzer
