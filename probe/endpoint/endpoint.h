// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "wire/ip_address.h"

// The contract of whatever can send probes and hear what becomes of them: `udp` (ordinary sockets),
// `simulated` (a fabric on virtual time), later `verbs` and `dpdk`.
//
// Time passes only inside Poll(). Probers are state machines: they ask Now(), Send(), then Poll()
// and look at the events; they never sleep. So one simulated network hands out any number of
// endpoints on one virtual clock. An endpoint belongs to one thread.
namespace weft::probe {

// One probe. Its two source ports say which paths it takes: forward by udp_src_port, and its
// answer's way back by reply_udp_src_port.
struct Probe {
  uint64_t id = 0;  // the caller's; unique among this endpoint's probes in flight
  wire::IpAddress destination{};
  wire::IpAddress source{};  // one of this host's addresses; none: the usual one
  uint32_t dest_qpn = 0;
  uint32_t q_key = 0;
  uint16_t udp_src_port = 0;
  uint16_t reply_udp_src_port = 0;
  uint8_t ttl = 64;  // a smaller one makes a hop answer
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;    // IPv6, 20 bits
  uint8_t bth_opcode = 0x64;  // UD SEND Only; another one only with wears_live_header
  // dest_qpn or bth_opcode are those of somebody's traffic: the probe must never be taken for it,
  // so it goes out with a wrong ICRC, and Send refuses it unless its TTL is below kLiveHeaderTtl.
  // The caller sees to it that the TTL ends before the destination.
  bool wears_live_header = false;
  int64_t timeout_ns = 1'000'000'000;  // lost when nothing was heard for this long after sending
};

inline constexpr uint8_t kLiveHeaderTtl = 32;

// Whether any endpoint may send this probe. InvalidArgument, with the value: it wears a live header
// and its TTL is not below kLiveHeaderTtl; another opcode without saying that it is a live header;
// no destination, or a source of another family; a flow label beyond 20 bits.
absl::Status CheckProbe(const Probe& probe);

enum class EventKind : uint8_t {
  kSent,         // it left: time_ns is when (kernel's stamp where there is one)
  kReply,        // the destination's responder answered
  kHop,          // a switch said that the TTL ended there
  kUnreachable,  // ICMP destination unreachable, from hop_address
  kLost,         // nothing by the timeout
};

struct Event {
  EventKind kind = EventKind::kLost;
  uint64_t probe_id = 0;
  int64_t time_ns = 0;  // on this endpoint's clock, as Now()
  // kReply:
  int64_t rtt_ns = 0;               // from leaving to arriving, best stamps there are
  int64_t responder_delay_ns = 0;   // the part of rtt_ns that the responder took
  uint16_t reply_udp_src_port = 0;  // that the answer really had
  // With which TTL and traffic class the probe came to the responder; absent: not known.
  std::optional<uint8_t> received_ttl{};
  std::optional<uint8_t> received_traffic_class{};
  // kHop, kUnreachable:
  wire::IpAddress hop_address{};
  uint8_t icmp_code = 0;
  // The probe's traffic class and TTL as the switch saw them (its quote); absent: not known.
  std::optional<uint8_t> quoted_traffic_class{};
  std::optional<uint8_t> quoted_ttl{};
  // Of the IP header that carried the error: absent where the endpoint cannot see it.
  std::optional<uint16_t> answer_ip_id{};  // IPv4
  std::optional<uint8_t> answer_ttl{};
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  // Nanoseconds on this endpoint's monotonic clock (virtual for `simulated`).
  virtual int64_t Now() const = 0;

  virtual wire::IpAddress LocalAddress(const wire::IpAddress& destination) const = 0;

  // Takes all probes or fails and takes none. ResourceExhausted: too many in flight, Poll first.
  // InvalidArgument: what CheckProbe() says, or a source that is not this host's.
  // At most one probe with a limited TTL may be in flight for one (source, destination,
  // udp_src_port): an ICMP quote of 28 bytes holds only addresses, source port and UDP length
  // (which varies with the TTL, so that a late answer to an earlier TTL is told apart where the
  // quote shows the length).
  virtual absl::Status Send(std::span<const Probe> probes) = 0;

  // Lets time pass until `deadline_ns` or until at least one event other than kSent is there;
  // appends events in time order. Every probe ends in exactly one of kReply, kHop, kUnreachable,
  // kLost; an answer after that is counted and dropped.
  virtual absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) = 0;

  // How many probes may be in flight at once.
  virtual size_t capacity() const = 0;
};

}  // namespace weft::probe
