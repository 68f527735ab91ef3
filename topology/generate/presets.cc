// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/presets.h"

#include <array>

#include "topology/generate/infiniband_fat_tree.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

absl::StatusOr<Fabric> Roce24k() {
  constexpr double kPortBps = 400e9;
  ThreeTierOptions options;
  options.pods = 8;
  options.leaves_per_pod = 192;
  options.spines_per_pod = 8;
  options.cores = 40;
  options.hosts_per_leaf = 2;
  options.nics_per_host = 8;
  options.parallel = 2;
  options.core_parallel = 11;
  options.uplink_bps = options.core_bps = options.host_bps = kPortBps;
  return GenerateThreeTier(options);
}

absl::StatusOr<Fabric> InfiniBand24k() {
  InfiniBandFatTreeOptions options;
  options.radix = 48;
  options.tiers = 3;
  options.pods = 42;
  options.nics_per_machine = 8;
  options.speed = "NDR";
  return GenerateInfiniBandFatTree(options);
}

constexpr std::array<FabricPreset, 2> kPresets = {
    {{"roce-24k", "three-tier RoCE, 8 pods of 3,072 NICs, 1:6.98 above the pod", Roce24k},
     {"infiniband-24k", "InfiniBand fat tree of 24,192 NICs, full bisection", InfiniBand24k}}};

}  // namespace

std::span<const FabricPreset> FabricPresets() { return kPresets; }

}  // namespace weft::topology
