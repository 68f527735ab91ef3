// SPDX-License-Identifier: Apache-2.0
#include "analyzer/polarisation/polarisation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/collisions/hashing.h"
#include "analyzer/infer/path_links.h"
#include "analyzer/infer/table_index.h"
#include "analyzer/polarisation/distributions.h"
#include "analyzer/polarisation/flow_groups.h"

namespace weft::analyzer {
namespace {

using topology::Fabric;
using topology::Finding;
using topology::PathTable;
using topology::Severity;

uint32_t Sum(const std::vector<uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint32_t{0});
}

uint32_t CountUsed(const std::vector<uint32_t>& flows) {
  return static_cast<uint32_t>(
      std::count_if(flows.begin(), flows.end(), [](uint32_t n) { return n > 0; }));
}

// Every member has as many cables as the others, as far as is known.
bool AreEqual(const std::vector<uint32_t>& cables) {
  return std::all_of(cables.begin(), cables.end(), [&](uint32_t n) { return n == cables[0]; });
}

// How many members are used by chance, computed once per (flows, members).
class UsedMembers {
 public:
  const std::vector<double>& Of(uint32_t flows, uint32_t members) {
    const auto [entry, added] = cache_.try_emplace({flows, members});
    if (added) entry->second = UsedMembersDistribution(flows, members);
    return entry->second;
  }
  double Expected(uint32_t flows, uint32_t members) {
    if (members == 0) return 0;
    return members * -std::expm1(flows * std::log1p(-1.0 / members));
  }

 private:
  std::map<std::pair<uint32_t, uint32_t>, std::vector<double>> cache_;
};

class HashJudge {
 public:
  HashJudge(const Fabric& fabric, const FlowGroups& flows) : fabric_(fabric), flows_(flows) {}

  HashReport Run() {
    report_.flow_count = flows_.flow_count();
    report_.unplaced = flows_.unplaced();
    JudgeTiers();
    JudgeGroups();
    SayTiers();
    SayGroups();
    return std::move(report_);
  }

 private:
  // ---- tiers

  struct Pair {
    TierPair result;
    double log_p = 0;
    double least_log_p = 0;  // had every case used one member only
    size_t choices_between = SIZE_MAX;
  };

  std::optional<uint32_t> TierOf(size_t group) const {
    return fabric_.node(flows_.groups()[group].node).tier;
  }

  void JudgeTiers() {
    std::map<std::pair<uint32_t, uint32_t>, Pair> pairs;
    for (const auto& [key, counts] : flows_.cases()) {
      const auto lower = TierOf(key.first);
      const auto upper = TierOf(key.then);
      if (!lower || !upper || !AreEqual(flows_.groups()[key.then].cables)) continue;
      Pair& pair = pairs[{*lower, *upper}];
      pair.result.lower = *lower;
      pair.result.upper = *upper;
      AddCase(counts, &pair);
    }
    for (auto& [tiers, pair] : pairs) {
      TierPair& result = pair.result;
      result.p_value = CombinedPValue(pair.log_p, result.groups);
      if (result.members > 0) {
        result.never_used_share = 1 - static_cast<double>(result.members_used) / result.members;
      }
      if (result.p_value < kPolarisedPValue) {
        result.verdict = HashVerdict::kPolarised;
      } else if (CombinedPValue(pair.least_log_p, result.groups) < kPolarisedPValue) {
        result.verdict = HashVerdict::kEven;
      }
      report_.tiers.push_back(result);
    }
    // Of several tiers that seem to repeat themselves in one, the nearest before it is the one:
    // what lies before that is seen through it.
    for (const auto& [tiers, pair] : pairs) {
      if (pair.result.verdict != HashVerdict::kPolarised) continue;
      const auto [nearest, added] =
          polarised_.emplace(tiers.second, std::pair(tiers.first, pair.choices_between));
      if (!added && pair.choices_between < nearest->second.second) {
        nearest->second = {tiers.first, pair.choices_between};
      }
    }
  }

  void AddCase(const CaseFlows& counts, Pair* pair) {
    const uint32_t flows = Sum(counts.flows);
    const auto members = static_cast<uint32_t>(counts.flows.size());
    const std::vector<double>& used = used_.Of(flows, members);
    if (used.empty()) return;
    const uint32_t seen = CountUsed(counts.flows);
    double p = 0;
    for (uint32_t u = 0; u <= seen; ++u) p += used[u];
    TierPair& result = pair->result;
    ++result.groups;
    result.flow_count += flows;
    result.members += members;
    result.members_used += seen;
    result.members_expected += used_.Expected(flows, members);
    // Below the smallest double is still a probability: keep its logarithm finite.
    pair->log_p += std::log(std::clamp(p, 1e-300, 1.0));
    pair->least_log_p += std::log(std::clamp(used[1], 1e-300, 1.0));
    pair->choices_between = std::min(pair->choices_between, counts.choices_between);
  }

  void SayTiers() {
    for (const TierPair& tier : report_.tiers) {
      if (tier.verdict != HashVerdict::kPolarised) continue;
      if (polarised_.at(tier.upper).first != tier.lower) continue;
      Finding finding{"polarised",
                      Severity::kWarning,
                      absl::StrCat("tiers ", tier.lower, " and ", tier.upper),
                      {},
                      "",
                      ""};
      finding.evidence = {
          {absl::StrCat("members used, of ", tier.members, " in ", tier.groups,
                        " groups, each met by flows that tier ", tier.lower, " had sent one way"),
           static_cast<double>(tier.members_used), "members", "path tables"},
          {"expected when the tiers choose independently", tier.members_expected, "members",
           "computed"},
          {"probability of so few when they do", tier.p_value, "probability", "computed"},
          {"share of the paths behind them that is never used", tier.never_used_share * 100, "%",
           "path tables"},
          {"distinct flows", static_cast<double>(tier.flow_count), "flows", "path tables"}};
      finding.explanation = absl::StrCat(
          "Tier ", tier.upper, " repeats the choice of tier ", tier.lower,
          ": flows that one switch has put together stay together, and the other ways stay "
          "empty whatever the source ports are.");
      finding.what_to_do =
          "Give the tiers different hash seeds; where the hash is linear (CRC), a seed does not "
          "help and the tiers need different functions, fields or hash offsets.";
      report_.findings.push_back(std::move(finding));
    }
  }

  // ---- groups

  std::string MemberName(topology::Direction member) const {
    const topology::DirectedLink link = fabric_.Describe(member);
    uint32_t parallel = 0;
    for (const topology::Adjacency& each : fabric_.adjacencies(fabric_.From(member))) {
      if (each.neighbour == fabric_.To(member)) ++parallel;
    }
    const bool told_apart =
        !fabric_.FindInterface(fabric_.To(member), link.to.interface)->address.empty();
    return parallel > 1 && told_apart ? absl::StrCat(link.to.node, " by ", link.from.interface)
                                      : link.to.node;
  }

  void JudgeGroups() {
    std::vector<std::pair<HashGroup, std::vector<uint32_t>>> tested;
    for (const GroupFlows& flows : flows_.groups()) {
      if (flows.members.size() < 2) continue;
      HashGroup group;
      const topology::Node& node = fabric_.node(flows.node);
      group.node = node.name;
      group.tier = node.tier;
      for (const topology::Direction member : flows.members) {
        group.members.push_back(MemberName(member));
      }
      group.flows = flows.flows;
      group.flow_count = Sum(flows.flows);
      group.members_used = CountUsed(flows.flows);
      const auto members = static_cast<uint32_t>(flows.members.size());
      group.members_expected = used_.Expected(group.flow_count, members);
      group.hashed = flows_.Hashes(flows.node);
      if (group.hashed && group.flow_count > 0 && AreEqual(flows.cables)) Test(&group);
      report_.groups.push_back(std::move(group));
    }
    std::sort(report_.groups.begin(), report_.groups.end(),
              [](const HashGroup& x, const HashGroup& y) {
                const uint32_t tier_x = x.tier.value_or(UINT32_MAX);
                const uint32_t tier_y = y.tier.value_or(UINT32_MAX);
                return std::tie(tier_x, x.node, x.members) < std::tie(tier_y, y.node, y.members);
              });
    Verdicts();
  }

  static void Test(HashGroup* group) {
    const auto members = static_cast<uint32_t>(group->members.size());
    if (group->flow_count < uint64_t{kMinFlowsPerMember} * members) {
      group->fullest_probability = FullestLinkProbability(
          group->flow_count, members, *std::max_element(group->flows.begin(), group->flows.end()));
      return;
    }
    const double even = static_cast<double>(group->flow_count) / members;
    double square = 0;
    for (const uint32_t flows : group->flows) square += (flows - even) * (flows - even) / even;
    group->p_value = ChiSquareTail(square, members - 1.0);
  }

  // One of many groups looks odd by chance: the bound is shared by all that were tested.
  void Verdicts() {
    const auto tests = std::count_if(report_.groups.begin(), report_.groups.end(),
                                     [](const HashGroup& group) { return !!group.p_value; });
    for (HashGroup& group : report_.groups) {
      if (!group.p_value) continue;
      const bool uneven = *group.p_value * static_cast<double>(tests) < kUnevenPValue;
      group.verdict = !uneven                                          ? HashVerdict::kEven
                      : group.tier && polarised_.contains(*group.tier) ? HashVerdict::kPolarised
                                                                       : HashVerdict::kUneven;
    }
  }

  void SayGroups() {
    std::vector<const HashGroup*> few;
    std::set<std::string> not_hashed;
    for (const HashGroup& group : report_.groups) {
      if (!group.hashed) not_hashed.insert(group.node);
      if (group.verdict == HashVerdict::kUneven) report_.findings.push_back(Uneven(group));
      const bool collides = group.fullest_probability &&
                            group.members_used < group.members.size() &&
                            group.flow_count > group.members_used;
      if (collides && !(group.tier && polarised_.contains(*group.tier))) few.push_back(&group);
    }
    std::stable_sort(few.begin(), few.end(), [](const HashGroup* x, const HashGroup* y) {
      return *x->fullest_probability < *y->fullest_probability;
    });
    constexpr size_t kMaxFew = 20;
    if (few.size() > kMaxFew) few.resize(kMaxFew);
    for (const HashGroup* group : few) report_.findings.push_back(FewFlows(*group));
    if (!not_hashed.empty()) {
      report_.findings.push_back(
          {"hop-not-hashed",
           Severity::kInfo,
           absl::StrJoin(not_hashed, ", "),
           {{"switches that do not place flows by a hash", static_cast<double>(not_hashed.size()),
             "switches", "path tables"}},
           "Their groups are left out, and so is what their flows met behind them: no source port "
           "chooses a path there.",
           ""});
    }
  }

  static std::string Shares(const HashGroup& group) {
    std::string text;
    for (size_t i = 0; i < group.members.size(); ++i) {
      absl::StrAppend(&text, i > 0 ? ", " : "", group.members[i], " ", group.flows[i]);
    }
    return text;
  }

  static Finding Uneven(const HashGroup& group) {
    return {"uneven-hash",
            Severity::kWarning,
            group.node,
            {{"flows per member: " + Shares(group), static_cast<double>(group.flow_count), "flows",
              "path tables"},
             {"expected of each",
              static_cast<double>(group.flow_count) / static_cast<double>(group.members.size()),
              "flows", "computed"},
             {"probability of shares so uneven by an even hash (chi-square)", *group.p_value,
              "probability", "computed"}},
            "The switch prefers some of its equal ways over others, more than chance allows.",
            "Unless weights are meant: look at its hash function and fields, and at entries of the "
            "group that stand twice."};
  }

  static Finding FewFlows(const HashGroup& group) {
    const uint32_t fullest = *std::max_element(group.flows.begin(), group.flows.end());
    return {"few-flows",
            Severity::kInfo,
            group.node,
            {{"flows per member: " + Shares(group), static_cast<double>(group.flow_count), "flows",
              "path tables"},
             {absl::StrCat("chance that an even hash puts ", fullest, " or more of them on one of ",
                           group.members.size(), " members"),
              *group.fullest_probability, "probability", "computed"}},
            "A plain collision: so few flows say nothing of the hash.",
            "Move flows to other source ports: weft-lb plan."};
  }

  const Fabric& fabric_;
  const FlowGroups& flows_;
  UsedMembers used_;
  // Upper tier -> the lower one that it repeats, and the choices between the two.
  std::map<uint32_t, std::pair<uint32_t, size_t>> polarised_;
  HashReport report_;
};

}  // namespace

const char* ToString(HashVerdict verdict) {
  switch (verdict) {
    case HashVerdict::kUnknown:
      return "unknown";
    case HashVerdict::kEven:
      return "even";
    case HashVerdict::kUneven:
      return "uneven";
    case HashVerdict::kPolarised:
      return "polarised";
  }
  return "unknown";
}

absl::StatusOr<HashReport> JudgeHashing(const Fabric& fabric, std::span<const PathTable> tables,
                                        std::optional<std::span<const topology::Flow>> flows) {
  if (std::none_of(fabric.nodes().begin(), fabric.nodes().end(), [](const topology::Node& node) {
        return node.kind == topology::NodeKind::kHost;
      })) {
    return absl::InvalidArgumentError("the fabric has no hosts: expected those of the path tables");
  }
  const TableIndex index(fabric, tables);
  FlowGroups groups(fabric);
  std::map<const PathTable*, std::set<uint16_t>> ports;
  uint32_t without_table = 0;
  for (const topology::Flow& flow : flows.value_or(std::span<const topology::Flow>())) {
    const PathTable* table = index.Find(flow);
    const bool measured = table != nullptr &&
                          std::any_of(table->paths.begin(), table->paths.end(), [&](const auto& p) {
                            return std::find(p.udp_src_ports.begin(), p.udp_src_ports.end(),
                                             flow.udp_src_port) != p.udp_src_ports.end();
                          });
    if (!measured || !ports[table].insert(flow.udp_src_port).second) ++without_table;
  }
  for (const PathTable* table : index.tables()) groups.NoteModes(*table);
  for (const PathTable* table : index.tables()) {
    if (!table->void_reason.empty() || !table->hidden_reason.empty()) continue;
    const auto chosen = ports.find(table);
    if (flows && chosen == ports.end()) continue;
    groups.Follow(*table, flows ? &chosen->second : nullptr);
  }
  HashReport report = HashJudge(fabric, groups).Run();
  report.flow_count += without_table;
  report.unplaced += without_table;
  return report;
}

}  // namespace weft::analyzer
