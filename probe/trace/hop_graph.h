// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/ip_address.h"

// What the probes towards one destination have shown: per flow (a source port) who answered at
// which TTL, and from it the vertices of each hop and which one each flow passes.
//
// Not every flow is asked at every hop. Where a flow was not asked, or was asked and nobody
// answered, the graph concludes:
//   backward: its next hop answered, and that one is known to follow exactly one vertex here;
//   forward:  the vertex before is settled (its stopping rule holds) and has exactly one next hop;
//   between:  nobody answered, but exactly one vertex here leads from the one before to the one
//   after.
// What remains of the silent flows passes the hop's one silent vertex.
namespace weft::probe {

enum class VertexKind : uint8_t {
  kSource,       // hop 0
  kInterface,    // a switch's, by the address that it answers with
  kSilent,       // flows that nobody answered
  kDestination,  // flows end here
  kRefusal,      // a switch that says it has no way; flows end here
};

struct TraceVertex {
  VertexKind kind = VertexKind::kInterface;
  wire::IpAddress address;   // kInterface, kRefusal
  bool is_repeated = false;  // an earlier hop has a vertex with the same address
  // As of the last Resolve():
  uint32_t member_count = 0;        // flows that pass here, or end here
  uint32_t usable_count = 0;        // of them, those that can be asked at the next hop
  uint32_t flow_count = 0;          // of them, those that were: what the stopping rule counts
  std::vector<uint32_t> next_hops;  // vertices of the next hop, in the order they were found
  // What the stopping rule asks for; 0: flows end here. A silent vertex with nothing but silence
  // after it needs no more flows than it has: no search finds anything there.
  uint32_t needed_count = 0;

  bool open() const { return needed_count > 0; }
  bool settled() const { return flow_count >= needed_count; }
};

// What one flow's probe with one TTL led to.
enum class HopAnswer : uint8_t { kUnasked, kInterface, kSilent, kDestination, kRefusal };

class HopGraph {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;     // vertex: cannot be said
  static constexpr uint32_t kBeyond = UINT32_MAX - 1;  // vertex: the flow has ended before this hop

  struct Flow {
    uint16_t udp_src_port = 0;
    bool wanted = false;                // must end up on a known path
    std::vector<HopAnswer> answers;     // by TTL; [0] is not used
    std::vector<uint32_t> measured;     // by TTL: the vertex that answered, or kUnknown
    std::vector<uint32_t> vertices;     // by TTL; as of the last Resolve()
    bool unusable = false;              // its port could not be had
    std::vector<uint32_t> answered_ms;  // by TTL: when, on the endpoint's clock
  };

  // Flows end after `silent_hop_limit` silent hops in a row and at `max_ttl`.
  HopGraph(uint32_t max_ttl, uint32_t silent_hop_limit);

  uint32_t AddFlow(uint16_t udp_src_port, bool wanted);
  void Record(uint32_t flow, uint32_t ttl, HopAnswer answer, const wire::IpAddress& address,
              int64_t time_ns = 0);
  // Takes back that the flow was silent there, and at the TTLs after that were silent too.
  void ForgetSilence(uint32_t flow, uint32_t ttl);
  void SetUnusable(uint32_t flow) { flows_[flow].unusable = true; }

  // Concludes anew from all answers; alpha is what each vertex's stopping rule may fail with.
  void Resolve(double alpha);

  const std::vector<Flow>& flows() const { return flows_; }
  // From 0, the source, to the last hop that anybody was asked at.
  uint32_t hop_count() const { return static_cast<uint32_t>(hops_.size()); }
  const std::vector<TraceVertex>& vertices(uint32_t hop) const { return hops_[hop].vertices; }

  HopAnswer Answer(uint32_t flow, uint32_t ttl) const;
  uint32_t VertexAt(uint32_t flow, uint32_t hop) const;  // kUnknown, kBeyond or in vertices(hop)
  // Whether to ask this flow at the hop after `hop` can tell anything.
  bool CanGoOn(uint32_t flow, uint32_t hop) const;
  // The vertex that a flow passes of which nothing was asked, or kUnknown.
  uint32_t VertexOfNewFlow(uint32_t hop) const;
  // The one vertex of `hop` that `next` (of the hop after) is known to follow; kUnknown: none,
  // several.
  uint32_t OnlyPredecessor(uint32_t hop, uint32_t next) const;
  // All that are known to precede it.
  std::span<const uint32_t> Predecessors(uint32_t hop, uint32_t next) const;
  // Flows that pass a vertex, or end there; as of the last Resolve().
  std::span<const uint32_t> members(uint32_t hop, uint32_t vertex) const {
    return hops_[hop].members[vertex];
  }
  // The flow has come back to an address that it had left: it goes round, and CanGoOn is false.
  bool Loops(uint32_t flow, uint32_t hop) const;
  uint32_t SilentFlowCount(uint32_t hop) const;  // flows that pass the hop's silent vertex
  // Vertices whose stopping rule counts: those where flows go on.
  uint32_t OpenVertexCount() const;
  // What the stopping rule asks for, summed over these.
  uint32_t NeededProbeCount() const;

 private:
  struct HopState {
    std::vector<TraceVertex> vertices;
    std::vector<std::vector<uint32_t>> predecessors;  // by vertex of the next hop
    std::vector<std::vector<uint32_t>> members;       // by vertex
  };

  void MarkRepeated(const wire::IpAddress& address);
  uint32_t FindOrAddVertex(uint32_t hop, VertexKind kind, const wire::IpAddress& address);
  void ResolveHop(uint32_t hop);
  void PlaceMeasured(uint32_t hop);
  void PlaceUnasked(uint32_t hop);
  void PlaceSilent(uint32_t hop);
  void AddLinks(uint32_t hop);
  uint32_t Backward(uint32_t flow, uint32_t hop) const;
  uint32_t Between(uint32_t flow, uint32_t hop) const;
  bool Follows(uint32_t hop, uint32_t vertex, uint32_t next) const;
  bool LeadsTo(uint32_t hop, uint32_t vertex, uint32_t last_hop, uint32_t last) const;
  uint32_t MeasuredVertex(uint32_t flow, uint32_t hop) const;
  void Count(double alpha);
  void CountHop(uint32_t hop, double alpha);
  bool LeadsNowhere(uint32_t hop, const TraceVertex& vertex) const;

  uint32_t max_ttl_;
  uint32_t silent_hop_limit_;
  std::vector<Flow> flows_;
  std::vector<HopState> hops_;
};

}  // namespace weft::probe
