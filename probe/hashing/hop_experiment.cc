// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/hop_experiment.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "probe/hashing/flow_variants.h"
#include "probe/hashing/hop_findings.h"
#include "probe/hashing/hop_pool.h"
#include "probe/hashing/mode_watch.h"

namespace weft::probe {
namespace {

using topology::FieldUse;
using topology::HashedField;
using topology::HopMode;

constexpr size_t kWatchedFlows = 4;
// At a hop that gets only a part of the flows, that much more are tried; and at most so many.
constexpr size_t kMostVariants = 256;
// A turn of three questions to one flow at once; see IcmpBudget for what lies unused.
constexpr int64_t kBetweenTurnsNs = 200'000'000;

void TellBudget(IcmpBudget& budget, const topology::PathTable& table) {
  for (const topology::Path& path : table.paths) {
    if (!path.hops.empty()) budget.LearnFirstHop(table.source_address, path.hops[0].address);
    for (size_t i = 0; i + 1 < path.hops.size(); ++i) {
      budget.LearnLink(path.hops[i].address, path.hops[i + 1].address);
    }
    if (path.reaches_destination && !path.hops.empty()) {
      budget.LearnLastHop(path.hops.back().address, table.destination_address);
    }
  }
}

class HopExperiment {
 public:
  HopExperiment(Endpoint& endpoint, IcmpBudget& budget, const HopsInput& input,
                const HopsOptions& options)
      : input_(input),
        options_(options),
        budget_(budget),
        asker_(&endpoint, &budget,
               {.timeout_ns = options.timeout_ns,
                .probes_per_second = options.probes_per_second,
                .tries = options.tries,
                .seed = options.seed,
                .stop = options.stop}),
        variants_(input, options),
        vertices_(VerticesOf(input.table)) {
    TellBudget(budget, input.table);
  }

  absl::StatusOr<HopsResult> Run() {
    for (const HopVertex& vertex : vertices_) reports_.push_back(ReportOf(vertex));
    for (size_t begin = 0; begin < vertices_.size();) {
      size_t end = begin + 1;
      while (end < vertices_.size() && vertices_[end].hop_index == vertices_[begin].hop_index) {
        ++end;
      }
      const absl::Status status = ExamineTier(begin, end);
      if (!status.ok()) return status;
      begin = end;
    }
    HopsResult result;
    result.table = input_.table;
    for (const HopReport& report : reports_) {
      result.table.hop_behaviours.push_back(report.behaviour);
    }
    AddFindings(reports_, result.table.findings);
    for (const HopReport& report : reports_) {
      if (!report.mode.change || !result.table.void_reason.empty()) continue;
      result.table.void_reason =
          absl::StrCat("the next hops of ", NameOf(report.behaviour), " changed after the trace");
    }
    result.hops = std::move(reports_);
    result.probes_sent = asker_.sent_count();
    result.stopped = asker_.stopped();
    return result;
  }

 private:
  static HopReport ReportOf(const HopVertex& vertex) {
    HopReport report;
    report.behaviour.hop_index = vertex.hop_index;
    report.behaviour.address = vertex.address;
    report.behaviour.node = vertex.node;
    return report;
  }

  void Say(const std::string& what) {
    if (options_.progress) options_.progress(what);
  }

  // The hops of one TTL: vertices_[begin, end).
  absl::Status ExamineTier(size_t begin, size_t end) {
    if (!way_is_stable_) {
      for (size_t i = begin; i < end; ++i) {
        reports_[i].note = "a hop before it does not keep a flow on one way";
      }
      return absl::OkStatus();
    }
    absl::Status status = Explore(begin, end);
    size_t choosers = 0;
    for (size_t i = begin; i < end; ++i) choosers += vertices_[i].next_hops.size() > 1 ? 1U : 0U;
    const double tests = static_cast<double>(choosers * variants_.Fields().size() * TierCount());
    for (size_t i = begin; i < end && status.ok() && !asker_.stopped(); ++i) {
      HopReport& report = reports_[i];
      report.behaviour.next_hop_count = static_cast<uint32_t>(vertices_[i].next_hops.size());
      if (vertices_[i].next_hops.size() < 2) continue;
      Say(absl::StrCat("hop ", vertices_[i].hop_index, ", ", vertices_[i].address.ToString()));
      status = Watch(vertices_[i], report);
      if (!status.ok() || report.behaviour.mode != HopMode::kHashed) continue;
      status = TryFields(vertices_[i], (1 - options_.confidence) / tests, report);
    }
    for (size_t i = begin; i < end; ++i) {
      const bool is_hashed = reports_[i].behaviour.mode == HopMode::kHashed;
      if (vertices_[i].next_hops.size() > 1 && !is_hashed) way_is_stable_ = false;
      if (asker_.stopped() && reports_[i].note.empty()) reports_[i].note = "interrupted";
    }
    ways_into_tier_ = 0;
    for (size_t i = begin; i < end; ++i) ways_into_tier_ += vertices_[i].next_hops.size();
    if (status.ok()) status = JudgeEvenness(begin, end);
    return status;
  }

  // TTLs at which flows part: by them and a tier's hops the probability of error is shared out.
  size_t TierCount() const {
    size_t count = 0;
    uint32_t last = 0;
    for (const HopVertex& vertex : vertices_) {
      if (vertex.hop_index != last) ++count;
      last = vertex.hop_index;
    }
    return count;
  }

  // Whether hops with one next hop have more that the source port does not lead to.
  absl::Status Explore(size_t begin, size_t end) {
    const std::span<HopVertex> tier = std::span(vertices_).subspan(begin, end - begin);
    const auto has_one_next_switch = [](const HopVertex& vertex) {
      return vertex.next_hops.size() == 1 && !vertex.next_hops[0].address.empty();
    };
    const auto wanted = static_cast<size_t>(std::ranges::count_if(tier, has_one_next_switch));
    if (wanted == 0) return absl::OkStatus();
    Say(absl::StrCat("hop ", tier[0].hop_index, ": whether there are more next hops"));
    const double alpha = (1 - options_.confidence) / static_cast<double>(vertices_.size());
    const uint32_t needed = ValuesNeeded(2, alpha);
    // Two times as many as reach each hop on the average, ways that the table does not have too.
    const size_t ways = std::max(tier.size(), ways_into_tier_);
    const size_t count = tier[0].all_pass() ? needed : size_t{2} * needed * ways;
    const bool may_wear_live = FlowVariants::MayWearLive(tier[0], tier[0].hop_index + 1);
    absl::StatusOr<std::vector<PooledFlow>> pool = AskPool(
        asker_, tier, variants_.AllChanged(std::min(count, kMostVariants * 4), may_wear_live));
    if (!pool.ok()) return pool.status();
    for (size_t i = 0; i < tier.size(); ++i) {
      uint32_t seen = 0;
      const bool had_one = has_one_next_switch(tier[i]);
      for (const PooledFlow& flow : *pool) {
        if (flow.vertex != i) continue;
        ++seen;
        AddNextHop(tier[i], flow.next);
      }
      HopReport& report = reports_[begin + i];
      report.is_explored = had_one && seen >= needed && may_wear_live;
      if (had_one && tier[i].next_hops.size() == 1 && seen < needed) {
        report.note = absl::StrCat("only ", seen, " of ", needed,
                                   " flows with other headers were seen to leave it");
      }
    }
    return absl::OkStatus();
  }

  static void AddNextHop(HopVertex& vertex, const SeenPlace& place) {
    if (place.kind != SeenPlace::Kind::kSwitch || vertex.HasNextHop(place.address)) return;
    vertex.next_hops.push_back({.address = place.address, .ports = {}});
  }

  absl::Status Watch(const HopVertex& vertex, HopReport& report) {
    const std::vector<HopFlow> flows = variants_.FlowsThrough(vertex, kWatchedFlows);
    ModeWatchOptions options;
    if (!input_.answers || options_.load_packets == 0) options.load_rounds = 0;
    options.load_packets = options_.load_packets;
    options.between_ns = budget_.paced() ? kBetweenTurnsNs : 0;
    absl::StatusOr<ModeVerdict> verdict = WatchMode(asker_, vertex, flows, options);
    if (!verdict.ok()) return verdict.status();
    report.mode = *std::move(verdict);
    report.behaviour.mode = report.mode.mode;
    report.behaviour.mode_probes = report.mode.answered_count;
    if (report.mode.mode == HopMode::kUnknown) report.note = report.mode.reason;
    return absl::OkStatus();
  }

  absl::Status TryFields(HopVertex& vertex, double alpha, HopReport& report) {
    const auto next_hops = static_cast<uint32_t>(vertex.next_hops.size());
    const size_t count =
        vertex.all_pass() ? size_t{4} * ValuesNeeded(next_hops, alpha) : kMostVariants;
    for (const HashedField field : variants_.Fields()) {
      FieldFinding finding;
      finding.effect.field = field;
      if (FlowVariants::WearsLive(field) &&
          !FlowVariants::MayWearLive(vertex, vertex.hop_index + 1)) {
        finding.reason = "such a probe must not come to a host, and the next hop may be one";
      } else {
        FieldTrial trial = variants_.TrialOf(field, vertex, count);
        trial.next_hop_count = next_hops;
        trial.alpha = alpha;
        absl::StatusOr<FieldFinding> tried = TryField(asker_, vertex, trial);
        if (!tried.ok()) return tried.status();
        finding = *std::move(tried);
      }
      for (const SeenPlace& place : finding.places) AddNextHop(vertex, place);
      report.behaviour.fields.push_back(finding.effect);
      report.fields.push_back(std::move(finding));
    }
    report.behaviour.next_hop_count = static_cast<uint32_t>(vertex.next_hops.size());
    return absl::OkStatus();
  }

  // After a change of the network its next hops are not known any more.
  static bool CanJudgeEvenness(const HopReport& report) {
    if (report.mode.change) return false;
    return std::ranges::any_of(report.behaviour.fields, [](const topology::FieldEffect& effect) {
      return effect.field == HashedField::kUdpSrcPort && effect.effect == FieldUse::kHashed;
    });
  }

  // By new random source ports: those of the table were looked for, and so are no fair sample.
  absl::Status JudgeEvenness(size_t begin, size_t end) {
    const std::span<HopVertex> tier = std::span(vertices_).subspan(begin, end - begin);
    size_t members = 0;
    for (size_t i = 0; i < tier.size(); ++i) {
      if (CanJudgeEvenness(reports_[begin + i])) members += tier[i].next_hops.size();
    }
    if (members == 0 || options_.flows_per_next_hop == 0 || asker_.stopped()) {
      return absl::OkStatus();
    }
    Say(absl::StrCat("hop ", tier[0].hop_index, ": how evenly it spreads"));
    absl::StatusOr<std::vector<PooledFlow>> pool =
        AskPool(asker_, tier, variants_.Fresh(members * options_.flows_per_next_hop));
    if (!pool.ok()) return pool.status();
    for (size_t i = 0; i < tier.size(); ++i) {
      if (!CanJudgeEvenness(reports_[begin + i])) continue;
      std::vector<uint32_t> counts;
      bool any_silent = false;
      for (const NextHop& next : tier[i].next_hops) {
        any_silent = any_silent || next.silent();
        counts.push_back(
            static_cast<uint32_t>(std::ranges::count_if(*pool, [&](const PooledFlow& flow) {
              return flow.vertex == i &&
                     (next.is_destination ? flow.next.kind == SeenPlace::Kind::kDestination
                                          : flow.next.address == next.address);
            })));
      }
      if (!any_silent) reports_[begin + i].quality = JudgeQuality(counts);
      if (reports_[begin + i].quality.evenness != Evenness::kUneven) continue;
      const absl::Status status = ConfirmNextHops(tier[i], reports_[begin + i]);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // A next hop that is gone since the trace gets no flows, but that is no matter of the hash.
  absl::Status ConfirmNextHops(const HopVertex& vertex, HopReport& report) {
    std::vector<HopQuestion> questions;
    std::vector<wire::IpAddress> traced;
    for (const NextHop& next : vertex.next_hops) {
      if (next.ports.empty() || next.is_destination) continue;
      questions.push_back(QuestionAfter(vertex, variants_.Plain(next.ports[0])));
      traced.push_back(next.address);
    }
    std::vector<SeenPlace> places;
    const absl::Status status = asker_.AskAll(questions, places);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].kind == SeenPlace::Kind::kSwitch && places[i].address == traced[i]) continue;
      report.quality = {};
      report.note = absl::StrCat("port ", questions[i].flow.udp_src_port, " no longer goes by ",
                                 traced[i].ToString(), ": trace again to judge how it spreads");
    }
    return status;
  }

  const HopsInput& input_;
  const HopsOptions& options_;
  IcmpBudget& budget_;
  HopAsker asker_;
  FlowVariants variants_;
  std::vector<HopVertex> vertices_;
  std::vector<HopReport> reports_;  // by vertex
  size_t ways_into_tier_ = 1;       // next hops of the tier before
  bool way_is_stable_ = true;       // every hop so far keeps a flow on one way
};

}  // namespace

absl::StatusOr<HopsResult> ExamineHops(Endpoint& endpoint, IcmpBudget& budget,
                                       const HopsInput& input, const HopsOptions& options) {
  return HopExperiment(endpoint, budget, input, options).Run();
}

}  // namespace weft::probe
