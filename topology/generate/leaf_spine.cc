// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/leaf_spine.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/generate/clos_builder.h"

namespace weft::topology {
namespace {

static_assert(kMaxLeaves <= kMaxClosSwitches && kMaxSpines <= kMaxClosSwitches);
static_assert(uint64_t{kMaxLeaves} * kMaxHostsPerLeaf <= kMaxClosLinks);

absl::Status CheckOptions(const LeafSpineOptions& options) {
  absl::Status status = CheckCount("leaves", options.leaves, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("spines", options.spines, 1, kMaxSpines);
  if (status.ok()) {
    status = CheckCount("hosts_per_leaf", options.hosts_per_leaf, 0, kMaxHostsPerLeaf);
  }
  if (status.ok()) status = CheckCount("parallel", options.parallel, 1, kMaxClosParallel);
  if (status.ok())
    status = CheckNics(options.leaves, options.hosts_per_leaf, options.nics_per_host);
  const uint64_t links = uint64_t{options.leaves} * options.spines * options.parallel;
  if (status.ok()) status = CheckCount("leaf-spine links", links, 1, kMaxClosLinks);
  if (status.ok()) status = CheckRate("uplink_bps", options.uplink_bps);
  if (status.ok()) status = CheckRate("host_bps", options.host_bps);
  return status;
}

}  // namespace

absl::StatusOr<Fabric> GenerateLeafSpine(const LeafSpineOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  ClosBuilder builder(options.addressing);
  for (uint32_t leaf = 0; leaf < options.leaves; ++leaf) {
    builder.AddSwitch(absl::StrCat("leaf", leaf + 1), 0);
  }
  for (uint32_t spine = 0; spine < options.spines; ++spine) {
    builder.AddSwitch(absl::StrCat("spine", spine + 1), 1);
  }
  for (uint32_t leaf = 0; leaf < options.leaves; ++leaf) {
    for (uint32_t spine = 0; spine < options.spines; ++spine) {
      builder.LinkSwitches(leaf, options.leaves + spine, options.parallel, options.uplink_bps);
    }
  }
  for (uint32_t leaf = 0; leaf < options.leaves; ++leaf) {
    for (uint32_t host = 0; host < options.hosts_per_leaf; ++host) {
      builder.AddMachine(MachineName(leaf + 1, host + 1), options.nics_per_host, leaf,
                         options.host_bps);
    }
  }
  return std::move(builder).Build();
}

}  // namespace weft::topology
