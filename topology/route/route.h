// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/route/hash.h"
#include "wire/ip_address.h"

// Where a packet goes in a fabric: the only place that computes paths. Routing is by shortest paths
// (up and down a Clos); where several next hops are equally near, the switch's hash model chooses.
namespace weft::topology {

// The headers that a switch may hash.
struct HashedHeaders {
  wire::IpAddress source;
  wire::IpAddress destination;
  uint8_t protocol = 17;
  uint16_t udp_src_port = 0;
  uint16_t udp_dst_port = 4791;
  // Beyond the 5-tuple:
  uint32_t flow_label = 0;    // IPv6
  uint8_t traffic_class = 0;  // DSCP and ECN; only the DSCP is hashed
  uint32_t dest_qpn = 0;
  uint8_t bth_opcode = 0;
  bool operator==(const HashedHeaders&) const = default;
};

// Computed once for a fabric (and a set of links that routing knows to be down); then lookups.
// Keeps a pointer to the fabric, which must outlive it and not grow. Only nodes of kind host are
// destinations, and hosts forward nothing. Threads may share a const Router.
//
// Hosts plugged into the same switches are equally far from everywhere else, so groups are computed
// and kept once per set of such switches (a leaf), not per host; equal groups are stored once.
class Router {
 public:
  // `hashes` has one model per node (hosts' are not used). links_down: taken out of every group, as
  // a routing protocol would after a loud failure.
  Router(const Fabric* fabric, std::vector<HashModel> hashes,
         std::span<const LinkIndex> links_down);

  // The ECMP group of `node` towards `host`: equally near next hops in a fixed order (by interface
  // name of this node); empty where there is no way, where `host` is no host, or at `host` itself.
  // The span is valid as long as the Router.
  std::span<const Direction> NextHops(NodeIndex node, NodeIndex host) const;

  // Which member of the group these headers take. nullopt: no way, or `node` is the destination.
  std::optional<Direction> NextHop(NodeIndex node, const HashedHeaders& headers) const;

  // The directed links these headers cross from the node that has their source address to their
  // destination host; none where the two are the same.
  // NotFound: an address that is not in the fabric or not a host's, or no way between the two.
  absl::StatusOr<std::vector<Direction>> Route(const HashedHeaders& headers) const;

  // Every path of shortest length between two hosts, in a fixed order; at most `limit`.
  std::vector<std::vector<Direction>> AllPaths(NodeIndex from_host, NodeIndex to_host,
                                               size_t limit) const;

  const Fabric& fabric() const { return *fabric_; }
  const HashModel& hash(NodeIndex node) const { return hashes_[node]; }

 private:
  struct Range {
    uint32_t begin = 0;  // in groups_
    uint32_t count = 0;
  };
  // The hosts whose links that are up lead to the same nodes.
  struct Attachment {
    std::vector<NodeIndex> nodes;  // in order, none twice
    std::vector<Range> ranges;     // per forwarder: its group towards these nodes
  };
  // A node at the other end of one of a host's links, and its links to the host.
  struct LastHop {
    NodeIndex node = 0;
    Range range;
  };
  class Builder;

  Range RangeOf(NodeIndex node, NodeIndex host) const;

  const Fabric* fabric_;
  std::vector<HashModel> hashes_;
  std::vector<Direction> groups_;
  std::vector<Attachment> attachments_;
  std::vector<uint32_t> attachment_of_;          // per node: in attachments_, or kNone
  std::vector<std::vector<LastHop>> last_hops_;  // per node, for hosts
  std::vector<uint32_t> forwarder_rank_;         // per node: in Attachment::ranges, or kNone
  std::vector<Range> only_way_;  // per node without a rank: hosts whose links all go to one node
};

}  // namespace weft::topology
