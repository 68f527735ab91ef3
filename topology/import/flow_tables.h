// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "topology/records/finding.h"
#include "topology/records/path_table.h"
#include "wire/ip_address.h"

namespace weft::topology {

inline constexpr uint32_t kMaxTtl = 255;

struct TracedReply {
  uint32_t ttl = 0;  // of the probe, 1-255
  wire::IpAddress address;
  bool from_destination = false;
};

// One traceroute: what answered to the probes of one flow.
struct TracedFlow {
  wire::IpAddress source;  // none: not recorded
  wire::IpAddress destination;
  ProbeHeaders headers;
  std::string measured_at;  // RFC 3339, UTC; empty: not recorded
  // What tells this flow from others between the same two, for people: "UDP source port 33434".
  // Empty: its probes did not keep what switches hash, so its hops may be of several paths.
  std::string flow;
  std::optional<uint16_t> udp_src_port;  // that one could steer with
  uint32_t last_ttl = 0;                 // of the probes; replies may go beyond. What is missing is
                                         // silent
  uint32_t probes_sent = 0;
  std::vector<TracedReply> replies;  // in any order
  std::vector<Finding> findings;     // that the format itself has to say about the flow
};

// Flows put together into tables: one for each pair and headers; what is odd about a flow stands in
// its table's findings. Where the same flow was traced again and took another way, both paths stay.
class FlowTables {
 public:
  // `origin`: where the flow stands, for evidence.
  void Add(const TracedFlow& flow, const std::string& origin);
  // A table that is complete as it is.
  void Add(PathTable table) { tables_.push_back(std::move(table)); }

  std::vector<PathTable> Take() { return std::move(tables_); }

 private:
  using Key = std::tuple<wire::IpAddress, wire::IpAddress, uint16_t, uint8_t>;
  using PathKey = std::tuple<Key, bool, std::vector<wire::IpAddress>>;
  static Key KeyOf(const TracedFlow& flow);
  static PathKey SamePathKey(const Key& key, const Path& path);
  PathTable& TableFor(const TracedFlow& flow);
  void AddPath(const TracedFlow& flow, Path path, const std::string& origin, PathTable& table);

  std::vector<PathTable> tables_;
  std::map<Key, size_t> by_key_;
  // Indices into a table's paths: where a flow was last seen, and by how many flows each was.
  std::map<std::pair<Key, std::string>, size_t> path_of_flow_;
  std::map<std::pair<Key, size_t>, size_t> flows_of_path_;
  std::map<PathKey, size_t> same_path_;
};

// "10.0.0.1 to 10.0.0.2"; a source that is not known is "?".
std::string PairText(const wire::IpAddress& source, const wire::IpAddress& destination);

// Findings about addresses that stand twice on one path: in a row, and elsewhere (a loop).
// `subject` is the flow or pair.
void AppendAddressFindings(const std::vector<Hop>& hops, const std::string& subject,
                           const std::string& origin, std::vector<Finding>& findings);

// A finding that one flow's probes had several answers at one hop. `where`: "hop 3, flow 2".
Finding PerPacketOrChanged(const std::string& subject, std::vector<Evidence> evidence);
// A finding that others answered behind the destination, where its path was ended.
Finding DestinationInsidePath(const std::string& subject, std::vector<Evidence> evidence);
Evidence RespondersAt(const std::string& where, const std::vector<wire::IpAddress>& addresses,
                      const std::string& origin);

}  // namespace weft::topology
