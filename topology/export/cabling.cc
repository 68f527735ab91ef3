// SPDX-License-Identifier: Apache-2.0
#include "topology/export/cabling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>

#include "topology/export/names.h"
#include "topology/export/structure.h"

namespace weft::topology {
namespace {

constexpr const char* kOrigin = "cabling list";
constexpr uint32_t kNoTier = ~uint32_t{0};

// The order of nodes along which cables are listed: leaves, spines, cores, what is no switch.
uint32_t TierOrder(const Structure& structure, const Fabric& fabric, NodeIndex node) {
  if (fabric.node(node).kind != NodeKind::kSwitch) return kNoTier;
  return structure.tier[node].value_or(kNoTier - 1);
}

// The cable from the node that lists it: of two switches the lower one, a host's switch.
Direction Listed(const Fabric& fabric, const Structure& structure, LinkIndex link) {
  const Direction forward{link, false};
  const NodeIndex a = fabric.From(forward);
  const NodeIndex b = fabric.To(forward);
  const uint32_t tier_a = TierOrder(structure, fabric, a);
  const uint32_t tier_b = TierOrder(structure, fabric, b);
  if (tier_a != tier_b) return {link, tier_b < tier_a};
  const DirectedLink ends = fabric.Describe(forward);
  if (ends.from.node != ends.to.node) {
    return {link, NaturalLess(ends.to.node, ends.from.node)};
  }
  return {link, NaturalLess(ends.to.interface, ends.from.interface)};
}

std::vector<Direction> ListedInOrder(const Fabric& fabric, const Structure& structure) {
  struct Row {
    uint32_t tier = 0;
    Direction direction;
    DirectedLink ends;
  };
  std::vector<Row> rows;
  for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
    const Direction direction = Listed(fabric, structure, link);
    rows.push_back({TierOrder(structure, fabric, fabric.From(direction)), direction,
                    fabric.Describe(direction)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.tier != b.tier) return a.tier < b.tier;
    if (a.ends.from.node != b.ends.from.node) {
      return NaturalLess(a.ends.from.node, b.ends.from.node);
    }
    return NaturalLess(a.ends.from.interface, b.ends.from.interface);
  });
  std::vector<Direction> directions;
  for (const Row& row : rows) directions.push_back(row.direction);
  return directions;
}

std::string Role(const Structure& structure, const Fabric& fabric, NodeIndex node) {
  switch (fabric.node(node).kind) {
    case NodeKind::kHost:
      return "host";
    case NodeKind::kUnknown:
      return "unknown";
    case NodeKind::kSwitch:
      break;
  }
  return TierName(structure.tier[node]);
}

std::string DeviceType(const Structure& structure, const Fabric& fabric, NodeIndex node) {
  switch (fabric.node(node).kind) {
    case NodeKind::kHost:
      return "Server";
    case NodeKind::kUnknown:
      return "Unknown";
    case NodeKind::kSwitch:
      break;
  }
  constexpr std::array kTypes = {"LeafSwitch", "SpineSwitch", "CoreSwitch"};
  const std::optional<uint32_t>& tier = structure.tier[node];
  return tier && *tier < kTypes.size() ? kTypes[*tier] : "Switch";
}

std::string Number(const std::optional<uint32_t>& value) {
  return value ? std::to_string(*value) : std::string();
}

std::string Megabits(const std::optional<double>& bps) {
  if (!bps) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", *bps / 1e6);
  return text;
}

// Of the two ends, where the records tell; the switch's own comes first.
std::optional<uint32_t> Either(const std::optional<uint32_t>& a, const std::optional<uint32_t>& b) {
  return a ? a : b;
}

std::optional<uint32_t> RailOf(const Fabric& fabric, const Direction& direction) {
  const Node& from = fabric.node(fabric.From(direction));
  const Node& to = fabric.node(fabric.To(direction));
  const DirectedLink ends = fabric.Describe(direction);
  const Interface* from_port = fabric.FindInterface(fabric.From(direction), ends.from.interface);
  const Interface* to_port = fabric.FindInterface(fabric.To(direction), ends.to.interface);
  return Either(Either(to_port->rail, from_port->rail), Either(to.rail, from.rail));
}

struct Losses {
  Loss nodes{"nodes-without-cable", "nodes without a cable",
             "a cabling list names nodes by their cables, so these do not appear in it"};
  Loss one_or_more{"cables-not-counted", "links of one or more cables",
                   "traces could not tell these cables apart; each has one line"};
  Loss addresses{"addresses-left-out", "addresses", "a cabling list has no addresses"};
  Loss identity{"identity-left-out", "nodes with GUIDs, LIDs or a chassis id",
                "a cabling list knows devices by name alone"};
  Loss physical{"cable-data-left-out", "links with width, speed or cable",
                "SONiC's columns have the bandwidth alone"};
};

void CountNode(const Fabric& fabric, NodeIndex index, Losses& losses) {
  const Node& node = fabric.node(index);
  if (fabric.adjacencies(index).empty()) losses.nodes.Add(node.name);
  bool lids = false;
  for (const Interface& interface : node.interfaces) {
    if (!interface.address.empty()) losses.addresses.Add(node.name);
    lids = lids || interface.lid || interface.guid != kNoGuid;
  }
  for (size_t i = 0; i < node.addresses.size(); ++i) losses.addresses.Add(node.name);
  if (lids || node.guid != kNoGuid || !node.chassis_id.empty()) losses.identity.Add(node.name);
}

}  // namespace

Exported ExportCabling(const Fabric& fabric, CablingColumns columns) {
  const Structure structure = StructureOf(fabric);
  const bool all = columns == CablingColumns::kAll;
  Exported out;
  out.text = all ? "StartDevice,StartPort,EndDevice,EndPort,BandWidth,Width,Speed,Cable,"
                   "StartRole,EndRole,Rail,Plane\n"
                 : "StartDevice,StartPort,EndDevice,EndPort,BandWidth\n";
  Losses losses;
  for (const Direction& direction : ListedInOrder(fabric, structure)) {
    const DirectedLink ends = fabric.Describe(direction);
    const Link& link = fabric.link(direction.link);
    const NodeIndex from = fabric.From(direction);
    const NodeIndex to = fabric.To(direction);
    out.text += CsvText(ends.from.node) + ',' + CsvText(ends.from.interface) + ',' +
                CsvText(ends.to.node) + ',' + CsvText(ends.to.interface) + ',' +
                Megabits(link.capacity_bps);
    if (all) {
      out.text += ',' + Number(link.width) + ',' + CsvText(link.speed) + ',' + CsvText(link.cable) +
                  ',' + Role(structure, fabric, from) + ',' + Role(structure, fabric, to) + ',' +
                  Number(RailOf(fabric, direction)) + ',' +
                  Number(Either(fabric.node(from).plane, fabric.node(to).plane));
    } else if (link.width || !link.speed.empty() || !link.cable.empty()) {
      losses.physical.Add(ToString(link.a));
    }
    out.text += '\n';
    if (link.one_or_more) losses.one_or_more.Add(ToString(link.a));
  }
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) CountNode(fabric, node, losses);
  for (const Loss* loss : {&losses.nodes, &losses.one_or_more, &losses.addresses, &losses.identity,
                           &losses.physical}) {
    loss->Report(kOrigin, out.findings);
  }
  return out;
}

Exported ExportDevices(const Fabric& fabric) {
  const Structure structure = StructureOf(fabric);
  std::vector<NodeIndex> order(fabric.nodes().size());
  for (NodeIndex node = 0; node < order.size(); ++node) order[node] = node;
  std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    const uint32_t tier_a = TierOrder(structure, fabric, a);
    const uint32_t tier_b = TierOrder(structure, fabric, b);
    if (tier_a != tier_b) return tier_a < tier_b;
    return NaturalLess(fabric.node(a).name, fabric.node(b).name);
  });
  Exported out;
  out.text = "Hostname,ManagementIp,HwSku,Type\n";
  for (NodeIndex index : order) {
    const Node& node = fabric.node(index);
    out.text += CsvText(node.name) + ',' +
                (node.addresses.empty() ? "" : node.addresses.front().ToString()) + ',' +
                CsvText(node.description) + ',' + DeviceType(structure, fabric, index) + '\n';
  }
  return out;
}

}  // namespace weft::topology
