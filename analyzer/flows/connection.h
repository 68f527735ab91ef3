// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/flows/flow_stats.h"

namespace weft::analyzer {

// How two flows came to be taken for the two directions of one connection.
enum class Pairing : uint8_t {
  kOneWay,     // only one direction was seen, or none of the others fits
  kCm,         // the connection manager's messages named both QPNs
  kEvidence,   // acknowledged PSNs and MSNs agree, and with no other flow
  kAmbiguous,  // several flows fit equally well: left apart
  kDatagram,   // UD: no connections, a flow for itself
};
const char* ToString(Pairing pairing);  // "one way", "CM", "evidence", "ambiguous", "datagram"

// Where along the path the capture was taken, as far as its times and losses tell.
enum class Vantage : uint8_t {
  kUnknown,
  kAtRequester,
  kAtResponder,
  kBetween,
  kOneWay,     // one direction only
  kSomePaths,  // packets that took other paths are missing in both what was sent and acknowledged
};
const char* ToString(Vantage vantage);  // "unknown", "at the requester", ...

// What the connection manager agreed on. InfiniBand Architecture Specification, volume 1,
// chapter 12.
struct CmParameters {
  uint32_t path_mtu_bytes = 0;
  uint8_t retry_count = 0;
  uint8_t rnr_retry_count = 0;
  uint8_t ack_timeout_code = 0;              // wire::AckTimeoutNs
  uint64_t request_packet = 0;               // number of the REQ; 0: not seen
  std::optional<std::string> rejected = {};  // the reason of a REJ
  bool operator==(const CmParameters&) const = default;
};

struct Connection {
  FlowStats forward;                       // of whoever sends requests; else of whom was seen first
  std::optional<FlowStats> backward = {};  // of its peer, once paired
  Pairing pairing = Pairing::kOneWay;
  std::string pairing_reason;  // "17 ACKs of the other flow name PSNs that this one had just sent"
  uint32_t candidates = 0;     // kAmbiguous: how many flows fit
  Vantage vantage = Vantage::kUnknown;
  std::string vantage_reason;  // with its numbers
  std::optional<CmParameters> cm = {};
  bool operator==(const Connection&) const = default;
};

}  // namespace weft::analyzer
