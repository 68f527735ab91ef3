// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/records/path_table.h"

// Which direction is dead? A lost probe may have died on its way or its answer on the way back.
// Each probe names its answer's source port, so the two ways are chosen apart, and a matrix of
// (forward path, answer port) tells them apart: what fails with answer ports that bring answers on
// other forward paths, fails forward; and the reverse likewise.
namespace weft::probe {

// How many probes took this pair of ways, and how many came back.
struct LivenessCell {
  uint32_t sent = 0;
  uint32_t answered = 0;
  bool operator==(const LivenessCell&) const = default;
};

class LivenessMatrix {
 public:
  LivenessMatrix(size_t path_count, size_t answer_port_count);

  void Add(size_t path, size_t answer_port, bool answered);
  // Answer ports can be added at any time.
  void AddAnswerPort();

  size_t path_count() const { return cells_.size(); }
  size_t answer_port_count() const { return cells_.empty() ? 0 : cells_[0].size(); }
  LivenessCell& cell(size_t path, size_t answer_port) { return cells_[path][answer_port]; }
  const LivenessCell& cell(size_t path, size_t answer_port) const {
    return cells_[path][answer_port];
  }
  LivenessMatrix Transposed() const;

 private:
  std::vector<std::vector<LivenessCell>> cells_;  // by path, by answer port
};

struct LivenessRules {
  // A way is dead or lossy only by the word of so many ways back that are known to work.
  uint32_t min_witnesses = 2;
  // A way back is known to work when, on at least half of the other paths that answer at all, it
  // brought at least this share of the answers.
  double working_share = 0.9;
  uint32_t min_cell_probes = 2;  // fewer probes in a cell say nothing about a way back
  // Lossy: at least so many probes were lost, and at least this share.
  uint32_t min_lost = 2;
  double lossy_share = 0.02;
};

struct LivenessVerdict {
  topology::PathState state = topology::PathState::kUnknown;
  // Probes that speak for or against: answered, or lost with a way back that is known to work.
  uint32_t sent = 0;
  uint32_t answered = 0;
  uint32_t witness_count = 0;  // ways back known to work that were tried
  bool operator==(const LivenessVerdict&) const = default;
};

struct LivenessVerdicts {
  std::vector<LivenessVerdict> paths;
  std::vector<LivenessVerdict> answer_ports;
};

LivenessVerdicts Judge(const LivenessMatrix& matrix, const LivenessRules& rules = {});

}  // namespace weft::probe
