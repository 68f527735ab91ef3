// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

// Whether a hop spreads flows evenly, judged by how many different flows each next hop got. Never
// by packets: few flows with many packets say nothing about a hash.
namespace weft::probe {

// Fewer flows per next hop than this are no basis for calling a hash uneven.
inline constexpr uint32_t kFlowsPerMemberToJudge = 10;
// An even hash is called uneven at most this often.
inline constexpr double kUnevenProbability = 1e-4;

// The probabilities that `flow_count` flows, each of which takes one of `member_count` (at least 1)
// next hops with equal chance, give some next hop at least, or at most, so many. Exact.
double FullestProbability(uint32_t flow_count, uint32_t member_count, uint32_t at_least);
double EmptiestProbability(uint32_t flow_count, uint32_t member_count, uint32_t at_most);

enum class Evenness : uint8_t {
  kUnknown,    // fewer than two next hops, or no flows
  kCollision,  // too few flows to judge: what is seen is chance (see probability)
  kEven,
  kUneven,
};
const char* ToString(Evenness evenness);  // "unknown", "too few flows", "even", "uneven"

struct HashQuality {
  Evenness evenness = Evenness::kUnknown;
  uint32_t flow_count = 0;
  uint32_t member_count = 0;
  uint32_t fullest = 0;
  uint32_t emptiest = 0;
  // That an even hash spreads so many flows at least as unevenly: twice the smaller of the two tail
  // probabilities, 0 to 1.
  double probability = 1;
};

// `flows_by_member`: different flows that each next hop got, zeros too.
HashQuality JudgeQuality(std::span<const uint32_t> flows_by_member);

}  // namespace weft::probe
