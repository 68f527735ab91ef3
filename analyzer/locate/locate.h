// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/path_table.h"

// What dead paths have in common. A switch, or one direction of a link, is suspected when every
// measured path through it is dead, at least two of different directions or pairs, and no living
// path crosses it; as few suspects as explain the dead paths are chosen, the one that explains most
// first (greedy set cover). deTector (USENIX ATC'17) treats links that lose everything alike.
namespace weft::analyzer {

struct DeadPath {
  std::string source;
  std::string destination;
  std::vector<std::string> hops;  // the fabric's names, else addresses, else "?"
  std::vector<uint16_t> udp_src_ports;
  std::string suspect;  // its name; empty: no suspect explains it
};

// How the measured paths through a switch fare.
struct SwitchTally {
  std::string name;
  uint32_t paths = 0;  // judged: alive, lossy or dead
  uint32_t dead = 0;
};

struct Suspect {
  std::string name;  // "spine2", or "leaf1 -> spine2"
  bool is_switch = false;
  uint32_t dead_paths = 0;                // measured through it: all of them are dead
  uint32_t living_elsewhere = 0;          // living paths, none through it
  uint32_t dead_elsewhere = 0;            // dead paths that it does not explain
  bool both_directions = false;           // of some pair, dead paths run through it both ways
  std::vector<std::string> alternatives;  // lie on exactly the same paths: not to be told apart
};

struct LocateResult {
  uint32_t paths = 0;  // of tables that are not void
  uint32_t alive = 0;
  uint32_t lossy = 0;
  uint32_t dead = 0;
  uint32_t unknown = 0;
  uint32_t void_tables = 0;            // not used
  std::vector<SwitchTally> by_switch;  // in the fabric's order; those with judged paths
  std::vector<DeadPath> dead_paths;    // sorted
  std::vector<Suspect> suspects;       // the one that explains most first
  // path-dead-cause (error) per suspect, path-dead-unexplained (error) for the rest.
  std::vector<topology::Finding> findings;
};

// The same result whatever the order of tables and paths. Of several tables of a pair only the
// latest measured counts.
LocateResult LocateDeadPaths(const topology::Fabric& fabric,
                             std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
