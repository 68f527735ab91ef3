// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "programs/command/program.h"
#include "programs/weft-topo/subcommands.h"

int main(int argc, char** argv) {
  constexpr std::array<weft::command::Subcommand, 7> kSubcommands = {
      {{"generate", "make a fabric from a few numbers", weft::topo::Generate},
       {"show", "what a fabric consists of", weft::topo::Show},
       {"path", "all shortest paths between two hosts", weft::topo::Path},
       {"ports", "source ports that take a wanted path, computed", weft::topo::Ports},
       {"next-hops", "every switch's next hops to every host, as a routing table needs them",
        weft::topo::NextHops},
       {"import", "path tables from what other tools traced", weft::topo::Import},
       {"check", "compare a blueprint with what is there", weft::topo::Check}}};
  return weft::command::RunProgram("weft-topo", "the fabric as a graph, and where packets go in it",
                                   kSubcommands, argc, argv);
}
