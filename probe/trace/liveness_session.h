// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "probe/trace/liveness.h"

namespace weft::probe {

struct LivenessSessionOptions {
  uint32_t rounds = 3;              // each asks every path with every answer port
  uint32_t more_rounds = 4;         // where something was lost or cannot be told yet
  uint32_t first_answer_ports = 4;  // how many are used from the start
};

// One end-to-end probe.
struct LivenessQuestion {
  uint32_t path = 0;
  uint32_t answer_port = 0;  // in the session's answer ports
  uint16_t udp_src_port = 0;
  uint16_t reply_udp_src_port = 0;
};

// Fills a LivenessMatrix for the paths of one pair: says which probes it needs, hears what came
// back, and takes more answer ports where those it has cannot tell which way failed.
class LivenessSession {
 public:
  // `path_ports`: at least one source port for each path; rounds take turns. `answer_ports`: at
  // least one; those after the first ones are for where more are needed.
  LivenessSession(std::vector<std::vector<uint16_t>> path_ports, std::vector<uint16_t> answer_ports,
                  LivenessSessionOptions options = {});

  // The next round, once every question of the last one has been answered; empty: done.
  std::vector<LivenessQuestion> NextRound();
  // `reply_udp_src_port` is what the answer really had: where it is not what was asked for, the
  // answer speaks for the path, but not for the answer port.
  void Answered(const LivenessQuestion& question, uint16_t reply_udp_src_port);
  void Lost(const LivenessQuestion& question);

  LivenessVerdicts Verdicts() const { return Judge(matrix_); }
  const LivenessMatrix& matrix() const { return matrix_; }

 private:
  bool NeedsMore();

  std::vector<std::vector<uint16_t>> path_ports_;
  std::vector<uint16_t> answer_ports_;
  LivenessSessionOptions options_;
  LivenessMatrix matrix_;
  uint32_t round_ = 0;
};

}  // namespace weft::probe
