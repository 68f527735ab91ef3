// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/records/finding.h"
#include "topology/records/hop_behaviour.h"
#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

namespace weft::topology {

// One switch seen at one TTL. Neither address nor node known: it was silent.
struct Hop {
  uint32_t hop_index = 0;   // TTL, from 1
  wire::IpAddress address;  // none: silent
  std::string node;         // empty: not resolved to a switch
  bool operator==(const Hop&) const = default;
};

enum class PathState : uint8_t { kUnknown, kAlive, kLossy, kDead };
const char* ToString(PathState state);  // "unknown", "alive", "lossy", "dead"

// What one source's packets to one destination may cross, and the source ports that lead there.
struct Path {
  std::vector<Hop> hops;  // switches in order, hops[0] at TTL 1
  bool reaches_destination = false;
  std::vector<uint16_t> udp_src_ports;  // measured, in order, none twice
  PathState state = PathState::kUnknown;
  // End-to-end probes that can speak for or against this path: answered, or lost with an answer
  // port that is known to work.
  uint32_t probes_sent = 0;
  uint32_t probes_answered = 0;
  // By a linear hash that was learnt and verified; not measured one by one. In order.
  std::vector<uint16_t> computed_udp_src_ports{};
  bool operator==(const Path&) const = default;
};

// What the probes wore that a switch may hash, beside addresses and source port.
struct ProbeHeaders {
  uint16_t udp_dst_port = 0;
  uint8_t bth_opcode = 0;
  uint32_t dest_qpn = 0;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;  // IPv6, 20 bits
  bool operator==(const ProbeHeaders&) const = default;
};

// What hidden_reason says of an overlay: one between switches, and one that begins at the source
// itself, so that not even the first hop is the source's leaf.
inline constexpr const char* kOverlayReason = "overlay: paths hidden";
inline constexpr const char* kOwnOverlayReason = "overlay: paths hidden, from the source itself on";

// All paths of one direction of a pair. A reverse direction has a table of its own.
struct PathTable {
  std::string source;  // node name; empty: not known
  wire::IpAddress source_address;
  std::string destination;
  wire::IpAddress destination_address;
  ProbeHeaders headers;
  std::string measured_at;  // RFC 3339, UTC
  double confidence = 0;    // 0-1: that the whole run it is from misses no path
  uint32_t probes_sent = 0;
  uint32_t probes_asked = 0;  // what the MDA stopping rule asks for, summed over the vertices
  std::vector<Path> paths;
  std::string void_reason;                     // not empty: the ports no longer lead where they did
  std::vector<HopBehaviour> hop_behaviours{};  // what is known of how the hops choose
  std::string hidden_reason{};      // not empty: an overlay hides the paths, so no plan can be made
  std::vector<Finding> findings{};  // what was odd on the way: loops, changes, rewritten DSCP
  bool operator==(const PathTable&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<PathTable> = {"path-table", 1};

}  // namespace weft::topology
