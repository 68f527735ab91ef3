// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "topology/route/route.h"

namespace weft::topology {

struct PortsForOptions {
  size_t limit = 16;            // ports that are wanted
  uint16_t from_port = 0xc000;  // 0xC000 or above: where to begin; after 0xFFFF it goes round
  std::function<bool(uint16_t)> usable{};  // may be empty; refuses ports that are taken
};

// Source ports of 0xC000 to 0xFFFF with which a packet of these headers (whose own source port does
// not count) takes `path`: the links from its source to its destination. Ascending from
// `from_port`. Empty: none does, as where the path is none of the router's.
//
// Where a hop's hash is linear and its group has 2, 4, 8.. members, its choice is a few linear
// equations in the bits of the port: those of all hops together are solved, and what is left is
// searched only for the hops that are not so.
std::vector<uint16_t> PortsFor(const Router& router, const HashedHeaders& headers,
                               std::span<const Direction> path,
                               const PortsForOptions& options = {});

}  // namespace weft::topology
