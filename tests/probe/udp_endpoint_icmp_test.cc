// SPDX-License-Identifier: Apache-2.0
// What a UdpEndpoint makes of ICMP errors that it hears by raw sockets.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/udp/icmp_socket.h"
#include "probe/endpoint/udp/socket_address.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "probe/endpoint/udp/udp_socket.h"
#include "tests/probe/loopback.h"
#include "wire/byte_writer.h"
#include "wire/icmp.h"
#include "wire/ip.h"
#include "wire/ip_error.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::probe {
namespace {

constexpr uint32_t kSession = 99;
constexpr uint8_t kTtl = 3;
constexpr uint16_t kPort = 50001;

// In a network of its own, so that no other program's errors are heard, and where an ordinary user
// may open raw sockets too. Host 2 holds UDP 4791 and never answers, host 9 has nobody there, and
// host 3 forges errors.
class UdpEndpointIcmpTest : public LoopbackTest {
 protected:
  void SetUp() override {
    static const std::string problem = EnterIpv6Network();
    if (!problem.empty()) GTEST_SKIP() << "no network to test in: " << problem;
    const int error = IcmpSocket().Open(GetParam(), false);
    if (error != 0) GTEST_SKIP() << "no raw ICMP socket: " << strerror(error);
    ASSERT_EQ(silent_.Open({.address = Loopback(2), .port = 4791, .receives = true}), 0);
    forger_ = socket(DomainOf(Loopback(3)), SOCK_RAW | SOCK_CLOEXEC,
                     is_v6() ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP});
    SocketAddress from(Loopback(3), 0);
    ASSERT_EQ(bind(forger_, from.data(), *from.size()), 0);
  }
  void TearDown() override {
    if (forger_ >= 0) close(forger_);
  }

  static bool is_v6() { return GetParam() == Family::kV6; }

  static std::unique_ptr<UdpEndpoint> StartEndpoint(UdpEndpointOptions options = {}) {
    if (options.address.empty()) options.address = Loopback(1);
    if (options.session == 0) options.session = kSession;
    auto endpoint = UdpEndpoint::Create(options);
    EXPECT_TRUE(endpoint.ok()) << endpoint.status();
    return *std::move(endpoint);
  }

  static Probe ProbeToHost(uint32_t number) {
    const topology::Target target = {.name = {}, .address = Loopback(number), .clock = {}};
    Probe probe = ProbeTo(target, 5);
    probe.ttl = kTtl;
    probe.traffic_class = 104;
    probe.timeout_ns = 3'000'000'000;
    return probe;
  }

  // The packet that a hop may quote: what ProbeToHost(2) sends, unless it is changed.
  struct Quoted {
    uint32_t session = kSession;
    uint32_t sequence = 0;
    uint16_t udp_src_port = kPort;
    uint16_t udp_dst_port = wire::kRoceUdpPort;
    uint8_t length_of_ttl = kTtl;  // as which probe's length its UDP header says
    size_t quote_bytes = 1280;
  };

  // Of the probe that host 2 was sent last.
  uint32_t ArrivedSequence() const {
    std::array<std::byte, kMaxProbeBytes> datagram;
    std::optional<wire::ProbePayload> payload;
    WaitReadable(silent_.fd(), 1'000'000'000);
    ssize_t size = 0;
    while ((size = recv(silent_.fd(), datagram.data(), datagram.size(), MSG_DONTWAIT)) > 0) {
      payload = ParseQuotedProbe(std::span(datagram).first(static_cast<size_t>(size)));
    }
    EXPECT_TRUE(payload.has_value());
    return payload ? payload->sequence : 0;
  }

  void Forge(const Quoted& quoted) const {
    Probe probe = ProbeToHost(2);
    probe.ttl = quoted.length_of_ttl;
    std::array<std::byte, kMaxProbeBytes> datagram;
    const size_t size =
        BuildProbe(probe, Loopback(1), quoted.session, quoted.sequence, 1, 4791, datagram);
    std::array<std::byte, 600> original;
    wire::ByteWriter writer(original);
    wire::WriteIp({.source = Loopback(1),
                   .destination = Loopback(2),
                   .traffic_class = 40,
                   .ttl = 1,
                   .protocol = wire::kIpProtocolUdp,
                   .payload_bytes = wire::kUdpHeaderBytes + size},
                  writer);
    wire::WriteUdp({.source_port = quoted.udp_src_port,
                    .destination_port = quoted.udp_dst_port,
                    .length = static_cast<uint16_t>(wire::kUdpHeaderBytes + size)},
                   writer);
    writer.Bytes(std::span(datagram).first(size));
    ASSERT_TRUE(writer.ok());
    std::array<std::byte, 1400> packet;
    const size_t packet_bytes = wire::BuildIpError(
        {.router = Loopback(3), .quote_bytes = quoted.quote_bytes}, writer.written_bytes(), packet);
    ASSERT_GT(packet_bytes, 0u);
    // The kernel writes the IP header, and for IPv6 the checksum.
    const size_t header = wire::IpHeaderBytes(Loopback(3));
    SendMessage(std::span(packet).first(packet_bytes).subspan(header));
  }

  void SendMessage(std::span<const std::byte> message) const {
    SocketAddress to(Loopback(1), 0);
    ASSERT_EQ(sendto(forger_, message.data(), message.size(), 0, to.data(), *to.size()),
              static_cast<ssize_t>(message.size()))
        << strerror(errno);
  }

  // A quote of the addresses, ports and length alone.
  static size_t ShortQuote() { return wire::IpHeaderBytes(Loopback(1)) + wire::kUdpHeaderBytes; }

  // Polls until `done`, or for as long as a machine under load may take.
  template <typename Done>
  static std::vector<Event> PollUntil(UdpEndpoint& endpoint, Done done) {
    std::vector<Event> events;
    for (int i = 0; i < 200 && !done(); ++i) {
      EXPECT_TRUE(endpoint.Poll(endpoint.Now() + 10'000'000, events).ok());
    }
    EXPECT_TRUE(done());
    return events;
  }

  static void ExpectNothingMore(UdpEndpoint& endpoint) {
    std::vector<Event> more;
    EXPECT_TRUE(endpoint.Poll(endpoint.Now() + 20'000'000, more).ok());
    EXPECT_TRUE(more.empty());
  }

  UdpSocket silent_;
  int forger_ = -1;
};

TEST_P(UdpEndpointIcmpTest, TellsTheQuotedHeaderAndTheOneThatCarriedIt) {
  auto endpoint = StartEndpoint();
  EXPECT_TRUE(endpoint->quote_status().ok()) << endpoint->quote_status();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(9)}).ok());
  const Event event = PollUntilEnded(*endpoint, nullptr, 1).back();
  ASSERT_EQ(event.kind, EventKind::kUnreachable);
  EXPECT_EQ(event.hop_address, Loopback(9));
  EXPECT_EQ(event.icmp_code, is_v6() ? 4 : 3);
  EXPECT_EQ(event.quoted_traffic_class, 104);
  EXPECT_EQ(event.quoted_ttl, kTtl);
  EXPECT_EQ(event.answer_ttl, 64);
  EXPECT_EQ(event.answer_ip_id.has_value(), !is_v6());
  EXPECT_GT(event.rtt_ns, 0);
}

TEST_P(UdpEndpointIcmpTest, AnErrorThatComesTwoWaysIsOneEvent) {
  for (const bool kernel_stamps : {true, false}) {
    auto endpoint = StartEndpoint({.kernel_stamps = kernel_stamps});
    std::vector<Probe> probes(200, ProbeToHost(9));
    for (size_t i = 0; i < probes.size(); ++i) {
      probes[i].id = i;
      probes[i].udp_src_port = static_cast<uint16_t>(50000 + i);
    }
    ASSERT_TRUE(endpoint->Send(probes).ok());
    std::vector<Event> events = PollUntilEnded(*endpoint, nullptr, probes.size());
    ExpectNothingMore(*endpoint);
    std::erase_if(events, [](const Event& event) { return event.kind == EventKind::kSent; });
    ASSERT_EQ(events.size(), probes.size());
    std::ranges::sort(events, {}, &Event::probe_id);
    for (size_t i = 0; i < events.size(); ++i) {
      EXPECT_EQ(events[i].probe_id, i);
      EXPECT_EQ(events[i].kind, EventKind::kUnreachable);
      EXPECT_EQ(events[i].quoted_ttl, kTtl);
    }
    EXPECT_EQ(endpoint->counters().late, 0u);
    EXPECT_EQ(endpoint->counters().icmp_overflow, 0u);
  }
}

TEST_P(UdpEndpointIcmpTest, EveryErrorGoesToTheEndpointWhoseProbeItQuotes) {
  auto one = StartEndpoint();
  auto other = StartEndpoint({.address = Loopback(4), .session = 7});
  ASSERT_TRUE(one->Send(std::vector{ProbeToHost(9)}).ok());
  ASSERT_EQ(PollUntilEnded(*one, nullptr, 1).back().kind, EventKind::kUnreachable);
  PollUntil(*other, [&] { return other->counters().foreign_errors == 1; });
  ASSERT_TRUE(other->Send(std::vector{ProbeToHost(9)}).ok());
  ASSERT_EQ(PollUntilEnded(*other, nullptr, 1).back().kind, EventKind::kUnreachable);
  EXPECT_EQ(other->counters().late, 0u);
  EXPECT_EQ(one->counters().other_session, 0u);
}

TEST_P(UdpEndpointIcmpTest, AHopIsKnownByTheShortestQuote) {
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(2)}).ok());
  Forge({.quote_bytes = ShortQuote()});
  const Event event = PollUntilEnded(*endpoint, nullptr, 1).back();
  ASSERT_EQ(event.kind, EventKind::kHop);
  EXPECT_EQ(event.hop_address, Loopback(3));
  EXPECT_EQ(event.quoted_traffic_class, 40);
  EXPECT_EQ(event.quoted_ttl, 1);
}

TEST_P(UdpEndpointIcmpTest, AShortQuoteOfAnEarlierTtlIsLate) {
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(2)}).ok());
  Forge({.length_of_ttl = kTtl - 1, .quote_bytes = ShortQuote()});
  const auto events = PollUntil(*endpoint, [&] { return endpoint->counters().late == 1; });
  EXPECT_TRUE(std::ranges::all_of(events, [](auto& e) { return e.kind == EventKind::kSent; }));
}

TEST_P(UdpEndpointIcmpTest, WhatQuotesNoProbeOfOursEndsNone) {
  const struct {
    const char* name;
    Quoted quoted;
    uint64_t UdpEndpointCounters::*counter;
  } rows[] = {
      {"another session", {.session = 98}, &UdpEndpointCounters::other_session},
      {"another sequence", {.sequence = 1}, &UdpEndpointCounters::late},
      {"a port that we do not hold", {.udp_src_port = 50099}, &UdpEndpointCounters::foreign_errors},
      {"a port of ours that the probe has not",
       {.udp_src_port = 4791},
       &UdpEndpointCounters::stray},
      {"a short quote from a port of ours",
       {.udp_src_port = 4791, .quote_bytes = ShortQuote()},
       &UdpEndpointCounters::late},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    auto endpoint = StartEndpoint();
    ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(2)}).ok());
    Quoted quoted = row.quoted;
    const uint32_t sequence = ArrivedSequence();
    quoted.sequence += sequence;
    Forge(quoted);
    const auto counted = [&] { return endpoint->counters().*row.counter == 1; };
    const std::vector<Event> events = PollUntil(*endpoint, counted);
    EXPECT_TRUE(std::ranges::all_of(events, [](auto& e) { return e.kind == EventKind::kSent; }));
    // And the same without the lie ends it.
    Forge({.sequence = sequence});
    EXPECT_EQ(PollUntilEnded(*endpoint, nullptr, 1).back().kind, EventKind::kHop);
  }
}

// Not even the kernel lets through what is cut short, of another type or about another port.
TEST_P(UdpEndpointIcmpTest, TheKernelDropsWhatIsNoErrorAboutOurPort) {
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(2)}).ok());
  Forge({.udp_dst_port = 53});
  std::array<std::byte, 64> message{};
  for (const uint8_t type :
       is_v6() ? std::array<uint8_t, 3>{3, 2, 128} : std::array<uint8_t, 3>{11, 4, 8}) {
    message[0] = std::byte{type};
    SendMessage(std::span(message).first(8));
    SendMessage(message);
  }
  Forge({.sequence = ArrivedSequence()});
  EXPECT_EQ(PollUntilEnded(*endpoint, nullptr, 1).back().kind, EventKind::kHop);
  EXPECT_EQ(endpoint->counters().other_errors, 0u);
  EXPECT_EQ(endpoint->counters().foreign_errors, 0u);
}

TEST_P(UdpEndpointIcmpTest, WhatFindsTheBufferFullIsCounted) {
  auto endpoint = StartEndpoint();
  ASSERT_TRUE(endpoint->Send(std::vector{ProbeToHost(2)}).ok());
  for (int i = 0; i < 100; ++i) Forge({.session = 98});
  EXPECT_EQ(endpoint->counters().icmp_overflow, 0u);
  for (int i = 0; i < 100'000 && endpoint->counters().icmp_overflow == 0; ++i) {
    Forge({.session = 98});
  }
  const uint64_t overflow = endpoint->counters().icmp_overflow;
  EXPECT_GT(overflow, 0u);
  // What was not lost is read to the end, in steps.
  PollUntil(*endpoint, [&] { return endpoint->counters().other_session > 1000; });
}

WEFT_OVER_BOTH_FAMILIES(UdpEndpointIcmpTest);

TEST(IcmpDatagram, IsReadAsLongAsItIsWhole) {
  std::array<std::byte, 200> original;
  wire::ByteWriter writer(original);
  wire::WriteIp({.source = wire::IpAddress::V4(1),
                 .destination = wire::IpAddress::V4(2),
                 .protocol = wire::kIpProtocolUdp,
                 .payload_bytes = 100},
                writer);
  wire::WriteUdp({.source_port = 1, .destination_port = 4791, .length = 100}, writer);
  writer.Zeroes(92);
  std::array<std::byte, 600> packet;
  const size_t size =
      wire::BuildIpError({.router = wire::IpAddress::V4(3)}, writer.written_bytes(), packet);
  ASSERT_GT(size, 0u);
  Datagram datagram;
  datagram.bytes = std::span(packet).first(size);
  datagram.source = wire::IpAddress::V4(3);
  EXPECT_TRUE(ParseIcmpDatagram(datagram).has_value());
  datagram.cut = true;
  EXPECT_FALSE(ParseIcmpDatagram(datagram).has_value());
  datagram.cut = false;
  for (size_t bytes = 0; bytes < size; ++bytes) {
    datagram.bytes = std::span(packet).first(bytes);
    EXPECT_FALSE(ParseIcmpDatagram(datagram).has_value()) << bytes;
  }
}

}  // namespace
}  // namespace weft::probe
