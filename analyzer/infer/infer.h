// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/infer/mate.h"
#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/path_table.h"
#include "wire/ip_address.h"

// The fabric as traces show it. What is assumed, and nothing else:
// - A switch answers a probe whose TTL ran out from the interface on which the probe came in.
// - Links are numbered /31 (RFC 3021), so the mate of an answering address is the interface at the
//   other end of that link, and belongs to the switch (or host) that the probe crossed just before.
//   /30 is fallen back on only where the /31 mate contradicts what was seen.
// Addresses are joined into one switch by that alone. What no trace joins stays apart and is said:
// two switches of the result may be one in truth, never the reverse.
namespace weft::analyzer {

// Why two interface addresses are held to be of one switch.
struct InterfaceJoin {
  wire::IpAddress seen;     // answered
  wire::IpAddress mate;     // of `ingress`
  wire::IpAddress ingress;  // what answered next, or the destination
  LinkPrefix prefix = LinkPrefix::k31;
  uint32_t path_count = 0;  // different paths that say so
  std::string reason;       // in words
};

struct InferCounts {
  uint32_t tables = 0;
  uint32_t void_tables = 0;  // not used: what they say is no longer true
  uint32_t paths = 0;
  uint32_t silent_hops = 0;  // over all paths
  uint32_t addresses = 0;    // that answered
  uint32_t joins_refused = 0;
};

struct InferredFabric {
  // Switches by tier, then by lowest address; hosts after them. A switch is named as its hops are
  // resolved in the tables, otherwise "switch-<lowest address>"; an interface is its address in
  // text. Tier: 0 next to a host, then by distance. Capacities are not known.
  topology::Fabric fabric;
  std::vector<InterfaceJoin> joins;         // those made, by address
  std::vector<topology::Finding> findings;  // what could not be made, and why
  // Addresses at the far ends of links whose switch there is silent: sorted, of no node.
  std::vector<wire::IpAddress> silent_ends;
  InferCounts counts;
};

// The same result whatever the order of tables and paths. Errors: InvalidArgument names a table
// without a source or destination address, or with an address that is not IPv4; NotFound: no table.
absl::StatusOr<InferredFabric> InferFabric(std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
