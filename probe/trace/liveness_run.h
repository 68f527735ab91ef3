// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "probe/trace/liveness_session.h"
#include "probe/trace/probe_runner.h"

namespace weft::probe {

// One pair's session and what it cost.
struct LivenessRun {
  ProbeTarget target;
  LivenessSession session;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  uint32_t probes_sent = 0;
};

// Source ports for answers: `count` of them, given by the seed.
std::vector<uint16_t> AnswerPorts(uint64_t seed, size_t count);

// Asks all sessions' questions, many pairs at once, until they have no more. Fails only where the
// endpoint does; `stop` (may be empty) ends it early.
absl::Status RunLiveness(ProbeRunner& runner, std::span<LivenessRun> runs,
                         const std::function<bool()>& stop);

}  // namespace weft::probe
