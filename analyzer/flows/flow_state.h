// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/flows/durations.h"
#include "analyzer/flows/flow_stats.h"
#include "analyzer/flows/flow_table.h"
#include "analyzer/flows/host_meter.h"
#include "wire/bth.h"
#include "wire/opcode.h"

// What is kept of a flow while a capture is read. The common case of a packet touches a few cache
// lines of Flow; what only troubled flows need is allocated at the first trouble.
namespace weft::analyzer {

// A packet with what was looked up for it.
struct Moment {
  const wire::FrameView& view;
  const CapturedPacket& packet;
  const wire::OpcodeInfo& info;

  uint32_t psn() const { return view.rdma.bth.psn; }
  bool timed() const { return packet.has_time; }
  int64_t now_ns() const { return packet.time_ns; }
};

inline uint32_t PsnPlus(uint32_t psn, uint32_t count) { return (psn + count) & wire::kPsnMask; }
// The same as wire::PsnDistance, inline.
inline int32_t PsnsFrom(uint32_t b, uint32_t a) { return static_cast<int32_t>((a - b) << 8) >> 8; }

// A run of packets of one message, by PSN: the whole of it where both ends were seen.
struct Segment {
  int64_t first_ns = 0;
  uint64_t bytes = 0;
  uint32_t first_psn = 0;
  uint32_t last_psn = 0;
  wire::MessageKind kind = wire::MessageKind::kOther;
  bool is_open = false;  // more is to come
  bool has_first = false;
  bool has_last = false;
  bool is_repeated = false;  // some of it was sent more than once
};

// PSNs that were passed over.
struct Hole {
  uint32_t first_psn = 0;
  uint32_t count = 0;
  uint64_t packet = 0;  // the one behind it
  bool was_nakked = false;
};

// Packets with earlier PSNs than the newest, in a row.
struct Burst {
  bool is_open = false;
  bool was_asked = false;      // by a NAK
  bool after_silence = false;  // and long enough for a timer
  bool is_told = false;        // to the observer
  uint32_t first_psn = 0;
  uint32_t next_psn = 0;
  uint64_t first_packet = 0;
  int64_t first_ns = 0;
  uint8_t opcode = 0;
  uint32_t back = 0;      // PSNs behind the newest, at its start
  uint64_t repeated = 0;  // packets that had been seen
  uint64_t filled = 0;    // packets that had not
  std::array<uint64_t, Tally::kKept> filled_packets{};
};

struct StreamTrouble {
  static constexpr size_t kMaxHoles = 64;
  static constexpr size_t kMaxSegments = 64;

  std::vector<Hole> holes;        // by PSN, ascending
  std::vector<Segment> segments;  // of messages with packets missing
  Burst burst;
  uint64_t forgotten_psns = 0;  // of holes beyond kMaxHoles, and of earlier lives of the QP
  uint32_t last_burst_psn = 0;
  int64_t last_burst_ns = 0;
  bool had_burst = false;
};

// PSNs in their order. A flow has two: the requests of the one end, and the READ responses that it
// sends to the requests of the other.
struct Stream {
  static constexpr size_t kRecent = 8;
  struct Recent {
    uint32_t psn_opcode = 0;
    uint32_t ticks = 0;  // of kTickNs
  };
  static constexpr int kTickBits = 8;  // 256 ns, so that 32 bits last 18 minutes

  uint32_t expected = 0;
  uint32_t first_psn = 0;  // of this life of the QP in the capture
  uint32_t count = 0;      // for `recent`
  bool is_started = false;
  bool end_is_unknown = false;  // behind a READ request whose number of responses is not known
  Segment message;
  std::unique_ptr<StreamTrouble> trouble;
  std::array<Recent, kRecent> recent{};
};

// A message whose ACK is awaited.
struct Awaited {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  uint32_t first_psn = 0;
  uint32_t last_psn = 0;
  bool is_whole = false;
  bool is_repeated = false;
  bool is_read = false;
  bool end_is_unknown = false;  // of a READ
  bool is_answered = false;     // a READ: its first response was seen
};

// At most kMax of them, the oldest first; further ones give no sample.
class AwaitedRing {
 public:
  static constexpr size_t kMax = 64;

  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  Awaited& at(size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  void Push(const Awaited& awaited);
  void Pop() {
    head_ = (head_ + 1) & (slots_.size() - 1);
    --count_;
  }
  void Clear() { head_ = count_ = 0; }
  size_t memory_bytes() const { return slots_.capacity() * sizeof(Awaited); }

 private:
  std::vector<Awaited> slots_;  // a power of two
  size_t head_ = 0;
  size_t count_ = 0;
};

// Counts that a flow in good order does not need.
struct Oddities {
  Tally retransmitted, go_back_n, selective, spurious, timeouts, reordered, duplicates, gaps;
  Tally capture_lost;
  Durations retransmission_interval;
  std::array<Tally, kNakCodes> naks{};
  Tally rnr_naks;
  int64_t rnr_timer_ns = 0;
  int64_t rnr_stall_ns = 0;
  Tally cnps, vendor, reserved, ce, ttl_changes, bad_icrc;
  Durations sender_idle, unanswered;
  uint64_t lost_before = 0;  // NAKed PSNs that the capture had not seen
  uint64_t lost_behind = 0;  // NAKed PSNs that it had
};

// Why a peer is thought to be one.
struct PeerEvidence {
  uint32_t hits = 0;       // answers that only this peer had asked for
  uint32_t other = 0;      // answers that only another flow had asked for
  uint32_t ambiguous = 0;  // answers that several had asked for
};

struct Flow {
  // What every packet changes, together.
  uint64_t packets = 0;
  uint64_t wire_bytes = 0;
  uint64_t payload_bytes = 0;
  uint64_t goodput_bytes = 0;
  uint64_t request_packets = 0;
  uint64_t unchecked_icrc = 0;
  uint64_t last_packet = 0;
  int64_t last_ns = 0;

  std::array<uint64_t, 4> ecn{};
  uint64_t path_signature = ~uint64_t{0};
  int64_t last_request_ns = 0;
  int64_t typical_gap_ns = 0;  // between requests: drifts towards their median
  Flow* peer = nullptr;

  uint32_t acked_psn = 0;  // of its requests, by the peer
  uint32_t transport_votes = 0;
  wire::Transport transport = wire::Transport::kUnknown;
  bool has_times = false;
  bool is_paired = false;  // `peer` is certain; provisional otherwise
  bool is_acked = false;   // acked_psn is valid
  bool nak_pending = false;
  bool rnr_pending = false;
  bool is_marked = false;  // its last packet had CE
  Stream requests;

  FlowKey key;
  HostSlots hosts;
  std::unique_ptr<Oddities> odd;
  int64_t last_answer_ns = 0;
  int64_t rnr_since_ns = 0;
  uint32_t nak_psn = 0;     // where nak_pending: what it asks for
  uint32_t path_mtu = 0;    // seen
  uint32_t agreed_mtu = 0;  // by the connection manager

  AwaitedRing awaited;
  Durations ack_rtt;
  Durations completion;
  int64_t min_rtt_ns = -1;  // -1: no sample
  int64_t min_reaction_ns = -1;
  uint64_t reactions = 0;

  uint64_t answer_packets = 0;
  uint64_t acks = 0;
  uint64_t zero_credit_acks = 0;
  MessageStats send, write, read_request, read_response, atomic;
  Stream responses;

  uint64_t run_packets = 0;  // counts at the last change of path_signature
  uint64_t run_bytes = 0;
  uint64_t run_first_packet = 0;
  std::vector<ClassUse> classes;  // at most 64
  std::vector<PortUse> ports;
  uint64_t port_changes = 0;
  uint8_t priorities = 0;  // a bit each
  uint8_t min_ttl = 255;
  uint8_t max_ttl = 0;
  wire::FrameClass carrier = wire::FrameClass::kRoceV2;

  int64_t first_ns = 0;
  uint64_t first_packet = 0;
  uint64_t way_hash = 0;   // of source and destination
  uint64_t back_hash = 0;  // of destination and source
  PeerEvidence evidence;   // of `peer`, by answers in this flow
  uint32_t first_answer_psn = 0;
  uint32_t last_answer_psn = 0;
  uint32_t source_qpn = 0;
  bool has_source_qpn = false;
  uint32_t cm = 0;  // index into the CM agreements + 1; 0: none

  Oddities& oddities() {
    if (!odd) odd = std::make_unique<Oddities>();
    return *odd;
  }
};

// What hosts begin with: a packet that still has it was captured before its first router.
inline bool IsInitialTtl(uint8_t ttl) { return ttl == 64 || ttl == 128 || ttl == 255; }
// Captured before the first router of `one`, and behind one of its peer.
inline bool IsNearer(const Flow& one, const Flow& peer) {
  return one.min_ttl == one.max_ttl && IsInitialTtl(one.max_ttl) && peer.min_ttl <= peer.max_ttl &&
         !IsInitialTtl(peer.max_ttl);
}

// Tells an observer, where there is one.
inline void Tell(FlowObserver* observer, const Flow& flow, const Moment& moment,
                 FlowEvent::Kind kind, int64_t value) {
  if (observer == nullptr) return;
  observer->OnEvent({.kind = kind,
                     .flow = &flow.key,
                     .packet = moment.packet.number,
                     .time_ns = moment.packet.time_ns,
                     .psn = moment.psn(),
                     .opcode = moment.view.rdma.bth.opcode,
                     .value = value});
}

}  // namespace weft::analyzer
