// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/liveness_session.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace weft::probe {
namespace {

using topology::PathState;

// From so many ways back one wants to hear that a path is dead.
constexpr uint32_t kGoodWitnesses = 3;

}  // namespace

LivenessSession::LivenessSession(std::vector<std::vector<uint16_t>> path_ports,
                                 std::vector<uint16_t> answer_ports, LivenessSessionOptions options)
    : path_ports_(std::move(path_ports)),
      answer_ports_(std::move(answer_ports)),
      options_(options),
      matrix_(path_ports_.size(),
              std::min<size_t>(options.first_answer_ports, answer_ports_.size())) {
  assert(!answer_ports_.empty());
}

std::vector<LivenessQuestion> LivenessSession::NextRound() {
  std::vector<LivenessQuestion> questions;
  if (round_ >= options_.rounds + options_.more_rounds) return questions;
  if (round_ >= options_.rounds && !NeedsMore()) return questions;
  for (uint32_t path = 0; path < path_ports_.size(); ++path) {
    const std::vector<uint16_t>& ports = path_ports_[path];
    for (uint32_t answer_port = 0; answer_port < matrix_.answer_port_count(); ++answer_port) {
      questions.push_back({.path = path,
                           .answer_port = answer_port,
                           .udp_src_port = ports[(round_ + answer_port) % ports.size()],
                           .reply_udp_src_port = answer_ports_[answer_port]});
    }
  }
  ++round_;
  return questions;
}

void LivenessSession::Answered(const LivenessQuestion& question, uint16_t reply_udp_src_port) {
  if (reply_udp_src_port != question.reply_udp_src_port) {
    for (uint32_t port = 0; port < matrix_.answer_port_count(); ++port) {
      if (answer_ports_[port] == reply_udp_src_port) matrix_.Add(question.path, port, true);
    }
    return;
  }
  matrix_.Add(question.path, question.answer_port, true);
}

void LivenessSession::Lost(const LivenessQuestion& question) {
  matrix_.Add(question.path, question.answer_port, false);
}

// Loss is counted better over more rounds; a path that never answers needs answer ports that do.
bool LivenessSession::NeedsMore() {
  const LivenessVerdicts verdicts = Verdicts();
  bool lacks_witnesses = false;
  bool lost_some = false;
  for (uint32_t path = 0; path < path_ports_.size(); ++path) {
    const LivenessVerdict& verdict = verdicts.paths[path];
    if (verdict.answered == 0) {
      lacks_witnesses = lacks_witnesses || verdict.witness_count < kGoodWitnesses;
    } else {
      for (uint32_t port = 0; port < matrix_.answer_port_count(); ++port) {
        const LivenessCell& cell = matrix_.cell(path, port);
        lost_some = lost_some || (cell.answered > 0 && cell.answered < cell.sent);
      }
    }
  }
  const bool one_path = path_ports_.size() == 1;
  if (lacks_witnesses && !one_path) {
    for (int i = 0; i < 2 && matrix_.answer_port_count() < answer_ports_.size(); ++i) {
      matrix_.AddAnswerPort();
    }
  }
  return lost_some || (lacks_witnesses && !one_path);
}

}  // namespace weft::probe
