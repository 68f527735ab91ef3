// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/linear_ports.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "probe/hashing/hop_asker.h"
#include "probe/trace/port_source.h"
#include "topology/route/linear_map.h"

namespace weft::probe {
namespace {

using topology::LinearMap;
using topology::LinearMapLearner;
using topology::Path;
using topology::PathTable;

constexpr uint32_t kMostSkipped = 8;  // ports that were not answered, or could not be had

// Empty: silent there, or the path has ended.
std::string PlaceAt(const Path& path, uint32_t ttl) {
  for (const topology::Hop& hop : path.hops) {
    if (hop.hop_index == ttl) return hop.address.ToString();
  }
  return "";
}

std::string ChoiceOf(const Path& path, const std::vector<uint32_t>& ttls) {
  std::vector<std::string> places;
  for (const uint32_t ttl : ttls) places.push_back(PlaceAt(path, ttl));
  return absl::StrJoin(places, " ");
}

size_t ChoiceCount(const PathTable& table, const std::vector<uint32_t>& ttls) {
  std::set<std::string> choices;
  for (const Path& path : table.paths) choices.insert(ChoiceOf(path, ttls));
  return choices.size();
}

bool AllAnswerAt(const PathTable& table, uint32_t ttl) {
  return std::ranges::none_of(table.paths,
                              [&](const Path& path) { return PlaceAt(path, ttl).empty(); });
}

// Measures where ports lead, in the words of ChoiceOf().
class PortChoices {
 public:
  PortChoices(Endpoint& endpoint, IcmpBudget& budget, const PathTable& table,
              const ProbeTarget& target, const LinearPortsOptions& options)
      : table_(table),
        target_(target),
        ttls_(TellingTtls(table)),
        asker_(&endpoint, &budget,
               {.timeout_ns = options.timeout_ns,
                .probes_per_second = options.probes_per_second,
                .tries = options.tries,
                .seed = options.seed,
                .stop = options.stop}) {
    for (const Path& path : table.paths) known_.insert(ChoiceOf(path, ttls_));
  }

  const std::vector<uint32_t>& ttls() const { return ttls_; }
  uint64_t sent_count() const { return asker_.sent_count(); }
  // Why a choice could not be had; empty: it could.
  const std::string& problem() const { return problem_; }

  // Empty choices: not known.
  absl::Status Ask(const std::vector<uint16_t>& ports, std::vector<std::string>& choices) {
    std::vector<HopQuestion> questions;
    for (const uint16_t port : ports) {
      const HopFlow flow = {.source = {},
                            .target = target_,
                            .udp_src_port = port,
                            .traffic_class = table_.headers.traffic_class,
                            .flow_label = table_.headers.flow_label};
      for (const uint32_t ttl : ttls_) {
        questions.push_back({.flow = flow, .ttl = static_cast<uint8_t>(ttl)});
      }
    }
    std::vector<SeenPlace> answers;
    const absl::Status status = asker_.AskAll(questions, answers);
    if (!status.ok()) return status;
    choices.clear();
    for (size_t i = 0; i < ports.size(); ++i) {
      std::vector<std::string> places;
      for (size_t j = 0; j < ttls_.size(); ++j) {
        const SeenPlace& answer = answers[i * ttls_.size() + j];
        if (answer.kind == SeenPlace::Kind::kSwitch) places.push_back(answer.address.ToString());
      }
      choices.push_back(places.size() == ttls_.size() ? absl::StrJoin(places, " ") : "");
      if (problem_.empty() && !choices.back().empty() && !known_.contains(choices.back())) {
        problem_ = absl::StrCat("port ", ports[i], " crosses ", choices.back(),
                                ", which no path of the table does");
      }
    }
    return absl::OkStatus();
  }

 private:
  const PathTable& table_;
  ProbeTarget target_;
  std::vector<uint32_t> ttls_;
  HopAsker asker_;
  std::set<std::string> known_;
  std::string problem_;
};

class PortLearner {
 public:
  PortLearner(Endpoint& endpoint, IcmpBudget& budget, const PathTable& table,
              const ProbeTarget& target, const LinearPortsOptions& options)
      : table_(table),
        options_(options),
        choices_(endpoint, budget, table, target, options),
        random_(options.seed, options.avoid_ports) {}

  absl::StatusOr<LinearPortsResult> Run() {
    result_.table = table_;
    result_.probes_by_search =
        table_.paths.size() * options_.ports_per_path * choices_.ttls().size();
    const absl::Status status = choices_.ttls().empty() ? absl::OkStatus() : LearnAndVerify();
    if (!status.ok()) return status;
    if (choices_.ttls().empty()) {
      result_.reason = table_.paths.size() < 2
                           ? "there is one path"
                           : "silent hops keep the paths from being told apart by one probe";
    }
    result_.probes_sent = choices_.sent_count();
    result_.verified = result_.reason.empty();
    return std::move(result_);
  }

 private:
  absl::Status LearnAndVerify() {
    const auto usable = [this](uint16_t port) { return Usable(port); };
    LinearMapLearner learner(random_.Next().value_or(kFirstRocePort), usable);
    std::vector<std::string> choices;
    uint32_t skipped = 0;
    for (auto port = learner.NextPort(); port && !Stopped(); port = learner.NextPort()) {
      const absl::Status status = choices_.Ask({*port}, choices);
      if (!status.ok()) return status;
      if (!choices_.problem().empty()) break;
      if (!choices[0].empty()) {
        learner.Learn(choices[0]);
      } else if (++skipped <= kMostSkipped) {
        learner.Skip();
      } else {
        result_.reason = absl::StrCat(skipped, " ports were not answered");
        break;
      }
    }
    if (Stopped() && result_.reason.empty()) result_.reason = "interrupted";
    result_.learnt_ports = learner.measured_count();
    if (result_.reason.empty()) result_.reason = choices_.problem();
    if (result_.reason.empty()) result_.reason = learner.contradiction();
    if (!result_.reason.empty()) return absl::OkStatus();
    const std::optional<LinearMap> map = LinearMap::From(learner);
    if (!map) {
      result_.reason = "no linear map fits";
      return absl::OkStatus();
    }
    result_.rank = map->rank();
    const absl::Status status = Verify(*map);
    if (status.ok() && result_.reason.empty()) Fill(*map);
    return status;
  }

  bool Stopped() const { return options_.stop && options_.stop(); }

  bool Usable(uint16_t port) const {
    return std::ranges::find(options_.avoid_ports, port) == options_.avoid_ports.end();
  }

  absl::Status Verify(const LinearMap& map) {
    std::vector<uint16_t> ports;
    while (ports.size() < options_.verify_count) {
      const std::optional<uint16_t> port = random_.Next();
      if (!port) break;
      ports.push_back(*port);
    }
    std::vector<std::string> choices;
    const absl::Status status = choices_.Ask(ports, choices);
    if (!status.ok()) return status;
    result_.reason = choices_.problem();
    for (size_t i = 0; i < ports.size() && result_.reason.empty(); ++i) {
      if (choices[i].empty()) continue;
      if (map.Predict(ports[i]) == choices[i]) {
        ++result_.verified_ports;
        continue;
      }
      result_.reason = absl::StrCat(
          "port ", ports[i], " crosses ", choices[i], ", a linear hash would lead to ",
          map.Predict(ports[i]).empty() ? "a choice not seen so far" : map.Predict(ports[i]));
    }
    // Ports that were not answered prove nothing; a few are left out without harm.
    if (result_.reason.empty() && 2 * result_.verified_ports < options_.verify_count) {
      result_.reason = absl::StrCat("only ", result_.verified_ports, " of ", ports.size(),
                                    " ports that were to verify it were answered");
    }
    return absl::OkStatus();
  }

  void Fill(const LinearMap& map) {
    for (Path& path : result_.table.paths) {
      const std::string choice = ChoiceOf(path, choices_.ttls());
      path.computed_udp_src_ports = map.PortsFor(choice, options_.ports_per_path, kFirstRocePort,
                                                 [this](uint16_t port) { return Usable(port); });
      std::ranges::sort(path.computed_udp_src_ports);
      if (path.computed_udp_src_ports.empty() && result_.reason.empty()) {
        result_.reason = absl::StrCat("the map has no port for the path by ", choice);
      }
    }
    if (!result_.reason.empty()) result_.table = table_;
  }

  const PathTable& table_;
  const LinearPortsOptions& options_;
  PortChoices choices_;
  PortSource random_;
  LinearPortsResult result_;
};

}  // namespace

std::vector<uint32_t> TellingTtls(const PathTable& table) {
  std::vector<uint32_t> ttls;
  size_t best = 1;
  while (best < table.paths.size()) {
    uint32_t best_ttl = 0;
    for (uint32_t ttl = 1; ttl < 255 && AllAnswerAt(table, ttl); ++ttl) {
      std::vector<uint32_t> tried = ttls;
      tried.push_back(ttl);
      const size_t count = ChoiceCount(table, tried);
      if (count <= best) continue;
      best = count;
      best_ttl = ttl;
    }
    if (best_ttl == 0) return {};
    ttls.push_back(best_ttl);
  }
  return ttls;
}

absl::StatusOr<LinearPortsResult> LearnPorts(Endpoint& endpoint, IcmpBudget& budget,
                                             const PathTable& table, const ProbeTarget& target,
                                             const LinearPortsOptions& options) {
  return PortLearner(endpoint, budget, table, target, options).Run();
}

}  // namespace weft::probe
