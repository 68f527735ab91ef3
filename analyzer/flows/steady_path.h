// SPDX-License-Identifier: Apache-2.0
// Internal to analyzer/flows: the short way for packets of a flow in good order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "analyzer/capture/captured_packet.h"
#include "analyzer/flows/flow_state.h"
#include "analyzer/flows/traffic_meter.h"
#include "wire/frame.h"

namespace weft::analyzer {

// Of 8 bytes each: room for Ethernet, VLAN tag, IPv6, UDP and BTH.
using HeadWords = std::array<uint64_t, 10>;

// Most packets of an elephant differ from an earlier one of their flow in nothing but PSN, IP
// identification and checksums, as TCP's header prediction has it (V. Jacobson, 1990). Such a
// packet need not be dissected: all that is kept of it is counted here, exactly as FlowTable and
// TrafficMeter would. Everything else is for them.
//
// Of SENDs and WRITEs of RC, cut in front of their ICRC, over Ethernet with or without a VLAN tag,
// IPv4 or IPv6. Not thread-safe.
class SteadyPath {
 public:
  // `observer` as FlowTable's: what ends a message is for FlowTable to tell where there is one.
  SteadyPath(TrafficMeter& meter, FlowObserver* observer);

  // These come next, in this order: lets what they need be fetched in time. At most kMaxExpected;
  // void once Take was called with another packet.
  static constexpr size_t kMaxExpected = 16;
  void Expect(std::span<const CapturedPacket> packets);

  // True where the packet was steady, and is counted. `names_qp`: what Learn was told of its flow.
  bool Take(const CapturedPacket& packet, bool& names_qp);

  // A packet that FlowTable and TrafficMeter were given: its like is steady from now on.
  void Learn(const wire::FrameView& view, const CapturedPacket& packet, Flow& flow, bool names_qp);

 private:
  // What a steady packet looks like.
  struct alignas(64) Pattern {
    HeadWords head{};  // its first bytes, zero where they may differ
    Flow* flow = nullptr;
    uint64_t path_signature = 0;
    uint64_t source_fold = 0;
    uint32_t captured_bytes = 0;
    uint32_t wire_bytes = 0;
    uint32_t payload_bytes = 0;
    uint32_t sender = 0;  // HostSlots
    uint32_t receiver = 0;
    wire::MacAddress mac_source{};
    uint8_t ttl = 0;
    uint8_t ecn = 0;
    uint8_t opcode = 0;
    wire::MessageKind kind = wire::MessageKind::kOther;
    bool starts = false;  // a message
    bool ends = false;
    bool needs_pair = false;  // what it leads to depends on who answers
    bool names_qp = false;
  };
  struct Slot {
    uint64_t hash = 0;
    Pattern* pattern = nullptr;
  };
  // What the first bytes of a packet say of the rest.
  struct Head {
    uint64_t hash = 0;
    uint8_t layout = 0;
    uint8_t bth_at = 0;
  };
  struct Expected {
    const CapturedPacket* packet = nullptr;
    Pattern* pattern = nullptr;  // null: not a steady packet
    Head head;
  };

  static bool ReadHead(const CapturedPacket& packet, Head& head);
  static bool HasHead(std::span<const std::byte> bytes, const Head& head, const Pattern& pattern);
  Pattern* Find(uint64_t hash) const;
  Pattern& FindOrAdd(uint64_t hash);
  bool IsSteady(const Pattern& pattern, const CapturedPacket& packet, uint32_t psn) const;
  void Count(const Pattern& pattern, const CapturedPacket& packet, uint32_t psn);
  void CountMessages(const Pattern& pattern, Flow& flow, int64_t now_ns, uint32_t psn);
  void CountTraffic(const Pattern& pattern, const CapturedPacket& packet);

  TrafficMeter::State& traffic_;
  bool tells_messages_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  std::deque<Pattern> patterns_;
  std::array<Expected, kMaxExpected> expected_{};
  size_t expected_count_ = 0;
  size_t next_expected_ = 0;
};

}  // namespace weft::analyzer
