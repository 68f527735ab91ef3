// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/infer/mate.h"
#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/path_table.h"
#include "topology/records/probe_record.h"
#include "wire/ip_address.h"

// The fabric as traces show it. What is assumed, and nothing else:
// - Where a switch's interface has an address, the switch answers a probe whose TTL ran out with
// the
//   address of the interface on which the probe came in. Where it has none, the switch answers with
//   an address of its own (a loopback), whatever the way the probe came.
// - Numbered links between two are /31s (RFC 3021) or /127s (RFC 6164), so the mate of an
// interface's
//   address is the interface at the other end of that link, and belongs to the switch (or host)
//   that the probe crossed just before. A /30 or /126 is taken where both of its addresses answered
//   and no address near them stands where a /30 has none.
//
// An address is an interface's only on evidence:
// - It and its mate both answered, and one came right behind an address that is known to be of the
//   other's switch. Or
// - its switch answered with several addresses near each other, which a switch with one address
//   would not. Or
// - the nearest addresses of which it is known (the smallest block with two of them, of at most 256
//   addresses) are all ends of links: links and nodes have blocks of their own.
// And never where an interface cannot answer so:
// - right before or right behind its own mate; before an address that it also came behind;
// - behind a switch, yet next to a host that it shares no link with, or its mate is a host;
// - behind two addresses that are not of one switch: they stand at two places of one path, or are
//   two nodes' own addresses that no sign joins. Its mate is then no interface either.
// Every other address is its node's (Node.addresses); its links have no addresses, are "one or
// more" (cables beside each other cannot be told apart), and are named after the neighbour at each
// end.
//
// What no sign joins stays apart and is said: two switches of the result may be one in truth, never
// the reverse as far as the signs are true.
namespace weft::analyzer {

// What says that two addresses are of one switch.
enum class JoinSign : uint8_t {
  kSubnetMate,    // the mate of what came next is at this end of the link
  kCommonAnswer,  // one address answers in front of hosts or links of several interfaces
  kIpId,          // the IP IDs of their answers come from one counter
  kName,          // they have one name
  kGiven,         // a given fabric has both at one node
};
const char* ToString(JoinSign sign);  // "subnet mate", "common answer", "IP ID", "name", "given"

// What is known beside the path tables. Everything is optional and must outlive the call.
struct JoinSigns {
  std::map<wire::IpAddress, std::string> names;   // address -> name of its node
  const topology::Fabric* known = nullptr;        // nodes with their addresses: a blueprint, LLDP
  std::span<const topology::ProbeRecord> ip_ids;  // answers with hop_address, hop_ip_id, time_s
};

// Why two addresses are held to be of one switch.
struct InterfaceJoin {
  wire::IpAddress seen;     // answered
  wire::IpAddress mate;     // of `ingress`; without one, the other address that the sign names
  wire::IpAddress ingress;  // what answered next, or the destination; none for other signs
  LinkPrefix prefix = LinkPrefix::k31;  // where there is an `ingress`
  uint32_t path_count = 0;              // different paths that say so
  std::string reason;                   // in words
  JoinSign sign = JoinSign::kSubnetMate;
};

struct InferCounts {
  uint32_t tables = 0;
  uint32_t void_tables = 0;    // not used: what they say is no longer true
  uint32_t hidden_tables = 0;  // an overlay hides the paths: no links between switches from them
  uint32_t paths = 0;
  uint32_t silent_hops = 0;     // over all paths
  uint32_t addresses = 0;       // that answered
  uint32_t node_addresses = 0;  // of these, of a node and not of one of its interfaces
  uint32_t joins_refused = 0;
};

// Two addresses with one silent hop between them.
struct SilentGap {
  wire::IpAddress before;
  wire::IpAddress behind;
  auto operator<=>(const SilentGap&) const = default;
};

struct InferredFabric {
  // Switches by tier, then by lowest address; hosts after them. A switch is named as its hops are
  // given or resolved in the tables, otherwise "switch-<lowest address>"; an interface is its
  // address in text. Tier: the links to the nearest host, less one (leaf 0), by the shortest way
  // over all paths and links; hops that are silent count on the way. So of branches of unequal
  // length the shorter one counts, and switches of one tier may be linked. Capacities are not
  // known.
  topology::Fabric fabric;
  std::vector<InterfaceJoin> joins;         // those made, by address
  std::vector<topology::Finding> findings;  // what could not be made, and why
  // Addresses at the far ends of links whose switch there is silent: sorted, of no node.
  std::vector<wire::IpAddress> silent_ends;
  // The same where links have no addresses: sorted. Only in front of addresses of nodes.
  std::vector<SilentGap> silent_gaps;
  InferCounts counts;
};

// The same result whatever the order of tables and paths. Findings beside those of path tables:
// join-refused (warning): two addresses that the numbering joins stand at two places of one path;
// join-contradicted (warning): one sign joins two addresses and another holds them apart.
// Errors: InvalidArgument names a table without a source or destination address; NotFound: no
// table.
absl::StatusOr<InferredFabric> InferFabric(std::span<const topology::PathTable> tables,
                                           const JoinSigns& signs = {});

}  // namespace weft::analyzer
