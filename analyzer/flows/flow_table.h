// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/capture/captured_packet.h"
#include "analyzer/flows/connection.h"
#include "wire/frame.h"

namespace weft::analyzer {

// Something worth a line in a connection's timeline.
struct FlowEvent {
  enum class Kind : uint8_t {
    kMessage,         // its last packet; `value`: bytes
    kAck,             // `value`: requests' packets that it covers
    kNak,             // `value`: wire::NakCode
    kRnrNak,          // `value`: timer in ns
    kRetransmission,  // a burst begins; `value`: PSNs that it goes back
    kGap,             // `value`: PSNs missing
    kReordered,       // `value`: how far behind, PSNs
    kDuplicate,
    kCnp,
    kCe,          // the first of a run of marked packets
    kPortChange,  // `value`: the new udp_src_port
    kTtlChange,   // `value`: the new TTL
    kIdle,        // before this packet; `value`: ns
    kBadIcrc,
    kCm,  // `value`: attribute ID of the MAD
  };
  Kind kind = Kind::kMessage;
  const FlowKey* flow = nullptr;  // valid during the call
  uint64_t packet = 0;
  int64_t time_ns = 0;
  uint32_t psn = 0;
  uint8_t opcode = 0;
  int64_t value = 0;
};

struct Flow;

// Sees events as they happen, for one connection's timeline.
class FlowObserver {
 public:
  virtual ~FlowObserver() = default;
  virtual void OnEvent(const FlowEvent& event) = 0;
};

// Follows every flow of a capture. Memory is bounded by flows, not by packets. Not thread-safe.
class FlowTable {
 public:
  struct Options {
    FlowObserver* observer = nullptr;  // not owned; null costs nothing
    size_t max_flows = 1u << 22;  // packets of further ones are counted in overflowed_packets()
  };
  explicit FlowTable(const Options& options);
  ~FlowTable();

  // A packet of RDMA (wire::IsRdma). In the order of the capture; amortised constant time, no
  // allocation for a flow that is known and in good order. Returns its flow, which stays where it
  // is; null where there are too many.
  Flow* Add(const wire::FrameView& view, const CapturedPacket& packet);

  size_t flow_count() const;
  uint64_t overflowed_packets() const;
  size_t memory_bytes() const;  // about

  // Pairs flows, judges vantages, and gives what there is, ordered by first packet. What a cut
  // capture leaves open is counted as incomplete. Ends the table.
  std::vector<Connection> Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::analyzer
