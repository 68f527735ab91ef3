// SPDX-License-Identifier: Apache-2.0
// Internal to topology/generate: puts the names, addresses and links of a Clos together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/addressing.h"

namespace weft::topology {

// Bounds that hold for every Clos: addresses fit their ranges and interface names (the peer's, with
// "_64" behind it) fit the 15 characters that Linux allows.
inline constexpr uint32_t kMaxClosSwitches = 4096;   // of one tier
inline constexpr uint32_t kMaxClosLinks = 1U << 22;  // host links; and as many between switches
inline constexpr uint32_t kMaxClosParallel = 64;     // cables of one switch-switch link

absl::Status CheckCount(std::string_view what, uint64_t value, uint64_t min, uint64_t max);
absl::Status CheckRate(std::string_view what, const std::optional<double>& bps);

// Add all switches first, then links between switches, then hosts. A node's interfaces stand in the
// order in which its links are made; the fabric's links are those of hosts, then the others.
class ClosBuilder {
 public:
  ClosBuilder(const Addressing& addressing, uint32_t parallel)
      : addressing_(addressing), parallel_(parallel) {}

  void AddSwitch(std::string name, uint32_t tier);
  // `parallel` cables between two switches, by their numbers in the order of AddSwitch. Interfaces
  // are named after the peer: "spine1", "spine1_2", "spine1_3"...
  void LinkSwitches(uint32_t lower, uint32_t upper, std::optional<double> bps);
  void AddHost(uint32_t leaf, std::string name, std::optional<double> bps);

  // Every name and address is new by construction, so this fails only where a caller broke that.
  absl::StatusOr<Fabric> Build() &&;

 private:
  Addressing addressing_;
  uint32_t parallel_;
  uint32_t switch_link_count_ = 0;
  std::vector<Node> nodes_;
  std::vector<Link> host_links_;
  std::vector<Link> switch_links_;
};

}  // namespace weft::topology
