// SPDX-License-Identifier: Apache-2.0
// Errors of both versions by one interface, and what is ICMPv6's own. icmp_test.cc has ICMP's.
#include "wire/ip_error.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "wire/checksum.h"
#include "wire/icmp.h"
#include "wire/icmpv6.h"

namespace weft::wire {
namespace {

const IpAddress kV4Router = IpAddress::V4(0x0a010101);
const IpAddress kV6Router = *IpAddress::Parse("fd00::1");
constexpr size_t kV6Quote = kIpv6HeaderBytes + kIcmpv6HeaderBytes;  // where it begins

Bytes Build(const IpErrorOptions& options, std::span<const std::byte> original) {
  Bytes out(2000);
  out.resize(BuildIpError(options, original, out));
  return out;
}

// Makes the checksum of an ICMPv6 message behind a header without extension headers right.
void FixChecksum(Bytes& packet) {
  const std::optional<Ipv6Header> ip = ParseIpv6(packet);
  const std::span<std::byte> message = std::span(packet).subspan(kIpv6HeaderBytes);
  message[2] = message[3] = std::byte{0};
  const uint16_t checksum =
      ChecksumWithPseudoHeader(ip->source, ip->destination, kIpProtocolIcmpv6, message);
  ByteWriter(message.subspan(2)).U16(checksum);
}

TEST(IpError, ReadsWhatLinuxRoutersSay) {
  const struct {
    const char* name;
    std::string_view packet;
    IpErrorKind kind;
    uint8_t code;
    const char* router;
    const char* to;
    uint8_t quoted_ttl;
    uint8_t quoted_class;
    uint32_t quoted_label;
  } rows[] = {
      {"Ipv4TimeExceeded", kLinuxTimeExceeded, IpErrorKind::kTimeExceeded, 0, "10.1.1.1",
       "10.2.2.2", 1, 0, 0},
      {"Ipv4HostUnreachable", kLinuxHostUnreachable, IpErrorKind::kUnreachable, 1, "10.1.1.1",
       "10.2.2.2", 63, 0, 0},
      {"Ipv6TimeExceeded", kLinuxV6TimeExceeded, IpErrorKind::kTimeExceeded, 0, "fd00:1::1",
       "fd00:2::2", 1, 0x6a, 0xcb829},
      {"Ipv6NoRoute", kLinuxV6NoRoute, IpErrorKind::kUnreachable, 0, "fd00:1::1", "fd00:3::2", 9,
       0x6a, 0xd13f2},
      {"Ipv6Port", kLinuxV6PortUnreachable, IpErrorKind::kPortClosed, 4, "fd00:1::1", "fd00:1::1",
       9, 0x6a, 0xb8590},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes packet = FromHex(row.packet);
    const std::optional<IpError> error = ParseIpError(packet);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind, row.kind);
    EXPECT_EQ(error->code, row.code);
    EXPECT_EQ(error->carrier, *ParseIp(packet));
    EXPECT_EQ(error->carrier.source.ToString(), row.router);
    EXPECT_EQ(error->quoted_ip.destination.ToString(), row.to);
    EXPECT_EQ(error->quoted_ip.source, error->carrier.destination);
    EXPECT_EQ(error->quoted_ip.ttl, row.quoted_ttl);
    EXPECT_EQ(error->quoted_ip.traffic_class, row.quoted_class);
    EXPECT_EQ(error->quoted_ip.flow_label, row.quoted_label);
    ASSERT_TRUE(error->quoted_udp.has_value());
    EXPECT_EQ(error->quoted_udp->source_port, 49153);
    EXPECT_EQ(error->quoted_udp->destination_port, 4791);
    EXPECT_EQ(error->quoted_payload.size(), 36u);
  }
}

TEST(IpError, ParsesWhatItBuildsOfEveryKindAndVersion) {
  const struct {
    const char* name;
    IpErrorKind kind;
    uint8_t v4_code;
    uint8_t v6_code;
    uint32_t mtu;
  } rows[] = {
      {"TimeExceeded", IpErrorKind::kTimeExceeded, 0, 0, 0},
      {"Unreachable", IpErrorKind::kUnreachable, 1, 3, 0},
      {"PortClosed", IpErrorKind::kPortClosed, 3, 4, 0},
      {"PacketTooBig", IpErrorKind::kPacketTooBig, 4, 0, 4200},
  };
  for (const auto& row : rows) {
    for (const bool is_v4 : {true, false}) {
      SCOPED_TRACE(row.name + std::string(is_v4 ? " 4" : " 6"));
      const Bytes original = FromHex(is_v4 ? kUdSendPacket : kIpv6WritePacket);
      const Bytes packet = Build({.kind = row.kind,
                                  .mtu = 4200,
                                  .router = is_v4 ? kV4Router : kV6Router,
                                  .ttl = 61,
                                  .identification = 0x1234},
                                 original);
      const std::optional<IpError> error = ParseIpError(packet);
      ASSERT_TRUE(error.has_value());
      EXPECT_EQ(error->kind, row.kind);
      EXPECT_EQ(error->code, is_v4 ? row.v4_code : row.v6_code);
      EXPECT_EQ(error->mtu, row.mtu);
      EXPECT_EQ(error->carrier.source, is_v4 ? kV4Router : kV6Router);
      EXPECT_EQ(error->carrier.destination, error->quoted_ip.source);
      EXPECT_EQ(error->carrier.ttl, 61);
      EXPECT_EQ(error->carrier.identification, is_v4 ? 0x1234 : 0);
      EXPECT_EQ(error->quoted_ip, *ParseIp(original));
      const size_t headers = error->quoted_ip.header_bytes + kUdpHeaderBytes;
      EXPECT_EQ(ToHex(error->quoted_payload), ToHex(std::span(original).subspan(headers)));
    }
  }
}

TEST(IpError, RejectsEveryTruncationAndEveryFlippedBitOfTheMessage) {
  for (const std::string_view hex : {kLinuxTimeExceeded, kLinuxV6TimeExceeded}) {
    const Bytes packet = FromHex(hex);
    for (size_t size = 0; size < packet.size(); ++size) {
      EXPECT_FALSE(ParseIpError(First(packet, size)).has_value()) << size << " bytes";
    }
    for (size_t bit = ParseIp(packet)->header_bytes * 8; bit < packet.size() * 8; ++bit) {
      Bytes flipped = packet;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      EXPECT_FALSE(ParseIpError(flipped).has_value()) << "byte " << bit / 8;
    }
  }
}

TEST(IpError, ReassemblyThatTookTooLongIsNoTtlThatRanOut) {
  Bytes v6 = FromHex(kLinuxV6TimeExceeded);
  v6[41] = std::byte{1};
  FixChecksum(v6);
  EXPECT_TRUE(ParseIcmpv6Error(v6).has_value());
  EXPECT_FALSE(ParseIpError(v6).has_value());
  Bytes v4(1024);
  v4.resize(BuildIcmpError({.code = 1, .router = kV4Router}, FromHex(kUdSendPacket), v4));
  EXPECT_TRUE(ParseIcmpError(v4).has_value());
  EXPECT_FALSE(ParseIpError(v4).has_value());
}

TEST(Icmpv6Error, ChecksumCoversTheCarriersAddresses) {
  Bytes packet = FromHex(kLinuxV6TimeExceeded);
  packet[23] ^= std::byte{1};
  EXPECT_FALSE(ParseIpError(packet).has_value());
  FixChecksum(packet);
  EXPECT_EQ(ParseIpError(packet)->carrier.source.ToString(), "fd00:1::");
}

TEST(Icmpv6Error, RejectsWhatIsNotAnErrorWithAQuote) {
  const struct {
    const char* name;
    size_t offset;
    uint8_t value;
    bool accepted;
  } rows[] = {
      {"Unchanged", 0, 0x60, true},
      {"NotIcmpv6", 6, 17, false},
      {"EchoReply", 40, 129, false},
      {"ParameterProblem", 40, 4, false},
      {"TypeZero", 40, 0, false},
      {"UnusedBytesAreIgnored", 44, 0xff, true},
      {"QuoteIsNotIpv6", kV6Quote, 0x40, false},
      {"QuoteSaysSevenBytes", kV6Quote + 5, 7, false},
      {"QuoteSaysEightBytes", kV6Quote + 5, 8, true},
      {"QuoteSaysMoreThanIsThere", kV6Quote + 4, 0x40, true},
  };
  for (const auto& row : rows) {
    Bytes packet = FromHex(kLinuxV6TimeExceeded);
    packet[row.offset] = static_cast<std::byte>(row.value);
    FixChecksum(packet);
    EXPECT_EQ(ParseIpError(packet).has_value(), row.accepted) << row.name;
  }
}

TEST(Icmpv6Error, RejectsAQuoteThatEndsInItsExtensionHeaders) {
  // The quoted UDP header is taken for options, the second byte of its port for their length.
  const struct {
    const char* name;
    uint8_t length;  // in units of eight bytes beyond the first; 44 bytes are quoted
    bool accepted;
  } rows[] = {{"EightBytesBehind", 3, true}, {"FourBytesBehind", 4, false}, {"Cut", 5, false}};
  for (const auto& row : rows) {
    Bytes packet = FromHex(kLinuxV6TimeExceeded);
    packet[kV6Quote + 6] = std::byte{60};
    packet[kV6Quote + kIpv6HeaderBytes + 1] = std::byte{row.length};
    FixChecksum(packet);
    EXPECT_EQ(ParseIpError(packet).has_value(), row.accepted) << row.name;
  }
}

TEST(Icmpv6Error, MayBeCarriedBehindOptionsButNotInFragments) {
  for (const bool is_fragment : {false, true}) {
    const Bytes plain = FromHex(kLinuxV6TimeExceeded);
    Bytes packet(plain.begin(), plain.begin() + kIpv6HeaderBytes);
    packet[5] = std::byte{0x64};
    packet[6] = std::byte{static_cast<uint8_t>(is_fragment ? 44 : 60)};
    const Bytes extension = FromHex(is_fragment ? "3a000001 00000001" : "3a000104 00000000");
    packet.insert(packet.end(), extension.begin(), extension.end());
    packet.insert(packet.end(), plain.begin() + kIpv6HeaderBytes, plain.end());
    const std::optional<IpError> error = ParseIpError(packet);
    EXPECT_EQ(error.has_value(), !is_fragment);
    if (error.has_value()) {
      EXPECT_EQ(error->carrier, *ParseIp(packet));
    }
  }
}

TEST(Icmpv6Error, QuotesBehindExtensionHeaders) {
  const Bytes plain = FromHex(kIpv6WritePacket);
  const struct {
    const char* name;
    const char* extension;
    uint8_t next_header;
    bool answered;
    bool has_udp;
  } rows[] = {
      {"Options", "11000104 00000000", 60, true, true},
      {"FirstFragment", "11000001 00000007", 44, true, true},
      {"LaterFragment", "11000008 00000007", 44, false, false},
      {"OfTcp", "06000104 00000000", 60, true, false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Bytes original(plain.begin(), plain.begin() + kIpv6HeaderBytes);
    original[5] = std::byte{0x38};
    original[6] = std::byte{row.next_header};
    const Bytes extension = FromHex(row.extension);
    original.insert(original.end(), extension.begin(), extension.end());
    original.insert(original.end(), plain.begin() + kIpv6HeaderBytes, plain.end());
    const Bytes packet = Build({.router = kV6Router, .quote_bytes = 0}, original);
    ASSERT_EQ(!packet.empty(), row.answered);
    if (!row.answered) continue;
    EXPECT_EQ(packet.size(), kV6Quote + 40 + 8 + 8)
        << "headers and eight bytes, whatever was asked";
    const std::optional<IpError> error = ParseIpError(packet);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->quoted_ip, *ParseIp(original));
    EXPECT_EQ(error->quoted_udp.has_value(), row.has_udp);
  }
}

TEST(Icmpv6Error, FitsTheSmallestMtu) {
  Bytes original = FromHex(kIpv6WritePacket);
  original.resize(4000);
  original[4] = std::byte{0x0f};  // 3,960 bytes behind the header
  original[5] = std::byte{0x78};
  EXPECT_EQ(Build({.router = kV6Router}, original).size(), 1280u);
  EXPECT_EQ(Build({.router = kV6Router, .quote_bytes = 5000}, original).size(), 1280u);
  EXPECT_EQ(Build({.router = kV6Router, .quote_bytes = 100}, original).size(), 148u);
  Bytes padded = FromHex(kIpv6WritePacket);
  padded.resize(padded.size() + 20, std::byte{0xee});
  EXPECT_EQ(Build({.router = kV6Router}, padded).size(), kV6Quote + 88) << "without the padding";
}

TEST(Icmpv6Error, IsNotBuiltAboutWhatMustNotBeAnswered) {
  const auto changed = [](size_t offset, std::string_view hex) {
    Bytes packet = FromHex(kIpv6WritePacket);
    const Bytes change = FromHex(hex);
    std::copy(change.begin(), change.end(), packet.begin() + static_cast<ptrdiff_t>(offset));
    return packet;
  };
  const std::string none = "00000000 00000000 00000000 00000000";
  const IpErrorKind big = IpErrorKind::kPacketTooBig;
  const IpErrorKind exceeded = IpErrorKind::kTimeExceeded;
  const struct {
    const char* name;
    Bytes original;
    IpAddress router;
    IpErrorKind kind;
    bool built;
  } rows[] = {
      {"Datagram", changed(0, "60"), kV6Router, exceeded, true},
      {"EchoRequest", changed(6, "3a40" + none + none + "80"), kV6Router, exceeded, false},
      {"EchoRequestFromANode",
       changed(6,
               "3a40 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000 0000000b 80"),
       kV6Router, exceeded, true},
      {"Redirect",
       changed(6,
               "3a40 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000 0000000b 89"),
       kV6Router, exceeded, false},
      {"Icmpv6Error", FromHex(kLinuxV6TimeExceeded), kV6Router, exceeded, false},
      {"FromNoNode", changed(8, none), kV6Router, exceeded, false},
      {"FromAGroup", changed(8, "ff"), kV6Router, exceeded, false},
      {"ToAGroup", changed(24, "ff"), kV6Router, exceeded, false},
      {"TooBigForAGroup", changed(24, "ff"), kV6Router, big, true},
      {"SaysSevenBytes", changed(4, "0007"), kV6Router, exceeded, false},
      {"RouterWithoutAddress", changed(0, "60"), IpAddress(), exceeded, false},
      {"RouterOfTheOtherFamily", changed(0, "60"), kV4Router, exceeded, false},
      {"Ipv4ByAnIpv6Router", FromHex(kUdSendPacket), kV6Router, exceeded, false},
  };
  for (const auto& row : rows) {
    const Bytes packet = Build({.kind = row.kind, .router = row.router}, row.original);
    EXPECT_EQ(!packet.empty(), row.built) << row.name;
  }
  const Bytes original = FromHex(kIpv6WritePacket);
  for (size_t size = 0; size < kV6Quote + original.size(); ++size) {
    Bytes out(size);
    EXPECT_EQ(BuildIpError({.router = kV6Router}, original, out), 0u) << size << " bytes";
  }
  for (size_t size = 0; size < 48; ++size) {
    EXPECT_TRUE(Build({.router = kV6Router}, First(original, size)).empty()) << size << " bytes";
  }
}

}  // namespace
}  // namespace weft::wire
