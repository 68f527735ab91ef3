// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/respond/responder.h"
#include "tests/probe/ipv6_network.h"
#include "wire/ip_address.h"

namespace weft::probe {

using Family = wire::IpAddress::Family;

// Tests of real sockets, once over each family. Loopback(n) is host n, so that several responders
// own UDP 4791 side by side. IPv4 takes this process's own piece of 127.0.0.0/8, so that test
// programs that run at once do not meet; of IPv6 there is one loopback address only, so the process
// gives itself a network of its own with more of them.
class LoopbackTest : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    if (GetParam() != Family::kV6) return;
    static const std::string problem = EnterIpv6Network();
    if (!problem.empty()) GTEST_SKIP() << "no IPv6 network to test in: " << problem;
  }

  static wire::IpAddress Loopback(uint32_t number) {
    if (GetParam() == Family::kV6) return Ipv6Loopback(number);
    const auto pid = static_cast<uint32_t>(getpid());
    return wire::IpAddress::V4(127u << 24 | (16 + pid % 200) << 16 | (pid / 200 % 250) << 8 |
                               number);
  }
};

inline std::string FamilyName(const testing::TestParamInfo<Family>& row) {
  return row.param == Family::kV6 ? "IPv6" : "IPv4";
}

#define WEFT_OVER_BOTH_FAMILIES(test) \
  INSTANTIATE_TEST_SUITE_P(All, test, testing::Values(Family::kV4, Family::kV6), FamilyName)

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
