// SPDX-License-Identifier: Apache-2.0

#include "tests/probe/networks.h"

namespace weft::probe {
namespace {

using topology::HopMode;

INSTANTIATE_TEST_SUITE_P(
    Healthy, Networks,
    testing::Values(
        NetworkRow{"TwoTiers", Clos({}), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"WithItsBlueprint", Clos({}), {}, 4, {.with_blueprint = true}},
        NetworkRow{"OneLeaf", Clos({}), {}, 1, {.to = "host1-2", .with_blueprint = true}},
        NetworkRow{"TwoSwitches", TwoSwitches, {}, 1, {.with_blueprint = true, .check = AllAlive}},
        NetworkRow{"Unnumbered", Clos({}, kUnnumbered), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"ParallelCables", Clos({}, {}, 2), {}, 8, {.check = AllAlive}},
        // Cables without addresses cannot be told apart.
        NetworkRow{"ParallelUnnumbered", Clos({}, kUnnumbered, 2), {}, 2, {.check = AllAlive}},
        NetworkRow{"Ipv6", Clos({}, kIpv6), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"Ipv6Unnumbered", Clos({}, kIpv6Unnumbered), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"OnePod", Pods({}), {}, 2, {.check = PortsAreRight}},
        NetworkRow{"TwoPods", Pods({}), {}, 4, {.to = "host3-1", .check = PortsAreRight}},
        NetworkRow{"TwoPodsIpv6", Pods({}, kIpv6), {}, 4, {.to = "host3-1", .check = AllAlive}},
        NetworkRow{"TwoPodsUnnumbered",
                   Pods({}, kUnnumbered),
                   {},
                   4,
                   {.to = "host3-1", .check = AllAlive}},
        // Half of the paths is never used.
        NetworkRow{"Polarised",
                   Pods([](SimulatedFabric& f) {
                     for (const topology::NodeIndex i : f.Switches()) {
                       f.network().hop(i).hash = topology::HashModel();
                     }
                   }),
                   {},
                   2,
                   {.to = "host3-1", .check = PortsAreRight}},
        NetworkRow{"Hashed", Clos({}), {}, 4, {.check = HopOne(HopMode::kHashed)}},
        NetworkRow{"AdaptiveWhileIdle",
                   Clos(Mode("leaf1", HopMode::kAdaptive)),
                   {},
                   4,
                   {.check = AllAlive}},
        // Nothing says that it could be ECN-marked.
        NetworkRow{
            "MarkingNothing",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("leaf1")).ecn_mark = true; }),
            {},
            4},
        NetworkRow{"AnotherClass", Clos({}), {}, 4, {.traffic_class = 0x6a}},
        NetworkRow{"Jitter",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("spine3", "leaf1")).jitter_ns = 2 * kMillisecond;
                   }),
                   {},
                   4},
        NetworkRow{"GenerousLimit", Clos(Limited(AllSwitches(), 200)), {}, 4},
        NetworkRow{"AnswersFromLoopbacks",
                   Clos(
                       [](SimulatedFabric& f) {
                         for (const topology::NodeIndex i : f.Switches()) {
                           f.network().fault(i).answers_from = AnswersFrom::kLoopback;
                         }
                       },
                       kIpv6Unnumbered),
                   {},
                   4}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace weft::probe
