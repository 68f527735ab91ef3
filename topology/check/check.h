// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"

// A blueprint against reality. Identity first: nodes are the same when they share an interface
// address (or one of the node itself), else when they share a name; only what has neither in common
// is matched by its place (the same neighbours, already matched), and such a match says what it
// cannot see.
namespace weft::topology {

enum class MatchedBy : uint8_t { kAddress, kName, kPlace };
const char* ToString(MatchedBy how);  // "address", "name", "place"

struct NodeMatch {
  std::string blueprint;
  std::string actual;
  MatchedBy how = MatchedBy::kAddress;
  bool operator==(const NodeMatch&) const = default;
};

struct CheckOptions {
  // The actual fabric is from traces, which see only what lies between hosts that took part: what
  // of the blueprint no trace can have crossed is "not measured" instead of missing.
  bool from_traces = false;
  // With from_traces: the pairs of hosts (by blueprint name, from and to) that were traced. Empty:
  // all pairs of the hosts that were seen.
  std::vector<std::pair<std::string, std::string>> traced_pairs;
};

struct CheckResult {
  // Nodes of the blueprint in its order. A node seen as two stands twice.
  std::vector<NodeMatch> matches;
  // Names in the blueprint, and for extra nodes and links in the actual fabric.
  std::vector<std::string> missing_nodes;
  std::vector<std::string> extra_nodes;
  std::vector<std::string> not_measured_nodes;
  std::vector<Link> missing_links;
  std::vector<Link> extra_links;
  std::vector<Link> not_measured_links;
  // Links of one or more cables in the actual fabric that stand for several of the blueprint: that
  // at least one of them is there is all that is known.
  uint32_t not_told_apart_links = 0;
  // Codes: missing-node, extra-node, missing-link, extra-link, split-node, merged-node,
  // other-address, other-kind, other-capacity, fabric-in-parts (severity error); matched-by-place,
  // parallel-not-told-apart (info).
  std::vector<Finding> findings;
  // No finding of severity error: all that was measured is as the blueprint says.
  bool agrees = false;
  // `agrees`, and nothing of the blueprint is left unmeasured. Cables that a link of one or more
  // stands for count as measured.
  bool identical = false;
};

CheckResult Check(const Fabric& blueprint, const Fabric& actual, const CheckOptions& options);

}  // namespace weft::topology
