// SPDX-License-Identifier: Apache-2.0
#include "wire/icmpv6.h"

#include <algorithm>
#include <array>

#include "wire/checksum.h"
#include "wire/ipv4.h"

namespace weft::wire {
namespace {

constexpr size_t kChecksumOffset = 2;
constexpr size_t kQuotedDataMin = 8;  // bytes after the quoted headers
constexpr uint8_t kFirstInformational = 128;
constexpr uint8_t kRedirect = 137;

bool IsKnown(Icmpv6Type type) {
  return type >= Icmpv6Type::kDestinationUnreachable && type <= Icmpv6Type::kTimeExceeded;
}

bool IsMulticast(const IpAddress& address) { return address.bytes()[0] == 0xff; }

bool IsOneNode(const IpAddress& address) {
  return !IsMulticast(address) && address.bytes() != std::array<uint8_t, 16>{};
}

// Reads what is quoted into `error`; false where that is too short.
bool ReadQuote(std::span<const std::byte> quote, Icmpv6Error& error) {
  ByteReader reader(quote);
  error.quoted_ip = ReadIpv6(reader);
  if (!reader.ok()) return false;
  // What follows the quoted packet is an extension or a link's padding.
  const size_t payload_bytes = error.quoted_ip.payload_bytes;
  ByteReader data(reader.Take(std::min(payload_bytes, reader.remaining())));
  const std::optional<Ipv6Extensions> extensions =
      ReadIpv6Extensions(error.quoted_ip.next_header, data);
  if (!extensions.has_value() || data.remaining() < kQuotedDataMin) return false;
  error.quoted_extensions = *extensions;
  if (extensions->protocol == kIpProtocolUdp && extensions->fragment_offset == 0) {
    error.quoted_udp = ReadUdp(data);
  }
  error.quoted_payload = data.Rest();
  return data.ok();
}

// The bytes that a quote of `original` must have; 0 where it may not be answered.
size_t ShortestQuote(const Icmpv6ErrorOptions& options, const Ipv6Header& ip, ByteReader data) {
  const std::optional<Ipv6Extensions> extensions = ReadIpv6Extensions(ip.next_header, data);
  if (!extensions.has_value() || extensions->fragment_offset != 0) return 0;
  if (data.remaining() < kQuotedDataMin || !IsOneNode(ip.source)) return 0;
  if (ip.payload_bytes < extensions->bytes + kQuotedDataMin) return 0;
  if (IsMulticast(ip.destination) && options.type != Icmpv6Type::kPacketTooBig) return 0;
  const size_t shortest = kIpv6HeaderBytes + extensions->bytes + kQuotedDataMin;
  if (extensions->protocol != kIpProtocolIcmpv6) return shortest;
  const uint8_t type = data.U8();
  return type >= kFirstInformational && type != kRedirect ? shortest : 0;
}

}  // namespace

std::optional<Icmpv6Error> ParseIcmpv6Error(std::span<const std::byte> packet) {
  ByteReader reader(packet);
  const Ipv6Header carrier = ReadIpv6(reader);
  if (!reader.ok()) return std::nullopt;
  ByteReader payload(reader.Take(carrier.payload_bytes));
  const std::optional<Ipv6Extensions> extensions = ReadIpv6Extensions(carrier.next_header, payload);
  if (!reader.ok() || !extensions.has_value() || extensions->is_fragment() ||
      extensions->protocol != kIpProtocolIcmpv6) {
    return std::nullopt;
  }
  std::optional<Icmpv6Error> error = ParseIcmpv6Message(carrier, payload.Rest());
  if (error.has_value()) error->carrier_extension_bytes = extensions->bytes;
  return error;
}

std::optional<Icmpv6Error> ParseIcmpv6Message(const Ipv6Header& carrier,
                                              std::span<const std::byte> message) {
  ByteReader icmp(message);
  Icmpv6Error error;
  error.carrier = carrier;
  error.type = static_cast<Icmpv6Type>(icmp.U8());
  error.code = icmp.U8();
  icmp.U16();  // checksum
  const uint32_t mtu = icmp.U32();
  if (!icmp.ok() || !IsKnown(error.type) ||
      ChecksumWithPseudoHeader(carrier.source, carrier.destination, kIpProtocolIcmpv6, message) !=
          0) {
    return std::nullopt;
  }
  if (error.type == Icmpv6Type::kPacketTooBig) error.mtu = mtu;
  if (!ReadQuote(icmp.Rest(), error)) return std::nullopt;
  return error;
}

size_t BuildIcmpv6Error(const Icmpv6ErrorOptions& options, std::span<const std::byte> original,
                        std::span<std::byte> out) {
  ByteReader reader(original);
  const Ipv6Header ip = ReadIpv6(reader);
  if (!reader.ok() || !options.router.IsV6()) return 0;
  const size_t shortest_quote = ShortestQuote(options, ip, reader);
  if (shortest_quote == 0 || shortest_quote > kIcmpv6LongestQuoteBytes) return 0;
  const size_t quote_bytes =
      std::min({original.size(), kIpv6HeaderBytes + ip.payload_bytes, kIcmpv6LongestQuoteBytes,
                std::max(options.quote_bytes, shortest_quote)});
  const size_t message_bytes = kIcmpv6HeaderBytes + quote_bytes;

  ByteWriter writer(out);
  WriteIpv6({.payload_bytes = static_cast<uint16_t>(message_bytes),
             .next_header = kIpProtocolIcmpv6,
             .hop_limit = options.hop_limit,
             .source = options.router,
             .destination = ip.source},
            writer);
  writer.U8(static_cast<uint8_t>(options.type));
  writer.U8(options.code);
  writer.Zeroes(2);  // checksum
  writer.U32(options.type == Icmpv6Type::kPacketTooBig ? options.mtu : 0);
  writer.Bytes(original.first(quote_bytes));
  if (!writer.ok()) return 0;

  const std::span<std::byte> message = writer.written_bytes().subspan(kIpv6HeaderBytes);
  ByteWriter checksum(message.subspan(kChecksumOffset));
  checksum.U16(ChecksumWithPseudoHeader(options.router, ip.source, kIpProtocolIcmpv6, message));
  return kIpv6HeaderBytes + message_bytes;
}

}  // namespace weft::wire
