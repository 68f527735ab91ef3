// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/numbering.h"

#include <algorithm>
#include <bit>

namespace weft::analyzer {

using wire::IpAddress;

std::optional<uint32_t> SharedBits(const IpAddress& a, const IpAddress& b) {
  if (a.empty() || a.family() != b.family()) return std::nullopt;
  const uint32_t bits = a.IsV4() ? 32 : 128;
  uint32_t shared = 0;
  for (size_t i = 0; i < bits / 8; ++i) {
    const auto differs = static_cast<uint8_t>(a.bytes()[i] ^ b.bytes()[i]);
    shared += static_cast<uint32_t>(std::countl_zero(differs));
    if (differs != 0) break;
  }
  if (shared + kNearBits < bits) return std::nullopt;
  return shared;
}

void NumberingEvidence::Sort() { std::sort(known_.begin(), known_.end()); }

bool NumberingEvidence::SaysLink(const IpAddress& address) const {
  auto low = std::lower_bound(known_.begin(), known_.end(), Known{address, false});
  auto high = low;
  size_t count = 0;
  bool links_only = true;
  // Outwards, always the nearer side: sorted addresses of one block stand together.
  while (true) {
    std::optional<uint32_t> below;
    std::optional<uint32_t> above;
    if (low != known_.begin()) below = SharedBits(address, std::prev(low)->address);
    if (high != known_.end()) above = SharedBits(address, high->address);
    if (!below && !above) return false;
    const uint32_t block = std::max(below.value_or(0), above.value_or(0));
    while (low != known_.begin() && SharedBits(address, std::prev(low)->address) >= block) {
      links_only &= (--low)->of_link;
      ++count;
    }
    while (high != known_.end() && SharedBits(address, high->address) >= block) {
      links_only &= (high++)->of_link;
      ++count;
    }
    if (count >= kEnough) return links_only;
  }
}

}  // namespace weft::analyzer
