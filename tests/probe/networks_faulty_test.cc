// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/probe/networks.h"

namespace weft::probe {
namespace {

using topology::Path;
using topology::PathState;

INSTANTIATE_TEST_SUITE_P(
    Faulty, Networks,
    testing::Values(
        NetworkRow{"LossOfAPercent",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).loss_probability = 0.01;
                   }),
                   {},
                   4},
        NetworkRow{"LossOfATenth",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).loss_probability = 0.1;
                   }),
                   {},
                   4},
        NetworkRow{"DeadUplink",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).dead = true;
                   }),
                   {},
                   4,
                   {.check =
                        [](const SimulatedFabric&, const TraceResult& result) {
                          EXPECT_EQ(std::ranges::count(result.table.paths, PathState::kDead,
                                                       &Path::state),
                                    1);
                        }}},
        NetworkRow{"DownBeforeItBegan",
                   Clos([](SimulatedFabric& f) { GoesDownAt(f, 0, {"spine2"}); }),
                   {},
                   3,
                   {.check = PortsAreRight}},
        NetworkRow{"RoutingLoop",
                   Clos([](SimulatedFabric& f) {
                     for (const std::string spine : {"spine1", "spine2", "spine3", "spine4"}) {
                       f.network().ForceNextHop(f.node(spine), f.node("host2-1"),
                                                f.direction(spine, "leaf3"));
                     }
                     f.network().ForceNextHop(f.node("leaf3"), f.node("host2-1"),
                                              f.direction("leaf3", "spine1"));
                   }),
                   {"routing-loop"},
                   4},
        NetworkRow{"UnequalBranch",
                   Clos([](SimulatedFabric& f) {
                     f.network().ForceNextHop(f.node("spine2"), f.node("host2-1"),
                                              f.direction("spine2", "leaf3"));
                     f.network().ForceNextHop(f.node("leaf3"), f.node("host2-1"),
                                              f.direction("leaf3", "spine1"));
                   }),
                   {},
                   4,
                   {.check =
                        [](const SimulatedFabric& fabric, const TraceResult& result) {
                          AllAlive(fabric, result);
                          std::multiset<size_t> lengths;
                          for (const Path& path : result.table.paths) {
                            lengths.insert(path.hops.size());
                          }
                          EXPECT_EQ(lengths, (std::multiset<size_t>{3, 3, 3, 5}));
                        }}},
        NetworkRow{"RepeatedAddress",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.node("spine2")).forwards_expired = true;
                   }),
                   {"repeated-address"},
                   4,
                   {.check = AllAlive}},
        NetworkRow{
            "DscpAtALeaf",
            Clos(Rewriting("leaf1", 10)),
            {"dscp-changed"},
            4,
            {.traffic_class = 0x68, .check = SubjectHas("between hop 1 (10.0.0.0) and hop 2")}},
        NetworkRow{"DscpAtTheLastLeaf",
                   Clos(Rewriting("leaf2", 10)),
                   {"dscp-changed"},
                   4,
                   {.traffic_class = 0x68, .check = SubjectHas("and the receiver")}},
        NetworkRow{"DscpAtTheHost",
                   Clos([](SimulatedFabric& f) {
                     f.network().host_fault(f.node("host1-1")).dscp_rewrite = 10;
                   }),
                   {"dscp-changed"},
                   4,
                   {.traffic_class = 0x68, .check = SubjectHas("before the first switch")}},
        NetworkRow{
            "EcnMarked",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("leaf1")).ecn_mark = true; }),
            {"ecn-marked"},
            4,
            {.traffic_class = 0x02, .check = SubjectHas("between hop 1")}},
        NetworkRow{"Overlay",
                   Clos([](SimulatedFabric& f) {
                     EXPECT_TRUE(f.network().SetTunnelEnds(f.Leaves()).ok());
                   }),
                   {"overlay"},
                   1,
                   {.with_blueprint = true}},
        NetworkRow{"OverlayUnderOneLeaf",
                   Clos([](SimulatedFabric& f) {
                     EXPECT_TRUE(f.network().SetTunnelEnds(f.Leaves()).ok());
                   }),
                   {},
                   1,
                   {.to = "host1-2", .with_blueprint = true}},
        NetworkRow{
            "HiddenSpine",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("spine2")).keeps_ttl = true; }),
            {"hidden-hop"},
            4,
            {.with_blueprint = true}},
        NetworkRow{"SilentHost",
                   Clos([](SimulatedFabric& f) {
                     f.network().host(f.node("host2-1")) = HostBehaviour::kSilent;
                   }),
                   {},
                   4}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace weft::probe
