// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/liveness_run.h"

#include "probe/trace/port_source.h"

namespace weft::probe {
namespace {

constexpr int64_t kLongestStepNs = 100'000'000;  // between two looks at `stop`

struct Asked {
  size_t run = 0;
  LivenessQuestion question;
};

}  // namespace

std::vector<uint16_t> AnswerPorts(uint64_t seed, size_t count) {
  PortSource source(seed, {});
  std::vector<uint16_t> ports;
  while (ports.size() < count) ports.push_back(*source.Next());
  return ports;
}

absl::Status RunLiveness(ProbeRunner& runner, std::span<LivenessRun> runs,
                         const std::function<bool()>& stop) {
  std::vector<ProbeOutcome> outcomes;
  while (!stop || !stop()) {
    std::vector<Asked> asked;
    for (size_t run = 0; run < runs.size(); ++run) {
      for (const LivenessQuestion& question : runs[run].session.NextRound()) {
        asked.push_back({run, question});
      }
    }
    if (asked.empty()) break;
    for (size_t i = 0; i < asked.size(); ++i) {
      runner.Add({.tag = i,
                  .target = runs[asked[i].run].target,
                  .udp_src_port = asked[i].question.udp_src_port,
                  .traffic_class = runs[asked[i].run].traffic_class,
                  .flow_label = runs[asked[i].run].flow_label,
                  .reply_ports = {&asked[i].question.reply_udp_src_port, 1}});
    }
    while (runner.outstanding() > 0 && !(stop && stop())) {
      outcomes.clear();
      const absl::Status status = runner.Step(runner.Now() + kLongestStepNs, outcomes);
      if (!status.ok()) return status;
      for (const ProbeOutcome& outcome : outcomes) {
        LivenessRun& run = runs[asked[outcome.tag].run];
        run.probes_sent += outcome.sent_count;
        const LivenessQuestion& question = asked[outcome.tag].question;
        if (outcome.kind == EventKind::kReply) {
          run.session.Answered(question, outcome.reply_udp_src_port);
        } else if (outcome.kind == EventKind::kLost && outcome.status.ok()) {
          run.session.Lost(question);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace weft::probe
