// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/hop_pool.h"

#include <cassert>

namespace weft::probe {

absl::StatusOr<std::vector<PooledFlow>> AskPool(HopAsker& asker, std::span<const HopVertex> tier,
                                                std::span<const HopFlow> flows) {
  assert(!tier.empty());
  const bool all_pass = tier.size() == 1 && tier[0].all_pass();
  std::vector<SeenPlace> here(flows.size());
  std::vector<HopQuestion> questions;
  if (!all_pass) {
    for (const HopFlow& flow : flows) {
      questions.push_back({.flow = flow,
                           .ttl = static_cast<uint8_t>(tier[0].hop_index),
                           .before = tier.size() == 1 ? tier[0].before : wire::IpAddress(),
                           .expected = {}});
    }
    const absl::Status status = asker.AskAll(questions, here);
    if (!status.ok()) return status;
  }
  std::vector<PooledFlow> pool(flows.size());
  questions.clear();
  for (size_t i = 0; i < flows.size(); ++i) {
    pool[i].flow = flows[i];
    for (size_t v = 0; v < tier.size(); ++v) {
      if (all_pass || IsAt(tier[v], here[i])) pool[i].vertex = v;
    }
    const HopVertex& vertex = tier[pool[i].vertex == PooledFlow::kNoVertex ? 0 : pool[i].vertex];
    questions.push_back(QuestionAfter(vertex, flows[i]));
    if (pool[i].vertex != PooledFlow::kNoVertex) questions.back().before = vertex.address;
  }
  std::vector<SeenPlace> after;
  const absl::Status status = asker.AskAll(questions, after);
  if (!status.ok()) return status;
  for (size_t i = 0; i < flows.size(); ++i) {
    pool[i].next = after[i];
    if (after[i].kind == SeenPlace::Kind::kNone) pool[i].vertex = PooledFlow::kNoVertex;
  }
  return pool;
}

}  // namespace weft::probe
