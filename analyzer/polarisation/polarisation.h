// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

// How well switches spread flows over equal ways. Judged by distinct flows (a pair and a source
// port), never by packets or bytes: a hash places flows. Everything is measured; the fabric tells
// which ways were open (shortest paths), so that a way that nothing takes is seen too.
namespace weft::analyzer {

enum class HashVerdict : uint8_t {
  kUnknown,    // too few flows to tell, or the group does not hash
  kEven,       // nothing speaks against an even hash, and enough flows to see it
  kUneven,     // the hash prefers some members
  kPolarised,  // of tiers: the upper one repeats what the lower one chose
};
const char* ToString(HashVerdict verdict);  // "unknown", "even", "uneven", "polarised"

// The members among which one switch chooses for the same destinations: links, or where cables are
// not told apart, the neighbours.
struct HashGroup {
  std::string node;
  std::optional<uint32_t> tier;
  std::vector<std::string>
      members;                  // neighbours; with the interface where several links lead there
  std::vector<uint32_t> flows;  // distinct flows, per member
  uint32_t flow_count = 0;
  uint32_t members_used = 0;
  double members_expected = 0;  // used, when flows are placed evenly and independently
  // Chi-square test against even shares. Absent: under kMinFlowsPerMember flows a member.
  std::optional<double> p_value;
  // That an even hash loads some member with at least as many flows as the fullest has.
  std::optional<double> fullest_probability;
  bool hashed = true;  // false: its mode is another (per packet, ..): left out of all tests
  HashVerdict verdict = HashVerdict::kUnknown;
};

// What a tier chose for flows that one lower choice had brought together.
struct TierPair {
  uint32_t lower = 0;  // tier whose choice came first on the way
  uint32_t upper = 0;
  uint32_t groups = 0;      // cases: a member taken below, and the group met next
  uint32_t flow_count = 0;  // over the cases
  uint32_t members = 0;     // over the cases
  uint32_t members_used = 0;
  double members_expected = 0;  // when the two choose independently
  double p_value = 1;           // of so few, or fewer, when independent
  double never_used_share = 0;  // of the members; a path behind each
  HashVerdict verdict = HashVerdict::kUnknown;
};

inline constexpr uint32_t kMinFlowsPerMember = 10;
inline constexpr double kUnevenPValue = 1e-4;
inline constexpr double kPolarisedPValue = 1e-6;

struct HashReport {
  uint32_t flow_count = 0;        // distinct, that were followed
  uint32_t unplaced = 0;          // flows whose path the fabric does not hold, or is not known
  std::vector<HashGroup> groups;  // by tier, then by node, then by members; two members or more
  std::vector<TierPair> tiers;    // by lower, then upper
  // polarised (warning) per pair of tiers; uneven-hash (warning) per group whose tier is not
  // polarised by another; few-flows (info): groups where two flows or more share a member while
  // another is idle, with the probability; hop-not-hashed (info): groups left out.
  std::vector<topology::Finding> findings;
};

// All measured ports of tables that are not void or hidden are flows; with `flows`, only those are
// (placed by their pair's table and source port). InvalidArgument: the fabric has no hosts.
absl::StatusOr<HashReport> JudgeHashing(const topology::Fabric& fabric,
                                        std::span<const topology::PathTable> tables,
                                        std::optional<std::span<const topology::Flow>> flows);

}  // namespace weft::analyzer
