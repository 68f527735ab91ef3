// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lb/assign/plan.h"
#include "lb/demand/demand.h"
#include "tests/lb/traced_paths.h"
#include "topology/generate/leaf_spine.h"
#include "wire/flow_label.h"

namespace weft::lb {

// The default fabric: 4 leaves, 4 spines, 4 hosts a leaf, uplinks of 20 Mbit/s, 16 flows of 16.
class PlanInTheDefaultFabric : public ::testing::Test {
 protected:
  explicit PlanInTheDefaultFabric(uint32_t spines = 4)
      : fabric_(topology::GenerateLeafSpine({4, spines, 4, 20e6, std::nullopt}).value()),
        flows_(PermutationFlows(fabric_, {16e6, 1, 1}).value()) {}

  void Trace(const TraceOptions& options) { tables_ = TracePairs(fabric_, flows_, options); }
  Plan PlanIt() const { return PlanFlows(fabric_, flows_, tables_).value(); }
  topology::PathTable& Table(size_t flow) { return TableOf(tables_, flows_[flow]); }

  topology::Fabric fabric_;
  std::vector<topology::Flow> flows_;
  std::vector<topology::PathTable> tables_;
};

inline std::vector<std::string> Codes(const Plan& plan) {
  std::vector<std::string> codes;
  for (const topology::Finding& finding : plan.assignment.findings) {
    codes.push_back(finding.code);
    EXPECT_THAT(finding.evidence, ::testing::Not(::testing::IsEmpty())) << finding.code;
  }
  return codes;
}

// Every planned flow's port was measured to lead where its path says, on a path that is in `state`.
inline void ExpectMeasured(const Plan& plan, std::vector<topology::PathTable> tables,
                           topology::PathState state) {
  for (const topology::Flow& flow : plan.assignment.flows) {
    if (flow.path.empty()) continue;
    ASSERT_EQ(flow.path.size(), 3U);
    const topology::Path& path = PathOver(TableOf(tables, flow), flow.path[1]);
    EXPECT_EQ(path.state, state);
    EXPECT_NE(std::ranges::find(path.udp_src_ports, flow.udp_src_port), path.udp_src_ports.end());
    EXPECT_EQ(wire::UdpSourcePortOf(flow.flow_label), flow.udp_src_port);
  }
}

}  // namespace weft::lb
