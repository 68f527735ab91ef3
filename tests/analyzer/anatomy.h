// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/infer/infer.h"
#include "topology/fabric/fabric.h"

// What must hold of an inferred fabric, whatever the traces.
namespace weft::analyzer {

inline std::vector<std::string> Codes(const InferredFabric& inferred) {
  std::set<std::string> codes;
  for (const topology::Finding& finding : inferred.findings) codes.insert(finding.code);
  return {codes.begin(), codes.end()};
}

inline std::vector<wire::IpAddress> AllAddresses(const topology::Node& node) {
  std::vector<wire::IpAddress> all = node.addresses;
  for (const topology::Interface& interface : node.interfaces) {
    if (!interface.address.empty()) all.push_back(interface.address);
  }
  return all;
}

// No address is at another node than in `built`, none is made up, and no link runs between nodes
// that have none.
inline void ExpectNothingFalse(const topology::Fabric& inferred, const topology::Fabric& built) {
  std::vector<std::optional<topology::NodeIndex>> owners;
  for (const topology::Node& node : inferred.nodes()) {
    std::optional<topology::NodeIndex> owner;
    for (const wire::IpAddress& address : AllAddresses(node)) {
      const auto truth = built.FindAddress(address);
      ASSERT_TRUE(truth.has_value())
          << node.name << " has " << address.ToString() << ", which nothing has";
      if (!owner) owner = truth;
      ASSERT_EQ(*owner, *truth) << node.name << " joins " << built.node(*owner).name << " and "
                                << built.node(*truth).name << " by " << address.ToString();
    }
    owners.push_back(owner);
  }
  for (topology::LinkIndex i = 0; i < inferred.links().size(); ++i) {
    const auto a = owners[inferred.From({i, false})];
    const auto b = owners[inferred.From({i, true})];
    ASSERT_TRUE(a && b);
    bool linked = false;
    for (const topology::Adjacency& adjacency : built.adjacencies(*a)) {
      linked |= adjacency.neighbour == *b;
    }
    ASSERT_TRUE(linked) << built.node(*a).name << " - " << built.node(*b).name;
  }
}

}  // namespace weft::analyzer
