// SPDX-License-Identifier: Apache-2.0
// Internal to topology/check: the words for what differs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/check/link_matching.h"
#include "topology/check/node_matching.h"

namespace weft::topology {

// Makes findings about one pair of fabrics. Keeps references to all that it is given.
class DifferenceWriter {
 public:
  DifferenceWriter(const Fabric& blueprint, const Fabric& actual, const NodeMatching& nodes,
                   const LinkMatching& links)
      : blueprint_(blueprint), actual_(actual), nodes_(nodes), links_(links) {}

  Finding MissingNode(NodeIndex blueprint) const;
  Finding ExtraNode(NodeIndex actual) const;
  Finding SplitNode(NodeIndex blueprint) const;
  Finding MergedNode(NodeIndex actual) const;
  Finding MissingLink(LinkIndex blueprint) const;
  Finding ExtraLink(LinkIndex actual) const;
  Finding ByNodesOnly(LinkIndex actual) const;
  // Of some links, at least one, that stand for several cables each.
  Finding NotToldApart(std::span<const LinkMatching::NotToldApart> links) const;
  Finding OtherCapacity(LinkIndex blueprint, LinkIndex actual) const;
  // What a matched pair of nodes differs in: address, kind, or what its match by place cannot see.
  void AppendNodeDifferences(NodeIndex actual, std::vector<Finding>& findings) const;
  // nullopt: the actual fabric has no more parts than the blueprint.
  std::optional<Finding> InParts(Severity severity) const;

 private:
  // "leaf1:spine1 (10.128.0.0) - spine1:leaf1 (10.128.0.1)"
  static std::string Cable(const Fabric& fabric, LinkIndex link);
  void AppendAddressDifferences(NodeIndex actual, std::vector<Finding>& findings) const;

  const Fabric& blueprint_;
  const Fabric& actual_;
  const NodeMatching& nodes_;
  const LinkMatching& links_;
};

}  // namespace weft::topology
