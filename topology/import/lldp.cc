// SPDX-License-Identifier: Apache-2.0
#include "topology/import/lldp.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

struct Entry {
  PortRef near;
  std::string far_node;
  std::array<std::string, kPortNameKinds> port_names;
  std::string path;
};

struct KnownNode {
  NodeKind kind = NodeKind::kUnknown;
  std::set<std::string> interfaces;
  std::set<wire::IpAddress> addresses;
};

struct Cable {
  PortRef near;
  PortRef far;
  std::optional<PortNameKind> named_by;  // none: as the far node's own file names it
  std::string path;
};

Finding MakeFinding(const char* code, Severity severity, const std::string& subject,
                    const std::string& what, std::optional<double> value, const char* unit,
                    const std::string& origin) {
  return {code, severity, subject, {{what, value, unit, origin}}, "", ""};
}

class Joiner {
 public:
  absl::Status Add(const LldpFile& file) {
    absl::StatusOr<LldpDocument> document = ReadLldp(file.text);
    if (!document.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(file.path, ": ", document.status().message()));
    }
    const auto [first, fresh] = path_of_.emplace(file.node, file.path);
    if (!fresh) {
      return absl::InvalidArgumentError(absl::StrCat(file.path, ": node \"", file.node,
                                                     "\" has a file already (", first->second,
                                                     "), expected one each"));
    }
    result_.counts.damaged += document->damaged;
    if (document->damaged > 0) {
      Finding finding =
          MakeFinding("damaged-entry", Severity::kWarning, file.node, "entries left out",
                      static_cast<double>(document->damaged), "entries", file.path);
      finding.explanation = "entries without an interface, a chassis or a port were left out";
      finding.what_to_do = "look at the file; print it anew with lldpctl -f json";
      result_.findings.push_back(std::move(finding));
    }
    NoteChassis(document->own, file.node);
    documents_.emplace_back(&file, *std::move(document));
    return absl::OkStatus();
  }

  LldpResult Join() && {
    for (const auto& [file, document] : documents_) {
      for (const LldpNeighbour& neighbour : document.neighbours) {
        if (!neighbour.chassis.name.empty()) NoteChassis(neighbour.chassis, neighbour.chassis.name);
      }
    }
    for (const auto& [file, document] : documents_) AddEntries(*file, document);
    MakeCables();
    TellNamesApart();
    Write();
    return std::move(result_);
  }

 private:
  void NoteChassis(const LldpChassis& chassis, const std::string& node) {
    KnownNode& known = nodes_[node];
    if (chassis.kind != NodeKind::kUnknown) known.kind = chassis.kind;
    known.addresses.insert(chassis.addresses.begin(), chassis.addresses.end());
    if (!chassis.id.empty()) names_of_chassis_[chassis.id].insert(node);
  }

  std::string NodeName(const LldpChassis& chassis) const {
    if (!chassis.name.empty()) return chassis.name;
    const auto names = names_of_chassis_.find(chassis.id);
    const bool one = names != names_of_chassis_.end() && names->second.size() == 1;
    return one ? *names->second.begin() : chassis.id;
  }

  void AddEntries(const LldpFile& file, const LldpDocument& document) {
    std::map<std::string, std::vector<Entry>> by_interface;
    for (const LldpNeighbour& neighbour : document.neighbours) {
      ++result_.counts.neighbours;
      const std::string far = NodeName(neighbour.chassis);
      nodes_[file.node].interfaces.insert(neighbour.interface);
      if (neighbour.chassis.IsNicFirmware() && !nodes_.contains(far)) {
        ++result_.counts.nic_firmware;
        Finding finding = MakeFinding(
            "nic-firmware", Severity::kInfo, ToString(PortRef{file.node, neighbour.interface}),
            "nameless neighbour " + neighbour.chassis.id, std::nullopt, "", file.path);
        finding.explanation = "an adapter's firmware answers LLDP by itself: it is no switch";
        result_.findings.push_back(std::move(finding));
        continue;
      }
      KnownNode& known = nodes_[far];
      if (neighbour.chassis.name.empty()) {
        known.addresses.insert(neighbour.chassis.addresses.begin(),
                               neighbour.chassis.addresses.end());
        if (known.kind == NodeKind::kUnknown) known.kind = neighbour.chassis.kind;
      }
      by_interface[neighbour.interface].push_back(
          {{file.node, neighbour.interface}, far, neighbour.port_names, file.path});
    }
    for (auto& [interface, entries] : by_interface) {
      if (entries.size() == 1) {
        entries_.push_back(std::move(entries.front()));
        continue;
      }
      Finding finding = MakeFinding("several-neighbours", Severity::kWarning,
                                    ToString(PortRef{file.node, interface}), "neighbours",
                                    static_cast<double>(entries.size()), "neighbours", file.path);
      finding.explanation = "one cable has two ends: which neighbour is at the other is not told";
      finding.what_to_do = "look for a hub, a virtual switch, or old entries";
      result_.findings.push_back(std::move(finding));
    }
  }

  // An interface of the far node's file that is one of the names the entry advertises; else the
  // only one whose own entry advertises our near end.
  std::optional<std::string> OwnName(const Entry& entry) const {
    if (!path_of_.contains(entry.far_node)) return std::nullopt;
    const std::set<std::string>& interfaces = nodes_.at(entry.far_node).interfaces;
    for (const std::string& name : entry.port_names) {
      if (!name.empty() && interfaces.contains(name)) return name;
    }
    const auto back = back_.find({entry.far_node, entry.near.node, entry.near.interface});
    if (back == back_.end() || back->second.size() != 1) return std::nullopt;
    return *back->second.begin();
  }

  void MakeCables() {
    for (const Entry& entry : entries_) {
      for (const std::string& name : entry.port_names) {
        if (!name.empty()) {
          back_[{entry.near.node, entry.far_node, name}].insert(entry.near.interface);
        }
      }
    }
    for (const Entry& entry : entries_) {
      Cable cable = {entry.near, {entry.far_node, ""}, std::nullopt, entry.path};
      if (const auto own = OwnName(entry)) {
        cable.far.interface = *own;
      } else {
        for (size_t kind = 0; kind < kPortNameKinds && !cable.named_by; ++kind) {
          if (entry.port_names[kind].empty()) continue;
          cable.far.interface = entry.port_names[kind];
          cable.named_by = static_cast<PortNameKind>(kind);
        }
      }
      cables_.push_back(std::move(cable));
    }
  }

  // A port holds one cable: where several ends claim it, and not each other, its name is no name.
  void TellNamesApart() {
    std::set<std::pair<PortRef, PortRef>> told;
    for (const Cable& cable : cables_) told.emplace(cable.near, cable.far);
    std::map<PortRef, std::set<PortRef>> claims;
    for (const Cable& cable : cables_) {
      claims[cable.far].insert(cable.near);
      claims[cable.near].insert(cable.far);
    }
    std::set<PortRef> said;
    for (Cable& cable : cables_) {
      const PortRef far = cable.far;
      if (claims[far].size() < 2 || told.contains({far, cable.near})) continue;
      if (said.insert(far).second) {
        Finding finding = MakeFinding(
            "port-name-twice",
            cable.named_by == PortNameKind::kInterface || !cable.named_by ? Severity::kWarning
                                                                          : Severity::kInfo,
            ToString(far), "cables that claim this port", static_cast<double>(claims[far].size()),
            "cables", cable.path);
        finding.explanation = absl::StrCat(
            "the name (", cable.named_by ? ToString(*cable.named_by) : "of its own file",
            ") stands for several cables, which are kept apart by their near ends");
        finding.what_to_do = "let the node advertise interface names as port IDs";
        result_.findings.push_back(std::move(finding));
      }
      absl::StrAppend(&cable.far.interface, " to ", ToString(cable.near));
    }
  }

  void Write() {
    std::map<wire::IpAddress, std::vector<std::string>> owners;
    for (const auto& [name, node] : nodes_) {
      for (const wire::IpAddress& address : node.addresses) owners[address].push_back(name);
    }
    std::map<std::pair<PortRef, PortRef>, uint32_t> links;
    std::set<PortRef> plugged;
    for (const Cable& cable : cables_) {
      if (cable.near == cable.far) continue;
      const auto ends = std::minmax(cable.near, cable.far);
      const std::pair<PortRef, PortRef> key = {ends.first, ends.second};
      if (const auto found = links.find(key); found != links.end()) {
        ++found->second;
        continue;
      }
      if (plugged.contains(key.first) || plugged.contains(key.second)) {
        Finding finding =
            MakeFinding("cable-contradicted", Severity::kWarning, ToString(cable.near),
                        "said to lead to " + ToString(cable.far), std::nullopt, "", cable.path);
        finding.explanation = "another file says that one of the two ports leads elsewhere";
        finding.what_to_do = "print both files anew at the same time; the cable was left out";
        result_.findings.push_back(std::move(finding));
        continue;
      }
      plugged.insert(key.first);
      plugged.insert(key.second);
      links[key] = 1;
      if (cable.named_by) ++result_.counts.named_by[static_cast<size_t>(*cable.named_by)];
    }
    for (const PortRef& port : plugged) nodes_[port.node].interfaces.insert(port.interface);
    for (const auto& [name, node] : nodes_) {
      Node record{name, node.kind, std::nullopt, {}, {}};
      for (const std::string& interface : node.interfaces) {
        record.interfaces.push_back({interface, {}});
      }
      for (const wire::IpAddress& address : node.addresses) {
        if (owners[address].size() == 1) record.addresses.push_back(address);
      }
      result_.records.emplace_back(std::move(record));
    }
    for (const auto& [ends, times] : links) {
      ++(times > 1 ? result_.counts.both_sides : result_.counts.one_side);
      result_.records.emplace_back(Link{ends.first, ends.second, std::nullopt});
    }
    for (const auto& [address, names] : owners) {
      if (names.size() == 1) continue;
      Finding finding = MakeFinding("address-twice", Severity::kWarning, address.ToString(),
                                    "nodes that advertise it: " + names[0] + ", " + names[1],
                                    static_cast<double>(names.size()), "nodes", "LLDP");
      finding.explanation = "a management address of several nodes joins none of them";
      result_.findings.push_back(std::move(finding));
    }
  }

  LldpResult result_;
  std::vector<std::pair<const LldpFile*, LldpDocument>> documents_;
  std::map<std::string, std::string> path_of_;  // nodes with a file
  std::map<std::string, KnownNode> nodes_;
  std::map<std::string, std::set<std::string>> names_of_chassis_;
  std::vector<Entry> entries_;
  // Node, its neighbour, and a name of the neighbour's port -> the node's interfaces there.
  std::map<std::tuple<std::string, std::string, std::string>, std::set<std::string>> back_;
  std::vector<Cable> cables_;
};

}  // namespace

absl::StatusOr<LldpResult> ImportLldp(std::span<const LldpFile> files) {
  Joiner joiner;
  for (const LldpFile& file : files) {
    const absl::Status status = joiner.Add(file);
    if (!status.ok()) return status;
  }
  return std::move(joiner).Join();
}

}  // namespace weft::topology
