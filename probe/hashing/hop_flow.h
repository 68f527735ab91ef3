// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/trace/probe_runner.h"
#include "wire/bth.h"
#include "wire/ip_address.h"

namespace weft::probe {

// All that a hop may hash of a flow.
struct HopFlow {
  wire::IpAddress source{};  // none: the usual one
  ProbeTarget target{};
  uint16_t udp_src_port = 0;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  uint8_t bth_opcode = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly);
  bool wears_live_header = false;  // as in Probe
};

// Where is this flow after so many hops?
struct HopQuestion {
  HopFlow flow;
  uint8_t ttl = 1;
  // What is known of the way, for the ICMP budget: who answers at the TTL before, and who should
  // answer; none: not known.
  wire::IpAddress before{};
  wire::IpAddress expected{};
};

// A place in the network at one TTL: who answered. The destination itself, whichever it is, counts
// as one place.
struct SeenPlace {
  enum class Kind : uint8_t { kNone, kSwitch, kDestination };
  Kind kind = Kind::kNone;    // kNone: no answer, or one that does not tell
  wire::IpAddress address{};  // kSwitch
  int64_t sent_ns = 0;        // of the last try
  int64_t known_ns = 0;       // when it was answered or given up
  bool SamePlace(const SeenPlace& other) const {
    return kind == other.kind && address == other.address;
  }
};

}  // namespace weft::probe
