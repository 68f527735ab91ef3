// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "programs/command/program.h"
#include "programs/weft-probe/subcommands.h"

int main(int argc, char** argv) {
  using weft::command::Subcommand;
  constexpr std::array kSubcommands = {
      Subcommand{"respond", "Answer probes and count elephants", weft::command::RunRespond},
      Subcommand{"ping", "Loss and round trip to a responder", weft::command::RunPing},
      Subcommand{"trace", "Find the paths to responders, and the ports that lead there",
                 weft::command::RunTrace},
      Subcommand{"hops", "Find how each hop chooses: by flow, packet or load, and by which fields",
                 weft::command::RunHops},
      Subcommand{"check", "Measure known paths again: alive, lossy, dead or void",
                 weft::command::RunCheck},
      Subcommand{"send", "Send elephant flows and report what arrived", weft::command::RunSend},
  };
  return weft::command::RunProgram("weft-probe", "Measure paths with RoCEv2 probes", kSubcommands,
                                   argc, argv);
}
