// SPDX-License-Identifier: Apache-2.0
// Every export of the fabrics that the project is built for. Times are printed, not asserted.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>

#include "topology/export/cabling.h"
#include "topology/export/dot.h"
#include "topology/export/ibnetdiscover.h"
#include "topology/export/path_list.h"
#include "topology/export/slurm.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

TEST(ExportAtScale, Of24576Hosts) {
  const auto fabric = GenerateThreeTier({8, 192, 16, 256, 16, 400e9, 400e9, 400e9});
  ASSERT_TRUE(fabric.ok());
  ASSERT_EQ(fabric->nodes().size(), 24576U + 8 * (192 + 16) + 256);
  const struct {
    const char* name;
    std::function<Exported()> write;
    size_t bytes_min;
  } rows[] = {{"dot", [&] { return ExportDot(*fabric, Detail::kAuto); }, 3000},
              {"dot, switches", [&] { return ExportDot(*fabric, Detail::kSwitches); }, 1900000},
              {"ibnetdiscover", [&] { return ExportIbnetdiscover(*fabric); }, 5000000},
              {"slurm-conf", [&] { return *ExportSlurmConf(*fabric, {}); }, 40000},
              {"slurm-yaml", [&] { return *ExportSlurmYaml(*fabric, {}); }, 60000},
              {"paths",
               [&] {
                 return ExportPaths(*fabric, {1000, 64});
               },
               50000},
              {"cabling", [&] { return ExportCabling(*fabric, CablingColumns::kAll); }, 2000000}};
  for (const auto& row : rows) {
    const auto begin = std::chrono::steady_clock::now();
    const Exported out = row.write();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%-14s %6.2f s  %9zu bytes\n", row.name, seconds.count(), out.text.size());
    EXPECT_GE(out.text.size(), row.bytes_min) << row.name;
  }
}

}  // namespace
}  // namespace weft::topology
