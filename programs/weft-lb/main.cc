// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "programs/command/program.h"
#include "programs/weft-lb/subcommands.h"

namespace {

constexpr std::array<weft::command::Subcommand, 2> kSubcommands = {{
    {"flows", "make the flows of a traffic pattern, as ECMP would place them", weft::lb::RunFlows},
    {"plan", "plan flows onto measured, living paths", weft::lb::RunPlan},
}};

}  // namespace

int main(int argc, char** argv) {
  return weft::command::RunProgram("weft-lb", "decide which path each flow takes", kSubcommands,
                                   argc, argv);
}
