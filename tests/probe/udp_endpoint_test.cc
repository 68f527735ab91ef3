// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/udp_endpoint.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/endpoint/udp/local_interface.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;

constexpr int kIpv6FlowInfo = 11;  // IPV6_FLOWINFO of <linux/in6.h>

size_t CountOf(const std::vector<Event>& events, EventKind kind) {
  return static_cast<size_t>(std::count_if(
      events.begin(), events.end(), [kind](const auto& event) { return event.kind == kind; }));
}

// -1: nothing came, or the kernel does not say.
int64_t ArrivedFlowLabel(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_IPV6, kIpv6FlowInfo, &yes, sizeof yes);
  std::array<std::byte, 512> bytes;
  alignas(cmsghdr) std::array<char, 512> control;
  iovec data = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  WaitReadable(fd, 1'000'000'000);
  if (recvmsg(fd, &message, MSG_DONTWAIT) < 0) return -1;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != IPPROTO_IPV6 || header->cmsg_type != kIpv6FlowInfo) continue;
    uint32_t flow_info = 0;
    std::memcpy(&flow_info, CMSG_DATA(header), sizeof flow_info);
    return ntohl(flow_info) & 0xfffff;
  }
  return 0;  // told only where it is not 0
}

class UdpEndpointTest : public LoopbackTest {
 protected:
  static std::unique_ptr<UdpEndpoint> StartEndpoint(UdpEndpointOptions options = {}) {
    if (options.address.empty()) options.address = Loopback(1);
    options.session = 99;
    auto endpoint = UdpEndpoint::Create(options);
    EXPECT_TRUE(endpoint.ok()) << endpoint.status();
    return *std::move(endpoint);
  }
  static absl::Status OpenHeld(const wire::IpAddress& address) {
    const UdpSocketOptions options = {.address = address, .port = 50001};
    const int error = UdpSocket().Open(options);
    return error == 0 ? absl::OkStatus() : OpenError(options, error);
  }
  static void AProbeIsSentAndAnswered(bool kernel_stamps);
};

void UdpEndpointTest::AProbeIsSentAndAnswered(bool kernel_stamps) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint({.kernel_stamps = kernel_stamps});
  // The kernel begins to stamp packets only some time after it is asked to.
  Event reply;
  uint64_t sent = 0;
  while (reply.responder_delay_ns == 0 && sent < 1000) {
    ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(responder->target(), ++sent)}).ok());
    const std::vector<Event> events = PollUntilEnded(*endpoint, responder.get(), 1);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].kind, EventKind::kSent);
    EXPECT_EQ(events[1].kind, EventKind::kReply);
    EXPECT_EQ(events[1].probe_id, sent);
    EXPECT_EQ(events[1].reply_udp_src_port, 50002);
    EXPECT_GE(events[1].time_ns, events[0].time_ns);
    EXPECT_GT(events[1].rtt_ns, 0);
    reply = events[1];
  }
  EXPECT_GT(reply.responder_delay_ns, 0);
  EXPECT_LE(reply.responder_delay_ns, reply.rtt_ns);
  EXPECT_EQ(responder->counters().answers, sent);
}

TEST_P(UdpEndpointTest, AProbeIsSentAndAnsweredWithKernelStamps) { AProbeIsSentAndAnswered(true); }
TEST_P(UdpEndpointTest, AProbeIsSentAndAnsweredWithOwnTimes) { AProbeIsSentAndAnswered(false); }

TEST_P(UdpEndpointTest, ManyProbesFromManyPortsAreEachAnsweredOnce) {
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

TEST_P(UdpEndpointTest, AsksForAnswersOnAnotherPortWhere4791IsTaken) {
  auto here = StartResponder({.address = Loopback(1), .tcp_port = 0});
  auto there = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(there->target(), 1)}).ok());
  EXPECT_EQ(CountOf(PollUntilEnded(*endpoint, there.get(), 1), EventKind::kReply), 1u);
  EXPECT_EQ(here->counters().malformed, 0u);
}

TEST_P(UdpEndpointTest, NobodyThereIsUnreachableAndSaysWho) {
  auto endpoint = StartEndpoint();
  const topology::Target nobody = {.name = {}, .address = Loopback(9), .clock = {}};
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeTo(nobody, 5)}).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, nullptr, 1);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, EventKind::kUnreachable);
  EXPECT_EQ(events[1].hop_address, Loopback(9));
  EXPECT_EQ(events[1].icmp_code, GetParam() == Family::kV6 ? 4 : 3);  // port unreachable
}

TEST_P(UdpEndpointTest, SilenceIsLossAtTheTimeout) {
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

TEST_P(UdpEndpointTest, AnAnswerToAnotherSessionIsDropped) {
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

TEST_P(UdpEndpointTest, GarbageAndAWrongIcrcAreCountedAndDropped) {
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

TEST_P(UdpEndpointTest, TakesNoneOfTooManyProbes) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint({.capacity = 4});
  const std::vector<Probe> five(5, ProbeTo(responder->target(), 1));
  EXPECT_TRUE(absl::IsResourceExhausted(endpoint->Send(five)));
  EXPECT_TRUE(endpoint->Send(std::span(five).first(4)).ok());
}

TEST_P(UdpEndpointTest, AHeldSourcePortIsNamedWithItsHolder) {
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

TEST_P(UdpEndpointTest, TwoProbersDoNotShareASourcePort) {
  auto first = StartEndpoint();
  auto second = StartEndpoint();
  const topology::Target target = {.name = {}, .address = Loopback(2), .clock = {}};
  EXPECT_TRUE(first->Send(std::vector{ProbeTo(target, 1)}).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(second->Send(std::vector{ProbeTo(target, 1)})));
}

TEST_P(UdpEndpointTest, TellsWithWhichTtlAndTrafficClassTheProbeArrived) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  Probe probe = ProbeTo(responder->target(), 1);
  probe.ttl = 9;
  probe.traffic_class = 104;
  ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
  const std::vector<Event> events = PollUntilEnded(*endpoint, responder.get(), 1);
  ASSERT_EQ(events.back().kind, EventKind::kReply);
  EXPECT_EQ(events.back().received_ttl, 9);
  EXPECT_EQ(events.back().received_traffic_class, 104);
}

// An error queue shows the TTL of the error itself, and of what it quotes only IPv6's traffic
// class.
TEST_P(UdpEndpointTest, TellsOfAnErrorWhatTheErrorQueueShows) {
  auto endpoint = StartEndpoint({.sees_quotes = false});
  EXPECT_FALSE(endpoint->quote_status().ok());
  const topology::Target nobody = {.name = {}, .address = Loopback(9), .clock = {}};
  Probe probe = ProbeTo(nobody, 5);
  probe.traffic_class = 104;
  ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
  const Event event = PollUntilEnded(*endpoint, nullptr, 1).back();
  ASSERT_EQ(event.kind, EventKind::kUnreachable);
  EXPECT_EQ(event.answer_ttl, 64);
  if (GetParam() == Family::kV6) {
    EXPECT_EQ(event.quoted_traffic_class, 104);
  } else {
    EXPECT_FALSE(event.quoted_traffic_class.has_value());
  }
  EXPECT_FALSE(event.quoted_ttl.has_value());
  EXPECT_FALSE(event.answer_ip_id.has_value());
}

TEST_P(UdpEndpointTest, AProbeLeavesFromTheSourceThatItNames) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  std::vector<Probe> probes = {ProbeTo(responder->target(), 1), ProbeTo(responder->target(), 2)};
  probes[1].source = Loopback(4);  // the same source port, of another address
  ASSERT_TRUE(endpoint->Send(probes).ok());
  EXPECT_EQ(CountOf(PollUntilEnded(*endpoint, responder.get(), 2), EventKind::kReply), 2u);
  EXPECT_TRUE(absl::IsAlreadyExists(OpenHeld(Loopback(4))));
  EXPECT_TRUE(OpenHeld(Loopback(5)).ok());
}

TEST_P(UdpEndpointTest, ASourceThatIsNotThisHostsIsRefused) {
  auto endpoint = StartEndpoint();
  const topology::Target target = {.name = {}, .address = Loopback(2), .clock = {}};
  Probe probe = ProbeTo(target, 1);
  probe.source = *wire::IpAddress::Parse(GetParam() == Family::kV6 ? "2001:db8::1" : "192.0.2.1");
  const absl::Status status = endpoint->Send(std::vector{probe});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr(probe.source.ToString() + ": not an address of this host"));
}

TEST_P(UdpEndpointTest, ALiveHeaderGoesOutWithALimitedTtlOnlyAndIsNeverTakenForData) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  Probe probe = ProbeTo(responder->target(), 1);
  probe.wears_live_header = true;
  EXPECT_TRUE(absl::IsInvalidArgument(endpoint->Send(std::vector{probe})));
  probe.ttl = kLiveHeaderTtl - 1;
  probe.timeout_ns = 50'000'000;
  ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
  EXPECT_EQ(CountOf(PollUntilEnded(*endpoint, responder.get(), 1), EventKind::kLost), 1u);
  EXPECT_EQ(responder->counters().bad_icrc, 1u);
  EXPECT_EQ(responder->counters().answers, 0u);
}

TEST_P(UdpEndpointTest, FlowLabelsAreIpv6s) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = StartEndpoint();
  std::vector<Probe> probes;
  for (uint32_t label : {0u, 1u, 0x12345u, 0xfffffu}) {
    Probe probe = ProbeTo(responder->target(), probes.size());
    probe.flow_label = label;
    probes.push_back(probe);
  }
  const absl::Status status = endpoint->Send(probes);
  if (GetParam() == Family::kV4) {
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  } else {
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(CountOf(PollUntilEnded(*endpoint, responder.get(), 4), EventKind::kReply), 4u);
  }
}

// What arrives at a socket that asks for it.
TEST_P(UdpEndpointTest, AProbeArrivesWithTheFlowLabelThatItWasSentWith) {
  if (GetParam() == Family::kV4) return;
  UdpSocket there;
  ASSERT_EQ(there.Open({.address = Loopback(2), .port = 4791, .receives = true}), 0);
  auto endpoint = StartEndpoint();
  const topology::Target target = {.name = {}, .address = Loopback(2), .clock = {}};
  for (uint32_t label : {0u, 0x12345u}) {
    Probe probe = ProbeTo(target, label);
    probe.flow_label = label;
    ASSERT_TRUE(endpoint->Send(std::vector{probe}).ok());
    EXPECT_EQ(ArrivedFlowLabel(there.fd()), label);
  }
}

TEST(UdpEndpoint, AnUnknownInterfaceIsNamedWithThoseThereAre) {
  const auto endpoint = UdpEndpoint::Create({.interface = "weft-none"});
  EXPECT_TRUE(absl::IsNotFound(endpoint.status()));
  EXPECT_THAT(std::string(endpoint.status().message()),
              HasSubstr("interface weft-none: no such interface: expected one of lo"));
}

WEFT_OVER_BOTH_FAMILIES(UdpEndpointTest);

using PortSocketsTest = LoopbackTest;

TEST_P(PortSocketsTest, TheOneUnusedForLongestMakesRoom) {
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

TEST_P(PortSocketsTest, ASocketInUseStaysOpen) {
  PortSockets sockets({}, 1);
  int error = 0;
  PortSockets::Socket* first = sockets.Get(Loopback(1), 50001, &error);
  ++first->users;
  EXPECT_EQ(sockets.Get(Loopback(1), 50002, &error), nullptr);
  EXPECT_EQ(error, EMFILE);
  --first->users;
  EXPECT_NE(sockets.Get(Loopback(1), 50002, &error), nullptr);
}

WEFT_OVER_BOTH_FAMILIES(PortSocketsTest);

struct MtuCase {
  const char* address;
  uint32_t ip_mtu;
  uint32_t path_mtu;
};

TEST(PathMtu, IsTheLargestInfiniBandMtuThatFits) {
  for (const MtuCase& row : {MtuCase{"10.0.0.1", 65536, 4096}, MtuCase{"10.0.0.1", 4200, 4096},
                             MtuCase{"10.0.0.1", 4148, 4096}, MtuCase{"10.0.0.1", 4147, 2048},
                             MtuCase{"10.0.0.1", 1500, 1024}, MtuCase{"10.0.0.1", 1075, 512},
                             MtuCase{"10.0.0.1", 308, 256}, MtuCase{"10.0.0.1", 307, 0},
                             MtuCase{"fd00::1", 4168, 4096}, MtuCase{"fd00::1", 4167, 2048},
                             MtuCase{"fd00::1", 1280, 1024}, MtuCase{"fd00::1", 327, 0}}) {
    EXPECT_EQ(PathMtuFor(row.ip_mtu, *wire::IpAddress::Parse(row.address)), row.path_mtu)
        << row.address << " " << row.ip_mtu;
  }
}

}  // namespace
}  // namespace weft::probe
