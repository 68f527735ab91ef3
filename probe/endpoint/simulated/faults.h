// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

// How the parts of a simulated network misbehave, or just differ from the politest ones. The
// routing does not know of any of it.
namespace weft::probe {

// One direction of a link.
struct LinkFault {
  bool dead = false;            // swallows everything
  double loss_probability = 0;  // 0-1, of each packet
  int64_t extra_delay_ns = 0;
  int64_t jitter_ns = 0;  // evenly between 0 and this, per packet
};

// From which of its addresses a switch answers. An interface without an address answers from the
// switch's loopback; so does the end of a tunnel, where a packet comes from no interface of its own
// (without a loopback: from the address of the interface towards the destination).
enum class AnswersFrom : uint8_t {
  kInbound,   // the interface where the packet came in
  kOutbound,  // the interface by which the answer leaves
  kLoopback,  // always the loopback; without one as kInbound
};

// IPv4's identification in the ICMP that a switch sends. IPv6 has none.
enum class IpIdMode : uint8_t {
  kCounter,  // one counter for all its interfaces, which other traffic of its own moves too
  kZero,
  kRandom,  // a new one for each packet
};

struct SwitchFault {
  bool dead = false;           // swallows everything that reaches it
  bool silent = false;         // forwards, but sends no ICMP
  double icmp_per_second = 0;  // a token bucket of all ICMP it sends; 0: no limit
  double icmp_burst = 10;      // the bucket's size
  AnswersFrom answers_from = AnswersFrom::kInbound;
  // How much of a packet its ICMP quotes; absent: SimulatedNetworkOptions::icmp_quote_bytes over
  // IPv4, as much as fits over IPv6.
  std::optional<size_t> quote_bytes{};
  IpIdMode ip_id = IpIdMode::kCounter;
  double ip_id_per_second = 100;  // kCounter: how fast the rest of its traffic moves the counter
  // Of all that it forwards, as it leaves: what it answers about still quotes what came in.
  std::optional<uint8_t> dscp_rewrite{};  // the new DSCP, 6 bits; the ECN bits stay
  bool ecn_mark = false;                  // CE on what says that it is ECN-capable (RFC 3168)
  // A packet that comes with TTL 1 is passed on with TTL 0, so that the next switch answers for two
  // TTLs; and it answers packets that come with TTL 0.
  bool forwards_expired = false;
  bool keeps_ttl = false;  // does not count the TTL: no probe ends here
};

struct HostFault {
  std::optional<uint8_t> dscp_rewrite{};  // a policy of the host: DSCP of all that it sends
};

enum class HostBehaviour : uint8_t {
  kResponds,     // runs a responder
  kUnreachable,  // nobody listens: answers with ICMP port unreachable
  kSilent,       // answers nothing
};

}  // namespace weft::probe
