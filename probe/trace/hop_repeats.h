// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "probe/trace/hop_graph.h"
#include "probe/trace/probe_plan.h"
#include "wire/ip_address.h"

// Does one flow always take one way? A trace asks each flow once at a hop, and so it cannot tell a
// hop that hashes from one that does not. So some flows past each vertex with several next hops are
// asked once more, and where the answer is another one, several times in quick succession:
//   the same one all the time: hashed;
//   others within kQuickNs: per packet;
//   another one, and that one from then on: the route has changed;
//   others, but only after pauses: flowlet, adaptive, or routes that keep changing. It is not told
//   which.
namespace weft::probe {

enum class FlowStability : uint8_t { kUnknown, kStable, kPerPacket, kChangedOnce, kUnstable };

// What was seen past one vertex.
struct RepeatVerdict {
  uint32_t hop = 0;
  wire::IpAddress address;  // of the vertex; none: silent, or the source
  FlowStability stability = FlowStability::kUnknown;
  uint32_t next_hop_count = 0;
  uint32_t probe_count = 0;  // repeated probes that were answered
  uint32_t flow_count = 0;   // flows that were repeated
  uint32_t moved_count = 0;  // of them, those with several responders
  // Of the first flow that moved:
  uint16_t udp_src_port = 0;
  wire::IpAddress from;
  wire::IpAddress to;
  int64_t after_ns = 0;  // the endpoint's clock: it was still the old way then
  int64_t by_ns = 0;     // and already the new one then
};

class HopRepeats {
 public:
  static constexpr int64_t kQuickNs = 400'000;

  // What to ask again; only when every probe of the last plan has its outcome. Empty: done.
  std::vector<PlannedProbe> Plan(const HopGraph& graph);
  // `address`: who answered; none: nobody.
  void OnOutcome(const PlannedProbe& probe, const wire::IpAddress& address, int64_t time_ns);

  // Others have seen that these spread per packet: flows that move there tell nothing else.
  void LearnPerPacket(std::span<const wire::IpAddress> addresses) {
    per_packet_.insert(addresses.begin(), addresses.end());
  }

  // One per vertex with several next hops, from the source on.
  std::vector<RepeatVerdict> Verdicts() const;

 private:
  struct Answer {
    wire::IpAddress address;
    int64_t time_ns = 0;
  };
  struct Repeated {
    size_t vertex = 0;  // in vertices_
    PlannedProbe probe;
    uint16_t udp_src_port = 0;
    std::vector<Answer> answers;  // [0] from the trace
    uint32_t asked_count = 0;
    bool moved() const;
  };

  void Choose(const HopGraph& graph);
  void ChooseFlows(const HopGraph& graph, uint32_t vertex, uint32_t count);
  void Judge(const Repeated& flow, RepeatVerdict& verdict) const;

  bool chosen_ = false;
  std::vector<RepeatVerdict> vertices_;
  std::vector<Repeated> flows_;
  absl::flat_hash_set<wire::IpAddress> per_packet_;
};

}  // namespace weft::probe
