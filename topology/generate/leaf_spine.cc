// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/leaf_spine.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

constexpr uint32_t kHostLinkBase = 0x0a000000;  // 10.0.0.0
constexpr uint32_t kUplinkBase = 0x0a800000;    // 10.128.0.0
constexpr uint32_t kLinksPerHalf = (kUplinkBase - kHostLinkBase) / 2;
static_assert(uint64_t{kMaxLeaves} * kMaxHostsPerLeaf <= kLinksPerHalf);
static_assert(uint64_t{kMaxLeaves} * kMaxSpines <= kLinksPerHalf);
static_assert(std::string_view("host4096-1024").size() <= 15, "IFNAMSIZ less the final zero");

absl::Status CheckCount(std::string_view what, uint32_t value, uint32_t min, uint32_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), " ", value, ": expected ", min, " to ", max));
}

absl::Status CheckRate(std::string_view what, const std::optional<double>& bps) {
  if (!bps || (std::isfinite(*bps) && *bps > 0)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), " ", *bps, ": expected a rate above 0"));
}

absl::Status CheckOptions(const LeafSpineOptions& options) {
  absl::Status status = CheckCount("leaves", options.leaves, 1, kMaxLeaves);
  if (status.ok()) status = CheckCount("spines", options.spines, 1, kMaxSpines);
  if (status.ok())
    status = CheckCount("hosts_per_leaf", options.hosts_per_leaf, 0, kMaxHostsPerLeaf);
  if (status.ok()) status = CheckRate("uplink_bps", options.uplink_bps);
  if (status.ok()) status = CheckRate("host_bps", options.host_bps);
  return status;
}

// Puts names, addresses and links together. Every name and address is new by construction, so what
// Fabric would reject cannot come up here.
class LeafSpineBuilder {
 public:
  explicit LeafSpineBuilder(const LeafSpineOptions& options) : options_(options) {}

  absl::StatusOr<Fabric> Build() {
    for (uint32_t leaf = 0; leaf < options_.leaves; ++leaf) AddLeaf(leaf);
    for (uint32_t spine = 0; spine < options_.spines; ++spine) AddSpine(spine);
    for (uint32_t leaf = 0; leaf < options_.leaves; ++leaf) {
      for (uint32_t host = 0; host < options_.hosts_per_leaf; ++host) AddHost(leaf, host);
    }
    for (uint32_t leaf = 0; leaf < options_.leaves; ++leaf) {
      for (uint32_t spine = 0; spine < options_.spines; ++spine) {
        AddLink({Leaf(leaf), Spine(spine)}, {Spine(spine), Leaf(leaf)}, options_.uplink_bps);
      }
    }
    if (!status_.ok()) return status_;
    return std::move(fabric_);
  }

 private:
  static std::string Leaf(uint32_t leaf) { return absl::StrCat("leaf", leaf + 1); }
  static std::string Spine(uint32_t spine) { return absl::StrCat("spine", spine + 1); }
  static std::string Host(uint32_t leaf, uint32_t host) {
    return absl::StrCat("host", leaf + 1, "-", host + 1);
  }
  wire::IpAddress HostLinkAddress(uint32_t leaf, uint32_t host, uint32_t end) const {
    return wire::IpAddress::V4(kHostLinkBase + 2 * (leaf * options_.hosts_per_leaf + host) + end);
  }
  wire::IpAddress UplinkAddress(uint32_t leaf, uint32_t spine, uint32_t end) const {
    return wire::IpAddress::V4(kUplinkBase + 2 * (leaf * options_.spines + spine) + end);
  }

  void AddLeaf(uint32_t leaf) {
    Node node{Leaf(leaf), NodeKind::kSwitch, 0, {}};
    for (uint32_t spine = 0; spine < options_.spines; ++spine) {
      node.interfaces.push_back({Spine(spine), UplinkAddress(leaf, spine, 0)});
    }
    for (uint32_t host = 0; host < options_.hosts_per_leaf; ++host) {
      node.interfaces.push_back({Host(leaf, host), HostLinkAddress(leaf, host, 0)});
    }
    AddNode(std::move(node));
  }

  void AddSpine(uint32_t spine) {
    Node node{Spine(spine), NodeKind::kSwitch, 1, {}};
    for (uint32_t leaf = 0; leaf < options_.leaves; ++leaf) {
      node.interfaces.push_back({Leaf(leaf), UplinkAddress(leaf, spine, 1)});
    }
    AddNode(std::move(node));
  }

  void AddHost(uint32_t leaf, uint32_t host) {
    const std::string name = Host(leaf, host);
    AddNode({name, NodeKind::kHost, std::nullopt, {{"eth0", HostLinkAddress(leaf, host, 1)}}});
    AddLink({Leaf(leaf), name}, {name, "eth0"}, options_.host_bps);
  }

  void AddNode(Node node) { status_.Update(fabric_.AddNode(std::move(node)).status()); }
  void AddLink(PortRef a, PortRef b, std::optional<double> bps) {
    status_.Update(fabric_.AddLink({std::move(a), std::move(b), bps}).status());
  }

  const LeafSpineOptions& options_;
  Fabric fabric_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Fabric> GenerateLeafSpine(const LeafSpineOptions& options) {
  absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  return LeafSpineBuilder(options).Build();
}

}  // namespace weft::topology
