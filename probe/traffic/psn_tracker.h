// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::probe {

// What became of a flow's packets, from the PSNs that arrived. PSNs have 24 bits and wrap; one is
// placed by its signed distance from the one expected, so a gap must be below 2^23 packets.
//
// A packet is reordered when a later one came before it (RFC 4737's sense). It is told from a
// duplicate by a bitmap of the last kWindowPackets PSNs; what is older than that is counted apart,
// because nobody knows which of the two it is.
class PsnTracker {
 public:
  static constexpr size_t kWindowPackets = 16384;

  enum class Arrival : uint8_t { kInOrder, kAfterGap, kLate, kDuplicate, kTooOld };

  explicit PsnTracker(uint32_t first_psn);

  Arrival OnPacket(uint32_t psn);

  uint64_t received_once() const { return received_once_; }  // without duplicates and too old ones
  uint64_t reordered() const { return reordered_; }
  uint64_t duplicates() const { return duplicates_; }
  uint64_t too_old() const { return too_old_; }
  // PSNs that did not come, up to the last that did, or up to `sent` packets where that is more.
  uint64_t Lost(uint64_t sent = 0) const;

 private:
  bool Has(uint64_t index) const;
  void Set(uint64_t index);
  void Clear(uint64_t index);

  uint32_t first_psn_;
  uint64_t expected_ = 0;  // packets since first_psn_: index of the PSN after the highest seen
  uint64_t received_once_ = 0;
  uint64_t reordered_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t too_old_ = 0;
  std::vector<uint64_t> seen_;  // bit index modulo kWindowPackets
};

}  // namespace weft::probe
