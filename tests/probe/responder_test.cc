// SPDX-License-Identifier: Apache-2.0
#include "probe/respond/responder.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "probe/respond/target_server.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;

class ResponderTest : public LoopbackTest {
 protected:
  void Start(ResponderOptions options = {}) {
    options.address = Loopback(2);
    options.tcp_port = 0;
    responder_ = StartResponder(options);
    endpoint_ = *UdpEndpoint::Create({.address = Loopback(1)});
  }
  Probe SomeProbe(uint64_t id = 1) const {
    Probe probe = ProbeTo(responder_->target(), id);
    probe.timeout_ns = 200'000'000;
    return probe;
  }
  std::vector<Event> Ask(const std::vector<Probe>& probes) {
    EXPECT_TRUE(endpoint_->Send(probes).ok());
    std::vector<Event> events = PollUntilEnded(*endpoint_, responder_.get(), probes.size());
    std::erase_if(events, [](const Event& event) { return event.kind == EventKind::kSent; });
    return events;
  }
  EventKind Ask(const Probe& probe) { return Ask(std::vector{probe}).front().kind; }

  std::unique_ptr<Responder> responder_;
  std::unique_ptr<UdpEndpoint> endpoint_;
};

TEST_P(ResponderTest, OnlyItsQKeyAndQpnAreAnswered) {
  Start();
  Probe wrong_key = SomeProbe();
  wrong_key.q_key ^= 1;
  EXPECT_EQ(Ask(wrong_key), EventKind::kLost);
  Probe wrong_qpn = SomeProbe();
  wrong_qpn.dest_qpn ^= 1;
  EXPECT_EQ(Ask(wrong_qpn), EventKind::kLost);
  EXPECT_EQ(responder_->counters().wrong_qp, 2u);
  EXPECT_EQ(responder_->counters().answers, 0u);
  EXPECT_EQ(Ask(SomeProbe()), EventKind::kReply);
}

TEST_P(ResponderTest, AWrongIcrcGetsNothing) {
  Start();
  UdpSocket socket;
  ASSERT_EQ(socket.Open({.address = Loopback(3), .port = 50001}), 0);
  std::array<std::byte, kMaxProbeBytes> bytes;
  const size_t size = BuildProbe(SomeProbe(), Loopback(3), 1, 1, 1, 4791, bytes);
  const UdpSocket::Destination there = {.address = Loopback(2), .udp_port = 4791};
  bytes[size - 1] ^= std::byte{1};
  ASSERT_EQ(socket.Send(there, std::span(bytes).first(size)), 0);
  bytes[size - 1] ^= std::byte{1};
  ASSERT_EQ(socket.Send(there, std::span(bytes).first(size)), 0);  // its healthy twin
  responder_->Step(0);
  EXPECT_EQ(responder_->counters().bad_icrc, 1u);
  EXPECT_EQ(responder_->counters().answers, 1u);
}

TEST_P(ResponderTest, GarbageIsCounted) {
  Start();
  UdpSocket socket;
  ASSERT_EQ(socket.Open({.address = Loopback(3)}), 0);
  const UdpSocket::Destination there = {.address = Loopback(2), .udp_port = 4791};
  const std::array<std::byte, 9000> bytes{};
  for (const size_t size : {size_t{0}, size_t{11}, bytes.size()}) {
    ASSERT_EQ(socket.Send(there, std::span(bytes).first(size)), 0);
  }
  responder_->Step(0);
  EXPECT_EQ(responder_->counters().malformed, 3u);
}

TEST_P(ResponderTest, ABusyAnswerPortIsReplacedAndSaid) {
  Start();
  UdpSocket holder;
  ASSERT_EQ(holder.Open({.address = Loopback(2), .port = 50002}), 0);
  const Event event = Ask(std::vector{SomeProbe()}).front();
  EXPECT_EQ(event.kind, EventKind::kReply);
  EXPECT_NE(event.reply_udp_src_port, 50002);
  EXPECT_EQ(responder_->counters().reply_port_busy, 1u);

  Probe free_port = SomeProbe();
  free_port.reply_udp_src_port = 50003;
  EXPECT_EQ(Ask(std::vector{free_port}).front().reply_udp_src_port, 50003);
  EXPECT_EQ(responder_->counters().reply_port_busy, 1u);
}

TEST_P(ResponderTest, ManyAnswerPortsAreServed) {
  Start();
  for (uint16_t port = 51000; port < 51500; ++port) {
    Probe probe = SomeProbe();
    probe.reply_udp_src_port = port;
    EXPECT_EQ(Ask(std::vector{probe}).front().reply_udp_src_port, port);
  }
}

// Every host asks from the ports that it answers from.
TEST_P(ResponderTest, AnswersLeaveFromAPortThatThisHostsOwnProbesUse) {
  Start();
  auto other = StartResponder({.address = Loopback(3), .tcp_port = 0});
  auto own_prober = *UdpEndpoint::Create({.address = Loopback(2)});
  Probe own = ProbeTo(other->target(), 1);
  own.udp_src_port = 50002;
  ASSERT_TRUE(own_prober->Send(std::vector{own}).ok());
  EXPECT_EQ(Ask(std::vector{SomeProbe()}).front().reply_udp_src_port, 50002);
  // And the other way round: the port is not kept.
  auto second_prober = *UdpEndpoint::Create({.address = Loopback(2)});
  own.udp_src_port = 50003;
  Probe probe = SomeProbe();
  probe.reply_udp_src_port = 50003;
  EXPECT_EQ(Ask(std::vector{probe}).front().reply_udp_src_port, 50003);
  EXPECT_TRUE(second_prober->Send(std::vector{own}).ok());
  EXPECT_EQ(responder_->counters().reply_port_busy, 0u);
}

TEST_P(ResponderTest, AnswersOneSourceOnlySoOften) {
  Start({.answers_per_second_per_source = 10});
  std::vector<Probe> probes;
  for (uint64_t id = 0; id < 20; ++id) probes.push_back(SomeProbe(id));
  const std::vector<Event> events = Ask(probes);
  const auto replies = std::count_if(events.begin(), events.end(), [](const Event& event) {
    return event.kind == EventKind::kReply;
  });
  EXPECT_LT(replies, 20);
  EXPECT_EQ(responder_->counters().rate_limited, 20u - static_cast<uint64_t>(replies));
}

TEST_P(ResponderTest, TellsTheTtlAndTrafficClassThatArrived) {
  Start();
  UdpSocket socket;
  ASSERT_EQ(socket.Open({.address = Loopback(3), .port = 4791, .receives = true}), 0);
  std::array<std::byte, kMaxProbeBytes> bytes;
  Probe probe = SomeProbe();
  probe.udp_src_port = 4791;
  const size_t size = BuildProbe(probe, Loopback(3), 1, 1, 1, 4791, bytes);
  ASSERT_EQ(socket.Send({.address = Loopback(2), .udp_port = 4791, .ttl = 7, .traffic_class = 104},
                        std::span(bytes).first(size)),
            0);
  ReceiveBatch batch(1, 512);
  while (batch.Receive(socket.fd()) == 0) responder_->Step(0);
  const Datagram answer = batch.Get(0);
  EXPECT_EQ(answer.bytes.size(), size);
  EXPECT_EQ(answer.traffic_class, 104);
  ProbePacket packet;
  ASSERT_EQ(
      ParseProbePacket({.source = Loopback(2), .destination = Loopback(3), .udp_src_port = 50002},
                       answer.bytes, packet),
      PacketFault::kNone);
  EXPECT_EQ(packet.payload.received_ttl, 7);
  EXPECT_EQ(packet.payload.received_traffic_class, 104);
}

TEST_P(ResponderTest, OwnsItsAddressesPort4791) {
  auto first = StartResponder({.address = Loopback(2), .tcp_port = 0});
  const auto second = Responder::Create({.address = Loopback(2), .tcp_port = 0});
  EXPECT_TRUE(absl::IsAlreadyExists(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("UDP port 4791 on " + Loopback(2).ToString() + " is held by "));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(std::to_string(getpid())));
  EXPECT_TRUE(Responder::Create({.address = Loopback(3), .tcp_port = 0}).ok());
}

TEST_P(ResponderTest, AnswersOnEveryAddressWhereItOwnsThemAll) {
  ResponderOptions options = {.advertised_address = Loopback(2), .tcp_port = 0};
  if (GetParam() == Family::kV6) options.address = *wire::IpAddress::Parse("::");
  auto responder = Responder::Create(options);
  if (absl::IsAlreadyExists(responder.status())) GTEST_SKIP() << responder.status();
  ASSERT_TRUE(responder.ok()) << responder.status();
  EXPECT_EQ((*responder)->target().address, Loopback(2));
  auto endpoint = *UdpEndpoint::Create({.address = Loopback(1)});
  for (const uint32_t host : {2u, 3u}) {
    Probe probe = ProbeTo((*responder)->target(), host);
    probe.destination = Loopback(host);
    ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
    EXPECT_EQ(PollUntilEnded(*endpoint, responder->get(), 1).back().kind, EventKind::kReply);
  }
}

WEFT_OVER_BOTH_FAMILIES(ResponderTest);

using TargetServerTest = LoopbackTest;

TEST_P(TargetServerTest, APortThatRefusesEndsTheTriesAtOnce) {
  const auto fetched = FetchTarget(Loopback(9), {.tcp_port = 4791});
  EXPECT_TRUE(absl::IsUnavailable(fetched.status()));
  EXPECT_THAT(std::string(fetched.status().message()),
              HasSubstr(Loopback(9).ToString() + ": no responder: TCP port 4791 refused (1 try)"));
}

TEST_P(TargetServerTest, SilenceIsTriedAgainOnNewConnections) {
  auto server = TargetServer::Listen(Loopback(2), 0);  // connects, but is never served
  ASSERT_TRUE(server.ok());
  const auto fetched = FetchTarget(
      Loopback(2),
      {.tcp_port = server->tcp_port(), .tries_ns = 90'000'000, .one_try_ns = 20'000'000});
  EXPECT_TRUE(absl::IsUnavailable(fetched.status()));
  EXPECT_THAT(std::string(fetched.status().message()), HasSubstr("timed out"));
  EXPECT_THAT(std::string(fetched.status().message()), HasSubstr(" tries)"));
}

WEFT_OVER_BOTH_FAMILIES(TargetServerTest);

}  // namespace
}  // namespace weft::probe
