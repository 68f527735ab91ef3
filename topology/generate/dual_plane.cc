// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/dual_plane.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/generate/clos_builder.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

absl::Status CheckOptions(const DualPlaneOptions& options) {
  constexpr uint32_t kMaxPlanes = 8;
  const uint64_t leaves = uint64_t{options.planes} * options.leaves_per_plane;
  const uint64_t spines = uint64_t{options.planes} * options.spines_per_plane;
  const uint64_t links = leaves * options.spines_per_plane * options.parallel;
  const uint64_t host_links = leaves * options.hosts_per_leaf;
  absl::Status status = CheckCount("planes", options.planes, 2, kMaxPlanes);
  if (status.ok()) status = CheckCount("leaves_per_plane", options.leaves_per_plane, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("leaves in all planes", leaves, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("spines_per_plane", options.spines_per_plane, 1, kMaxSpines);
  if (status.ok()) status = CheckCount("spines in all planes", spines, 1, kMaxSpines);
  if (status.ok()) {
    status = CheckCount("hosts_per_leaf", options.hosts_per_leaf, 0, kMaxHostsPerLeaf);
  }
  if (status.ok()) status = CheckCount("host links", host_links, 0, kMaxClosLinks);
  if (status.ok() && options.separate_nics) {
    status = CheckNics(options.leaves_per_plane, options.hosts_per_leaf, options.planes);
  }
  if (status.ok()) status = CheckCount("parallel", options.parallel, 1, kMaxClosParallel);
  if (status.ok()) status = CheckCount("leaf-spine links", links, 1, kMaxClosLinks);
  if (status.ok()) status = CheckRate("uplink_bps", options.uplink_bps);
  if (status.ok()) status = CheckRate("host_bps", options.host_bps);
  return status;
}

void AddSwitches(const DualPlaneOptions& options, ClosBuilder* builder) {
  const uint32_t leaves = options.planes * options.leaves_per_plane;
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    builder->AddSwitch(absl::StrCat("leaf", leaf + 1), 0,
                       {std::nullopt, leaf / options.leaves_per_plane});
  }
  for (uint32_t spine = 0; spine < options.planes * options.spines_per_plane; ++spine) {
    builder->AddSwitch(absl::StrCat("spine", spine + 1), 1,
                       {std::nullopt, spine / options.spines_per_plane});
  }
  for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
    const uint32_t plane = leaf / options.leaves_per_plane;
    for (uint32_t spine = 0; spine < options.spines_per_plane; ++spine) {
      builder->LinkSwitches(leaf, leaves + plane * options.spines_per_plane + spine,
                            options.parallel, options.uplink_bps);
    }
  }
}

void AddMachine(const DualPlaneOptions& options, uint32_t leaf, const std::string& name,
                ClosBuilder* builder) {
  const uint32_t host = options.separate_nics ? 0 : builder->AddHost(name);
  for (uint32_t plane = 0; plane < options.planes; ++plane) {
    const uint32_t leaf_of_plane = plane * options.leaves_per_plane + leaf;
    if (options.separate_nics) {
      const uint32_t nic = builder->AddHost(NicName(name, plane), name, {std::nullopt, plane});
      builder->LinkHost(nic, "eth0", leaf_of_plane, options.host_bps);
    } else {
      builder->LinkHost(host, absl::StrCat("eth", plane), leaf_of_plane, options.host_bps);
    }
  }
}

}  // namespace

absl::StatusOr<Fabric> GenerateDualPlane(const DualPlaneOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  ClosBuilder builder(options.addressing);
  AddSwitches(options, &builder);
  for (uint32_t leaf = 0; leaf < options.leaves_per_plane; ++leaf) {
    for (uint32_t host = 0; host < options.hosts_per_leaf; ++host) {
      AddMachine(options, leaf, MachineName(leaf + 1, host + 1), &builder);
    }
  }
  return std::move(builder).Build();
}

}  // namespace weft::topology
