// SPDX-License-Identifier: Apache-2.0
// Fabrics as records that a test changes: what is there instead of what the blueprint says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topology/check/check.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {

inline std::vector<FabricRecord> LeafSpine() {
  return GenerateLeafSpine({3, 2, 2, 20e6, std::nullopt})->ToRecords();
}

inline Fabric Build(const std::vector<FabricRecord>& records) {
  auto fabric = Fabric::FromRecords(records);
  EXPECT_TRUE(fabric.ok()) << fabric.status();
  return *std::move(fabric);
}

inline Node& NodeOf(std::vector<FabricRecord>& records, const std::string& name) {
  for (FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node != nullptr && node->name == name) return *node;
  }
  ADD_FAILURE() << "no node " << name;
  return std::get<Node>(records.front());
}

inline Link& LinkOf(std::vector<FabricRecord>& records, const PortRef& end) {
  for (FabricRecord& record : records) {
    Link* link = std::get_if<Link>(&record);
    if (link != nullptr && (link->a == end || link->b == end)) return *link;
  }
  ADD_FAILURE() << "no link at " << ToString(end);
  return std::get<Link>(records.back());
}

inline void Rename(std::vector<FabricRecord>& records, const std::string& from,
                   const std::string& to) {
  for (FabricRecord& record : records) {
    if (Node* node = std::get_if<Node>(&record)) {
      if (node->name == from) node->name = to;
    } else {
      for (PortRef* end : {&std::get<Link>(record).a, &std::get<Link>(record).b}) {
        if (end->node == from) end->node = to;
      }
    }
  }
}

// Takes a node and its links away.
inline void Remove(std::vector<FabricRecord>& records, const std::string& name) {
  std::erase_if(records, [&](const FabricRecord& record) {
    if (const Node* node = std::get_if<Node>(&record)) return node->name == name;
    const Link& link = std::get<Link>(record);
    return link.a.node == name || link.b.node == name;
  });
}

inline void RemoveLink(std::vector<FabricRecord>& records, const PortRef& end) {
  std::erase_if(records, [&](const FabricRecord& record) {
    const Link* link = std::get_if<Link>(&record);
    return link != nullptr && (link->a == end || link->b == end);
  });
}

inline void ForgetAddresses(Node& node) {
  for (Interface& interface : node.interfaces) interface.address = {};
}

// Renames interfaces as well, so that only its place says which node this is.
inline void MakeAnonymous(std::vector<FabricRecord>& records, const std::string& from,
                          const std::string& to) {
  Node& node = NodeOf(records, from);
  ForgetAddresses(node);
  for (Interface& interface : node.interfaces) {
    Link& link = LinkOf(records, {from, interface.name});
    PortRef& end = link.a.node == from ? link.a : link.b;
    interface.name = end.interface = "x-" + interface.name;
  }
  Rename(records, from, to);
}

inline std::vector<std::string> Codes(const CheckResult& result) {
  std::vector<std::string> codes;
  for (const Finding& finding : result.findings)
    codes.push_back(finding.code + " " + finding.subject);
  return codes;
}

}  // namespace weft::topology
