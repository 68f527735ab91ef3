// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "programs/command/program.h"
#include "programs/weft-topo/subcommands.h"

int main(int argc, char** argv) {
  constexpr auto kSubcommands = std::to_array<weft::command::Subcommand>(
      {{"generate", "make a fabric from a few numbers", weft::topo::Generate},
       {"show", "what a fabric consists of", weft::topo::Show},
       {"path", "all shortest paths between two hosts", weft::topo::Path},
       {"ports", "source ports that take a wanted path, computed", weft::topo::Ports},
       {"next-hops", "every switch's next hops to every host, as a routing table needs them",
        weft::topo::NextHops},
       {"import", "path tables from what other tools traced", weft::topo::Import},
       {"export", "the fabric in the words of other tools, and as a picture", weft::topo::Export},
       {"check", "compare a blueprint with what is there", weft::topo::Check}});
  return weft::command::RunProgram("weft-topo", "the fabric as a graph, and where packets go in it",
                                   kSubcommands, argc, argv);
}
