// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "analyzer/capture/link_number.h"
#include "analyzer/capture/load_number.h"
#include "analyzer/capture/pcapng_reader.h"

// The part of the reader that knows interfaces: their descriptions and what they dropped.
namespace weft::analyzer {
namespace {

// More are no capture; each costs a few hundred bytes.
constexpr size_t kMaxInterfaces = 65536;
constexpr size_t kMaxNameBytes = 255;
constexpr uint64_t kUnknownCount = std::numeric_limits<uint64_t>::max();

// Names come from a stranger's file and go to a terminal.
std::string CleanName(std::span<const std::byte> value) {
  std::string name;
  for (const std::byte byte : value.first(std::min(value.size(), kMaxNameBytes))) {
    const char letter = static_cast<char>(byte);
    if (letter == '\0') break;
    const bool is_control = static_cast<uint8_t>(byte) < 0x20 || letter == 0x7f;
    name.push_back(is_control ? '?' : letter);
  }
  return name;
}

}  // namespace

// | type, length | link type 16 | reserved 16 | snaplen 32 | options | length |
void PcapngReader::ReadInterface(std::span<const std::byte> block) {
  if (block.size() < kInterfaceBlockBytes || section_.size() >= kMaxInterfaces) {
    return Tolerate(kBadBlock, OffsetOf(block.data()),
                    section_.size() >= kMaxInterfaces
                        ? absl::StrCat("more than ", kMaxInterfaces, " interfaces in a section")
                        : absl::StrCat("interface block of ", block.size(), " bytes, ",
                                       kInterfaceBlockBytes, " at least expected"));
  }
  std::string name;
  uint64_t speed_bps = 0;
  uint8_t tsresol = TimeUnit::kMicroseconds;
  int64_t tsoffset_s = 0;
  OptionReader option(block.subspan(16, block.size() - kInterfaceBlockBytes), is_swapped_);
  while (option.Next()) {
    if (option.code == kIfName) name = CleanName(option.value);
    if (option.code == kIfSpeed) speed_bps = option.U64();
    if (option.code == kIfTsresol && !option.value.empty()) tsresol = option.U8();
    if (option.code == kIfTsoffset) tsoffset_s = static_cast<int64_t>(option.U64());
  }
  SectionInterface interface;
  interface.snaplen = Load32(block.data() + 12, is_swapped_);
  interface.unit = TimeUnit(tsresol, tsoffset_s);
  const uint16_t link = LinkNumber(Load16(block.data() + 8, is_swapped_));
  interface.index =
      InterfaceIndex({section_.size(), std::move(name), link, interface.snaplen, speed_bps});
  interface.link_type = static_cast<wire::LinkType>(link);
  interface.link_is_known = wire::IsKnownLinkType(link);
  section_.push_back(interface);
}

uint32_t PcapngReader::InterfaceIndex(const InterfaceKey& key) {
  const auto known = known_interfaces_.find(key);
  if (known != known_interfaces_.end()) return known->second;
  const auto& [id, name, link, snaplen, speed_bps] = key;
  // Of files that go on describing others, the last one stands for what is too much.
  if (interfaces_.size() < kMaxInterfaces) {
    CaptureInterface interface;
    interface.file = file_;
    interface.name = name;
    interface.link_type = link;
    interface.snaplen = snaplen;
    interface.speed_bps = speed_bps;
    interfaces_.push_back(std::move(interface));
    known_interfaces_.emplace(key, static_cast<uint32_t>(interfaces_.size() - 1));
  }
  return static_cast<uint32_t>(interfaces_.size() - 1);
}

// | type, length | interface 32 | time 64 | options | length |
// The counts are since the capture's start: of several blocks the last one counts.
void PcapngReader::ReadStatistics(std::span<const std::byte> block) {
  const uint32_t id =
      block.size() < kStatisticsBlockBytes ? 0 : Load32(block.data() + 8, is_swapped_);
  if (block.size() < kStatisticsBlockBytes || id >= section_.size()) {
    return Tolerate(kBadBlock, OffsetOf(block.data()),
                    absl::StrCat("statistics block of ", block.size(), " bytes for interface ", id,
                                 ", the section has described ", section_.size()));
  }
  uint64_t dropped = 0;
  bool is_told = false;
  OptionReader option(block.subspan(20, block.size() - kStatisticsBlockBytes), is_swapped_);
  while (option.Next()) {
    if (option.code != kIsbIfdrop && option.code != kIsbOsdrop) continue;
    if (option.value.size() < 8 || option.U64() == kUnknownCount) continue;
    dropped += option.U64();
    is_told = true;
  }
  if (!is_told) return;
  SectionInterface& interface = section_[id];
  auto& total = interfaces_[interface.index].dropped;
  total = total.value_or(0) - interface.dropped + dropped;
  interface.dropped = dropped;
  interface.has_statistics = true;
}

// How many were lost between a packet and the one before it.
void PcapngReader::ReadDropCount(std::span<const std::byte> options, SectionInterface& interface) {
  if (interface.has_statistics) return;
  OptionReader option(options, is_swapped_);
  while (option.Next()) {
    if (option.code != kEpbDropcount || option.value.size() < 8) continue;
    auto& total = interfaces_[interface.index].dropped;
    total = total.value_or(0) + option.U64();
    interface.dropped += option.U64();
  }
}

}  // namespace weft::analyzer
