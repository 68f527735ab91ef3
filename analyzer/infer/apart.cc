// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/apart.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using topology::Fabric;
using topology::Finding;
using topology::Interface;
using topology::Node;
using topology::NodeIndex;
using topology::NodeKind;
using topology::Severity;
using wire::IpAddress;

class Teller {
 public:
  Teller(const Observations& observations, const Joining& joining, InferredFabric* out)
      : observations_(observations), joining_(joining), fabric_(out->fabric), out_(out) {}

  void Tell() {
    SayUnlinked();
    SaySeenFromBelow();
    SayParts();
  }

 private:
  // Every address that answered should have a link: the one its probes came in by.
  void SayUnlinked() {
    std::map<IpAddress, uint32_t> silent_before;  // paths on which the hop before was silent
    std::set<SilentGap> gaps;
    for (const ObservedPath& path : observations_.paths) {
      if (!path.whole) continue;
      for (size_t i = 1; i < path.hops.size(); ++i) {
        if (!path.hops[i - 1].empty() || path.hops[i].empty()) continue;
        ++silent_before[path.hops[i]];
        if (i > 1 && !path.hops[i - 2].empty() && joining_.node_addresses.contains(path.hops[i])) {
          gaps.insert({path.hops[i - 2], path.hops[i]});
        }
      }
    }
    for (const auto& [address, paths] : silent_before) {
      const std::optional<NodeIndex> node = fabric_.FindAddress(address);
      if (!node) continue;
      const auto numbered = joining_.numbered.find(address);
      if (numbered == joining_.numbered.end()) {
        if (HasSwitchBefore(address)) continue;
        out_->findings.push_back(LinkNotKnown(address, fabric_.node(*node).name, paths));
      } else if (!fabric_.FindPort(*node, address.ToString())) {
        const IpAddress mate = *MateOf(address, numbered->second);
        out_->findings.push_back(NotJoined(mate, address, fabric_.node(*node).name, paths));
        out_->silent_ends.push_back(mate);
      }
    }
    std::sort(out_->silent_ends.begin(), out_->silent_ends.end());
    out_->silent_gaps.assign(gaps.begin(), gaps.end());
    std::set<std::string> alone;
    for (NodeIndex i = 0; i < fabric_.nodes().size(); ++i) {
      const bool is_host = fabric_.node(i).kind == NodeKind::kHost;
      if (is_host && fabric_.adjacencies(i).empty()) alone.insert(fabric_.node(i).name);
    }
    for (const std::string& name : alone) out_->findings.push_back(NotAttached(name));
  }

  bool HasSwitchBefore(const IpAddress& address) const {
    return std::any_of(joining_.steps.begin(), joining_.steps.end(),
                       [&](const auto& step) { return step.second == address; });
  }

  static Finding LinkNotKnown(const IpAddress& address, const std::string& name, uint32_t paths) {
    return {"link-not-known",
            Severity::kWarning,
            name,
            {{absl::StrCat("the hop before ", address.ToString(), " was silent"),
              static_cast<double>(paths), "paths", "path tables"}},
            "Every switch that leads to this address is silent, so no link to it was made.",
            "Let the switches before it answer TTL-exceeded (ICMP limits) and trace again."};
  }

  static Finding NotJoined(const IpAddress& mate, const IpAddress& address, const std::string& name,
                           uint32_t paths) {
    return {
        "interface-not-joined",
        Severity::kWarning,
        mate.ToString(),
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

  // A switch whose links upwards have no addresses answers its own hosts with the interface to the
  // host, and all others with an address of its own: what joins the two is a packet to that host.
  void SaySeenFromBelow() {
    for (NodeIndex i = 0; i < fabric_.nodes().size(); ++i) {
      const Node& node = fabric_.node(i);
      if (node.kind != NodeKind::kSwitch || !node.addresses.empty() || node.interfaces.empty()) {
        continue;
      }
      const bool numbered = std::any_of(node.interfaces.begin(), node.interfaces.end(),
                                        [&](const Interface& interface) {
                                          return joining_.numbered.contains(interface.address);
                                        });
      const auto unnamed = std::count_if(
          fabric_.adjacencies(i).begin(), fabric_.adjacencies(i).end(),
          [&](const topology::Adjacency& a) { return fabric_.link(a.direction.link).one_or_more; });
      if (numbered || unnamed == 0) continue;
      out_->findings.push_back(
          {"leaf-seen-from-below",
           Severity::kInfo,
           node.name,
           {{"links to other switches, seen in one direction only", static_cast<double>(unnamed),
             "links", "path tables"}},
           "It answered only to its own hosts, and these were no destination of any trace: the "
           "same "
           "switch may stand here a second time, with the address that it answers others with.",
           "Trace to its hosts, too."});
    }
  }

  void SayParts() {
    const std::vector<uint32_t> component = fabric_.Components();
    std::map<uint32_t, std::vector<std::string>> parts;  // hosts by part
    for (NodeIndex i = 0; i < component.size(); ++i) {
      if (fabric_.node(i).kind == NodeKind::kHost && !fabric_.adjacencies(i).empty()) {
        parts[component[i]].push_back(fabric_.node(i).name);
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
    out_->findings.push_back(std::move(finding));
  }

  const Observations& observations_;
  const Joining& joining_;
  const Fabric& fabric_;
  InferredFabric* out_;
};

}  // namespace

void TellApart(const Observations& observations, const Joining& joining, InferredFabric* out) {
  Teller(observations, joining, out).Tell();
}

}  // namespace weft::analyzer
