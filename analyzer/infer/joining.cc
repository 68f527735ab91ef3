// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/joining.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using topology::Finding;
using topology::Severity;
using wire::IpAddress;

// `next` (a hop, or the destination) was seen right behind `seen`, so the link that `next` is on
// comes from the switch that has `seen`.
struct Adjacent {
  IpAddress seen;
  IpAddress next;
  uint32_t path_count = 0;
};

std::vector<Adjacent> CollectAdjacent(const Observations& observations) {
  std::map<std::pair<IpAddress, IpAddress>, Adjacent> found;
  for (const ObservedPath& path : observations.paths) {
    for (size_t i = 0; i < path.hops.size(); ++i) {
      const bool last = i + 1 == path.hops.size();
      if (last && !path.reaches_destination) break;
      const IpAddress& next = last ? path.destination : path.hops[i + 1];
      if (path.hops[i].empty() || next.empty()) continue;
      Adjacent& adjacent = found[{path.hops[i], next}];
      adjacent = {path.hops[i], next, adjacent.path_count + 1};
    }
  }
  std::vector<Adjacent> all;
  for (const auto& [ends, adjacent] : found) all.push_back(adjacent);
  // What most paths say is joined first, so that what contradicts it is the one refused.
  std::stable_sort(all.begin(), all.end(), [](const Adjacent& x, const Adjacent& y) {
    return x.path_count > y.path_count;
  });
  return all;
}

std::string Words(const Adjacent& adjacent, const IpAddress& mate, LinkPrefix prefix) {
  return absl::StrCat(adjacent.next.ToString(), " came right behind ", adjacent.seen.ToString(),
                      " on ", adjacent.path_count,
                      adjacent.path_count == 1 ? " path, and " : " paths, and ", mate.ToString(),
                      " is its /", static_cast<int>(prefix), " mate");
}

InferredLink MakeLink(const IpAddress& a, const IpAddress& b) {
  return {std::min(a, b), std::max(a, b)};
}

class Joiner {
 public:
  explicit Joiner(const Observations& observations)
      : observations_(observations), sets_(observations.paths) {}

  Joining Run() {
    const std::vector<Adjacent> adjacent = CollectAdjacent(observations_);
    LinkFirstHops();
    const bool all_may_be_30 = NoSwitchLinkMustBe31(adjacent);
    std::vector<Adjacent> open;
    for (const Adjacent& pair : adjacent) {
      if (all_may_be_30 && !IsHost(pair.next) && MayBe30(pair)) {
        open.push_back(pair);
      } else {
        Decide(pair);
      }
    }
    DecideOpen(std::move(open));
    joining_.switches = sets_.Sets();
    std::sort(joining_.joins.begin(), joining_.joins.end(), [](const auto& x, const auto& y) {
      return std::tie(x.seen, x.mate, x.ingress) < std::tie(y.seen, y.mate, y.ingress);
    });
    return std::move(joining_);
  }

 private:
  bool IsHost(const IpAddress& address) const { return observations_.hosts.contains(address); }
  bool IsHop(const IpAddress& address) const { return observations_.hops.contains(address); }

  // How a host's link is numbered, as its own traces show it. nullopt: they do not.
  std::optional<LinkPrefix> HostPrefix(const IpAddress& host) const {
    const std::set<IpAddress>& first_hops = observations_.hosts.at(host).first_hops;
    for (const LinkPrefix prefix : {LinkPrefix::k31, LinkPrefix::k30}) {
      const std::optional<IpAddress> mate = MateOf(host, prefix);
      if (mate && first_hops.contains(*mate)) return prefix;
    }
    return std::nullopt;
  }

  // TTL 1 is answered by the switch the host hangs on, from the interface that faces the host.
  void LinkFirstHops() {
    for (const auto& [address, host] : observations_.hosts) {
      if (host.first_hops.empty()) continue;
      const std::optional<LinkPrefix> prefix = HostPrefix(address);
      if (prefix) {
        joining_.links.insert(MakeLink(*MateOf(address, *prefix), address));
      } else {
        AttachUnnumbered(address, *host.first_hops.begin());
      }
    }
  }

  void AttachUnnumbered(const IpAddress& host, const IpAddress& seen) {
    if (!joining_.unnumbered_hosts.emplace(host, seen).second) return;
    joining_.findings.push_back(
        {"host-link-not-numbered",
         Severity::kInfo,
         host.ToString(),
         {{absl::StrCat("the hop next to it is ", seen.ToString(),
                        ", which is neither its /31 nor its /30 mate"),
           std::nullopt, "", "path tables"}},
         "The host was attached to the switch that answered next to it; the switch's interface has "
         "no address that is known.",
         ""});
  }

  // In a /30 the first and last address are never an interface's. One switch interface that has
  // such an address shows that switches are linked by /31s here.
  bool NoSwitchLinkMustBe31(const std::vector<Adjacent>& adjacent) const {
    return std::none_of(adjacent.begin(), adjacent.end(), [this](const Adjacent& pair) {
      return !IsHost(pair.next) && !MateOf(pair.next, LinkPrefix::k30);
    });
  }

  // Both usable addresses of the /30 answered, neither of the /31 mates did, and the packet did not
  // leave by the interface it came in by.
  bool MayBe30(const Adjacent& pair) const {
    const std::optional<IpAddress> mate30 = MateOf(pair.next, LinkPrefix::k30);
    if (!mate30 || !IsHop(*mate30) || *mate30 == pair.seen) return false;
    const IpAddress mate31 = *MateOf(pair.next, LinkPrefix::k31);
    const IpAddress other31 = *MateOf(*mate30, LinkPrefix::k31);
    return !IsHop(mate31) && !IsHost(mate31) && !IsHop(other31) && !IsHost(other31);
  }

  // A link is a /30 where the switch before `next` has the /30 mate of `next`, by other evidence:
  // a /31 there would be a second link between the same two, seen in one direction only, like the
  // first. Each link decided may decide others; the rest are /31s.
  void DecideOpen(std::vector<Adjacent> open) {
    bool progress = true;
    while (progress) {
      progress = false;
      std::vector<Adjacent> still_open;
      for (const Adjacent& pair : open) {
        const IpAddress mate = *MateOf(pair.next, LinkPrefix::k30);
        if (proven_30_.contains(mate) || sets_.Joined(pair.seen, mate)) {
          proven_30_.insert(pair.next);
          proven_30_.insert(mate);
          if (const auto conflict = Apply(pair, LinkPrefix::k30)) {
            Refuse(pair, LinkPrefix::k30, conflict);
          }
          progress = true;
        } else {
          still_open.push_back(pair);
        }
      }
      open = std::move(still_open);
    }
    for (const Adjacent& pair : open) Decide(pair);
  }

  void Decide(const Adjacent& pair) {
    if (IsHost(pair.next)) {
      DecideHost(pair);
      return;
    }
    const IpAddress mate = *MateOf(pair.next, LinkPrefix::k31);
    std::optional<InterfaceSets::Conflict> conflict;
    if (!IsHost(mate)) {
      conflict = Apply(pair, LinkPrefix::k31);
      if (!conflict) return;
    }
    const std::optional<IpAddress> mate30 = MateOf(pair.next, LinkPrefix::k30);
    if (mate30 && IsHop(*mate30) && !Apply(pair, LinkPrefix::k30)) return;
    Refuse(pair, LinkPrefix::k31, conflict);
  }

  void DecideHost(const Adjacent& pair) {
    const std::optional<LinkPrefix> known = HostPrefix(pair.next);
    const LinkPrefix prefix = known.value_or(LinkPrefix::k31);
    const IpAddress mate = *MateOf(pair.next, prefix);
    const bool attached = joining_.unnumbered_hosts.contains(pair.next);
    if (attached || IsHost(mate)) {  // two hosts in one /31: theirs is a wider subnet
      AttachUnnumbered(pair.next, pair.seen);
      return;
    }
    if (const auto conflict = Apply(pair, prefix)) Refuse(pair, prefix, conflict);
  }

  std::optional<InterfaceSets::Conflict> Apply(const Adjacent& pair, LinkPrefix prefix) {
    const IpAddress mate = *MateOf(pair.next, prefix);
    auto conflict = sets_.Join(pair.seen, mate);
    if (conflict) return conflict;
    joining_.links.insert(MakeLink(mate, pair.next));
    joining_.joins.push_back(
        {pair.seen, mate, pair.next, prefix, pair.path_count, Words(pair, mate, prefix)});
    return std::nullopt;
  }

  // No conflict given: the mate is a host's address.
  void Refuse(const Adjacent& pair, LinkPrefix prefix,
              const std::optional<InterfaceSets::Conflict>& conflict) {
    const IpAddress mate = *MateOf(pair.next, prefix);
    ++joining_.refused;
    Finding finding{"join-refused",
                    Severity::kWarning,
                    absl::StrCat(pair.seen.ToString(), " and ", mate.ToString()),
                    {},
                    "",
                    ""};
    finding.evidence.push_back(
        {Words(pair, mate, prefix), static_cast<double>(pair.path_count), "paths", "path tables"});
    if (conflict) {
      const ObservedPath& path = observations_.paths[conflict->path];
      finding.evidence.push_back(
          {absl::StrCat("but the path from ", path.source.ToString(), " to ",
                        path.destination.ToString(), " has one at TTL ", conflict->ttl_a,
                        " and the other at TTL ", conflict->ttl_b),
           std::nullopt, "", "path tables"});
    } else {
      finding.evidence.push_back({absl::StrCat("but ", mate.ToString(), " is a host's address"),
                                  std::nullopt, "", "path tables"});
    }
    finding.explanation =
        "One switch cannot stand at two places of one path, so one of the two answers did not come "
        "from the interface on which the probe came in, or the link is not numbered as a /31 or "
        "/30. The addresses stay apart and the link was not made.";
    finding.what_to_do =
        "Give a blueprint, or look at how this switch chooses the source of its "
        "ICMP errors.";
    joining_.findings.push_back(std::move(finding));
  }

  const Observations& observations_;
  InterfaceSets sets_;
  std::set<IpAddress> proven_30_;
  Joining joining_;
};

}  // namespace

Joining JoinInterfaces(const Observations& observations) { return Joiner(observations).Run(); }

}  // namespace weft::analyzer
