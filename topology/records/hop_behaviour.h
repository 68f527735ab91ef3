// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/ip_address.h"

namespace weft::topology {

// How a switch chooses among equally near next hops. Only where it is hashed does a source port
// choose the path; elsewhere a plan counts the group as one shared link.
enum class HopMode : uint8_t {
  kUnknown,
  kHashed,     // by headers: one flow, one way
  kPerPacket,  // one flow takes several ways at once
  kFlowlet,    // a flow changes its way after a pause
  kAdaptive,   // a flow changes its way by load or over time
};
const char* ToString(HopMode mode);  // "unknown", "hashed", "per-packet", "flowlet", "adaptive"

// A header field that a switch may hash.
enum class HashedField : uint8_t {
  kNone,
  kUdpSrcPort,
  kSourceAddress,
  kDestinationAddress,
  kDestQpn,
  kBthOpcode,
  kFlowLabel,  // IPv6
  kDscp,
};
const char* ToString(HashedField field);  // "source port", "destination QP", "flow label"

enum class FieldUse : uint8_t { kUnknown, kIgnored, kHashed };
const char* ToString(FieldUse use);  // "unknown", "ignored", "hashed"

// Whether a hop's choice depends on a field: it was varied alone.
struct FieldEffect {
  HashedField field = HashedField::kNone;
  FieldUse effect = FieldUse::kUnknown;
  uint32_t values = 0;     // different values that were tried
  uint32_t next_hops = 0;  // different next hops that these led to
  bool operator==(const FieldEffect&) const = default;
};

// One hop's way of choosing, found by experiment.
struct HopBehaviour {
  uint32_t hop_index = 0;   // TTL, from 1
  wire::IpAddress address;  // that it answers with; none: silent
  std::string node;         // empty: not resolved to a switch
  uint32_t next_hop_count = 0;
  HopMode mode = HopMode::kUnknown;
  uint32_t mode_probes = 0;  // how many repeated probes of unchanged flows `mode` rests on
  std::vector<FieldEffect> fields;
  bool operator==(const HopBehaviour&) const = default;
};

}  // namespace weft::topology
