// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/flows/durations.h"
#include "analyzer/flows/tally.h"
#include "wire/aeth.h"
#include "wire/frame.h"

// What a capture shows of one flow, a QP's packets in one direction. A flow is known by source,
// destination and destination QPN; never by its source port, which may change.
namespace weft::analyzer {

struct FlowKey {
  wire::NetworkAddress source;
  wire::NetworkAddress destination;
  uint32_t dest_qpn = 0;  // 24 bits
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's 0 for a pointer.
  auto operator<=>(const FlowKey&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const FlowKey& k) {
    return H::combine(std::move(h), k.source, k.destination, k.dest_qpn);
  }
};

struct MessageStats {
  uint64_t messages = 0;  // whole ones: first and last packet seen
  uint64_t bytes = 0;     // of whole ones
  uint64_t min_bytes = 0;
  uint64_t max_bytes = 0;
  uint64_t incomplete =
      0;  // begun before the capture, not ended within it, or with packets missing
  bool operator==(const MessageStats&) const = default;
};

struct PortUse {
  uint16_t udp_src_port = 0;
  uint64_t packets = 0;
  uint64_t first_packet = 0;
  bool operator==(const PortUse&) const = default;
};

struct ClassUse {
  uint8_t dscp = 0;  // 6 bits
  uint64_t packets = 0;
  uint64_t bytes = 0;
  bool operator==(const ClassUse&) const = default;
};

inline constexpr size_t kNakCodes = static_cast<size_t>(wire::NakCode::kReserved) + 1;

// Counts are of packets that this flow carries, unless a line says otherwise: an ACK, NAK or CNP is
// counted in the flow that carries it, and is about the flow the other way.
struct FlowStats {
  FlowKey key;
  wire::FrameClass carrier = wire::FrameClass::kRoceV2;
  wire::Transport transport = wire::Transport::kUnknown;  // of most of its packets, CNPs apart
  std::optional<uint32_t> source_qpn = {};                // UD: DETH; others: once paired

  bool has_times = false;
  int64_t first_ns = 0;  // since 1970
  int64_t last_ns = 0;
  uint64_t first_packet = 0;  // number in the capture
  uint64_t last_packet = 0;
  uint64_t packets = 0;
  uint64_t wire_bytes = 0;     // whole frames
  uint64_t payload_bytes = 0;  // of messages, repeated ones too
  uint64_t goodput_bytes = 0;  // of packets whose PSN was new

  // By operation. READs: requests in the flow to the responder, responses in the one back.
  MessageStats send;
  MessageStats write;
  MessageStats read_request;  // bytes: what was asked for
  MessageStats read_response;
  MessageStats atomic;

  // PSNs of this flow's own stream: requests of a requester, data of UC, and, apart from them, READ
  // responses of a responder. UD PSNs prove nothing and are not looked at.
  Tally retransmitted;  // packets with data or requests that had been seen before
  Tally go_back_n;      // bursts that begin again at an earlier PSN and go on from there
  Tally selective;      // single packets repeated inside the stream
  Tally spurious;       // retransmitted although an ACK had already covered them
  Tally timeouts;       // bursts that no NAK had asked for, after silence
  Tally reordered;      // late by PSN, but not repeated: seen for the first time
  Tally duplicates;     // the same packet twice within what reordering explains (a capture's doing)
  Tally gaps;           // holes in the PSNs when seen, whatever filled them later
  uint64_t missing_psns = 0;  // never seen by the end of the capture
  Tally capture_lost;  // PSNs that were never seen and yet acknowledged: the capture lost them
  DurationSummary retransmission_interval;  // between the repetitions of one PSN

  uint64_t acks = 0;
  std::array<Tally, kNakCodes> naks{};  // by wire::NakCode
  Tally rnr_naks;
  int64_t rnr_timer_ns = 0;  // the longest that was asked for
  int64_t rnr_stall_ns = 0;  // from RNR NAKs that it *received* to its next request, in all
  uint64_t zero_credit_acks = 0;
  Tally cnps;
  Tally vendor;    // manufacturers' opcodes: never malformed
  Tally reserved;  // opcodes that nobody has defined

  std::array<uint64_t, 4> ecn{};  // by codepoint: 0 not-ECT, 1 ECT(1), 2 ECT(0), 3 CE
  Tally ce;
  std::vector<ClassUse> classes;    // DSCPs, most packets first
  std::vector<uint8_t> priorities;  // PCPs of VLAN tags, ascending
  std::vector<PortUse> ports;       // in order of first use; at most 16
  uint64_t port_changes = 0;        // from one packet to the next, all of them
  Tally ttl_changes;
  uint8_t min_ttl = 0;
  uint8_t max_ttl = 0;
  uint32_t path_mtu = 0;  // payload of First and Middle packets; 0: no message of several packets

  // Of requests that this flow carries and ACKs of the other one; empty where one way is missing.
  DurationSummary
      ack_rtt;  // from the last packet of a message, sent once, to the ACK that covers it
  DurationSummary completion;  // from the first packet of a message to the ACK that covers it
  // Waiting, while everything sent had been acknowledged (a slow sender), or while something had
  // not and no packet moved either way (a slow receiver or network).
  DurationSummary sender_idle;
  DurationSummary unanswered;

  Tally bad_icrc;
  uint64_t unchecked_icrc = 0;
  bool operator==(const FlowStats&) const = default;
};

}  // namespace weft::analyzer
