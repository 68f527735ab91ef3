// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/clos_builder.h"

#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

// Where each kind of address starts; the IPv6 ones differ in the fourth group.
struct AddressRange {
  uint32_t v4_base;
  uint8_t v6_group;
};
constexpr AddressRange kHostLinks = {0x0a000000, 0};    // 10.0.0.0, fd00::
constexpr AddressRange kSwitchLinks = {0x0a800000, 1};  // 10.128.0.0, fd00:0:0:1::
constexpr AddressRange kLoopbacks = {0xac100000, 2};    // 172.16.0.0, fd00:0:0:2::
static_assert(kSwitchLinks.v4_base - kHostLinks.v4_base == 2 * kMaxClosLinks);
static_assert(3 * kMaxClosSwitches < 1U << 20, "loopbacks fit 172.16.0.0/12");
static_assert(std::string_view("host4096-1024").size() <= 15, "IFNAMSIZ less the final zero");
static_assert(std::string_view("spine4096_64").size() <= 15, "IFNAMSIZ less the final zero");

wire::IpAddress AddressIn(const AddressRange& range, uint32_t number, bool ipv6) {
  if (!ipv6) return wire::IpAddress::V4(range.v4_base + number);
  std::array<uint8_t, 16> bytes = {0xfd};
  bytes[7] = range.v6_group;
  for (size_t i = 0; i < 4; ++i) bytes[12 + i] = static_cast<uint8_t>(number >> (24 - 8 * i));
  return wire::IpAddress::V6(bytes);
}

// The interface that leads to `peer` by its cable of this number, from 0.
std::string InterfaceName(const std::string& peer, uint32_t cable) {
  return cable == 0 ? peer : absl::StrCat(peer, "_", cable + 1);
}

}  // namespace

absl::Status CheckCount(std::string_view what, uint64_t value, uint64_t min, uint64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), " ", value, ": expected ", min, " to ", max));
}

absl::Status CheckRate(std::string_view what, const std::optional<double>& bps) {
  if (!bps || (std::isfinite(*bps) && *bps > 0)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), " ", *bps, ": expected a rate above 0"));
}

std::string MachineName(uint64_t leaf, uint64_t machine) {
  return absl::StrCat("host", leaf, "-", machine);
}

std::string NicName(const std::string& machine, uint32_t nic) {
  return absl::StrCat(machine, "-nic", nic);
}

absl::Status CheckNics(uint64_t leaves, uint64_t machines_per_leaf, uint32_t nics) {
  constexpr size_t kMaxLength = 15;  // IFNAMSIZ less the final zero
  if (nics == 0) return absl::OkStatus();
  absl::Status status = CheckCount("nics of a host", nics, 1, kMaxClosNics);
  if (status.ok()) {
    status = CheckCount("nics in all", leaves * machines_per_leaf * nics, 0, kMaxClosLinks);
  }
  const std::string longest = NicName(MachineName(leaves, machines_per_leaf), nics - 1);
  if (!status.ok() || longest.size() <= kMaxLength) return status;
  return absl::InvalidArgumentError(absl::StrCat("names up to \"", longest, "\": expected at most ",
                                                 kMaxLength,
                                                 " characters, as interfaces are named so"));
}

void ClosBuilder::AddSwitch(std::string name, uint32_t tier, const Place& place) {
  Node node{std::move(name), NodeKind::kSwitch, tier, {}, {}};
  node.rail = place.rail;
  node.plane = place.plane;
  if (addressing_.unnumbered) {
    const auto number = static_cast<uint32_t>(nodes_.size() + 1);
    node.addresses.push_back(AddressIn(kLoopbacks, number, addressing_.ipv6));
  }
  nodes_.push_back(std::move(node));
}

void ClosBuilder::LinkSwitches(uint32_t lower, uint32_t upper, uint32_t cables,
                               std::optional<double> bps) {
  for (uint32_t cable = 0; cable < cables; ++cable) {
    wire::IpAddress lower_address;
    wire::IpAddress upper_address;
    if (!addressing_.unnumbered) {
      const uint32_t first = 2 * switch_link_count_++;
      lower_address = AddressIn(kSwitchLinks, first, addressing_.ipv6);
      upper_address = AddressIn(kSwitchLinks, first + 1, addressing_.ipv6);
    }
    const PortRef a{nodes_[lower].name, InterfaceName(nodes_[upper].name, cable)};
    const PortRef b{nodes_[upper].name, InterfaceName(nodes_[lower].name, cable)};
    nodes_[lower].interfaces.push_back({a.interface, lower_address});
    nodes_[upper].interfaces.push_back({b.interface, upper_address});
    switch_links_.push_back({a, b, bps});
  }
}

uint32_t ClosBuilder::AddHost(std::string name, std::string machine, const Place& place) {
  Node node{std::move(name), NodeKind::kHost, std::nullopt, {}, {}};
  node.machine = std::move(machine);
  node.rail = place.rail;
  node.plane = place.plane;
  nodes_.push_back(std::move(node));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

void ClosBuilder::LinkHost(uint32_t host, const std::string& interface, uint32_t leaf,
                           std::optional<double> bps) {
  const auto first = static_cast<uint32_t>(2 * host_links_.size());
  const std::string& name = nodes_[host].name;
  nodes_[leaf].interfaces.push_back({name, AddressIn(kHostLinks, first, addressing_.ipv6)});
  nodes_[host].interfaces.push_back(
      {interface, AddressIn(kHostLinks, first + 1, addressing_.ipv6)});
  host_links_.push_back({{nodes_[leaf].name, name}, {name, interface}, bps});
}

void ClosBuilder::AddMachine(const std::string& name, uint32_t nics, uint32_t leaf,
                             std::optional<double> bps) {
  if (nics == 0) LinkHost(AddHost(name), "eth0", leaf, bps);
  for (uint32_t nic = 0; nic < nics; ++nic) {
    LinkHost(AddHost(NicName(name, nic), name, {nic, std::nullopt}), "eth0", leaf, bps);
  }
}

absl::StatusOr<Fabric> ClosBuilder::Build() && {
  Fabric fabric;
  absl::Status status;
  for (Node& node : nodes_) status.Update(fabric.AddNode(std::move(node)).status());
  for (std::vector<Link>* links : {&host_links_, &switch_links_}) {
    for (Link& link : *links) status.Update(fabric.AddLink(std::move(link)).status());
  }
  if (!status.ok()) return status;
  return fabric;
}

}  // namespace weft::topology
