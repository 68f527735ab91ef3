// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/link_ends.h"

#include <algorithm>
#include <array>

namespace weft::analyzer {

using topology::Adjacency;
using topology::Fabric;
using topology::InterfaceIndex;
using wire::IpAddress;

namespace {

// The first address of the block of 2^16 around it: what a site numbers in one way.
IpAddress BlockOf(const IpAddress& address) {
  if (address.IsV4()) return IpAddress::V4(address.v4() & 0xFFFF0000U);
  std::array<uint8_t, 16> bytes = address.bytes();
  bytes[14] = bytes[15] = 0;
  return IpAddress::V6(bytes);
}

}  // namespace

LinkEnds::LinkEnds(const Observations& observations, const Neighbours& neighbours,
                   const Fabric* known)
    : observations_(observations), neighbours_(neighbours), known_(known) {
  for (const auto& [address, names] : observations.hops) {
    if (neighbours.Before(address).empty()) continue;
    if (!weft::analyzer::MateOf(address, LinkPrefix::k30)) blocks_of_31_.insert(BlockOf(address));
  }
  for (const auto& [address, host] : observations.hosts) {
    for (const IpAddress& hop : host.first_hops) first_hop_of_[hop].push_back(address);
    if (host.first_hops.empty()) continue;
    const std::optional<LinkPrefix> prefix = HostPrefix(address);
    const auto [block, added] = host_blocks_.emplace(BlockOf(address), prefix);
    if (block->second != prefix) block->second = std::nullopt;
  }
  for (const auto& [address, names] : observations.hops) {
    if (Misplaced(address)) misplaced_.insert(address);
  }
}

LinkPrefix LinkEnds::PrefixOf(const IpAddress& address) const {
  return MayBe30(address) ? LinkPrefix::k30 : LinkPrefix::k31;
}

IpAddress LinkEnds::MateOf(const IpAddress& address) const {
  return *weft::analyzer::MateOf(address, PrefixOf(address));
}

bool LinkEnds::NearOnesAre31(const IpAddress& address) const {
  return blocks_of_31_.contains(BlockOf(address));
}

// Both usable addresses of the /30 answered, neither of their /31 mates did.
bool LinkEnds::MayBe30(const IpAddress& address) const {
  if (NearOnesAre31(address)) return false;
  const std::optional<IpAddress> mate = weft::analyzer::MateOf(address, LinkPrefix::k30);
  if (!mate || !IsHop(*mate)) return false;
  const IpAddress mate31 = *weft::analyzer::MateOf(address, LinkPrefix::k31);
  const IpAddress other31 = *weft::analyzer::MateOf(*mate, LinkPrefix::k31);
  return !IsHop(mate31) && !IsHost(mate31) && !IsHop(other31) && !IsHost(other31);
}

bool LinkEnds::Misplaced(const IpAddress& address) const {
  if (known_ != nullptr && known_->FindAddress(address) && !known_->FindAddressInterface(address)) {
    return true;  // a node's own, as the given fabric has it
  }
  const IpAddress mate = MateOf(address);
  if (neighbours_.Follows(address, mate) || neighbours_.Follows(mate, address)) return true;
  const std::vector<HopBefore>& before = neighbours_.Before(address);
  if (before.empty()) return false;
  if (IsHost(mate)) return true;
  // Next to a host that is not its mate.
  if (first_hop_of_.contains(address)) return true;
  return std::any_of(before.begin(), before.end(), [&](const HopBefore& hop) {
    return neighbours_.Follows(address, hop.address);
  });
}

bool LinkEnds::IsGivenLink(const IpAddress& a, const IpAddress& b) const {
  if (known_ == nullptr) return false;
  const std::optional<InterfaceIndex> from = known_->FindAddressInterface(a);
  const std::optional<InterfaceIndex> to = known_->FindAddressInterface(b);
  if (!from || !to) return false;
  const std::optional<Adjacency> port =
      known_->FindPort(from->node, known_->node(from->node).interfaces[from->interface].name);
  return port && port->neighbour == to->node &&
         port->neighbour_interface == known_->node(to->node).interfaces[to->interface].name;
}

std::optional<LinkPrefix> LinkEnds::HostPrefix(const IpAddress& host) const {
  const std::set<IpAddress>& first_hops = observations_.hosts.at(host).first_hops;
  for (const LinkPrefix prefix : {LinkPrefix::k31, LinkPrefix::k30}) {
    const std::optional<IpAddress> mate = weft::analyzer::MateOf(host, prefix);
    if (mate && first_hops.contains(*mate)) return prefix;
  }
  return std::nullopt;
}

std::optional<LinkPrefix> LinkEnds::PrefixOfHostsNear(const IpAddress& host) const {
  const auto block = host_blocks_.find(BlockOf(host));
  if (block == host_blocks_.end()) return std::nullopt;
  const std::optional<LinkPrefix> prefix = block->second;
  if (!prefix || !weft::analyzer::MateOf(host, *prefix)) return std::nullopt;
  return prefix;
}

}  // namespace weft::analyzer
