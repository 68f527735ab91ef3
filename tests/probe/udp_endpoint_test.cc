// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/udp_endpoint.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/endpoint/udp/local_interface.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;

std::unique_ptr<UdpEndpoint> StartEndpoint(UdpEndpointOptions options = {}) {
  if (options.address.empty()) options.address = Loopback(1);
  options.session = 99;
  auto endpoint = UdpEndpoint::Create(options);
  EXPECT_TRUE(endpoint.ok()) << endpoint.status();
  return *std::move(endpoint);
}

size_t CountOf(const std::vector<Event>& events, EventKind kind) {
  return static_cast<size_t>(std::count_if(
      events.begin(), events.end(), [kind](const auto& event) { return event.kind == kind; }));
}

class UdpEndpointStamps : public testing::TestWithParam<bool> {};

TEST_P(UdpEndpointStamps, AProbeIsSentAndAnswered) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint({.kernel_stamps = GetParam()});
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(responder->target(), 42)}).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, responder.get(), 1);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::kSent);
  EXPECT_EQ(events[1].kind, EventKind::kReply);
  EXPECT_EQ(events[1].probe_id, 42u);
  EXPECT_EQ(events[1].reply_udp_src_port, 50002);
  EXPECT_GE(events[1].time_ns, events[0].time_ns);
  EXPECT_GT(events[1].rtt_ns, 0);
  EXPECT_GT(events[1].responder_delay_ns, 0);
  EXPECT_LE(events[1].responder_delay_ns, events[1].rtt_ns);
  EXPECT_EQ(responder->counters().answers, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, UdpEndpointStamps, testing::Bool(),
                         [](const auto& row) { return row.param ? "KernelStamps" : "OwnTimes"; });

TEST(UdpEndpoint, ManyProbesFromManyPortsAreEachAnsweredOnce) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  std::vector<Probe> probes;
  for (uint64_t id = 0; id < 400; ++id) {
    Probe probe = ProbeTo(responder->target(), id);
    probe.udp_src_port = static_cast<uint16_t>(49152 + id % 100);
    probe.reply_udp_src_port = static_cast<uint16_t>(52000 + id % 30);
    probe.timeout_ns = 20'000'000'000;
    probes.push_back(probe);
  }
  ASSERT_TRUE(endpoint->Send(probes).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, responder.get(), 400);
  EXPECT_EQ(CountOf(events, EventKind::kReply), 400u);
  EXPECT_EQ(CountOf(events, EventKind::kSent), 400u);
  for (const Event& event : events) {
    if (event.kind == EventKind::kReply) {
      EXPECT_EQ(event.reply_udp_src_port, 52000 + event.probe_id % 30);
    }
  }
}

TEST(UdpEndpoint, AsksForAnswersOnAnotherPortWhere4791IsTaken) {
  auto here = StartResponder({.address = Loopback(1), .tcp_port = 0});
  auto there = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(there->target(), 1)}).ok());
  EXPECT_EQ(CountOf(PollUntilEnded(*endpoint, there.get(), 1), EventKind::kReply), 1u);
  EXPECT_EQ(here->counters().malformed, 0u);
}

TEST(UdpEndpoint, NobodyThereIsUnreachableAndSaysWho) {
  auto endpoint = StartEndpoint();
  const topology::Target nobody = {.name = {}, .address = Loopback(9), .clock = {}};
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(nobody, 5)}).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, nullptr, 1);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, EventKind::kUnreachable);
  EXPECT_EQ(events[1].hop_address, Loopback(9));
  EXPECT_EQ(events[1].icmp_code, 3);  // port unreachable
}

TEST(UdpEndpoint, SilenceIsLossAtTheTimeout) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  Probe probe = ProbeTo(responder->target(), 6);
  probe.timeout_ns = 20'000'000;
  ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, nullptr, 1);
  ASSERT_EQ(events.back().kind, EventKind::kLost);
  EXPECT_GT(events.back().time_ns, events.front().time_ns);

  // The answer that comes afterwards is counted, and is no event.
  responder->Step(0);
  std::vector<Event> more;
  for (int i = 0; i < 100 && endpoint->counters().late == 0; ++i) {
    ASSERT_TRUE(endpoint->Poll(endpoint->Now() + 10'000'000, more).ok());
  }
  EXPECT_EQ(endpoint->counters().late, 1u);
  EXPECT_TRUE(more.empty());
}

TEST(UdpEndpoint, AnAnswerToAnotherSessionIsDropped) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  Probe probe = ProbeTo(responder->target(), 6);
  probe.timeout_ns = 20'000'000'000;
  ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
  // Another prober's question, with this one's answer port.
  UdpSocket other;
  ASSERT_EQ(other.Open({.address = Loopback(1), .port = 50077}), 0);
  std::array<std::byte, kMaxProbeBytes> bytes;
  Probe foreign = probe;
  foreign.udp_src_port = 50077;
  const size_t size = BuildProbe(foreign, Loopback(1), 98, 1, 1, 4791, bytes);
  ASSERT_EQ(other.Send({.address = Loopback(2), .udp_port = 4791}, std::span(bytes).first(size)),
            0);
  PollUntilEnded(*endpoint, responder.get(), 1);
  std::vector<Event> more;
  for (int i = 0; i < 100 && endpoint->counters().other_session == 0; ++i) {
    responder->Step(0);
    ASSERT_TRUE(endpoint->Poll(endpoint->Now() + 10'000'000, more).ok());
  }
  EXPECT_EQ(endpoint->counters().other_session, 1u);
  EXPECT_TRUE(more.empty());
}

TEST(UdpEndpoint, GarbageAndAWrongIcrcAreCountedAndDropped) {
  auto endpoint = StartEndpoint();
  const topology::Target nobody = {.name = {}, .address = Loopback(9), .clock = {}};
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(nobody, 5)}).ok());  // opens the answer socket
  UdpSocket other;
  ASSERT_EQ(other.Open({.address = Loopback(3), .port = 50002}), 0);
  std::array<std::byte, 512> bytes{};
  const UdpSocket::Destination here = {.address = Loopback(1), .udp_port = 4791};
  ASSERT_EQ(other.Send(here, std::span(bytes).first(64)), 0);
  ProbePacket question;
  question.payload.session = 99;
  question.payload.reply_udp_dst_port = 4791;
  question.payload_bytes = wire::kProbePayloadBytes;
  const size_t size =
      BuildAnswer(question, Loopback(3), Loopback(1), {.udp_src_port = 50002}, bytes);
  bytes[size - 1] ^= std::byte{1};
  ASSERT_EQ(other.Send(here, std::span(bytes).first(size)), 0);
  std::vector<Event> events;
  for (int i = 0; i < 100 && endpoint->counters().bad_icrc == 0; ++i) {
    ASSERT_TRUE(endpoint->Poll(endpoint->Now() + 10'000'000, events).ok());
  }
  EXPECT_EQ(endpoint->counters().malformed, 1u);
  EXPECT_EQ(endpoint->counters().bad_icrc, 1u);
  EXPECT_EQ(CountOf(events, EventKind::kReply), 0u);
}

TEST(UdpEndpoint, TakesNoneOfTooManyProbes) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint({.capacity = 4});
  const std::vector<Probe> five(5, ProbeTo(responder->target(), 1));
  EXPECT_TRUE(absl::IsResourceExhausted(endpoint->Send(five)));
  EXPECT_TRUE(endpoint->Send(std::span(five).first(4)).ok());
}

TEST(UdpEndpoint, AHeldSourcePortIsNamedWithItsHolder) {
  UdpSocket holder;
  ASSERT_EQ(holder.Open({.address = Loopback(1), .port = 50001}), 0);
  auto endpoint = StartEndpoint();
  const topology::Target target = {.name = {}, .address = Loopback(2), .clock = {}};
  const absl::Status status = endpoint->Send(std::vector{ProbeTo(target, 1)});
  EXPECT_TRUE(absl::IsAlreadyExists(status));
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("UDP port 50001 on " + Loopback(1).ToString() + " is held by "));
  EXPECT_THAT(message, HasSubstr("(pid " + std::to_string(getpid()) + ")"));
}

TEST(UdpEndpoint, TwoProbersDoNotShareASourcePort) {
  auto first = StartEndpoint();
  auto second = StartEndpoint();
  const topology::Target target = {.name = {}, .address = Loopback(2), .clock = {}};
  EXPECT_TRUE(first->Send(std::vector{ProbeTo(target, 1)}).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(second->Send(std::vector{ProbeTo(target, 1)})));
}

TEST(UdpEndpoint, AnUnknownInterfaceIsNamedWithThoseThereAre) {
  const auto endpoint = UdpEndpoint::Create({.interface = "weft-none"});
  EXPECT_TRUE(absl::IsNotFound(endpoint.status()));
  EXPECT_THAT(std::string(endpoint.status().message()),
              HasSubstr("interface weft-none: no such interface: expected one of lo"));
}

TEST(PortSockets, TheOneUnusedForLongestMakesRoom) {
  PortSockets sockets({}, 2);
  int error = 0;
  ASSERT_NE(sockets.Get(Loopback(1), 50001, &error), nullptr);
  ASSERT_NE(sockets.Get(Loopback(1), 50002, &error), nullptr);
  ASSERT_NE(sockets.Get(Loopback(1), 50001, &error), nullptr);
  ASSERT_NE(sockets.Get(Loopback(1), 50003, &error), nullptr);  // closes 50002
  UdpSocket socket;
  EXPECT_EQ(socket.Open({.address = Loopback(1), .port = 50002}), 0);
  EXPECT_EQ(UdpSocket().Open({.address = Loopback(1), .port = 50001}), EADDRINUSE);
}

TEST(PortSockets, ASocketInUseStaysOpen) {
  PortSockets sockets({}, 1);
  int error = 0;
  PortSockets::Socket* first = sockets.Get(Loopback(1), 50001, &error);
  ++first->users;
  EXPECT_EQ(sockets.Get(Loopback(1), 50002, &error), nullptr);
  EXPECT_EQ(error, EMFILE);
  --first->users;
  EXPECT_NE(sockets.Get(Loopback(1), 50002, &error), nullptr);
}

struct MtuCase {
  uint32_t ip_mtu;
  uint32_t path_mtu;
};

TEST(PathMtu, IsTheLargestInfiniBandMtuThatFits) {
  for (const MtuCase row :
       {MtuCase{65536, 4096}, MtuCase{4200, 4096}, MtuCase{4148, 4096}, MtuCase{4147, 2048},
        MtuCase{1500, 1024}, MtuCase{1075, 512}, MtuCase{308, 256}, MtuCase{307, 0}}) {
    EXPECT_EQ(PathMtuFor(row.ip_mtu), row.path_mtu) << row.ip_mtu;
  }
}

}  // namespace
}  // namespace weft::probe
