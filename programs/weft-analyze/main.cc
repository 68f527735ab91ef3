// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "programs/command/program.h"
#include "programs/weft-analyze/subcommands.h"

int main(int argc, char** argv) {
  constexpr std::array<weft::command::Subcommand, 7> kSubcommands = {
      {{"capture", "from captures to what went wrong, on which QP", weft::analyze::Capture},
       {"connection", "one connection of a capture as a timeline", weft::analyze::Connection},
       {"topology", "infer the fabric from path tables, and compare it with a blueprint",
        weft::analyze::Topology},
       {"collisions", "which links carry several flows, and which none", weft::analyze::Collisions},
       {"paths", "which paths are dead, and what they have in common", weft::analyze::Paths},
       {"hashing", "how evenly switches spread flows, and which tiers choose alike",
        weft::analyze::Hashing},
       {"compare", "rounds of measurement side by side", weft::analyze::Compare}}};
  return weft::command::RunProgram("weft-analyze", "turns measurements into findings", kSubcommands,
                                   argc, argv);
}
