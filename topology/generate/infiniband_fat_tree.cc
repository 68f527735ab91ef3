// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/infiniband_fat_tree.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/generate/clos_builder.h"

namespace weft::topology {
namespace {

constexpr Guid kFirstSwitchGuid = 0x0200010000000000;  // locally administered, as is the next
constexpr Guid kFirstNicGuid = 0x0200020000000000;
constexpr uint32_t kMaxRadix = 254;  // port 255 means "no way" in forwarding tables

// The options with their defaults filled in, and what follows from them.
struct Shape {
  uint32_t half = 0;  // ports down, and up
  uint32_t pods = 1;  // two tiers: one
  uint32_t leaves_per_pod = 0;
  uint32_t nics_per_leaf = 0;
  uint32_t cores = 0;
  bool three_tiers = false;

  uint32_t leaves() const { return pods * leaves_per_pod; }
  uint32_t spines() const { return pods * half; }
  uint64_t switches() const { return uint64_t{leaves()} + spines() + cores; }
  uint64_t nics() const { return uint64_t{leaves()} * nics_per_leaf; }
};

Shape ShapeOf(const InfiniBandFatTreeOptions& options) {
  Shape shape;
  shape.half = options.radix / 2;
  shape.three_tiers = options.tiers == 3;
  shape.pods = shape.three_tiers ? options.pods.value_or(options.radix) : 1;
  shape.leaves_per_pod = shape.three_tiers ? shape.half : options.leaves.value_or(options.radix);
  shape.nics_per_leaf = options.nics_per_leaf.value_or(shape.half);
  shape.cores = shape.three_tiers ? shape.half * shape.half : 0;
  return shape;
}

// LIDs that are used up to the last one: NICs begin at a multiple of 2^lmc.
uint64_t LastLid(const Shape& shape, uint32_t lmc) {
  const uint64_t each = uint64_t{1} << lmc;
  const uint64_t first = (shape.switches() + 1 + each - 1) / each * each;
  return shape.nics() == 0 ? shape.switches() : first + shape.nics() * each - 1;
}

absl::Status CheckLink(const InfiniBandFatTreeOptions& options) {
  constexpr std::array<uint32_t, 5> kWidths = {1, 2, 4, 8, 12};
  if (std::find(kWidths.begin(), kWidths.end(), options.width) == kWidths.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("width ", options.width, ": expected 1, 2, 4, 8 or 12 lanes"));
  }
  if (LaneRate(options.speed)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "speed \"", options.speed, "\": expected SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR"));
}

absl::Status CheckOptions(const InfiniBandFatTreeOptions& options, const Shape& shape) {
  absl::Status status = CheckCount("radix", options.radix, 2, kMaxRadix);
  if (status.ok() && options.radix % 2 != 0) {
    status = absl::InvalidArgumentError(
        absl::StrCat("radix ", options.radix, ": expected an even number, as half go up"));
  }
  if (status.ok()) status = CheckCount("tiers", options.tiers, 2, 3);
  if (status.ok() && shape.three_tiers) status = CheckCount("pods", shape.pods, 1, options.radix);
  if (status.ok() && !shape.three_tiers) {
    status = CheckCount("leaves", shape.leaves_per_pod, 1, options.radix);
  }
  if (status.ok()) status = CheckCount("nics_per_leaf", shape.nics_per_leaf, 0, shape.half);
  if (status.ok()) {
    status = CheckCount("nics_per_machine", options.nics_per_machine, 1, kMaxClosNics);
  }
  if (status.ok() && shape.leaves_per_pod % options.nics_per_machine != 0) {
    status = absl::InvalidArgumentError(
        absl::StrCat("nics_per_machine ", options.nics_per_machine, ": expected a divisor of the ",
                     shape.leaves_per_pod, " leaves", shape.three_tiers ? " of a pod" : "",
                     ", as each NIC of a machine is on another leaf"));
  }
  if (status.ok()) status = CheckCount("lmc", options.lmc, 0, 7);
  if (status.ok()) status = CheckLink(options);
  if (!status.ok()) return status;
  const uint64_t last = LastLid(shape, options.lmc);
  if (last <= kMaxLid) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      "lmc ", options.lmc, ": ", shape.switches(), " switches and ", shape.nics(), " NICs of ",
      1U << options.lmc, " LIDs need LIDs up to ", last, ": expected at most ", kMaxLid));
}

class TreeBuilder {
 public:
  TreeBuilder(const InfiniBandFatTreeOptions& options, const Shape& shape)
      : options_(options), shape_(shape) {
    rate_bps_ = options.width * *LaneRate(options.speed);
  }

  void AddSwitches() {
    for (uint32_t leaf = 0; leaf < shape_.leaves(); ++leaf) {
      AddSwitch("leaf", leaf, 0);
      if (options_.nics_per_machine > 1) nodes_.back().rail = leaf % options_.nics_per_machine;
    }
    for (uint32_t spine = 0; spine < shape_.spines(); ++spine) AddSwitch("spine", spine, 1);
    for (uint32_t core = 0; core < shape_.cores; ++core) AddSwitch("core", core, 2);
  }

  void LinkSwitches() {
    const uint32_t half = shape_.half;
    const uint32_t first_spine = shape_.leaves();
    const uint32_t first_core = first_spine + shape_.spines();
    for (uint32_t leaf = 0; leaf < first_spine; ++leaf) {
      const uint32_t pod = leaf / shape_.leaves_per_pod;
      for (uint32_t i = 0; i < half; ++i) {
        AddLink(leaf, half + 1 + i, first_spine + pod * half + i, leaf % shape_.leaves_per_pod + 1);
      }
    }
    if (!shape_.three_tiers) return;
    for (uint32_t spine = 0; spine < shape_.spines(); ++spine) {
      for (uint32_t i = 0; i < half; ++i) {
        AddLink(first_spine + spine, half + 1 + i, first_core + spine % half * half + i,
                spine / half + 1);
      }
    }
  }

  void AddNics() {
    const uint32_t rails = options_.nics_per_machine;
    const uint32_t each = 1U << options_.lmc;
    uint32_t lid = (static_cast<uint32_t>(shape_.switches()) + each) / each * each;
    uint32_t count = 0;
    for (uint32_t block = 0; block < shape_.leaves() / rails; ++block) {
      for (uint32_t number = 0; number < shape_.nics_per_leaf; ++number) {
        const std::string machine = MachineName(block + 1, number + 1);
        for (uint32_t rail = 0; rail < rails; ++rail, lid += each) {
          AddNic(machine, rail, ++count, lid);
          AddLink(block * rails + rail, number + 1, static_cast<uint32_t>(nodes_.size() - 1), 1);
        }
      }
    }
  }

  absl::StatusOr<Fabric> Build() {
    Fabric fabric;
    absl::Status status;
    for (Node& node : nodes_) status.Update(fabric.AddNode(std::move(node)).status());
    for (Link& link : links_) status.Update(fabric.AddLink(std::move(link)).status());
    if (!status.ok()) return status;
    return fabric;
  }

 private:
  void AddSwitch(std::string_view kind, uint32_t number, uint32_t tier) {
    Node node{absl::StrCat(std::string(kind), number + 1), NodeKind::kSwitch, tier, {}, {}};
    node.guid = kFirstSwitchGuid + nodes_.size() + 1;
    node.system_guid = node.guid;
    Interface port{"0", {}, node.guid};
    port.lid = static_cast<uint32_t>(nodes_.size() + 1);
    port.lmc = 0;
    node.interfaces.push_back(std::move(port));
    nodes_.push_back(std::move(node));
  }

  void AddNic(const std::string& machine, uint32_t rail, uint32_t count, uint32_t lid) {
    Node node{absl::StrCat(machine, " mlx5_", rail), NodeKind::kHost, std::nullopt, {}, {}};
    node.machine = machine;
    node.guid = kFirstNicGuid + uint64_t{16} * count;
    node.system_guid = node.guid;
    if (options_.nics_per_machine > 1) node.rail = rail;
    Interface port{"1", {}, node.guid + 1};
    port.lid = lid;
    port.lmc = options_.lmc;
    node.interfaces.push_back(std::move(port));
    nodes_.push_back(std::move(node));
  }

  // Ports of switches are made as they are cabled; a NIC has its port already.
  void AddLink(uint32_t lower, uint32_t lower_port, uint32_t upper, uint32_t upper_port) {
    Link link{{nodes_[lower].name, absl::StrCat(lower_port)},
              {nodes_[upper].name, absl::StrCat(upper_port)},
              rate_bps_};
    link.width = options_.width;
    link.speed = options_.speed;
    for (const auto& [number, port] : {std::pair(lower, &link.a), std::pair(upper, &link.b)}) {
      Node& node = nodes_[number];
      if (node.kind == NodeKind::kSwitch)
        node.interfaces.push_back({port->interface, {}, node.guid});
    }
    links_.push_back(std::move(link));
  }

  const InfiniBandFatTreeOptions& options_;
  const Shape& shape_;
  double rate_bps_ = 0;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
};

}  // namespace

absl::StatusOr<Fabric> GenerateInfiniBandFatTree(const InfiniBandFatTreeOptions& options) {
  const Shape shape = ShapeOf(options);
  absl::Status status = CheckOptions(options, shape);
  if (!status.ok()) return status;
  TreeBuilder builder(options, shape);
  builder.AddSwitches();
  builder.LinkSwitches();
  builder.AddNics();
  return builder.Build();
}

}  // namespace weft::topology
