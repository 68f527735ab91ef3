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
inline constexpr uint32_t kMaxClosNics = 16;         // of one machine

absl::Status CheckCount(std::string_view what, uint64_t value, uint64_t min, uint64_t max);
absl::Status CheckRate(std::string_view what, const std::optional<double>& bps);

// "host1-1": the first machine of a leaf or block of leaves, both from 1.
std::string MachineName(uint64_t leaf, uint64_t machine);
// "host1-1-nic0"
std::string NicName(const std::string& machine, uint32_t nic);
// `nics` of each machine: few enough for the addresses, and their names fit interfaces. 0: passes.
absl::Status CheckNics(uint64_t leaves, uint64_t machines_per_leaf, uint32_t nics);

// Which of several rails or planes a node belongs to, where there are several.
struct Place {
  std::optional<uint32_t> rail{};
  std::optional<uint32_t> plane{};
};

// Add all switches first, then links between switches, then hosts. A node's interfaces stand in the
// order in which its links are made; the fabric's links are those of hosts, then the others.
class ClosBuilder {
 public:
  explicit ClosBuilder(const Addressing& addressing) : addressing_(addressing) {}

  void AddSwitch(std::string name, uint32_t tier, const Place& place = {});
  // `cables` between two switches, by their numbers in the order of AddSwitch. Interfaces are named
  // after the peer: "spine1", "spine1_2", "spine1_3"...
  void LinkSwitches(uint32_t lower, uint32_t upper, uint32_t cables, std::optional<double> bps);

  // A host without links; returns its number, for LinkHost.
  uint32_t AddHost(std::string name, std::string machine = {}, const Place& place = {});
  // A cable from this interface of the host to one of the leaf's that is named after the host.
  void LinkHost(uint32_t host, const std::string& interface, uint32_t leaf,
                std::optional<double> bps);
  // A host with one NIC, "eth0" (`nics` 0), or a machine of which each NIC is a node.
  void AddMachine(const std::string& name, uint32_t nics, uint32_t leaf, std::optional<double> bps);

  // Every name and address is new by construction, so this fails only where a caller broke that.
  absl::StatusOr<Fabric> Build() &&;

 private:
  Addressing addressing_;
  uint32_t switch_link_count_ = 0;
  std::vector<Node> nodes_;
  std::vector<Link> host_links_;
  std::vector<Link> switch_links_;
};

}  // namespace weft::topology
