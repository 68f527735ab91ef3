// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/port_source.h"

namespace weft::probe {

PortSource::PortSource(uint64_t seed, std::span<const uint16_t> avoid)
    : used_(kLastRocePort - kFirstRocePort + 1), left_(used_.size()), random_(seed) {
  for (const uint16_t port : avoid) {
    if (port < kFirstRocePort || used_[port - kFirstRocePort]) continue;
    used_[port - kFirstRocePort] = true;
    --left_;
  }
}

std::optional<uint16_t> PortSource::Next() {
  if (left_ == 0) return std::nullopt;
  size_t index = random_() % used_.size();
  while (used_[index]) index = random_() % used_.size();
  used_[index] = true;
  --left_;
  return static_cast<uint16_t>(kFirstRocePort + index);
}

}  // namespace weft::probe
