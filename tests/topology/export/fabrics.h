// SPDX-License-Identifier: Apache-2.0
// Small fabrics, as records that a test changes.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

inline Fabric Build(const std::vector<FabricRecord>& records) {
  auto fabric = Fabric::FromRecords(records);
  EXPECT_TRUE(fabric.ok()) << fabric.status();
  return fabric.ok() ? *std::move(fabric) : Fabric();
}

// Builds a fabric cable by cable: interfaces come into being as they are plugged.
class FabricMaker {
 public:
  Node& Switch(const std::string& name, std::optional<uint32_t> tier) {
    return Add(name, NodeKind::kSwitch, tier);
  }
  Node& Host(const std::string& name) { return Add(name, NodeKind::kHost, std::nullopt); }

  Link& Cable(const std::string& a, const std::string& a_port, const std::string& b,
              const std::string& b_port, std::optional<double> bps = std::nullopt) {
    Plug(a, a_port);
    Plug(b, b_port);
    links_.push_back({{a, a_port}, {b, b_port}, bps});
    return links_.back();
  }
  // Ports are named after the node at the other end.
  Link& Cable(const std::string& a, const std::string& b,
              std::optional<double> bps = std::nullopt) {
    return Cable(a, b, b, a, bps);
  }

  Node& At(const std::string& name) {
    for (Node& node : nodes_) {
      if (node.name == name) return node;
    }
    ADD_FAILURE() << "no node " << name;
    return nodes_.front();
  }
  std::vector<Link>& links() { return links_; }

  Fabric Make() const {
    std::vector<FabricRecord> records(nodes_.begin(), nodes_.end());
    records.insert(records.end(), links_.begin(), links_.end());
    return Build(records);
  }

 private:
  Node& Add(const std::string& name, NodeKind kind, std::optional<uint32_t> tier) {
    return nodes_.emplace_back(Node{name, kind, tier, {}});
  }
  void Plug(const std::string& node, const std::string& port) {
    std::vector<Interface>& interfaces = At(node).interfaces;
    for (const Interface& interface : interfaces) {
      if (interface.name == port) return;
    }
    interfaces.push_back({port, {}});
  }

  std::vector<Node> nodes_;
  std::vector<Link> links_;
};

// "code count" of each finding.
inline std::vector<std::string> Codes(const std::vector<Finding>& findings) {
  std::vector<std::string> codes;
  for (const Finding& finding : findings) {
    codes.push_back(
        finding.code + " " +
        std::to_string(static_cast<int64_t>(finding.evidence.at(0).value.value_or(-1))));
  }
  return codes;
}

// Names that break formats which do not expect them.
inline const std::vector<std::string>& AwkwardNames() {
  static const std::vector<std::string> kNames = {"with space",
                                                  "a\"quote",
                                                  "back\\slash",
                                                  "ends in\\",
                                                  "new\nline",
                                                  "tab\there",
                                                  "semi;colon",
                                                  "brace}",
                                                  "{brace",
                                                  "[1-3]",
                                                  "comma,comma",
                                                  "#hash",
                                                  "\xc3\xa4\xc3\xb6 \xe2\x82\xac",
                                                  "a&amp;b",
                                                  "<b>bold</b>",
                                                  "%n%s",
                                                  "=1+1",
                                                  "--",
                                                  "\\N",
                                                  "n[0-9",
                                                  "'single'",
                                                  "b0",
                                                  "SwitchName=x",
                                                  "with_space",
                                                  "\xe2\x80\xaeright to left"};
  return kNames;
}

}  // namespace weft::topology
