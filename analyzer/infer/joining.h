// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/infer/interface_sets.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer: which addresses are of one switch, and which links that makes.
namespace weft::analyzer {

// The cable between two interfaces, by their addresses: a < b.
struct InferredLink {
  wire::IpAddress a;
  wire::IpAddress b;
  auto operator<=>(const InferredLink&) const = default;
};

struct Joining {
  std::vector<std::vector<wire::IpAddress>> switches;  // sets of addresses
  std::vector<InterfaceJoin> joins;                    // sorted
  std::set<InferredLink> links;
  // Addresses that are their node's, and what came right before each, of another switch.
  std::set<wire::IpAddress> node_addresses;
  std::set<std::pair<wire::IpAddress, wire::IpAddress>> steps;
  // Addresses of interfaces: they answered, and their links are numbered.
  std::map<wire::IpAddress, LinkPrefix> numbered;
  // Hosts that hang on a switch without a numbered link: host -> an address of the switch.
  std::map<wire::IpAddress, wire::IpAddress> unnumbered_hosts;
  std::vector<topology::Finding> findings;
  uint32_t refused = 0;
};

Joining JoinInterfaces(const Observations& observations, const JoinSigns& signs);

}  // namespace weft::analyzer
