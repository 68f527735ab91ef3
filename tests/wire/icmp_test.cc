// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "wire/checksum.h"
#include "wire/roce.h"

namespace weft::wire {
namespace {

const IpAddress kHost = IpAddress::V4(0x0a010102);
const IpAddress kRouter = IpAddress::V4(0x0a010101);

// A datagram to 10.2.2.2 with this much behind its IPv4 header, whose bytes count up.
Bytes Original(size_t data_bytes, std::span<const std::byte> options = {}) {
  Ipv4Header ip{.dont_fragment = true,
                .ttl = 1,
                .protocol = kIpProtocolUdp,
                .source = kHost,
                .destination = IpAddress::V4(0x0a020202),
                .options = options};
  ip.total_bytes = static_cast<uint16_t>(ip.header_bytes() + data_bytes);
  Bytes packet = Written(ip, WriteIpv4);
  const Bytes udp = Written(UdpHeader{.source_port = 49153,
                                      .destination_port = kRoceUdpPort,
                                      .length = static_cast<uint16_t>(data_bytes)},
                            WriteUdp);
  packet.insert(packet.end(), udp.begin(), udp.end());
  for (size_t i = kUdpHeaderBytes; i < data_bytes; ++i) packet.push_back(static_cast<std::byte>(i));
  return packet;
}

Bytes Build(const IcmpErrorOptions& options, std::span<const std::byte> original) {
  Bytes out(1024);
  out.resize(BuildIcmpError(options, original, out));
  return out;
}

// Puts a right checksum into the ICMP message behind an IPv4 header without options.
void FixChecksum(Bytes& packet) {
  const std::span<std::byte> message = std::span(packet).subspan(kIpv4HeaderBytes);
  message[2] = message[3] = std::byte{0};
  ByteWriter(message.subspan(2)).U16(InternetChecksum(message));
}

TEST(IcmpError, ReadsWhatLinuxRoutersSay) {
  const struct {
    const char* name;
    std::string_view packet;
    IcmpType type;
    uint8_t code;
    uint8_t quoted_ttl;
  } rows[] = {
      {"TimeExceeded", kLinuxTimeExceeded, IcmpType::kTimeExceeded, kIcmpCodeTtlExceeded, 1},
      {"HostUnreachable", kLinuxHostUnreachable, IcmpType::kDestinationUnreachable,
       kIcmpCodeHostUnreachable, 63},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes packet = FromHex(row.packet);
    const std::optional<IcmpError> error = ParseIcmpError(packet);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->type, row.type);
    EXPECT_EQ(error->code, row.code);
    EXPECT_EQ(error->router, kRouter);
    EXPECT_EQ(error->quoted_ip.source, kHost);
    EXPECT_EQ(error->quoted_ip.destination, IpAddress::V4(0x0a020202));
    EXPECT_EQ(error->quoted_ip.ttl, row.quoted_ttl);
    // What the ICRC of a datagram from an ordinary socket relies on.
    EXPECT_EQ(error->quoted_ip.identification, 0);
    EXPECT_TRUE(error->quoted_ip.dont_fragment);
    EXPECT_EQ(error->quoted_udp, (UdpHeader{49153, kRoceUdpPort, 44, 0x1744}));
    EXPECT_TRUE(IcrcMatches({kHost, IpAddress::V4(0x0a020202), 49153}, error->quoted_payload));
  }
}

TEST(IcmpError, BuildsWhatItParses) {
  const Bytes original = Original(80);
  const struct {
    const char* name;
    IcmpErrorOptions options;
    const char* hex;  // of type, code, checksum, reserved, MTU
  } rows[] = {
      {"TimeExceeded", {.router = kRouter}, "0b00 .... 0000 0000"},
      {"PortUnreachable",
       {.type = IcmpType::kDestinationUnreachable, .code = 3, .router = kRouter},
       "0303 .... 0000 0000"},
      {"FragmentationNeeded",
       {.type = IcmpType::kDestinationUnreachable,
        .code = kIcmpCodeFragmentationNeeded,
        .next_hop_mtu = 1500,
        .router = kRouter},
       "0304 .... 0000 05dc"},
      {"MtuIsForFragmentationNeededOnly",
       {.next_hop_mtu = 1500, .router = kRouter},
       "0b00 .... 0000 0000"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes packet = Build(row.options, original);
    const std::string header = ToHex(std::span(packet).subspan(20, 8));
    std::string expected(row.hex);
    std::erase(expected, ' ');
    EXPECT_EQ(header.substr(0, 4) + "...." + header.substr(8), expected);
    EXPECT_TRUE(Ipv4ChecksumMatches(packet));
    EXPECT_EQ(ParseIpv4(packet)->destination, kHost);
    EXPECT_EQ(ParseIpv4(packet)->total_bytes, packet.size());

    const std::optional<IcmpError> error = ParseIcmpError(packet);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->type, row.options.type);
    EXPECT_EQ(error->code, row.options.code);
    EXPECT_EQ(error->router, kRouter);
    EXPECT_EQ(error->quoted_ip, *ParseIpv4(original));
    EXPECT_EQ(error->quoted_udp, (UdpHeader{49153, kRoceUdpPort, 80, 0}));
    EXPECT_EQ(ToHex(error->quoted_payload), ToHex(std::span(original).subspan(28)));
    const Bytes copy(packet.begin(), packet.end());
    EXPECT_EQ(error, ParseIcmpError(copy)) << "compares bytes, not where they are";
  }
}

TEST(IcmpError, QuotesAsMuchAsAskedWithinTheRules) {
  const Bytes router_alert = FromHex("94040000");
  const struct {
    const char* name;
    Bytes original;
    size_t asked;
    size_t quoted;
  } rows[] = {
      {"ShortestQuote", Original(80), kIcmpShortestQuoteBytes, 28},
      {"LessThanTheShortest", Original(80), 0, 28},
      {"LessThanTheShortestWithOptions", Original(80, router_alert), 0, 32},
      {"Between", Original(80), 64, 64},
      {"WholePacket", Original(80), kIcmpLongestQuoteBytes, 100},
      {"AtMost576BytesInAll", Original(4000), 5000, 576 - 28},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes packet = Build({.router = kRouter, .quote_bytes = row.asked}, row.original);
    EXPECT_EQ(packet.size(), 28 + row.quoted);
    const std::optional<IcmpError> error = ParseIcmpError(packet);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->quoted_ip, *ParseIpv4(row.original));
    // The identity of a probe is in every quote, however short.
    ASSERT_TRUE(error->quoted_udp.has_value());
    EXPECT_EQ(error->quoted_udp->source_port, 49153);
    EXPECT_EQ(error->quoted_udp->length, row.original.size() - error->quoted_ip.header_bytes());
    EXPECT_EQ(error->quoted_payload.size(), row.quoted - error->quoted_ip.header_bytes() - 8);
  }
}

TEST(IcmpError, DoesNotQuotePaddingBehindTheOriginal) {
  Bytes original = Original(20);
  original.resize(60, std::byte{0xee});
  EXPECT_EQ(Build({.router = kRouter}, original).size(), 28u + 40u);
}

TEST(IcmpError, IsNotBuiltAboutWhatMustNotBeAnswered) {
  const Bytes healthy = Original(8);
  Bytes later_fragment = healthy;
  later_fragment[7] = std::byte{1};
  Bytes echo_request = healthy;
  echo_request[9] = std::byte{kIpProtocolIcmp};
  echo_request[20] = std::byte{8};
  Bytes wrong_length = healthy;
  wrong_length[3] = std::byte{27};
  const Bytes error = Build({.router = kRouter}, healthy);
  const Bytes cut(healthy.begin(), healthy.end() - 1);
  const struct {
    const char* name;
    const Bytes& original;
    IpAddress router;
    bool built;
  } rows[] = {
      {"Datagram", healthy, kRouter, true},
      {"EchoRequest", echo_request, kRouter, true},
      {"IcmpError", error, kRouter, false},
      {"LaterFragment", later_fragment, kRouter, false},
      {"LessThanEightBytesAreThere", cut, kRouter, false},
      {"LessThanEightBytesAreSaid", wrong_length, kRouter, false},
      {"RouterWithoutAddress", healthy, IpAddress(), false},
      {"RouterWithIpv6", healthy, *IpAddress::Parse("fd00::1"), false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(!Build({.router = row.router}, row.original).empty(), row.built) << row.name;
  }
  for (size_t size = 0; size < error.size(); ++size) {
    Bytes out(size);
    EXPECT_EQ(BuildIcmpError({.router = kRouter}, healthy, out), 0u) << size << " bytes";
  }
}

TEST(IcmpError, RejectsEveryTruncationAndEveryFlippedBit) {
  const Bytes packet = FromHex(kLinuxTimeExceeded);
  for (size_t size = 0; size < packet.size(); ++size) {
    EXPECT_FALSE(ParseIcmpError(First(packet, size)).has_value()) << size << " bytes";
  }
  for (size_t bit = kIpv4HeaderBytes * 8; bit < packet.size() * 8; ++bit) {
    Bytes flipped = packet;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_FALSE(ParseIcmpError(flipped).has_value()) << "byte " << bit / 8;
  }
}

TEST(IcmpError, RejectsWhatIsNotAnErrorWithAQuote) {
  struct Change {
    const char* name;
    size_t offset;
    uint8_t value;
    bool accepted;
  };
  const Change rows[] = {
      {"Unchanged", 0, 0x45, true},
      {"NotIpv4", 0, 0x65, false},
      {"NotIcmp", 9, 17, false},
      {"AFragment", 6, 0x20, false},
      {"EchoReply", 20, 0, false},
      {"SourceQuench", 20, 4, false},
      {"QuoteIsNotIpv4", 28, 0x60, false},
      {"QuotedHeaderBeyondTheQuote", 28, 0x4f, false},
      {"QuoteSaysNoData", 31, 20, false},
      {"QuoteSaysMoreThanIsThere", 30, 0x40, true},
      {"ReservedBytesAreIgnored", 24, 0xff, true},
      {"LengthOfRfc4884IsIgnored", 25, 0x20, true},
      {"MtuIsIgnoredHere", 27, 0xff, true},
  };
  const Bytes original = Original(8);
  for (const Change& row : rows) {
    Bytes packet = Build({.router = kRouter}, original);
    packet[row.offset] = static_cast<std::byte>(row.value);
    FixChecksum(packet);
    const std::optional<IcmpError> error = ParseIcmpError(packet);
    EXPECT_EQ(error.has_value(), row.accepted) << row.name;
    if (error.has_value()) {
      EXPECT_EQ(error->next_hop_mtu, 0) << row.name;
    }
  }
}

TEST(IcmpError, HasNoUdpHeaderOfOtherProtocolsAndLaterFragments) {
  Bytes packet = Build({.router = kRouter}, Original(12));
  const struct {
    const char* name;
    size_t offset;
    uint8_t value;
    bool has_udp;
  } rows[] = {{"Udp", 28 + 9, 17, true}, {"Tcp", 28 + 9, 6, false}, {"Fragment", 28 + 7, 1, false}};
  for (const auto& row : rows) {
    Bytes changed = packet;
    changed[row.offset] = static_cast<std::byte>(row.value);
    FixChecksum(changed);
    const std::optional<IcmpError> error = ParseIcmpError(changed);
    ASSERT_TRUE(error.has_value()) << row.name;
    EXPECT_EQ(error->quoted_udp.has_value(), row.has_udp) << row.name;
    EXPECT_EQ(error->quoted_payload.size(), row.has_udp ? 4u : 12u) << row.name;
  }
}

TEST(IcmpError, ExtensionsBehindTheQuotedPacketAreNotItsPayload) {
  Bytes packet = Build({.router = kRouter}, Original(12));
  packet.resize(packet.size() + 100, std::byte{0x20});
  packet[3] = static_cast<std::byte>(packet.size());
  FixChecksum(packet);
  const std::optional<IcmpError> error = ParseIcmpError(packet);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->quoted_payload.size(), 4u);
}

}  // namespace
}  // namespace weft::wire
