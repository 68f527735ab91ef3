// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/icmp.h"

namespace weft::wire {
namespace {

bool IsInside(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// The quoted packet as far as it was quoted.
std::vector<std::byte> PutTogether(const IcmpError& error) {
  std::vector<std::byte> quoted(128);
  ByteWriter writer(quoted);
  WriteIpv4(error.quoted_ip, writer);
  if (error.quoted_udp.has_value()) WriteUdp(*error.quoted_udp, writer);
  fuzz::Expect(writer.ok(), "the quoted headers are at most 68 bytes");
  quoted.resize(writer.written());
  quoted.insert(quoted.end(), error.quoted_payload.begin(), error.quoted_payload.end());
  return quoted;
}

// A parsed error, built again from what was parsed, parses to the same.
void FuzzParse(std::span<const std::byte> packet) {
  const std::optional<IcmpError> error = ParseIcmpError(packet);
  if (!error.has_value()) return;
  fuzz::Expect(IsInside(error->quoted_payload, packet), "the payload lies in the packet");
  fuzz::Expect(IsInside(error->quoted_ip.options, packet), "the options lie in the packet");
  fuzz::Expect(packet.size() >= 28 + kIcmpShortestQuoteBytes, "a short packet is rejected");

  const std::vector<std::byte> quoted = PutTogether(*error);
  std::vector<std::byte> out(1024);
  const size_t built = BuildIcmpError({.type = error->type,
                                       .code = error->code,
                                       .next_hop_mtu = error->next_hop_mtu,
                                       .router = error->router},
                                      quoted, out);
  if (built == 0) {
    fuzz::Expect(
        error->quoted_ip.fragment_offset != 0 || error->quoted_ip.protocol == kIpProtocolIcmp,
        "only what must not be answered is not built");
    return;
  }
  if (quoted.size() > kIcmpLongestQuoteBytes) return;  // the quote got shorter
  const std::span<const std::byte> again = std::span(out).first(built);
  fuzz::Expect(ParseIcmpError(again) == error, "what was built parses to the same");
  fuzz::Expect(!ParseIcmpError(again.first(built - 1)), "a cut error is rejected");
}

// Whatever is built about any bytes parses, and quotes them.
void FuzzBuild(std::span<const std::byte> original) {
  std::vector<std::byte> out(1024);
  const IpAddress router = IpAddress::V4(0x0a010101);
  for (const size_t quote_bytes : {kIcmpShortestQuoteBytes, kIcmpLongestQuoteBytes}) {
    const size_t built =
        BuildIcmpError({.router = router, .quote_bytes = quote_bytes}, original, out);
    if (built == 0) continue;
    fuzz::Expect(built <= 576, "an error has at most 576 bytes");
    const std::optional<IcmpError> error = ParseIcmpError(std::span(out).first(built));
    fuzz::Expect(error.has_value(), "what was built parses");
    fuzz::Expect(error->router == router, "the router is who was given");
    fuzz::Expect(error->quoted_ip == *ParseIpv4(original), "the quote is of the original");
  }
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzParse(weft::fuzz::AsBytes(data, size));
  weft::wire::FuzzBuild(weft::fuzz::AsBytes(data, size));
  return 0;
}
