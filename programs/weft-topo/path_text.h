// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"

namespace weft::topo {

// "leaf1 -> spine1 -> leaf2"; where several cables join two nodes, with the interface it leaves by:
// "leaf1:spine1_2 -> spine1 -> leaf2".
std::string PathText(const topology::Fabric& fabric, std::span<const topology::Direction> path);

// For each hop the switches that the paths cross there: "spine1, spine2", "core1 .. core64 (64)".
// The paths have one length.
std::vector<std::string> HopTexts(const topology::Fabric& fabric,
                                  std::span<const std::vector<topology::Direction>> paths);

}  // namespace weft::topo
