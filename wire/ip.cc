// SPDX-License-Identifier: Apache-2.0
#include "wire/ip.h"

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace weft::wire {
namespace {

constexpr size_t kLargestPayload = 0xffff;  // IPv6; IPv4's has the header in it
// In the IPv4 header.
constexpr size_t kIpv4TosOffset = 1;
constexpr size_t kIpv4TtlOffset = 8;
constexpr size_t kIpv4ChecksumOffset = 10;
constexpr size_t kIpv4WordBytes = 4;
// In the IPv6 header.
constexpr size_t kIpv6HopLimitOffset = 7;

// 0 where there is no byte.
int VersionOf(std::span<const std::byte> packet) {
  return packet.empty() ? 0 : static_cast<int>(packet[0] >> 4);
}

IpReadResult ReadV4(std::span<const std::byte> packet, IpHeader& header) {
  ByteReader reader(packet);
  const Ipv4Header ip = ReadIpv4(reader);
  if (!reader.ok()) {
    const size_t header_bytes = (static_cast<size_t>(packet[0]) & 0xf) * kIpv4WordBytes;
    return header_bytes < kIpv4HeaderBytes ? IpReadResult::kMalformed : IpReadResult::kCut;
  }
  if (ip.total_bytes < ip.header_bytes()) return IpReadResult::kMalformed;
  header = IpHeaderOf(ip);
  return IpReadResult::kOk;
}

IpReadResult ReadV6(std::span<const std::byte> packet, IpHeader& header) {
  ByteReader reader(packet);
  const Ipv6Header ip = ReadIpv6(reader);
  if (!reader.ok()) return IpReadResult::kCut;
  const std::optional<Ipv6Extensions> extensions = ReadIpv6Extensions(ip.next_header, reader);
  if (!extensions.has_value()) return reader.ok() ? IpReadResult::kMalformed : IpReadResult::kCut;
  if (ip.payload_bytes < extensions->bytes) return IpReadResult::kMalformed;
  header = IpHeaderOf(ip, *extensions);
  return IpReadResult::kOk;
}

// Makes the checksum of the IPv4 header at the start of `packet` right.
void PutIpv4Checksum(std::span<std::byte> packet, const Ipv4Header& ip) {
  ByteWriter writer(packet.subspan(kIpv4ChecksumOffset));
  writer.U16(0);
  const uint16_t checksum = InternetChecksum(packet.first(ip.header_bytes()));
  ByteWriter(packet.subspan(kIpv4ChecksumOffset)).U16(checksum);
}

}  // namespace

IpHeader IpHeaderOf(const Ipv4Header& ip) {
  return {.source = ip.source,
          .destination = ip.destination,
          .traffic_class = ip.traffic_class,
          .ttl = ip.ttl,
          .protocol = ip.protocol,
          .identification = ip.identification,
          .dont_fragment = ip.dont_fragment,
          .is_fragment = ip.more_fragments || ip.fragment_offset != 0,
          .header_bytes = ip.header_bytes(),
          .payload_bytes = ip.total_bytes - ip.header_bytes()};
}

IpHeader IpHeaderOf(const Ipv6Header& ip, const Ipv6Extensions& extensions) {
  return {.source = ip.source,
          .destination = ip.destination,
          .traffic_class = ip.traffic_class,
          .flow_label = ip.flow_label,
          .ttl = ip.hop_limit,
          .protocol = extensions.protocol,
          .is_fragment = extensions.is_fragment(),
          .header_bytes = kIpv6HeaderBytes + extensions.bytes,
          .payload_bytes = ip.payload_bytes - extensions.bytes};
}

size_t IpHeaderBytes(const IpAddress& address) {
  if (address.empty()) return 0;
  return address.IsV4() ? kIpv4HeaderBytes : kIpv6HeaderBytes;
}

IpReadResult ReadIp(std::span<const std::byte> packet, IpHeader& header) {
  if (packet.empty()) return IpReadResult::kCut;
  switch (VersionOf(packet)) {
    case 4:
      return ReadV4(packet, header);
    case 6:
      return ReadV6(packet, header);
    default:
      return IpReadResult::kOtherVersion;
  }
}

std::optional<IpHeader> ParseIp(std::span<const std::byte> packet) {
  IpHeader header;
  if (ReadIp(packet, header) != IpReadResult::kOk) return std::nullopt;
  return header;
}

bool WriteIp(const IpHeader& header, ByteWriter& writer) {
  const size_t header_bytes = IpHeaderBytes(header.source);
  const bool is_v4 = header.source.IsV4();
  const size_t largest_payload = is_v4 ? kLargestPayload - header_bytes : kLargestPayload;
  if (header_bytes == 0 || header.source.family() != header.destination.family() ||
      header.is_fragment || header.payload_bytes > largest_payload) {
    writer.Fail();
    return false;
  }
  if (is_v4) {
    WriteIpv4({.traffic_class = header.traffic_class,
               .total_bytes = static_cast<uint16_t>(header_bytes + header.payload_bytes),
               .identification = header.identification,
               .dont_fragment = header.dont_fragment,
               .ttl = header.ttl,
               .protocol = header.protocol,
               .source = header.source,
               .destination = header.destination},
              writer);
  } else {
    WriteIpv6({.traffic_class = header.traffic_class,
               .flow_label = header.flow_label,
               .payload_bytes = static_cast<uint16_t>(header.payload_bytes),
               .next_header = header.protocol,
               .hop_limit = header.ttl,
               .source = header.source,
               .destination = header.destination},
              writer);
  }
  return writer.ok();
}

std::optional<uint8_t> DecrementTtl(std::span<std::byte> packet) {
  const std::optional<Ipv4Header> v4 = ParseIpv4(packet);
  if (!v4.has_value() && !ParseIpv6(packet).has_value()) return std::nullopt;
  std::byte& ttl = packet[v4.has_value() ? kIpv4TtlOffset : kIpv6HopLimitOffset];
  if (ttl == std::byte{0}) return std::nullopt;
  const auto left = static_cast<uint8_t>(static_cast<uint8_t>(ttl) - 1);
  ttl = std::byte{left};
  if (v4.has_value()) PutIpv4Checksum(packet, *v4);
  return left;
}

bool RewriteTrafficClass(uint8_t traffic_class, std::span<std::byte> packet) {
  if (const std::optional<Ipv4Header> v4 = ParseIpv4(packet); v4.has_value()) {
    packet[kIpv4TosOffset] = std::byte{traffic_class};
    PutIpv4Checksum(packet, *v4);
    return true;
  }
  std::optional<Ipv6Header> v6 = ParseIpv6(packet);
  if (!v6.has_value()) return false;
  v6->traffic_class = traffic_class;
  ByteWriter writer(packet);
  WriteIpv6(*v6, writer);
  return writer.ok();
}

}  // namespace weft::wire
