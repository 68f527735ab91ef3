// SPDX-License-Identifier: Apache-2.0
#include "topology/export/ibnetdiscover.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "topology/export/names.h"

namespace weft::topology {
namespace {

constexpr const char* kOrigin = "ibnetdiscover text";
constexpr uint32_t kMaxPort = 254;  // InfiniBand 1.7, section 14.2.5.6: 255 is no port
constexpr Guid kMadeUpGuids = 0x0200'0000'0000'0000;

std::optional<uint32_t> PortNumber(const std::string& interface) {
  uint32_t number = 0;
  const char* end = interface.data() + interface.size();
  const auto [rest, error] = std::from_chars(interface.data(), end, number);
  const bool plain = interface == "0" || (!interface.empty() && interface.front() != '0');
  if (error != std::errc() || rest != end || !plain || number > kMaxPort) return std::nullopt;
  return number;
}

std::string LmcText(const Interface& interface) {
  return interface.lmc ? absl::StrCat(" lmc ", *interface.lmc) : "";
}

// A node as the format knows it.
struct Record {
  Guid guid = kNoGuid;
  std::string description;
  std::vector<uint32_t> port;  // per interface of the node
  uint32_t ports = 0;          // the highest number
};

class Writer {
 public:
  explicit Writer(const Fabric& fabric) : fabric_(fabric) {}
  Exported Write();

 private:
  void NameNodes();
  void NumberPorts(NodeIndex node);
  std::string Description(const Node& node, const absl::flat_hash_map<std::string, size_t>& shared);
  void CountLosses(const Node& node);
  void WriteNode(NodeIndex node);
  void WriteLink(NodeIndex node, const Adjacency& adjacency);
  std::string Id(NodeIndex node) const;
  const Interface& At(NodeIndex node, const std::string& interface) const;
  uint32_t PortOf(NodeIndex node, const std::string& interface) const;
  uint32_t LidOf(NodeIndex node, const std::string& interface) const;

  const Fabric& fabric_;
  std::vector<Record> records_;  // per node
  std::vector<absl::flat_hash_map<std::string, uint32_t>> port_of_;
  Exported out_;
  Loss guids_{"guids-made-up", "nodes without a GUID",
              "ibnetdiscover knows nodes by GUID; these got made-up ones that begin with 0x0200"};
  Loss ports_{"ports-renumbered", "interfaces whose name is no port number",
              "ibnetdiscover knows ports by number; the interfaces of these nodes are numbered in "
              "their order, and their names are lost"};
  Loss too_many_{"ports-left-out", "cables at ports above 254",
                 "an InfiniBand node has at most 254 ports"};
  Loss names_{"names-replaced", "names with quotes or control characters",
              "ibnetdiscover writes names in quotes and cannot hold these characters"};
  Loss addresses_{"addresses-left-out", "addresses", "ibnetdiscover has no IP addresses"};
  Loss labels_{"labels-left-out", "nodes with a declared tier, rail, plane, chassis id or machine",
               "ibnetdiscover has no place for them"};
  Loss cables_{"cable-data-left-out", "links with a cable's part or serial number",
               "ibnetdiscover has no place for it"};
  Loss rates_{"rates-left-out", "links whose capacity is not width times speed",
              "ibnetdiscover has lanes and their speed, no other rate"};
  Loss one_or_more_{"cables-not-counted", "links of one or more cables",
                    "traces could not tell these cables apart; each is written as one"};
  Loss switch_ports_{"port-guids-left-out", "switches with GUIDs at ports other than 0",
                     "ibnetdiscover tells port GUIDs of HCAs, and of a switch's port 0"};
  Loss free_ports_{"free-ports-left-out", "interfaces without a cable, with a GUID or LID",
                   "ibnetdiscover writes the ports that are up alone"};
};

const Interface& Writer::At(NodeIndex node, const std::string& interface) const {
  return *fabric_.FindInterface(node, interface);
}

uint32_t Writer::PortOf(NodeIndex node, const std::string& interface) const {
  return port_of_[node].at(interface);
}

// An HCA's port has its own LID, a switch one for all.
uint32_t Writer::LidOf(NodeIndex node, const std::string& interface) const {
  if (fabric_.node(node).kind != NodeKind::kSwitch) return At(node, interface).lid.value_or(0);
  const Interface* management = fabric_.FindInterface(node, "0");
  return management == nullptr ? 0 : management->lid.value_or(0);
}

std::string Writer::Id(NodeIndex node) const {
  const NodeKind kind = fabric_.node(node).kind;
  const char* letter = kind == NodeKind::kSwitch ? "S" : kind == NodeKind::kHost ? "H" : "R";
  return absl::StrCat("\"", letter, "-", absl::Hex(records_[node].guid, absl::kZeroPad16), "\"");
}

// The name without the GUID that told it from others of the same name: the description is shared.
std::string WithoutGuid(const Node& node) {
  const std::string guid = GuidText(node.guid);
  if (node.guid == kNoGuid) return node.name;
  if (node.name == guid) return "";
  const std::string ending = " (" + guid + ")";
  if (!node.name.ends_with(ending)) return node.name;
  return node.name.substr(0, node.name.size() - ending.size());
}

std::string Writer::Description(const Node& node,
                                const absl::flat_hash_map<std::string, size_t>& shared) {
  std::string name = WithoutGuid(node);
  if (!name.empty() && shared.at(name) < 2) name = node.name;
  std::string clean;
  bool replaced = false;
  for (const char c : name) {
    const bool bad = c == '"' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    clean += c == '"' ? '\'' : bad ? ' ' : c;
    replaced = replaced || bad;
  }
  if (replaced) names_.Add(Visible(node.name));
  return clean;
}

void Writer::NameNodes() {
  absl::flat_hash_map<std::string, size_t> shared;
  absl::flat_hash_set<Guid> taken;
  for (const Node& node : fabric_.nodes()) {
    ++shared[WithoutGuid(node)];
    taken.insert(node.guid);
  }
  Guid next = kMadeUpGuids;
  for (const Node& node : fabric_.nodes()) {
    Record& record = records_.emplace_back();
    record.guid = node.guid;
    if (node.guid == kNoGuid) {
      do {
        ++next;
      } while (taken.contains(next));
      record.guid = next;
      guids_.Add(node.name);
    }
    record.description = Description(node, shared);
  }
}

void Writer::NumberPorts(NodeIndex index) {
  const Node& node = fabric_.node(index);
  auto& ports = port_of_[index];
  bool numbered = true;
  for (const Interface& interface : node.interfaces) {
    const std::optional<uint32_t> number = PortNumber(interface.name);
    numbered = numbered && number && (*number > 0 || node.kind == NodeKind::kSwitch);
  }
  uint32_t next = 0;
  for (const Interface& interface : node.interfaces) {
    const uint32_t number = numbered ? *PortNumber(interface.name) : ++next;
    ports[interface.name] = number;
    if (!numbered) ports_.Add(node.name);
    if (number <= kMaxPort) records_[index].ports = std::max(records_[index].ports, number);
  }
}

void Writer::CountLosses(const Node& node) {
  for (const Interface& interface : node.interfaces) {
    if (!interface.address.empty()) addresses_.Add(node.name);
  }
  const bool is_switch = node.kind == NodeKind::kSwitch;
  if (is_switch &&
      std::any_of(node.interfaces.begin(), node.interfaces.end(),
                  [](const auto& port) { return port.name != "0" && port.guid != kNoGuid; })) {
    switch_ports_.Add(node.name);
  }
  for (size_t i = 0; i < node.addresses.size(); ++i) addresses_.Add(node.name);
  if (node.tier || node.rail || node.plane || !node.chassis_id.empty()) labels_.Add(node.name);
}

void Writer::WriteLink(NodeIndex node, const Adjacency& adjacency) {
  const NodeIndex peer = adjacency.neighbour;
  const Link& link = fabric_.link(adjacency.direction.link);
  const bool is_switch = fabric_.node(node).kind == NodeKind::kSwitch;
  const bool to_switch = fabric_.node(peer).kind == NodeKind::kSwitch;
  const Interface& port = At(node, adjacency.interface);
  const Interface& peer_port = At(peer, adjacency.neighbour_interface);
  std::string& text = out_.text;
  absl::StrAppend(&text, "[", PortOf(node, adjacency.interface), "]");
  if (!is_switch && port.guid != kNoGuid) absl::StrAppend(&text, "(", absl::Hex(port.guid), ") ");
  absl::StrAppend(&text, "\t", Id(peer), "[", PortOf(peer, adjacency.neighbour_interface), "]");
  if (!to_switch && peer_port.guid != kNoGuid) {
    absl::StrAppend(&text, "(", absl::Hex(peer_port.guid), ") ");
  }
  absl::StrAppend(&text, "\t\t# ");
  if (!is_switch) {
    absl::StrAppend(&text, "lid ", port.lid.value_or(0), LmcText(port), " ");
  }
  absl::StrAppend(&text, "\"", records_[peer].description, "\" lid ",
                  LidOf(peer, adjacency.neighbour_interface));
  if (link.width || !link.speed.empty()) {
    absl::StrAppend(&text, " ", link.width ? absl::StrCat(*link.width, "x") : "?x",
                    link.speed.empty() ? "???" : link.speed);
  }
  text += '\n';
}

void Writer::WriteNode(NodeIndex index) {
  const Node& node = fabric_.node(index);
  const Record& record = records_[index];
  std::string& text = out_.text;
  text += '\n';
  if (node.vendor_id) absl::StrAppend(&text, "vendid=0x", absl::Hex(*node.vendor_id), "\n");
  if (node.device_id) absl::StrAppend(&text, "devid=0x", absl::Hex(*node.device_id), "\n");
  if (node.system_guid != kNoGuid) {
    absl::StrAppend(&text, "sysimgguid=0x", absl::Hex(node.system_guid), "\n");
  }
  if (node.kind == NodeKind::kSwitch) {
    const Interface* management = fabric_.FindInterface(index, "0");
    const Guid guid =
        management != nullptr && management->guid != kNoGuid ? management->guid : record.guid;
    absl::StrAppend(&text, "switchguid=0x", absl::Hex(record.guid), "(", absl::Hex(guid), ")\n",
                    "Switch\t", record.ports, " ", Id(index), "\t\t# \"", record.description,
                    "\" base port 0 lid ", LidOf(index, ""),
                    management == nullptr ? "" : LmcText(*management), "\n");
  } else {
    const bool host = node.kind == NodeKind::kHost;
    absl::StrAppend(&text, host ? "ca" : "rt", "guid=0x", absl::Hex(record.guid), "\n",
                    host ? "Ca\t" : "Rt\t", record.ports, " ", Id(index), "\t\t# \"",
                    record.description, "\"\n");
  }
  std::vector<const Adjacency*> sorted;
  for (const Adjacency& adjacency : fabric_.adjacencies(index)) {
    if (PortOf(index, adjacency.interface) > kMaxPort ||
        PortOf(adjacency.neighbour, adjacency.neighbour_interface) > kMaxPort) {
      too_many_.Add(node.name);
      continue;
    }
    sorted.push_back(&adjacency);
  }
  std::sort(sorted.begin(), sorted.end(), [&](const Adjacency* a, const Adjacency* b) {
    return PortOf(index, a->interface) < PortOf(index, b->interface);
  });
  for (const Adjacency* adjacency : sorted) WriteLink(index, *adjacency);
}

Exported Writer::Write() {
  NameNodes();
  port_of_.resize(fabric_.nodes().size());
  for (NodeIndex node = 0; node < fabric_.nodes().size(); ++node) {
    NumberPorts(node);
    CountLosses(fabric_.node(node));
    for (const Interface& interface : fabric_.node(node).interfaces) {
      const bool known = interface.guid != kNoGuid || interface.lid;
      if (known && fabric_.node(node).kind != NodeKind::kSwitch &&
          !fabric_.FindPort(node, interface.name)) {
        free_ports_.Add(ToString(PortRef{fabric_.node(node).name, interface.name}));
      }
    }
  }
  for (const Link& link : fabric_.links()) {
    if (!link.cable.empty()) cables_.Add(ToString(link.a));
    if (link.one_or_more) one_or_more_.Add(ToString(link.a));
    const std::optional<double> lane = LaneRate(link.speed);
    const bool told = link.width && lane;
    if (link.capacity_bps && (!told || *link.capacity_bps != *link.width * *lane)) {
      rates_.Add(ToString(link.a));
    }
  }
  out_.text = "#\n# Topology file: written by weft-topo export\n#\n";
  for (const NodeKind kind : {NodeKind::kSwitch, NodeKind::kHost, NodeKind::kUnknown}) {
    for (NodeIndex node = 0; node < fabric_.nodes().size(); ++node) {
      if (fabric_.node(node).kind == kind) WriteNode(node);
    }
  }
  for (const Loss* loss : {&guids_, &ports_, &too_many_, &names_, &addresses_, &labels_, &cables_,
                           &rates_, &one_or_more_, &switch_ports_, &free_ports_}) {
    loss->Report(kOrigin, out_.findings);
  }
  return std::move(out_);
}

}  // namespace

Exported ExportIbnetdiscover(const Fabric& fabric) { return Writer(fabric).Write(); }

}  // namespace weft::topology
