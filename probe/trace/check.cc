// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/check.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "probe/trace/liveness_run.h"

namespace weft::probe {
namespace {

using topology::Path;
using topology::PathState;
using topology::PathTable;

constexpr size_t kAnswerPortCount = 16;
constexpr int64_t kLongestStepNs = 100'000'000;  // between two looks at `stop`

// `count` of a path's ports, spread over them.
std::vector<uint16_t> SomePorts(const Path& path, size_t count) {
  const std::vector<uint16_t>& all = path.udp_src_ports;
  if (all.size() <= count) return all;
  std::vector<uint16_t> some;
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

wire::IpAddress AddressAt(const Path& path, uint32_t hop_index) {
  for (const topology::Hop& hop : path.hops) {
    if (hop.hop_index == hop_index) return hop.address;
  }
  return {};
}

// The first hop at which the paths cross the most different interfaces; 0: none is known.
uint32_t TellingHop(const PathTable& table) {
  uint32_t best = 0;
  size_t most = 0;
  for (uint32_t hop_index = 1; hop_index < 255; ++hop_index) {
    absl::flat_hash_set<wire::IpAddress> addresses;
    bool any_path_is_as_long = false;
    for (const Path& path : table.paths) {
      any_path_is_as_long = any_path_is_as_long || hop_index <= path.hops.size();
      const wire::IpAddress address = AddressAt(path, hop_index);
      if (!address.empty()) addresses.insert(address);
    }
    if (!any_path_is_as_long) break;
    if (addresses.size() > most) {
      most = addresses.size();
      best = hop_index;
    }
  }
  return best;
}

class Checker {
 public:
  Checker(Endpoint& endpoint, std::span<const CheckInput> inputs, const CheckOptions& options)
      : inputs_(inputs),
        options_(options),
        answer_ports_(AnswerPorts(options.seed, kAnswerPortCount)),
        budget_({.per_second = options.icmp_per_second, .probers = options.probers}),
        runner_(&endpoint, {.timeout_ns = options.timeout_ns,
                            .probes_per_second = options.probes_per_second,
                            .budget = &budget_}) {
    for (const CheckInput& input : inputs) results_.push_back({input.table, "", 0});
  }

  absl::StatusOr<std::vector<CheckResult>> Run() {
    absl::Status status = CheckPlaces();
    if (status.ok()) status = CheckLiveness();
    if (!status.ok()) return status;
    return std::move(results_);
  }

 private:
  struct Asked {
    size_t input = 0;
    size_t path = 0;
    uint16_t port = 0;
    uint32_t hop_index = 0;
  };

  bool Stopped() const { return options_.stop && options_.stop(); }

  absl::Status CheckPlaces() {
    TeachLinks();
    std::vector<Asked> asked;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const uint32_t hop_index = TellingHop(inputs_[i].table);
      for (size_t p = 0; hop_index > 0 && p < inputs_[i].table.paths.size(); ++p) {
        for (const uint16_t port : SomePorts(inputs_[i].table.paths[p], options_.ports_per_path)) {
          asked.push_back({i, p, port, hop_index});
        }
      }
    }
    for (size_t tag = 0; tag < asked.size(); ++tag) {
      runner_.Add({.tag = tag,
                   .target = inputs_[asked[tag].input].target,
                   .udp_src_port = asked[tag].port,
                   .ttl = static_cast<uint8_t>(asked[tag].hop_index),
                   .traffic_class = inputs_[asked[tag].input].table.headers.traffic_class,
                   .flow_label = inputs_[asked[tag].input].table.headers.flow_label,
                   .reply_ports = answer_ports_,
                   .tries = options_.tries,
                   .place = PlaceOf(inputs_[asked[tag].input].table, asked[tag])});
    }
    std::vector<ProbeOutcome> outcomes;
    while (runner_.outstanding() > 0 && !Stopped()) {
      outcomes.clear();
      const absl::Status status = runner_.Step(runner_.Now() + kLongestStepNs, outcomes);
      if (!status.ok()) return status;
      for (const ProbeOutcome& outcome : outcomes) OnPlace(asked[outcome.tag], outcome);
    }
    return absl::OkStatus();
  }

  // As the table has it; a budget's branch of many tables begins where the table's path does.
  static HopPlace PlaceOf(const PathTable& table, const Asked& asked) {
    const Path& path = table.paths[asked.path];
    return {.before =
                asked.hop_index == 1 ? table.source_address : AddressAt(path, asked.hop_index - 1),
            .expected = AddressAt(path, asked.hop_index),
            .ttl = static_cast<uint8_t>(asked.hop_index)};
  }

  // Which addresses are one switch's, as far as the tables tell.
  void TeachLinks() {
    for (const CheckInput& input : inputs_) {
      for (const Path& path : input.table.paths) {
        for (size_t i = 0; i + 1 < path.hops.size(); ++i) {
          budget_.LearnLink(path.hops[i].address, path.hops[i + 1].address);
        }
        if (path.hops.empty()) continue;
        budget_.LearnFirstHop(input.table.source_address, path.hops.front().address);
        if (!path.reaches_destination) continue;
        budget_.LearnLastHop(path.hops.back().address, input.table.destination_address);
      }
    }
  }

  void OnPlace(const Asked& asked, const ProbeOutcome& outcome) {
    CheckResult& result = results_[asked.input];
    result.probes_sent += outcome.sent_count;
    if (!outcome.status.ok() && result.problem.empty()) {
      result.problem = std::string(outcome.status.message());
    }
    if (!outcome.status.ok() || !result.table.void_reason.empty()) return;
    const wire::IpAddress expected = AddressAt(result.table.paths[asked.path], asked.hop_index);
    std::string now;
    if (outcome.kind == EventKind::kHop && outcome.hop_address != expected &&
        (!expected.empty() || IsInTable(result.table, asked.hop_index, outcome.hop_address))) {
      now = absl::StrCat("crosses ", outcome.hop_address.ToString());
    } else if (outcome.kind == EventKind::kReply) {
      now = absl::StrCat("reaches the destination at TTL ", asked.hop_index);
    }
    if (now.empty()) return;
    result.table.void_reason = absl::StrCat(
        "port ", uint32_t{asked.port}, " now ", now, " where the table has ",
        expected.empty() ? "a silent hop" : expected.ToString(), ": the ECMP group has changed");
  }

  static bool IsInTable(const PathTable& table, uint32_t hop_index,
                        const wire::IpAddress& address) {
    return std::ranges::any_of(
        table.paths, [&](const Path& path) { return AddressAt(path, hop_index) == address; });
  }

  absl::Status CheckLiveness() {
    std::vector<LivenessRun> runs;
    std::vector<size_t> of_result;
    for (size_t i = 0; i < results_.size(); ++i) {
      std::vector<std::vector<uint16_t>> ports;
      for (const Path& path : results_[i].table.paths) {
        ports.push_back(SomePorts(path, options_.ports_per_path));
      }
      const bool every_path_has_ports =
          !ports.empty() && std::ranges::none_of(ports, &std::vector<uint16_t>::empty);
      if (!every_path_has_ports) {
        results_[i].problem = "the table has no paths, or a path without ports";
        continue;
      }
      of_result.push_back(i);
      runs.push_back(
          {.target = inputs_[i].target,
           .session = LivenessSession(std::move(ports), answer_ports_, {.rounds = options_.rounds}),
           .traffic_class = inputs_[i].table.headers.traffic_class,
           .flow_label = inputs_[i].table.headers.flow_label});
    }
    const absl::Status status = RunLiveness(runner_, runs, options_.stop);
    if (!status.ok()) return status;
    for (size_t i = 0; i < runs.size(); ++i) Enter(runs[i], results_[of_result[i]]);
    return absl::OkStatus();
  }

  static void Enter(const LivenessRun& run, CheckResult& result) {
    const LivenessVerdicts verdicts = run.session.Verdicts();
    result.probes_sent += run.probes_sent;
    const bool is_void = !result.table.void_reason.empty();
    bool any_answered = false;
    bool any_unknown = false;
    for (size_t i = 0; i < result.table.paths.size(); ++i) {
      Path& path = result.table.paths[i];
      const LivenessVerdict& verdict = verdicts.paths[i];
      path.state = is_void ? PathState::kUnknown : verdict.state;
      path.probes_sent = verdict.sent;
      path.probes_answered = verdict.answered;
      any_answered = any_answered || verdict.answered > 0;
      any_unknown = any_unknown || verdict.state == PathState::kUnknown;
    }
    if (is_void || !any_unknown || !result.problem.empty()) return;
    result.problem = any_answered ? "too few answer ports work to say which way failed"
                                  : "no answer at all: the destination is silent, or every path, "
                                    "there or back, is dead";
  }

  std::span<const CheckInput> inputs_;
  const CheckOptions& options_;
  std::vector<uint16_t> answer_ports_;
  IcmpBudget budget_;
  ProbeRunner runner_;
  std::vector<CheckResult> results_;
};

}  // namespace

absl::StatusOr<std::vector<CheckResult>> CheckPaths(Endpoint& endpoint,
                                                    std::span<const CheckInput> inputs,
                                                    const CheckOptions& options) {
  return Checker(endpoint, inputs, options).Run();
}

}  // namespace weft::probe
