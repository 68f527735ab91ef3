// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/psn_tracker.h"

#include <algorithm>

#include "wire/bth.h"

namespace weft::probe {
namespace {

constexpr size_t kWordBits = 64;
static_assert(PsnTracker::kWindowPackets % kWordBits == 0);

}  // namespace

PsnTracker::PsnTracker(uint32_t first_psn)
    : first_psn_(first_psn & wire::kPsnMask), seen_(kWindowPackets / kWordBits, 0) {}

PsnTracker::Arrival PsnTracker::OnPacket(uint32_t psn) {
  const auto expected_psn = static_cast<uint32_t>((first_psn_ + expected_) & wire::kPsnMask);
  const int64_t distance = wire::PsnDistance(psn & wire::kPsnMask, expected_psn);
  if (distance >= 0) {
    const uint64_t index = expected_ + static_cast<uint64_t>(distance);
    const uint64_t gap = std::min<uint64_t>(index - expected_, kWindowPackets);
    for (uint64_t missing = index - gap; missing < index; ++missing) Clear(missing);
    Set(index);
    expected_ = index + 1;
    ++received_once_;
    return distance == 0 ? Arrival::kInOrder : Arrival::kAfterGap;
  }
  const auto behind = static_cast<uint64_t>(-distance);
  if (behind > expected_ || behind > kWindowPackets) {
    ++too_old_;
    return Arrival::kTooOld;
  }
  const uint64_t index = expected_ - behind;
  if (Has(index)) {
    ++duplicates_;
    return Arrival::kDuplicate;
  }
  Set(index);
  ++received_once_;
  ++reordered_;
  return Arrival::kLate;
}

uint64_t PsnTracker::Lost(uint64_t sent) const {
  return std::max(expected_, sent) - received_once_;
}

bool PsnTracker::Has(uint64_t index) const {
  const uint64_t bit = index % kWindowPackets;
  return (seen_[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
}

void PsnTracker::Set(uint64_t index) {
  const uint64_t bit = index % kWindowPackets;
  seen_[bit / kWordBits] |= uint64_t{1} << (bit % kWordBits);
}

void PsnTracker::Clear(uint64_t index) {
  const uint64_t bit = index % kWindowPackets;
  seen_[bit / kWordBits] &= ~(uint64_t{1} << (bit % kWordBits));
}

}  // namespace weft::probe
