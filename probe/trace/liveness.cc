// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/liveness.h"

#include <algorithm>
#include <functional>

namespace weft::probe {
namespace {

using topology::PathState;

bool Answers(const LivenessMatrix& matrix, size_t path) {
  for (size_t port = 0; port < matrix.answer_port_count(); ++port) {
    if (matrix.cell(path, port).answered > 0) return true;
  }
  return false;
}

double ShareOf(const LivenessCell& cell) {
  return static_cast<double>(cell.answered) / static_cast<double>(cell.sent);
}

// Whether the answer port brings answers on paths other than `path`: on at least half of those that
// answer at all, since of the others one cannot say which way failed.
bool WorksElsewhere(const LivenessMatrix& matrix, size_t path, size_t port,
                    const std::vector<bool>& answers, const LivenessRules& rules) {
  std::vector<double> shares;
  for (size_t other = 0; other < matrix.path_count(); ++other) {
    const LivenessCell& cell = matrix.cell(other, port);
    if (other == path || !answers[other] || cell.sent < rules.min_cell_probes) continue;
    shares.push_back(ShareOf(cell));
  }
  if (shares.empty()) return false;
  std::ranges::sort(shares, std::greater());
  return shares[(shares.size() - 1) / 2] >= rules.working_share;
}

LivenessVerdict JudgePath(const LivenessMatrix& matrix, size_t path,
                          const std::vector<bool>& answers, const LivenessRules& rules) {
  LivenessVerdict verdict;
  uint32_t lossy_witness_count = 0;
  for (size_t port = 0; port < matrix.answer_port_count(); ++port) {
    const LivenessCell& cell = matrix.cell(path, port);
    verdict.sent += cell.answered;
    verdict.answered += cell.answered;
    if (cell.sent == 0 || !WorksElsewhere(matrix, path, port, answers, rules)) continue;
    ++verdict.witness_count;
    verdict.sent += cell.sent - cell.answered;
    if (cell.answered < cell.sent) ++lossy_witness_count;
  }
  const uint32_t lost = verdict.sent - verdict.answered;
  if (verdict.answered == 0) {
    if (lossy_witness_count >= rules.min_witnesses && lost >= rules.min_lost) {
      verdict.state = PathState::kDead;
    }
    return verdict;
  }
  const bool lossy = lossy_witness_count >= rules.min_witnesses && lost >= rules.min_lost &&
                     lost >= rules.lossy_share * static_cast<double>(verdict.sent);
  verdict.state = lossy ? PathState::kLossy : PathState::kAlive;
  return verdict;
}

std::vector<LivenessVerdict> JudgePaths(const LivenessMatrix& matrix, const LivenessRules& rules) {
  std::vector<bool> answers;
  for (size_t path = 0; path < matrix.path_count(); ++path) {
    answers.push_back(Answers(matrix, path));
  }
  std::vector<LivenessVerdict> verdicts;
  for (size_t path = 0; path < matrix.path_count(); ++path) {
    verdicts.push_back(JudgePath(matrix, path, answers, rules));
  }
  return verdicts;
}

}  // namespace

LivenessMatrix::LivenessMatrix(size_t path_count, size_t answer_port_count)
    : cells_(path_count, std::vector<LivenessCell>(answer_port_count)) {}

void LivenessMatrix::Add(size_t path, size_t answer_port, bool answered) {
  LivenessCell& cell = cells_[path][answer_port];
  ++cell.sent;
  if (answered) ++cell.answered;
}

void LivenessMatrix::AddAnswerPort() {
  for (std::vector<LivenessCell>& row : cells_) row.emplace_back();
}

LivenessMatrix LivenessMatrix::Transposed() const {
  LivenessMatrix transposed(answer_port_count(), path_count());
  for (size_t path = 0; path < path_count(); ++path) {
    for (size_t port = 0; port < answer_port_count(); ++port) {
      transposed.cell(port, path) = cell(path, port);
    }
  }
  return transposed;
}

LivenessVerdicts Judge(const LivenessMatrix& matrix, const LivenessRules& rules) {
  return {.paths = JudgePaths(matrix, rules),
          .answer_ports = JudgePaths(matrix.Transposed(), rules)};
}

}  // namespace weft::probe
