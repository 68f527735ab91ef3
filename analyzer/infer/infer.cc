// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/infer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/infer/apart.h"
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

  void Build(const JoinSigns& signs, InferredFabric* out) {
    NameHosts();
    NameSwitches(signs);
    CollectLinks();
    FindTiers();
    AddNodes(&out->fabric);
    for (const Link& link : links_) {
      // An address is in one link only unless it was given twice in the fabric.
      const auto added = out->fabric.AddLink(link);
      if (!added.ok()) findings_.push_back(LinkConflict(link, added.status()));
    }
    out->findings.insert(out->findings.end(), findings_.begin(), findings_.end());
    TellApart(observations_, joining_, out);
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

  // The one name that is given for its addresses: by the caller's names, the given fabric, or the
  // tables, in this order. No other switch or host may have it.
  void NameSwitches(const JoinSigns& signs) {
    std::map<std::string, uint32_t> uses;
    std::vector<std::string> names;
    for (const std::vector<IpAddress>& addresses : joining_.switches) {
      names.push_back(GivenName(signs, addresses));
      ++uses[names.back()];
    }
    for (size_t i = 0; i < names.size(); ++i) {
      const std::vector<IpAddress>& addresses = joining_.switches[i];
      if (names[i].empty() || uses[names[i]] > 1 || hosts_.contains(names[i])) {
        names[i] = "switch-" + addresses.front().ToString();
      }
      Node& node = switches_[names[i]];
      node.name = names[i];
      node.kind = NodeKind::kSwitch;
      for (const IpAddress& address : addresses) {
        owner_[address] = names[i];
        if (joining_.node_addresses.contains(address)) {
          node.addresses.push_back(address);
        } else {
          node.interfaces.push_back({address.ToString(), address});
        }
      }
    }
  }

  std::string GivenName(const JoinSigns& signs, const std::vector<IpAddress>& addresses) const {
    std::array<std::set<std::string>, 3> by_source;
    for (const IpAddress& address : addresses) {
      const auto hop = observations_.hops.find(address);
      if (hop == observations_.hops.end()) continue;
      const auto name = signs.names.find(address);
      if (name != signs.names.end()) by_source[0].insert(name->second);
      if (signs.known != nullptr) {
        const std::optional<NodeIndex> node = signs.known->FindAddress(address);
        if (node) by_source[1].insert(signs.known->node(*node).name);
      }
      by_source[2].insert(hop->second.begin(), hop->second.end());
    }
    for (const std::set<std::string>& names : by_source) {
      if (names.size() == 1) return *names.begin();
    }
    return "";
  }

  void CollectLinks() {
    std::set<std::pair<std::string, std::string>> linked;  // switches, both ways round
    for (const InferredLink& link : joining_.links) {
      const std::string& a = owner_.at(link.a);
      const std::string& b = owner_.at(link.b);
      linked.emplace(a, b);
      linked.emplace(b, a);
      links_.push_back({{a, link.a.ToString()}, {b, link.b.ToString()}, std::nullopt});
    }
    for (const auto& [host, seen] : joining_.unnumbered_hosts) {
      const std::string& name = owner_.at(seen);
      const std::string interface = "to " + host.ToString();
      switches_.at(name).interfaces.push_back({interface, IpAddress()});
      links_.push_back({{name, interface}, {owner_.at(host), host.ToString()}, std::nullopt});
    }
    // Where a numbered link is known between two, an answer with another address shows no other
    // one.
    for (const auto& [before, behind] : joining_.steps) {
      const std::string& a = owner_.at(before);
      const std::string& b = owner_.at(behind);
      if (linked.contains({a, b})) continue;
      linked.emplace(a, b);
      linked.emplace(b, a);
      const PortRef from = {std::min(a, b), AddPort(std::min(a, b), std::max(a, b))};
      links_.push_back({from,
                        {std::max(a, b), AddPort(std::max(a, b), std::min(a, b))},
                        std::nullopt,
                        /*one_or_more=*/true});
    }
  }

  // An interface without an address, named after what is at its other end.
  std::string AddPort(const std::string& node, const std::string& peer) {
    std::vector<Interface>& interfaces = switches_.at(node).interfaces;
    std::string name = peer;
    while (std::any_of(interfaces.begin(), interfaces.end(),
                       [&](const Interface& interface) { return interface.name == name; })) {
      name = "to " + name;
    }
    interfaces.push_back({name, IpAddress()});
    return name;
  }

  // Distances from the hosts: along each path from both of its ends, whether or not the hops
  // between answered, then over the links that were made.
  void FindTiers() {
    for (const ObservedPath& path : observations_.paths) {
      for (size_t i = 0; i < path.hops.size(); ++i) {
        if (path.hops[i].empty()) continue;
        size_t tier = i;
        if (path.reaches_destination) tier = std::min(tier, path.hops.size() - 1 - i);
        Lower(owner_.at(path.hops[i]), static_cast<uint32_t>(tier));
      }
    }
    std::map<std::string, std::vector<std::string>> neighbours;
    for (const Link& link : links_) {
      for (const auto& [end, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
        neighbours[end.node].push_back(other.node);
        if (hosts_.contains(other.node) && switches_.contains(end.node)) Lower(end.node, 0);
      }
    }
    // Level by level, so that each switch is final when its neighbours are looked at.
    std::map<uint32_t, std::vector<std::string>> levels;
    for (const auto& [name, tier] : tiers_) levels[tier].push_back(name);
    for (auto level = levels.begin(); level != levels.end(); ++level) {
      for (const std::string& node : level->second) {
        if (tiers_.at(node) != level->first) continue;
        for (const std::string& neighbour : neighbours[node]) {
          if (switches_.contains(neighbour) && Lower(neighbour, level->first + 1)) {
            levels[level->first + 1].push_back(neighbour);
          }
        }
      }
    }
  }

  bool Lower(const std::string& name, uint32_t tier) {
    const auto [entry, added] = tiers_.emplace(name, tier);
    if (added || entry->second <= tier) return added;
    entry->second = tier;
    return true;
  }

  static IpAddress LowestAddress(const Node& node) {
    IpAddress lowest;
    for (const Interface& interface : node.interfaces) {
      if (!interface.address.empty() && (lowest.empty() || interface.address < lowest)) {
        lowest = interface.address;
      }
    }
    for (const IpAddress& address : node.addresses) {
      if (lowest.empty() || address < lowest) lowest = address;
    }
    return lowest;
  }

  uint32_t TierOf(const std::string& name) const {
    const auto found = tiers_.find(name);
    return found == tiers_.end() ? kNoTier : found->second;
  }

  void AddNodes(Fabric* fabric) {
    std::vector<std::tuple<uint32_t, IpAddress, std::string>> order;
    for (const auto& [name, node] : switches_) {
      order.emplace_back(TierOf(name), LowestAddress(node), name);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [tier, address, name] : order) {
      Node node = switches_.at(name);
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

  const Observations& observations_;
  const Joining& joining_;
  std::map<IpAddress, std::string> owner_;
  std::map<std::string, std::vector<IpAddress>> hosts_;
  std::map<std::string, Node> switches_;
  std::map<std::string, uint32_t> tiers_;
  std::vector<Link> links_;
  std::vector<Finding> findings_;
};

}  // namespace

const char* ToString(JoinSign sign) {
  switch (sign) {
    case JoinSign::kSubnetMate:
      return "subnet mate";
    case JoinSign::kCommonAnswer:
      return "common answer";
    case JoinSign::kIpId:
      return "IP ID";
    case JoinSign::kName:
      return "name";
    case JoinSign::kGiven:
      return "given";
  }
  return "unknown";
}

absl::StatusOr<InferredFabric> InferFabric(std::span<const topology::PathTable> tables,
                                           const JoinSigns& signs) {
  absl::StatusOr<Observations> observations = Observe(tables);
  if (!observations.ok()) return observations.status();
  Joining joining = JoinInterfaces(*observations, signs);

  InferredFabric result;
  result.counts = observations->counts;
  result.counts.joins_refused = joining.refused;
  result.counts.node_addresses = static_cast<uint32_t>(joining.node_addresses.size());
  result.findings = std::move(observations->findings);
  result.findings.insert(result.findings.end(), joining.findings.begin(), joining.findings.end());
  Builder(*observations, joining).Build(signs, &result);
  result.joins = std::move(joining.joins);
  return result;
}

}  // namespace weft::analyzer
