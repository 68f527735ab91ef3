// SPDX-License-Identifier: Apache-2.0
#include "analyzer/collisions/collisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/infer/infer.h"
#include "tests/analyzer/tables_from_route.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using topology::Fabric;
using topology::Flow;
using topology::LinkLoad;
using topology::PathTable;

// Two leaves and two spines, uplinks of 20 Mbit/s: the smallest fabric with something to choose.
class Collisions : public ::testing::Test {
 protected:
  Collisions() : fabric_(MakeFabric({2, 2, 2, 0, 0})) {}

  void TraceTheFourPairs(Faults faults = {}) {
    const Tracer tracer(&fabric_, 3, std::move(faults));
    for (const char* pair : {"1", "2"}) {
      const std::string one = std::string("host1-") + pair;
      const std::string two = std::string("host2-") + pair;
      tables_.push_back(tracer.Trace(one, two));
      tables_.push_back(tracer.Trace(two, one));
    }
  }

  // A flow whose port leads through the spine, by the tables.
  Flow FlowThrough(const std::string& id, const std::string& source, const std::string& destination,
                   const std::string& spine, double rate_bps = 16e6) {
    Flow flow;
    flow.id = id;
    flow.source = source;
    flow.destination = destination;
    flow.source_address = Address(source);
    flow.destination_address = Address(destination);
    flow.rate_bps = rate_bps;
    for (const PathTable& table : tables_) {
      if (table.source != source || table.destination != destination) continue;
      for (const topology::Path& path : table.paths) {
        if (fabric_.node(*fabric_.FindAddress(path.hops[1].address)).name == spine) {
          flow.udp_src_port = path.udp_src_ports.front();
        }
      }
    }
    EXPECT_NE(flow.udp_src_port, 0) << id;
    return flow;
  }

  wire::IpAddress Address(const std::string& host) const {
    return fabric_.node(*fabric_.FindNode(host)).interfaces.front().address;
  }

  CollisionReport Find(const std::vector<Flow>& flows) {
    auto report = FindCollisions(fabric_, flows, tables_);
    EXPECT_TRUE(report.ok()) << report.status();
    return *std::move(report);
  }

  static LinkLoad LoadOf(const CollisionReport& report, const std::string& name) {
    for (const auto* links : {&report.links, &report.host_links}) {
      for (const LinkLoad& link : *links) {
        if (ToString(link.link) == name) return link;
      }
    }
    ADD_FAILURE() << "no link " << name;
    return {};
  }

  static std::vector<std::string> Codes(const CollisionReport& report) {
    std::vector<std::string> codes;
    for (const topology::Finding& finding : report.findings) codes.push_back(finding.code);
    return codes;
  }

  Fabric fabric_;
  std::vector<PathTable> tables_;
};

TEST_F(Collisions, FlowsOnPathsOfTheirOwnCollideNowhere) {
  TraceTheFourPairs();
  const CollisionReport report = Find({FlowThrough("f1", "host1-1", "host2-1", "spine1"),
                                       FlowThrough("f2", "host1-2", "host2-2", "spine2")});
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.flow_count, 2U);
  EXPECT_DOUBLE_EQ(*report.fullest_link, 0.8);
  EXPECT_EQ(report.links_with_several, 0U);
  EXPECT_EQ(report.links.size(), 8U);
  EXPECT_EQ(report.idle_links, 4U);  // the other direction
  EXPECT_THAT(LoadOf(report, "leaf1 -> spine1").flows, ElementsAre("f1"));
  EXPECT_THAT(LoadOf(report, "spine1 -> leaf2").flows, ElementsAre("f1"));
  EXPECT_DOUBLE_EQ(LoadOf(report, "spine2 -> leaf2").offered_bps, 16e6);
}

TEST_F(Collisions, TwoElephantsOnOneUplinkAreNamedWithTheIdleChoiceAndTheChance) {
  TraceTheFourPairs();
  const CollisionReport report = Find({FlowThrough("f1", "host1-1", "host2-1", "spine1"),
                                       FlowThrough("f2", "host1-2", "host2-2", "spine1")});
  EXPECT_DOUBLE_EQ(*report.fullest_link, 1.6);
  EXPECT_EQ(report.fullest_link_name, "leaf1 -> spine1");
  EXPECT_EQ(report.links_with_several, 2U);  // the uplink and the downlink behind it
  EXPECT_EQ(report.idle_links, 6U);
  ASSERT_THAT(Codes(report), ElementsAre("elephant-collision", "elephant-collision"));
  const topology::Finding& finding = report.findings[0];
  EXPECT_EQ(finding.subject, "leaf1 -> spine1");
  EXPECT_EQ(finding.severity, topology::Severity::kError);
  EXPECT_EQ(finding.evidence[0].what, "flows: f1, f2");
  EXPECT_THAT(finding.evidence[3].what, HasSubstr("leaf1 -> spine2"));
  EXPECT_DOUBLE_EQ(*finding.evidence[4].value, 0.5);  // two flows, two links: heads equal tails
}

TEST_F(Collisions, SeveralSmallFlowsAreAWarningOnlyWhereAnEqualChoiceIsIdle) {
  TraceTheFourPairs();
  const std::vector<Flow> together = {FlowThrough("f1", "host1-1", "host2-1", "spine1", 4e6),
                                      FlowThrough("f2", "host1-2", "host2-2", "spine1", 4e6)};
  const CollisionReport lonely = Find(together);
  ASSERT_EQ(lonely.findings.size(), 2U);
  EXPECT_EQ(lonely.findings[0].severity, topology::Severity::kWarning);

  std::vector<Flow> shared = together;
  shared.push_back(FlowThrough("f3", "host1-1", "host2-1", "spine2", 4e6));
  EXPECT_THAT(Find(shared).findings, IsEmpty());
}

TEST_F(Collisions, CollisionsOfTheFarDownlinkAreFoundToo) {
  // Three leaves: flows from two of them meet only behind the spine.
  fabric_ = MakeFabric({3, 2, 2, 0, 0});
  const Tracer tracer(&fabric_, 3);
  tables_ = {tracer.Trace("host1-1", "host3-1"), tracer.Trace("host2-1", "host3-2")};
  const CollisionReport report = Find({FlowThrough("f1", "host1-1", "host3-1", "spine1"),
                                       FlowThrough("f2", "host2-1", "host3-2", "spine1")});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].subject, "spine1 -> leaf3");
}

TEST_F(Collisions, HostLinksAreApart) {
  TraceTheFourPairs();
  const CollisionReport report = Find({FlowThrough("f1", "host1-1", "host2-1", "spine1", 200e6)});
  EXPECT_DOUBLE_EQ(*LoadOf(report, "host1-1 -> leaf1").load, 2.0);
  EXPECT_EQ(report.host_links.size(), 8U);
  for (const LinkLoad& link : report.links) EXPECT_TRUE(link.between_switches);
  EXPECT_DOUBLE_EQ(*report.fullest_link, 10.0);  // 200 on 20, not the host's
}

TEST_F(Collisions, APathThatIsNotKnownIsSaidAndNeverGuessed) {
  TraceTheFourPairs();
  const Flow good = FlowThrough("good", "host1-1", "host2-1", "spine1");
  Flow port = good;
  port.id = "port";
  port.udp_src_port = 1;
  Flow pair = good;
  pair.id = "pair";
  pair.destination_address = Address("host2-2");
  pair.destination = "host2-2";
  Flow voided = FlowThrough("voided", "host2-1", "host1-1", "spine1");
  for (PathTable& table : tables_) {
    if (table.source == "host2-1") table.void_reason = "the group of leaf2 has changed";
  }
  const CollisionReport report = Find({good, port, pair, voided});
  ASSERT_EQ(report.unplaced.size(), 3U);
  EXPECT_EQ(report.unplaced[0].reason, "source port 1 was not measured for its pair");
  EXPECT_EQ(report.unplaced[1].reason, "its pair has no path table");
  EXPECT_EQ(report.unplaced[2].reason, "its path table is void: the group of leaf2 has changed");
  EXPECT_THAT(Codes(report), ElementsAre("flow-path-unknown"));
  EXPECT_DOUBLE_EQ(LoadOf(report, "leaf1 -> spine1").offered_bps, 16e6);
}

TEST_F(Collisions, LinksOfDeadPathsOnlyAreDeadAndNotIdle) {
  TraceTheFourPairs({{}, {"spine2"}, {}});
  const CollisionReport report = Find({FlowThrough("f1", "host1-1", "host2-1", "spine1"),
                                       FlowThrough("f2", "host1-2", "host2-2", "spine2")});
  std::vector<std::string> dead;
  for (const topology::DirectedLink& link : report.dead_links) dead.push_back(ToString(link));
  EXPECT_THAT(dead, UnorderedElementsAre("leaf1 -> spine2", "leaf2 -> spine2", "spine2 -> leaf1",
                                         "spine2 -> leaf2"));
  EXPECT_EQ(report.links.size(), 4U);
  EXPECT_EQ(report.idle_links, 2U);
  ASSERT_EQ(report.unplaced.size(), 1U);
  EXPECT_TRUE(report.unplaced[0].dead);
  EXPECT_EQ(report.unplaced[0].reason, "the path is dead: leaf1, spine2, leaf2");
  EXPECT_THAT(Codes(report), ElementsAre("flow-path-dead"));
}

TEST_F(Collisions, TheLatestTableOfAPairCounts) {
  TraceTheFourPairs();
  const Flow flow = FlowThrough("f1", "host1-1", "host2-1", "spine1");
  PathTable later = tables_[0];
  later.measured_at = "2025-01-02T00:00:00Z";
  for (topology::Path& path : later.paths) path.state = topology::PathState::kDead;
  tables_.insert(tables_.begin(), later);
  EXPECT_EQ(Find({flow}).unplaced.size(), 1U);
  tables_.front().measured_at = "2024-01-01T00:00:00Z";
  EXPECT_THAT(Find({flow}).unplaced, IsEmpty());
}

TEST_F(Collisions, FlowsAreFoundByNameWhereTheyHaveNoAddress) {
  TraceTheFourPairs();
  Flow flow = FlowThrough("f1", "host1-1", "host2-1", "spine1");
  flow.source_address = {};
  flow.destination_address = {};
  EXPECT_THAT(Find({flow}).unplaced, IsEmpty());
}

TEST_F(Collisions, WithoutCapacitiesThereIsNoFullestLink) {
  TraceTheFourPairs();
  const Flow flow = FlowThrough("f1", "host1-1", "host2-1", "spine1");
  std::vector<topology::FabricRecord> records = fabric_.ToRecords();
  for (topology::FabricRecord& record : records) {
    if (auto* link = std::get_if<topology::Link>(&record)) link->capacity_bps.reset();
  }
  fabric_ = *Fabric::FromRecords(records);
  const CollisionReport report = Find({flow});
  EXPECT_FALSE(report.fullest_link.has_value());
  EXPECT_EQ(report.fullest_link_name, "");
  EXPECT_EQ(report.idle_links, 6U);
}

TEST_F(Collisions, AFlowIdUsedTwiceIsRefused) {
  TraceTheFourPairs();
  const Flow flow = FlowThrough("f1", "host1-1", "host2-1", "spine1");
  const auto report = FindCollisions(fabric_, std::vector{flow, flow}, tables_);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("\"f1\""));
}

// Every flow on a known path is on each of its links once, whatever the ports.
TEST_F(Collisions, EveryLinksLoadIsTheSumOfTheFlowsThatCrossIt) {
  fabric_ = MakeFabric({4, 4, 2, 0, 0});
  const Tracer tracer(&fabric_, 5);
  tables_ = tracer.TraceAll();
  std::vector<Flow> flows;
  for (size_t i = 0; i < tables_.size(); ++i) {
    const topology::Path& path = tables_[i].paths[i % tables_[i].paths.size()];
    Flow flow;
    flow.id = "f" + std::to_string(i);
    flow.source_address = tables_[i].source_address;
    flow.destination_address = tables_[i].destination_address;
    flow.rate_bps = 1e6 * static_cast<double>(i + 1);
    flow.udp_src_port = path.udp_src_ports.back();
    flows.push_back(flow);
  }
  const CollisionReport report = Find(flows);
  EXPECT_THAT(report.unplaced, IsEmpty());
  double sent = 0;
  double on_host_links = 0;
  for (const Flow& flow : flows) sent += flow.rate_bps;
  for (const LinkLoad& link : report.host_links) on_host_links += link.offered_bps;
  EXPECT_DOUBLE_EQ(on_host_links, 2 * sent);
  EXPECT_TRUE(std::is_sorted(report.links.begin(), report.links.end(),
                             [](const LinkLoad& a, const LinkLoad& b) { return a.load > b.load; }));
}

// ---- links without addresses

// Cores are linked to spines by two cables each, which have no addresses.
class UnnumberedCables : public ::testing::Test {
 protected:
  UnnumberedCables()
      : fabric_(MakePods({2, 1, 1, 1, 2, false, Numbering::kUnnumbered, 2})),
        tables_(Tracer(&fabric_, 1, {}, kMixedHashing).TraceAll()) {}

  // So many flows from host1-1 to host2-1, all through the same switches.
  std::vector<Flow> Flows(size_t count, double rate_bps) const {
    std::vector<Flow> flows;
    for (const PathTable& table : tables_) {
      if (table.source != "host1-1" || table.destination != "host2-1") continue;
      for (const topology::Path& path : table.paths) {
        for (const uint16_t port : path.udp_src_ports) {
          if (flows.size() == count) return flows;
          Flow flow;
          flow.id = "f" + std::to_string(flows.size());
          flow.source = table.source;
          flow.destination = table.destination;
          flow.udp_src_port = port;
          flow.rate_bps = rate_bps;
          flows.push_back(flow);
        }
      }
    }
    return flows;
  }

  const Fabric fabric_;
  const std::vector<PathTable> tables_;
};

TEST_F(UnnumberedCables, AreOneLinkWithTheirCapacityTogether) {
  const auto report = FindCollisions(fabric_, Flows(2, 15e6), tables_);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->unplaced, IsEmpty());
  ASSERT_EQ(report->bundles.size(), 4U);  // up to the core and down again
  for (const LinkBundle& bundle : report->bundles) EXPECT_EQ(bundle.cables, 2U);
  EXPECT_NEAR(*report->fullest_link, 30e6 / 40e6, 1e-9);
  ASSERT_EQ(report->findings.size(), 1U);
  EXPECT_EQ(report->findings[0].code, "cables-not-told-apart");
  EXPECT_EQ(report->findings[0].severity, topology::Severity::kInfo);
}

TEST_F(UnnumberedCables, AreTooFullWhereAllTogetherAre) {
  const auto report = FindCollisions(fabric_, Flows(3, 15e6), tables_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->findings[0].code, "elephant-collision");
  EXPECT_EQ(report->findings[0].severity, topology::Severity::kError);
}

TEST_F(UnnumberedCables, HaveNoCapacityWhereTheirNumberIsNotKnown) {
  const auto inferred = InferFabric(tables_);
  ASSERT_TRUE(inferred.ok());
  const auto report = FindCollisions(inferred->fabric, Flows(2, 15e6), tables_);
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->unplaced, IsEmpty());
  ASSERT_EQ(report->bundles.size(), 4U);
  EXPECT_EQ(report->bundles[0].cables, 0U);
  EXPECT_FALSE(report->fullest_link.has_value());
  EXPECT_THAT(report->findings.back().what_to_do, HasSubstr("--fabric"));
}

TEST_F(UnnumberedCables, AFlowIsNotPlacedWhereNoPortChoosesThePath) {
  std::vector<PathTable> tables = tables_;
  for (PathTable& table : tables) {
    topology::HopBehaviour hop;
    hop.hop_index = 2;
    hop.node = "spine1";
    hop.mode = topology::HopMode::kPerPacket;
    table.hop_behaviours = {hop};
  }
  const auto report = FindCollisions(fabric_, Flows(1, 15e6), tables);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->unplaced.size(), 1U);
  EXPECT_EQ(report->unplaced[0].reason,
            "no source port chooses its path: hop 2 (spine1) is per-packet");
}

TEST(CollisionsInPods, PortsThatALinearHashGaveArePlacedToo) {
  const Fabric fabric = MakePods({2, 1, 2, 4, 1, true, Numbering::kNumbered, 1});
  std::vector<PathTable> tables = {
      Tracer(&fabric, 1, {}, kMixedHashing).Trace("host1-1", "host2-1")};
  Flow flow;
  flow.id = "f";
  flow.source = "host1-1";
  flow.destination = "host2-1";
  flow.udp_src_port = 0xFFFE;
  flow.rate_bps = 1e6;
  EXPECT_EQ(FindCollisions(fabric, std::vector{flow}, tables)->unplaced.size(), 1U);
  tables[0].paths[2].computed_udp_src_ports = {0xFFFE};
  const auto report = FindCollisions(fabric, std::vector{flow}, tables);
  EXPECT_THAT(report->unplaced, IsEmpty());
  EXPECT_THAT(report->bundles, IsEmpty());
  EXPECT_NEAR(*report->fullest_link, 1.0 / 20, 1e-9);
}

}  // namespace
}  // namespace weft::analyzer
