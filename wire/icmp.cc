// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp.h"

#include <algorithm>

#include "wire/checksum.h"

namespace weft::wire {
namespace {

constexpr size_t kChecksumOffset = 2;
constexpr size_t kQuotedDataMin = 8;  // bytes after the quoted IPv4 header

bool IsKnown(IcmpType type) {
  return type == IcmpType::kDestinationUnreachable || type == IcmpType::kTimeExceeded;
}

bool HasMtu(IcmpType type, uint8_t code) {
  return type == IcmpType::kDestinationUnreachable && code == kIcmpCodeFragmentationNeeded;
}

// Queries and their replies, the only ICMP that an error may be about (RFC 1122, section 3.2.2):
// echo, and timestamp to address mask.
bool IsQuery(uint8_t type) { return type == 0 || type == 8 || (type >= 13 && type <= 18); }

// Reads what is quoted into `error`; false where that is too short.
bool ReadQuote(std::span<const std::byte> quote, IcmpError& error) {
  ByteReader reader(quote);
  error.quoted_ip = ReadIpv4(reader);
  if (!reader.ok() || reader.remaining() < kQuotedDataMin) return false;
  if (error.quoted_ip.total_bytes < error.quoted_ip.header_bytes() + kQuotedDataMin) return false;
  // What follows the quoted packet is an extension or a link's padding.
  const size_t data_bytes = error.quoted_ip.total_bytes - error.quoted_ip.header_bytes();
  ByteReader data(reader.Take(std::min(data_bytes, reader.remaining())));
  if (error.quoted_ip.protocol == kIpProtocolUdp && error.quoted_ip.fragment_offset == 0) {
    error.quoted_udp = ReadUdp(data);
  }
  error.quoted_payload = data.Rest();
  return data.ok();
}

bool MayBeAnswered(const Ipv4Header& original, ByteReader data) {
  if (original.fragment_offset != 0 || data.remaining() < kQuotedDataMin) return false;
  if (original.total_bytes < original.header_bytes() + kQuotedDataMin) return false;
  return original.protocol != kIpProtocolIcmp || IsQuery(data.U8());
}

}  // namespace

bool IcmpError::operator==(const IcmpError& other) const {
  return type == other.type && code == other.code && next_hop_mtu == other.next_hop_mtu &&
         router == other.router && quoted_ip == other.quoted_ip && quoted_udp == other.quoted_udp &&
         std::ranges::equal(quoted_payload, other.quoted_payload);
}

std::optional<IcmpError> ParseIcmpError(std::span<const std::byte> packet) {
  ByteReader reader(packet);
  const Ipv4Header ip = ReadIpv4(reader);
  if (!reader.ok() || ip.protocol != kIpProtocolIcmp || ip.more_fragments ||
      ip.fragment_offset != 0 || ip.total_bytes < ip.header_bytes()) {
    return std::nullopt;
  }
  const std::span<const std::byte> message = reader.Take(ip.total_bytes - ip.header_bytes());
  ByteReader icmp(message);
  IcmpError error;
  error.type = static_cast<IcmpType>(icmp.U8());
  error.code = icmp.U8();
  icmp.U16();  // checksum
  icmp.U16();  // reserved
  const uint16_t mtu = icmp.U16();
  if (!icmp.ok() || !IsKnown(error.type) || InternetChecksum(message) != 0) return std::nullopt;
  if (HasMtu(error.type, error.code)) error.next_hop_mtu = mtu;
  error.router = ip.source;
  error.carrier = ip;
  if (!ReadQuote(icmp.Rest(), error)) return std::nullopt;
  return error;
}

size_t BuildIcmpError(const IcmpErrorOptions& options, std::span<const std::byte> original,
                      std::span<std::byte> out) {
  ByteReader reader(original);
  const Ipv4Header ip = ReadIpv4(reader);
  if (!reader.ok() || !options.router.IsV4() || !MayBeAnswered(ip, reader)) return 0;
  const size_t quote_bytes =
      std::min({original.size(), size_t{ip.total_bytes}, kIcmpLongestQuoteBytes,
                std::max(options.quote_bytes, ip.header_bytes() + kQuotedDataMin)});
  const size_t packet_bytes = kIpv4HeaderBytes + kIcmpHeaderBytes + quote_bytes;

  ByteWriter writer(out);
  WriteIpv4({.total_bytes = static_cast<uint16_t>(packet_bytes),
             .identification = options.identification,
             .ttl = options.ttl,
             .protocol = kIpProtocolIcmp,
             .source = options.router,
             .destination = ip.source},
            writer);
  writer.U8(static_cast<uint8_t>(options.type));
  writer.U8(options.code);
  writer.Zeroes(4);  // checksum, reserved
  writer.U16(HasMtu(options.type, options.code) ? options.next_hop_mtu : 0);
  writer.Bytes(original.first(quote_bytes));
  if (!writer.ok()) return 0;

  const std::span<std::byte> message = writer.written_bytes().subspan(kIpv4HeaderBytes);
  ByteWriter checksum(message.subspan(kChecksumOffset));
  checksum.U16(InternetChecksum(message));
  return packet_bytes;
}

}  // namespace weft::wire
