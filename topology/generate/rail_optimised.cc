// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/rail_optimised.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/generate/clos_builder.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

absl::Status CheckOptions(const RailOptimisedOptions& options) {
  const uint64_t leaves = uint64_t{options.blocks} * options.rails;
  const uint64_t links = leaves * options.spines * options.parallel;
  absl::Status status = CheckCount("rails", options.rails, 1, kMaxClosNics);
  if (status.ok()) status = CheckCount("blocks", options.blocks, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("leaves in all blocks", leaves, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("spines", options.spines, 1, kMaxSpines);
  if (status.ok()) {
    status = CheckCount("machines_per_block", options.machines_per_block, 0, kMaxHostsPerLeaf);
  }
  if (status.ok()) status = CheckNics(options.blocks, options.machines_per_block, options.rails);
  if (status.ok()) status = CheckCount("parallel", options.parallel, 1, kMaxClosParallel);
  if (status.ok()) status = CheckCount("leaf-spine links", links, 1, kMaxClosLinks);
  if (status.ok()) status = CheckRate("uplink_bps", options.uplink_bps);
  if (status.ok()) status = CheckRate("host_bps", options.host_bps);
  return status;
}

}  // namespace

absl::StatusOr<Fabric> GenerateRailOptimised(const RailOptimisedOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  ClosBuilder builder(options.addressing);
  const uint32_t leaves = options.blocks * options.rails;
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    builder.AddSwitch(absl::StrCat("leaf", leaf + 1), 0, {leaf % options.rails, std::nullopt});
  }
  for (uint32_t spine = 0; spine < options.spines; ++spine) {
    builder.AddSwitch(absl::StrCat("spine", spine + 1), 1);
  }
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (uint32_t spine = 0; spine < options.spines; ++spine) {
      builder.LinkSwitches(leaf, leaves + spine, options.parallel, options.uplink_bps);
    }
  }
  for (uint32_t block = 0; block < options.blocks; ++block) {
    for (uint32_t number = 0; number < options.machines_per_block; ++number) {
      const std::string machine = MachineName(block + 1, number + 1);
      for (uint32_t rail = 0; rail < options.rails; ++rail) {
        const uint32_t nic = builder.AddHost(NicName(machine, rail), machine, {rail, std::nullopt});
        builder.LinkHost(nic, "eth0", block * options.rails + rail, options.host_bps);
      }
    }
  }
  return std::move(builder).Build();
}

}  // namespace weft::topology
