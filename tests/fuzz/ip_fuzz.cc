// SPDX-License-Identifier: Apache-2.0
// IP headers and ICMP errors of both versions: what is read is what was written, the
// version-independent readers agree with those of each version, and what is built parses.
#include <algorithm>
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/icmp.h"
#include "wire/icmpv6.h"
#include "wire/ip_error.h"

namespace weft::wire {
namespace {

bool IsExtension(uint8_t protocol) {
  return protocol == 0 || protocol == 43 || protocol == 44 || protocol == 60;
}

// A header that was read, written without its options, reads as the same.
void FuzzHeader(std::span<const std::byte> packet) {
  const std::optional<IpHeader> header = ParseIp(packet);
  if (!header.has_value()) return;
  fuzz::Expect(header->header_bytes <= packet.size(), "the headers are there");
  fuzz::Expect(header->source.family() == header->destination.family(), "one family");
  fuzz::Expect(header->flow_label <= 0xfffff, "20 bits of flow label");
  fuzz::Expect(!ParseIp(packet.first(header->header_bytes - 1)), "a cut header is rejected");

  std::vector<std::byte> bytes(64);
  ByteWriter writer(bytes);
  if (!WriteIp(*header, writer)) {
    fuzz::Expect(header->is_fragment, "only a fragment's header is not written");
    return;
  }
  if (IsExtension(header->protocol)) return;  // data behind it would be taken for one
  IpHeader expected = *header;
  expected.header_bytes = IpHeaderBytes(header->source);
  fuzz::Expect(ParseIp(writer.written_bytes()) == expected, "what was written reads as the same");
}

// A router's two changes touch one field each.
void FuzzForwarding(std::span<const std::byte> packet) {
  std::vector<std::byte> changed(packet.begin(), packet.end());
  const std::optional<IpHeader> before = ParseIp(packet);
  const std::optional<uint8_t> left = DecrementTtl(changed);
  if (!left.has_value()) {
    fuzz::Expect(!before || before->ttl == 0, "only a TTL of 0 is not decremented");
    fuzz::Expect(std::ranges::equal(changed, packet), "and then nothing is changed");
    return;
  }
  fuzz::Expect(RewriteTrafficClass(0x68, changed), "an IP packet has a traffic class");
  if (!before.has_value()) return;
  IpHeader expected = *before;
  expected.ttl = *left;
  expected.traffic_class = 0x68;
  fuzz::Expect(*left == before->ttl - 1 && ParseIp(changed) == expected,
               "TTL and traffic class change, and nothing else");
  fuzz::Expect(before->source.IsV6() || Ipv4ChecksumMatches(changed), "the checksum is right");
}

// The error of one version is an error of that version.
void FuzzError(std::span<const std::byte> packet) {
  const std::optional<IpError> error = ParseIpError(packet);
  if (!error.has_value()) return;
  fuzz::Expect(error->carrier == ParseIp(packet), "the carrier is the packet");
  fuzz::Expect(error->quoted_payload.empty() ||
                   (error->quoted_payload.data() >= packet.data() &&
                    error->quoted_payload.data() + error->quoted_payload.size() <=
                        packet.data() + packet.size()),
               "the payload lies in the packet");
  fuzz::Expect(error->carrier.source.IsV4() ? ParseIcmpError(packet).has_value()
                                            : ParseIcmpv6Error(packet).has_value(),
               "the version's own reader takes it too");
  const size_t packet_bytes = error->carrier.header_bytes + error->carrier.payload_bytes;
  fuzz::Expect(!ParseIpError(packet.first(packet_bytes - 1)), "a cut error is rejected");
}

// Whatever is built about any bytes parses, and quotes them.
void FuzzBuild(std::span<const std::byte> original, const IpAddress& router) {
  std::vector<std::byte> out(2000);
  for (const IpErrorKind kind : {IpErrorKind::kTimeExceeded, IpErrorKind::kUnreachable,
                                 IpErrorKind::kPortClosed, IpErrorKind::kPacketTooBig}) {
    const size_t built = BuildIpError({.kind = kind, .mtu = 1400, .router = router}, original, out);
    if (built == 0) continue;
    fuzz::Expect(built <= (router.IsV4() ? 576 : 1280), "every link carries an error whole");
    const std::optional<IpError> error = ParseIpError(std::span(out).first(built));
    fuzz::Expect(error.has_value() && error->kind == kind, "what was built parses");
    fuzz::Expect(error->carrier.source == router, "the router is who was given");
    fuzz::Expect(error->quoted_ip == ParseIp(original), "the quote is of the original");
    fuzz::Expect(BuildIpError({.router = router}, std::span(out).first(built),
                              std::span(out).subspan(built)) == 0,
                 "no error is built about an error");
  }
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace wire = weft::wire;
  const std::span<const std::byte> bytes = weft::fuzz::AsBytes(data, size);
  wire::FuzzHeader(bytes);
  wire::FuzzForwarding(bytes);
  wire::FuzzError(bytes);
  wire::FuzzBuild(bytes, wire::IpAddress::V4(0x0a010101));
  wire::FuzzBuild(bytes, wire::IpAddress::V6({0xfd, 1}));
  return 0;
}
