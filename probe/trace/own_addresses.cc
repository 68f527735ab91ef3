// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/own_addresses.h"

#include <array>
#include <cstdint>

namespace weft::probe {

wire::IpAddress MateOf(const wire::IpAddress& address) {
  if (address.IsV4()) return wire::IpAddress::V4(address.v4() ^ 1U);
  std::array<uint8_t, 16> bytes = address.bytes();
  bytes[15] = static_cast<uint8_t>(bytes[15] ^ 1U);
  return wire::IpAddress::V6(bytes);
}

void OwnAddresses::LearnLink(const wire::IpAddress& before, const wire::IpAddress& after) {
  if (before == after || !links_.emplace(before, after).second) return;
  known_[before].nexts.push_back(after);
  known_[after].is_after = true;
  if (links_.contains({after, before})) {
    Learn(before);
    Learn(after);
  }
  if (const wire::IpAddress mate = MateOf(after); links_.contains({before, mate})) {
    Learn(after);
    Learn(mate);
  }
  const bool two_sides = known_[after].is_first;
  if (two_sides || (Contains(before) && TellsOwn(before, after))) Learn(after);
}

void OwnAddresses::LearnFirstHop(const wire::IpAddress& first) {
  Known& known = known_[first];
  known.is_first = true;
  if (known.is_after) Learn(first);
}

void OwnAddresses::LearnMeeting(const wire::IpAddress& address, bool only) {
  if (only || count_ > 0) {
    Learn(address);
  } else {
    meetings_.insert(address);
  }
}

void OwnAddresses::Learn(const wire::IpAddress& address) {
  std::vector<wire::IpAddress> found = {address};
  found.insert(found.end(), meetings_.begin(), meetings_.end());
  meetings_.clear();
  while (!found.empty()) {
    const wire::IpAddress own = found.back();
    found.pop_back();
    Known& known = known_[own];
    if (known.own) continue;
    known.own = true;
    ++count_;
    for (const wire::IpAddress& next : known.nexts) {
      if (TellsOwn(own, next)) found.push_back(next);
    }
  }
}

bool OwnAddresses::TellsOwn(const wire::IpAddress& own, const wire::IpAddress& next) {
  Known& known = known_.find(next)->second;
  if (known.own_before.empty()) known.own_before = own;
  return known.own_before != own;
}

}  // namespace weft::probe
