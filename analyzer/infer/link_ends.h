// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/infer/mate.h"
#include "analyzer/infer/neighbours.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer: what the places at which an address answered say of it, before any
// addresses are joined.
namespace weft::analyzer {

class LinkEnds {
 public:
  // All must outlive this. `known` may be null.
  LinkEnds(const Observations& observations, const Neighbours& neighbours,
           const topology::Fabric* known);

  // How the link of this address would be numbered, and the other end of it.
  LinkPrefix PrefixOf(const wire::IpAddress& address) const;
  wire::IpAddress MateOf(const wire::IpAddress& address) const;

  // It answered where no interface with this mate can: see infer.h.
  bool IsMisplaced(const wire::IpAddress& address) const { return misplaced_.contains(address); }
  // The given fabric has a cable between the two.
  bool IsGivenLink(const wire::IpAddress& a, const wire::IpAddress& b) const;
  // Near it, an address answered that has no place in a /30: links here are /31s.
  bool NearOnesAre31(const wire::IpAddress& address) const;

  bool IsHost(const wire::IpAddress& address) const {
    return observations_.hosts.contains(address);
  }
  bool IsHop(const wire::IpAddress& address) const { return observations_.hops.contains(address); }

  // How a host's link is numbered, as its own traces show it. nullopt: they do not.
  std::optional<LinkPrefix> HostPrefix(const wire::IpAddress& host) const;
  // The same for a host that was only a destination: as the hosts near it. nullopt: they differ, or
  // there are none.
  std::optional<LinkPrefix> PrefixOfHostsNear(const wire::IpAddress& host) const;

 private:
  bool MayBe30(const wire::IpAddress& address) const;
  bool Misplaced(const wire::IpAddress& address) const;

  const Observations& observations_;
  const Neighbours& neighbours_;
  const topology::Fabric* known_;
  // Blocks (the first address of each) with an address that is first or last of its /30.
  absl::flat_hash_set<wire::IpAddress> blocks_of_31_;
  absl::flat_hash_map<wire::IpAddress, std::vector<wire::IpAddress>> first_hop_of_;
  // Per block of hosts: its prefix; nullopt: they differ.
  absl::flat_hash_map<wire::IpAddress, std::optional<LinkPrefix>> host_blocks_;
  absl::flat_hash_set<wire::IpAddress> misplaced_;
};

}  // namespace weft::analyzer
