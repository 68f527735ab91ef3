// SPDX-License-Identifier: Apache-2.0

#include "tests/probe/networks.h"

namespace weft::probe {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Silent, Networks,
    testing::Values(NetworkRow{"OneSpine",
                               Clos(Silent({"spine2"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 1, .check = AllAlive}},
                    NetworkRow{"TwoSpines",
                               Clos(Silent({"spine2", "spine3"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 2, .check = PortsAreRight}},
                    NetworkRow{"AllSpines",
                               Clos(Silent({"spine1", "spine2", "spine3", "spine4"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = PortsAreRight}},
                    NetworkRow{"FirstLeaf",
                               Clos(Silent({"leaf1"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = AllAlive}},
                    NetworkRow{"LastLeaf",
                               Clos(Silent({"leaf2"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = AllAlive}},
                    NetworkRow{"ACore",
                               Pods(Silent({"core1"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 1, .to = "host3-1", .check = AllAlive}},
                    NetworkRow{"LimitedSpine",
                               Clos(Limited({"spine1"}, 1)),
                               {"icmp-rate-limited"},
                               4,
                               {.check = PortsAreRight}},
                    NetworkRow{"AllAreLimited",
                               Clos(Limited(AllSwitches(), 5)),
                               {"icmp-rate-limited"},
                               4,
                               {.check = PortsAreRight}}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace weft::probe
