// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/joining.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "analyzer/infer/join_findings.h"
#include "analyzer/infer/join_signs.h"
#include "analyzer/infer/link_ends.h"
#include "analyzer/infer/neighbours.h"
#include "analyzer/infer/numbering.h"

namespace weft::analyzer {
namespace {

using wire::IpAddress;
using Conflict = InterfaceSets::Conflict;

InferredLink MakeLink(const IpAddress& a, const IpAddress& b) {
  return {std::min(a, b), std::max(a, b)};
}

// Decides for every address that answered whether it is an interface's or its node's, and joins on
// the way; infer.h has the rules. Decisions are final and only made on evidence, in rounds, since a
// join may be the evidence for the next.
class Joiner {
 public:
  Joiner(const Observations& observations, const JoinSigns& signs)
      : observations_(observations),
        signs_(signs),
        sets_(observations.paths),
        neighbours_(observations),
        ends_(observations, neighbours_, signs.known) {}

  Joining Run() {
    for (const InterfaceJoin& join : ApplySigns(observations_, signs_, &sets_)) {
      if (const auto conflict = sets_.Join(join.seen, join.mate)) {
        Report(join, *conflict);
      } else {
        joining_.joins.push_back(join);
      }
    }
    for (const auto& [host, observed] : observations_.hosts) LinkHost(host, observed);
    DecideAddresses();
    CollectSteps();
    // In front of a host, an address that is not the link's is one that answers for several.
    for (InterfaceJoin& join : joining_.joins) {
      if (ends_.IsHost(join.ingress) && joining_.node_addresses.contains(join.seen)) {
        join.sign = JoinSign::kCommonAnswer;
      }
    }
    joining_.switches = sets_.Sets();
    std::sort(joining_.joins.begin(), joining_.joins.end(), [](const auto& x, const auto& y) {
      return std::tie(x.seen, x.mate, x.ingress, x.sign) <
             std::tie(y.seen, y.mate, y.ingress, y.sign);
    });
    return std::move(joining_);
  }

 private:
  enum class Kind : uint8_t { kOpen, kInterface, kNode };

  // ---- hosts

  // TTL 1 is answered by the switch the host hangs on, from the interface that faces the host; what
  // answers last in front of the host is that switch too.
  void LinkHost(const IpAddress& host, const ObservedHost& observed) {
    const std::vector<HopBefore>& before = neighbours_.Before(host);
    std::optional<LinkPrefix> prefix = ends_.HostPrefix(host);
    if (!prefix && observed.first_hops.empty()) prefix = ends_.PrefixOfHostsNear(host);
    const std::optional<IpAddress> mate = prefix ? MateOf(host, *prefix) : std::nullopt;
    if (!mate || ends_.IsHost(*mate)) {  // two hosts in one /31: theirs is a wider subnet
      if (!observed.first_hops.empty()) {
        AttachUnnumbered(host, *observed.first_hops.begin());
      } else if (!before.empty()) {
        AttachUnnumbered(host, before.front().address);
      }
      return;
    }
    if (!observed.first_hops.empty() || !before.empty()) {
      joining_.links.insert(MakeLink(*mate, host));
    }
    for (const HopBefore& hop : before) {
      Apply(hop, *mate, host, *prefix);
    }
  }

  void AttachUnnumbered(const IpAddress& host, const IpAddress& seen) {
    joining_.unnumbered_hosts.emplace(host, seen);
    joining_.findings.push_back(HostLinkNotNumbered(host, seen));
  }

  // ---- switches

  void DecideAddresses() {
    for (const auto& [address, names] : observations_.hops) kinds_[address] = Kind::kOpen;
    while (true) {
      while (DecideProven()) {
      }
      while (RuleOutNodes()) {
      }
      if (!DecideByNumbering()) break;
    }
    std::vector<IpAddress> first_hops_only;
    for (const auto& [address, kind] : kinds_) {
      if (kind == Kind::kInterface) {
        joining_.numbered.emplace(address, ends_.PrefixOf(address));
        continue;
      }
      const bool faces_host = ends_.IsHost(ends_.MateOf(address)) || IsHostLinkEnd(address);
      const bool only_first_hop = neighbours_.Before(address).empty() && IsFirstHop(address);
      const bool given = signs_.known != nullptr && signs_.known->FindAddressInterface(address);
      if (faces_host || given) continue;
      if (only_first_hop) {
        first_hops_only.push_back(address);
      } else {
        joining_.node_addresses.insert(address);
      }
    }
    std::erase_if(first_hops_only,
                  [this](const IpAddress& address) { return !StandsWithNodes(address); });
    joining_.node_addresses.insert(first_hops_only.begin(), first_hops_only.end());
  }

  // An address that only its hosts were answered with, but far from theirs and among those of other
  // nodes: it is the switch's own, whichever side it is seen from.
  bool StandsWithNodes(const IpAddress& address) const {
    for (const auto& [host, observed] : observations_.hosts) {
      if (observed.first_hops.contains(address) && SharedBits(host, address)) return false;
    }
    const std::set<IpAddress>& nodes = joining_.node_addresses;
    const auto above = nodes.lower_bound(address);
    return (above != nodes.end() && SharedBits(address, *above)) ||
           (above != nodes.begin() && SharedBits(address, *std::prev(above)));
  }

  bool IsHostLinkEnd(const IpAddress& address) const {
    const std::optional<IpAddress> mate = MateOf(address, LinkPrefix::k30);
    return mate && ends_.IsHost(*mate) && joining_.links.contains(MakeLink(address, *mate));
  }

  bool IsFirstHop(const IpAddress& address) {
    if (first_hops_.empty()) {
      for (const auto& [host, observed] : observations_.hosts) {
        first_hops_.insert(observed.first_hops.begin(), observed.first_hops.end());
      }
    }
    return first_hops_.contains(address);
  }

  Kind KindOf(const IpAddress& address) const {
    const auto found = kinds_.find(address);
    return found == kinds_.end() ? Kind::kOpen : found->second;
  }

  // Both ends of the link answered, and one came right behind an address of the other's switch.
  bool IsProvenLink(const IpAddress& address, const IpAddress& mate) const {
    if (ends_.IsGivenLink(address, mate)) return true;
    const auto from_other = [this](const IpAddress& next, const IpAddress& other) {
      const std::vector<HopBefore>& before = neighbours_.Before(next);
      return std::any_of(before.begin(), before.end(),
                         [&](const HopBefore& hop) { return sets_.Joined(hop.address, other); });
    };
    return from_other(address, mate) || from_other(mate, address);
  }

  bool DecideProven() {
    bool progress = false;
    for (auto& [address, kind] : kinds_) {
      if (kind != Kind::kOpen) continue;
      const IpAddress mate = ends_.MateOf(address);
      if (!ends_.IsHop(mate) || KindOf(mate) == Kind::kNode) continue;
      if (ends_.IsMisplaced(address) || ends_.IsMisplaced(mate)) continue;
      if (!IsProvenLink(address, mate)) continue;
      SetInterface(address, mate);
      progress = true;
    }
    return progress;
  }

  // What cannot be an interface, whatever its mate. True if anything was found.
  bool RuleOutNodes() {
    bool progress = false;
    for (auto& [address, kind] : kinds_) {
      if (kind != Kind::kOpen) continue;
      const IpAddress mate = ends_.MateOf(address);
      if (ends_.IsMisplaced(address) || ends_.IsMisplaced(mate) || KindOf(mate) == Kind::kNode ||
          WhyNotOneBefore(address, mate)) {
        kind = Kind::kNode;
        progress = true;
      }
    }
    return progress;
  }

  // If `address` were an interface, all that came right before it would be of one switch, with its
  // mate. What stands against that.
  struct Obstacle {
    IpAddress a;
    IpAddress b;
    std::optional<Conflict> conflict;  // none: two nodes' own addresses
  };
  std::optional<Obstacle> WhyNotOneBefore(const IpAddress& address, const IpAddress& mate) const {
    std::vector<IpAddress> firsts;  // one of each set
    std::vector<uint32_t> seen_sets;
    const IpAddress* node = nullptr;
    const auto add = [&](const IpAddress& one) -> std::optional<Obstacle> {
      const std::optional<uint32_t> set = sets_.SetOf(one);
      if (!set) return std::nullopt;
      if (KindOf(one) == Kind::kNode) {
        if (node != nullptr && !sets_.Joined(*node, one)) return Obstacle{*node, one, std::nullopt};
        node = &one;
      }
      if (std::find(seen_sets.begin(), seen_sets.end(), *set) != seen_sets.end()) {
        return std::nullopt;
      }
      for (const IpAddress& first : firsts) {
        if (auto conflict = sets_.Against(first, one)) return Obstacle{first, one, conflict};
      }
      firsts.push_back(one);
      seen_sets.push_back(*set);
      return std::nullopt;
    };
    for (const HopBefore& hop : neighbours_.Before(address)) {
      if (auto obstacle = add(hop.address)) return obstacle;
    }
    return add(mate);
  }

  // Takes both as interfaces and joins what came before each with the other; or, where something
  // stands against it, neither.
  void SetInterface(const IpAddress& address, const IpAddress& mate) {
    for (const auto& [one, other] : {std::pair(address, mate), std::pair(mate, address)}) {
      if (const auto obstacle = WhyNotOneBefore(one, other)) {
        RefuseLink(one, other, *obstacle);
        kinds_[address] = Kind::kNode;
        if (ends_.IsHop(mate)) kinds_[mate] = Kind::kNode;
        return;
      }
    }
    kinds_[address] = Kind::kInterface;
    if (ends_.IsHop(mate)) kinds_[mate] = Kind::kInterface;
    const LinkPrefix prefix = ends_.PrefixOf(address);
    for (const auto& [one, other] : {std::pair(address, mate), std::pair(mate, address)}) {
      for (const HopBefore& hop : neighbours_.Before(one)) {
        Apply(hop, other, one, prefix);
        joining_.links.insert(MakeLink(one, other));
      }
    }
  }

  // Addresses that are interfaces because of the addresses around them. Only what those around are
  // known to be counts, so that a round does not depend on its order.
  bool DecideByNumbering() {
    NumberingEvidence evidence;
    std::vector<IpAddress> believed;
    for (const auto& [address, kind] : kinds_) {
      if (kind != Kind::kOpen) evidence.Add(address, kind == Kind::kInterface);
    }
    const std::map<uint32_t, std::vector<IpAddress>> answers = AnswersOfSets();
    for (const auto& [set, addresses] : answers) {
      for (const IpAddress& address : addresses) {
        if (KindOf(address) == Kind::kOpen && AnswersWithSeveral(address, addresses)) {
          evidence.Add(address, true);
          believed.push_back(address);
        }
      }
    }
    evidence.Sort();
    for (const auto& [address, kind] : kinds_) {
      if (kind == Kind::kOpen && evidence.SaysLink(address)) believed.push_back(address);
    }
    std::sort(believed.begin(), believed.end());
    believed.erase(std::unique(believed.begin(), believed.end()), believed.end());
    bool progress = false;
    for (const IpAddress& address : believed) {
      if (KindOf(address) != Kind::kOpen) continue;
      if (OnlyAtHosts(address)) continue;
      const IpAddress mate = ends_.MateOf(address);
      // A link whose other end never answered is taken for a /31 where some link is known to be
      // one, and an address near it shows that it is no /30.
      if (!ends_.IsHop(mate) && (joining_.links.empty() || !ends_.NearOnesAre31(address))) continue;
      SetInterface(address, mate);
      progress = true;
    }
    return progress;
  }

  // Answered to hosts next to it, and nowhere else: nothing is known of other links of it.
  bool OnlyAtHosts(const IpAddress& address) {
    return neighbours_.Before(address).empty() && IsFirstHop(address);
  }

  // What each set answered with behind other switches.
  std::map<uint32_t, std::vector<IpAddress>> AnswersOfSets() {
    std::map<uint32_t, std::vector<IpAddress>> answers;
    for (const auto& [address, kind] : kinds_) {
      if (kind == Kind::kNode || OnlyAtHosts(address)) continue;
      answers[*sets_.SetOf(address)].push_back(address);
    }
    return answers;
  }

  static bool AnswersWithSeveral(const IpAddress& address, const std::vector<IpAddress>& answers) {
    return std::any_of(answers.begin(), answers.end(), [&](const IpAddress& other) {
      return other != address && SharedBits(address, other).has_value();
    });
  }

  // ---- joins

  void Apply(const HopBefore& hop, const IpAddress& mate, const IpAddress& next,
             LinkPrefix prefix) {
    InterfaceJoin join;
    join.seen = hop.address;
    join.mate = mate;
    join.ingress = next;
    join.prefix = prefix;
    join.path_count = hop.path_count;
    join.reason = MateWords(join);
    if (const auto conflict = sets_.Join(hop.address, mate)) {
      Report(join, *conflict);
    } else {
      joining_.joins.push_back(std::move(join));
    }
  }

  void Report(const InterfaceJoin& join, const Conflict& conflict) {
    ++joining_.refused;
    if (conflict.kind != Conflict::Kind::kPath) {
      joining_.findings.push_back(JoinContradicted(join, nullptr, conflict));
      return;
    }
    const ObservedPath& path = observations_.paths[conflict.path];
    joining_.findings.push_back(join.ingress.empty() ? JoinContradicted(join, &path, conflict)
                                                     : JoinRefused(join, path, conflict));
  }

  void RefuseLink(const IpAddress& address, const IpAddress& mate, const Obstacle& obstacle) {
    if (!obstacle.conflict) {
      ++joining_.refused;
      return;  // nothing odd: the addresses are nodes'
    }
    InterfaceJoin join;
    join.seen = obstacle.a;
    join.mate = obstacle.b;
    join.ingress = address;
    join.reason =
        absl::StrCat("both are in front of ", address.ToString(), ", whose ",
                     PrefixText(address, ends_.PrefixOf(address)), " mate is ", mate.ToString());
    Report(join, *obstacle.conflict);
  }

  // ---- links without addresses

  void CollectSteps() {
    for (const auto& [address, kind] : kinds_) {
      if (kind == Kind::kInterface) continue;
      for (const HopBefore& hop : neighbours_.Before(address)) {
        if (!sets_.Joined(hop.address, address)) joining_.steps.emplace(hop.address, address);
      }
    }
  }

  const Observations& observations_;
  const JoinSigns& signs_;
  InterfaceSets sets_;
  const Neighbours neighbours_;
  const LinkEnds ends_;
  std::map<IpAddress, Kind> kinds_;
  std::set<IpAddress> first_hops_;
  Joining joining_;
};

}  // namespace

Joining JoinInterfaces(const Observations& observations, const JoinSigns& signs) {
  return Joiner(observations, signs).Run();
}

}  // namespace weft::analyzer
