// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/infer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/infer/joining.h"
#include "analyzer/infer/observations.h"

namespace weft::analyzer {
namespace {

using topology::Fabric;
using topology::Finding;
using topology::Interface;
using topology::Link;
using topology::Node;
using topology::NodeIndex;
using topology::NodeKind;
using topology::PortRef;
using topology::Severity;
using wire::IpAddress;

constexpr uint32_t kNoTier = std::numeric_limits<uint32_t>::max();

// Builds the graph from joined interfaces: names first, then links, then tiers.
class Builder {
 public:
  Builder(const Observations& observations, const Joining& joining)
      : observations_(observations), joining_(joining) {}

  void Build(InferredFabric* out) {
    NameHosts();
    NameSwitches();
    CollectLinks();
    FindTiers();
    AddNodes(&out->fabric);
    for (const Link& link : links_) {
      // An address is in one link only unless it was given twice in the fabric.
      const auto added = out->fabric.AddLink(link);
      if (!added.ok()) findings_.push_back(LinkConflict(link, added.status()));
    }
    SayWhatIsApart(out);
    SayParts(out->fabric);
    out->findings.insert(out->findings.end(), findings_.begin(), findings_.end());
  }

 private:
  Finding LinkConflict(const Link& link, const absl::Status& status) const {
    return {"link-conflict",
            Severity::kWarning,
            absl::StrCat(ToString(link.a), " - ", ToString(link.b)),
            {{std::string(status.message()), std::nullopt, "", "path tables"}},
            "One interface was seen at the end of two links; the second was not made.",
            "Look for an address that is given twice."};
  }

  // One node a name; a host with several NICs has several addresses.
  void NameHosts() {
    for (const auto& [address, host] : observations_.hosts) {
      const std::string name = host.names.empty() ? address.ToString() : *host.names.begin();
      owner_[address] = name;
      hosts_[name].push_back(address);
      if (host.names.size() < 2) continue;
      Finding finding{"host-named-twice", Severity::kWarning, address.ToString(), {}, "", ""};
      for (const std::string& each : host.names) {
        finding.evidence.push_back({"name " + each, std::nullopt, "", "path tables"});
      }
      finding.explanation =
          absl::StrCat("Tables call one address by several names; \"", name, "\" was taken.");
      findings_.push_back(std::move(finding));
    }
  }

  // The name that all resolved hops of a switch agree on, if no other switch has it.
  void NameSwitches() {
    std::map<std::string, uint32_t> uses;
    std::vector<std::string> names;
    for (const std::vector<IpAddress>& addresses : joining_.switches) {
      std::set<std::string> resolved;
      for (const IpAddress& address : addresses) {
        const auto hop = observations_.hops.find(address);
        if (hop != observations_.hops.end()) {
          resolved.insert(hop->second.begin(), hop->second.end());
        }
      }
      names.push_back(resolved.size() == 1 ? *resolved.begin() : "");
      ++uses[names.back()];
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const std::vector<IpAddress>& addresses = joining_.switches[i];
      if (names[i].empty() || uses[names[i]] > 1 || hosts_.contains(names[i])) {
        names[i] = "switch-" + addresses.front().ToString();
      }
      for (const IpAddress& address : addresses) {
        owner_[address] = names[i];
        switches_[names[i]].push_back({address.ToString(), address});
      }
    }
  }

  void CollectLinks() {
    for (const InferredLink& link : joining_.links) {
      links_.push_back({{owner_.at(link.a), link.a.ToString()},
                        {owner_.at(link.b), link.b.ToString()},
                        std::nullopt});
    }
    for (const auto& [host, seen] : joining_.unnumbered_hosts) {
      const std::string& name = owner_.at(seen);
      const std::string interface = "to " + host.ToString();
      switches_[name].push_back({interface, IpAddress()});
      links_.push_back({{name, interface}, {owner_.at(host), host.ToString()}, std::nullopt});
    }
  }

  // Breadth first from the hosts: a switch next to one is a leaf.
  void FindTiers() {
    std::map<std::string, std::vector<std::string>> neighbours;
    std::vector<std::string> level;
    for (const Link& link : links_) {
      neighbours[link.a.node].push_back(link.b.node);
      neighbours[link.b.node].push_back(link.a.node);
    }
    for (const auto& [name, addresses] : hosts_) level.push_back(name);
    for (uint32_t tier = 0; !level.empty(); ++tier) {
      std::vector<std::string> next;
      for (const std::string& node : level) {
        for (const std::string& neighbour : neighbours[node]) {
          if (!switches_.contains(neighbour)) continue;
          if (tiers_.emplace(neighbour, tier).second) next.push_back(neighbour);
        }
      }
      level = std::move(next);
    }
  }

  uint32_t TierOf(const std::string& name) const {
    const auto found = tiers_.find(name);
    return found == tiers_.end() ? kNoTier : found->second;
  }

  void AddNodes(Fabric* fabric) {
    std::vector<std::tuple<uint32_t, IpAddress, std::string>> order;
    for (const auto& [name, interfaces] : switches_) {
      order.emplace_back(TierOf(name), interfaces.front().address, name);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [tier, address, name] : order) {
      Node node{name, NodeKind::kSwitch, std::nullopt, switches_.at(name)};
      if (tier != kNoTier) node.tier = tier;
      (void)fabric->AddNode(std::move(node));  // names and addresses are unique by construction
    }
    std::vector<std::pair<IpAddress, std::string>> host_order;
    for (const auto& [name, addresses] : hosts_) host_order.emplace_back(addresses.front(), name);
    std::sort(host_order.begin(), host_order.end());
    for (const auto& [address, name] : host_order) {
      Node node{name, NodeKind::kHost, std::nullopt, {}};
      for (const IpAddress& each : hosts_.at(name)) {
        node.interfaces.push_back({each.ToString(), each});
      }
      (void)fabric->AddNode(std::move(node));
    }
  }

  // Every address that answered should be at the end of a link: the one its probes came in by.
  void SayWhatIsApart(InferredFabric* out) {
    const Fabric& fabric = out->fabric;
    std::map<IpAddress, uint32_t> silent_before;  // paths on which the hop before was silent
    for (const ObservedPath& path : observations_.paths) {
      for (size_t i = 1; i < path.hops.size(); ++i) {
        if (path.hops[i - 1].empty() && !path.hops[i].empty()) ++silent_before[path.hops[i]];
      }
    }
    for (const auto& [address, names] : observations_.hops) {
      const std::optional<NodeIndex> node = fabric.FindAddress(address);
      if (!node || fabric.FindPort(*node, address.ToString())) continue;
      const auto silent = silent_before.find(address);
      if (silent == silent_before.end()) continue;  // refused, or behind a host: said already
      findings_.push_back(NotJoined(address, fabric.node(*node).name, silent->second));
      out->silent_ends.push_back(*MateOf(address, LinkPrefix::k31));
    }
    std::sort(out->silent_ends.begin(), out->silent_ends.end());
    for (const auto& [name, addresses] : hosts_) {
      const std::optional<NodeIndex> node = fabric.FindNode(name);
      if (node && fabric.adjacencies(*node).empty()) findings_.push_back(NotAttached(name));
    }
  }

  static Finding NotJoined(const IpAddress& address, const std::string& name, uint32_t paths) {
    const std::string mate = MateOf(address, LinkPrefix::k31)->ToString();
    return {
        "interface-not-joined",
        Severity::kWarning,
        mate,
        {{absl::StrCat("the hop before ", address.ToString(), " (", name, ") was silent"),
          static_cast<double>(paths), "paths", "path tables"}},
        absl::StrCat("The interface at the other end of ", address.ToString(),
                     "'s link belongs to a switch that does not answer, so it is not known which "
                     "of its interfaces belong together. The link was not made."),
        "Let the switch answer TTL-exceeded (ICMP limits) and trace again."};
  }

  static Finding NotAttached(const std::string& name) {
    return {"host-not-attached",
            Severity::kWarning,
            name,
            {{"no answering hop is next to it on any path", std::nullopt, "", "path tables"}},
            "It is not known which switch this host hangs on.",
            "Trace from and to this host with ICMP limits off on its leaf."};
  }

  void SayParts(const Fabric& fabric) {
    const std::vector<uint32_t> component = fabric.Components();
    std::map<uint32_t, std::vector<std::string>> parts;  // hosts by part
    for (NodeIndex i = 0; i < component.size(); ++i) {
      if (fabric.node(i).kind == NodeKind::kHost && !fabric.adjacencies(i).empty()) {
        parts[component[i]].push_back(fabric.node(i).name);
      }
    }
    if (parts.size() < 2) return;
    Finding finding{
        "fabric-in-parts", Severity::kWarning, absl::StrCat(parts.size(), " parts"), {}, "", ""};
    for (const auto& [part, hosts] : parts) {
      std::string names;
      for (size_t i = 0; i < std::min<size_t>(hosts.size(), 4); ++i) {
        absl::StrAppend(&names, i > 0 ? ", " : "", hosts[i]);
      }
      finding.evidence.push_back(
          {absl::StrCat("a part with ", names, hosts.size() > 4 ? ", ..." : ""),
           static_cast<double>(hosts.size()), "hosts", "path tables"});
    }
    finding.explanation =
        "No trace crosses from one part to another, so switches in different parts "
        "may be one and the same switch.";
    finding.what_to_do = "Trace between hosts of different parts.";
    findings_.push_back(std::move(finding));
  }

  const Observations& observations_;
  const Joining& joining_;
  std::map<IpAddress, std::string> owner_;
  std::map<std::string, std::vector<IpAddress>> hosts_;
  std::map<std::string, std::vector<Interface>> switches_;
  std::map<std::string, uint32_t> tiers_;
  std::vector<Link> links_;
  std::vector<Finding> findings_;
};

}  // namespace

absl::StatusOr<InferredFabric> InferFabric(std::span<const topology::PathTable> tables) {
  absl::StatusOr<Observations> observations = Observe(tables);
  if (!observations.ok()) return observations.status();
  Joining joining = JoinInterfaces(*observations);

  InferredFabric result;
  result.counts = observations->counts;
  result.counts.joins_refused = joining.refused;
  result.findings = std::move(observations->findings);
  result.findings.insert(result.findings.end(), joining.findings.begin(), joining.findings.end());
  Builder(*observations, joining).Build(&result);
  result.joins = std::move(joining.joins);
  return result;
}

}  // namespace weft::analyzer
