// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/respond/responder.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Host `number` of this process's own piece of 127.0.0.0/8, so that several responders own UDP 4791
// side by side and test programs that run at once do not meet.
inline wire::IpAddress Loopback(uint32_t number) {
  const auto pid = static_cast<uint32_t>(getpid());
  return wire::IpAddress::V4(127u << 24 | (16 + pid % 200) << 16 | (pid / 200 % 250) << 8 | number);
}

inline std::unique_ptr<Responder> StartResponder(ResponderOptions options) {
  options.seed = 7;
  options.path_mtu = 4096;
  auto responder = Responder::Create(options);
  EXPECT_TRUE(responder.ok()) << responder.status();
  return responder.ok() ? *std::move(responder) : nullptr;
}

inline Probe ProbeTo(const topology::Target& target, uint64_t id) {
  Probe probe;
  probe.id = id;
  probe.destination = target.address;
  probe.dest_qpn = target.dest_qpn;
  probe.q_key = target.q_key;
  probe.udp_src_port = 50001;
  probe.reply_udp_src_port = 50002;
  return probe;
}

// Lets both sides do what they have to, by turns, until `count` probes have ended.
inline std::vector<Event> PollUntilEnded(Endpoint& endpoint, Responder* responder, size_t count) {
  std::vector<Event> events;
  size_t ended = 0;
  while (ended < count) {
    if (responder != nullptr) responder->Step(0);
    const size_t before = events.size();
    const absl::Status status = endpoint.Poll(endpoint.Now() + 1'000'000, events);
    if (!status.ok()) {
      ADD_FAILURE() << status;
      break;
    }
    for (size_t i = before; i < events.size(); ++i) ended += events[i].kind != EventKind::kSent;
  }
  return events;
}

}  // namespace weft::probe
