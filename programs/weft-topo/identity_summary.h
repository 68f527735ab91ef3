// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "topology/fabric/fabric.h"

namespace weft::topo {

// Who the nodes of a fabric are, where they tell: InfiniBand's numbers, machines, rails, planes.
struct IdentitySummary {
  uint32_t guids = 0;    // nodes that have one
  uint32_t systems = 0;  // chassis and cards of these
  uint32_t lids = 0;     // ports that have one
  uint32_t lowest_lid = 0;
  uint32_t highest_lid = 0;           // the last of a port's 2^lmc
  std::map<uint32_t, uint32_t> lmcs;  // LMC -> ports
  uint32_t machines = 0;              // that hosts' nodes are NICs of
  uint32_t nics = 0;                  // nodes that are one
  struct Members {
    uint32_t switches = 0;
    uint32_t hosts = 0;  // nodes, and interfaces where these have the rail
    bool operator==(const Members&) const = default;
  };
  std::map<uint32_t, Members> rails;
  std::map<uint32_t, Members> planes;

  bool has_numbers() const { return guids > 0 || lids > 0; }
};

IdentitySummary SummariseIdentity(const topology::Fabric& fabric);

// The LID of a switch, or of the first port that has one.
std::optional<uint32_t> LidOf(const topology::Node& node);

}  // namespace weft::topo
