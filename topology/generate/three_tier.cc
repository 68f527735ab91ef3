// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/three_tier.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/generate/clos_builder.h"

namespace weft::topology {
namespace {

static_assert(kMaxThreeTierSwitches <= kMaxClosSwitches);
static_assert(uint64_t{kMaxThreeTierSwitches} * kMaxThreeTierHostsPerLeaf <= kMaxClosLinks);

absl::Status CheckCounts(const ThreeTierOptions& options) {
  constexpr uint32_t kMax = kMaxThreeTierSwitches;
  const uint64_t leaves = uint64_t{options.pods} * options.leaves_per_pod;
  const uint64_t spines = uint64_t{options.pods} * options.spines_per_pod;
  absl::Status status = CheckCount("pods", options.pods, 1, kMax);
  if (status.ok()) status = CheckCount("leaves_per_pod", options.leaves_per_pod, 1, kMax);
  if (status.ok()) status = CheckCount("spines_per_pod", options.spines_per_pod, 1, kMax);
  if (status.ok()) status = CheckCount("leaves in all pods", leaves, 1, kMax);
  if (status.ok()) status = CheckCount("spines in all pods", spines, 1, kMax);
  if (status.ok()) status = CheckCount("cores", options.cores, 1, kMax);
  if (status.ok() && options.cores % options.spines_per_pod != 0) {
    status = absl::InvalidArgumentError(
        absl::StrCat("cores ", options.cores, ": expected a multiple of spines_per_pod (",
                     options.spines_per_pod, "), as each spine of a pod has a plane of cores"));
  }
  if (status.ok()) {
    status = CheckCount("hosts_per_leaf", options.hosts_per_leaf, 0, kMaxThreeTierHostsPerLeaf);
  }
  if (status.ok()) status = CheckNics(leaves, options.hosts_per_leaf, options.nics_per_host);
  if (status.ok()) status = CheckCount("parallel", options.parallel, 1, kMaxClosParallel);
  const uint32_t core_parallel = options.core_parallel.value_or(options.parallel);
  if (status.ok()) status = CheckCount("core_parallel", core_parallel, 1, kMaxClosParallel);
  const uint64_t links = leaves * options.spines_per_pod * options.parallel +
                         uint64_t{options.pods} * options.cores * core_parallel;
  if (status.ok()) status = CheckCount("links between switches", links, 1, kMaxClosLinks);
  return status;
}

absl::Status CheckRates(const ThreeTierOptions& options) {
  absl::Status status = CheckRate("uplink_bps", options.uplink_bps);
  if (status.ok()) status = CheckRate("core_bps", options.core_bps);
  if (status.ok()) status = CheckRate("host_bps", options.host_bps);
  return status;
}

void AddSwitches(const ThreeTierOptions& options, ClosBuilder* builder) {
  for (uint32_t leaf = 0; leaf < options.pods * options.leaves_per_pod; ++leaf) {
    builder->AddSwitch(absl::StrCat("leaf", leaf + 1), 0);
  }
  for (uint32_t spine = 0; spine < options.pods * options.spines_per_pod; ++spine) {
    builder->AddSwitch(absl::StrCat("spine", spine + 1), 1);
  }
  for (uint32_t core = 0; core < options.cores; ++core) {
    builder->AddSwitch(absl::StrCat("core", core + 1), 2);
  }
}

void LinkSwitches(const ThreeTierOptions& options, ClosBuilder* builder) {
  const uint32_t first_spine = options.pods * options.leaves_per_pod;
  const uint32_t first_core = first_spine + options.pods * options.spines_per_pod;
  for (uint32_t leaf = 0; leaf < first_spine; ++leaf) {
    const uint32_t pod = leaf / options.leaves_per_pod;
    for (uint32_t plane = 0; plane < options.spines_per_pod; ++plane) {
      builder->LinkSwitches(leaf, first_spine + pod * options.spines_per_pod + plane,
                            options.parallel, options.uplink_bps);
    }
  }
  const uint32_t cores_per_plane = options.cores / options.spines_per_pod;
  for (uint32_t spine = first_spine; spine < first_core; ++spine) {
    const uint32_t plane = (spine - first_spine) % options.spines_per_pod;
    for (uint32_t core = 0; core < cores_per_plane; ++core) {
      builder->LinkSwitches(spine, first_core + plane * cores_per_plane + core,
                            options.core_parallel.value_or(options.parallel), options.core_bps);
    }
  }
}

}  // namespace

absl::StatusOr<Fabric> GenerateThreeTier(const ThreeTierOptions& options) {
  absl::Status status = CheckCounts(options);
  if (status.ok()) status = CheckRates(options);
  if (!status.ok()) return status;
  ClosBuilder builder(options.addressing);
  AddSwitches(options, &builder);
  LinkSwitches(options, &builder);
  for (uint32_t leaf = 0; leaf < options.pods * options.leaves_per_pod; ++leaf) {
    for (uint32_t host = 0; host < options.hosts_per_leaf; ++host) {
      builder.AddMachine(MachineName(leaf + 1, host + 1), options.nics_per_host, leaf,
                         options.host_bps);
    }
  }
  return std::move(builder).Build();
}

}  // namespace weft::topology
