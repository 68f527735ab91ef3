// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/capture/file_reader.h"
#include "analyzer/capture/pcapng_format.h"
#include "analyzer/capture/time_unit.h"

namespace weft::analyzer {

// pcapng, of any number of sections in either byte order. An interface that a later section
// describes as an earlier one did, under the same ID, counts as the same. Section lengths are not
// needed and not looked at. Blocks without packets and statistics are skipped by their length.
//
// A block length that cannot be ends the reading, since no next block can be found. Where only the
// contents of a block are wrong (an interface that was not described, more packet than block), it
// is skipped; where the length at a block's end differs from the one at its front, that one counts.
// Each of the two is a problem, told once with where it was first and how often it was.
class PcapngReader final : public FileReader {
 public:
  // `buffer` begins with a section header's type. InvalidArgument for one that is cut or wrong.
  static absl::StatusOr<std::unique_ptr<CaptureSource>> Open(RecordBuffer buffer,
                                                             const std::string& name);

  size_t Read(std::span<CapturedPacket> packets) override;

 private:
  struct SectionInterface {
    uint32_t index = 0;  // in interfaces_
    uint32_t snaplen = 0;
    TimeUnit unit{};
    wire::LinkType link_type = wire::LinkType::kEthernet;
    bool link_is_known = true;
    uint64_t dropped = 0;         // as far as counted in interfaces_
    bool has_statistics = false;  // which then count instead of the packets' own drop counts
  };
  enum Tolerated : size_t { kBadBlock, kTrailingLength, kToleratedKinds };
  struct ToleratedProblem {
    size_t index = 0;  // in problems_
    uint64_t count = 0;
  };
  // id, name, link type, snaplen, speed
  using InterfaceKey = std::tuple<size_t, std::string, uint16_t, uint32_t, uint64_t>;

  PcapngReader(std::string name, RecordBuffer buffer)
      : FileReader(std::move(name), std::move(buffer)) {}

  template <bool kSwap>
  size_t ReadBuffered(std::span<CapturedPacket> packets);
  // Each is given a whole block; true where it held a packet, written to `packet`.
  template <bool kSwap>
  bool ReadPacketBlock(std::span<const std::byte> block, bool is_old, CapturedPacket& packet);
  bool ReadSimplePacket(std::span<const std::byte> block, CapturedPacket& packet);
  bool ReadOtherBlock(BlockType type, std::span<const std::byte> block, CapturedPacket& packet);
  void ReadInterface(std::span<const std::byte> block);
  void ReadStatistics(std::span<const std::byte> block);
  void ReadDropCount(std::span<const std::byte> options, SectionInterface& interface);
  uint32_t InterfaceIndex(const InterfaceKey& key);
  CapturedPacket Counted(const SectionInterface& interface, uint32_t captured, uint32_t length,
                         const std::byte* data, std::optional<int64_t> time_ns);

  void FillOrStop();
  absl::Status BeginSection();
  void FillOrSkip(BlockType type, uint32_t size);
  uint64_t OffsetOf(const std::byte* at) const {
    return buffer_.offset() + static_cast<uint64_t>(at - buffer_.bytes().data());
  }
  void Tolerate(Tolerated kind, uint64_t offset, std::string what);
  void TellCounts();

  bool is_swapped_ = false;
  std::vector<SectionInterface> section_;  // by interface ID
  std::map<InterfaceKey, uint32_t> known_interfaces_;
  std::array<ToleratedProblem, kToleratedKinds> tolerated_{};
};

}  // namespace weft::analyzer
