// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_writer.h"
#include "wire/ip_address.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

// What IPv4 and IPv6 headers have in common, for code that does not care which one it is.
namespace weft::wire {

struct IpHeader {
  IpAddress source;
  IpAddress destination;        // of the same family
  uint8_t traffic_class = 0;    // DSCP and ECN
  uint32_t flow_label = 0;      // IPv6, 20 bits; 0 for IPv4
  uint8_t ttl = 64;             // IPv6: hop limit
  uint8_t protocol = 0;         // of what follows: IPv6's last next header, after extension headers
  uint16_t identification = 0;  // IPv4
  bool dont_fragment = true;    // IPv4; IPv6 is never fragmented on the way
  bool is_fragment = false;     // a part of a packet, by either version's rules; never written
  size_t header_bytes = 0;      // with options or extension headers; ignored on writing
  size_t payload_bytes = 0;     // after header_bytes, as the header says, not as there is
  bool operator==(const IpHeader&) const = default;
};

// 20, 40, or 0 for no address: the bytes that WriteIp writes.
size_t IpHeaderBytes(const IpAddress& address);

// Reads the header of an IPv4 or IPv6 packet, with options or extension headers (hop-by-hop,
// routing, fragment, destination options; at most 8). nullopt: cut, another version, a length that
// contradicts the header. Checks no checksum. Allocates nothing.
std::optional<IpHeader> ParseIp(std::span<const std::byte> packet);

// The same, saying what is wrong; `header` is written only for kOk.
enum class IpReadResult : uint8_t {
  kOk,
  kCut,  // ends before its headers do
  kOtherVersion,
  kMalformed,  // a length contradicts the header, or extension headers that no packet may have
};
IpReadResult ReadIp(std::span<const std::byte> packet, IpHeader& header);

// What a header of either version says. Its length is not below that of its own headers.
IpHeader IpHeaderOf(const Ipv4Header& ip);
IpHeader IpHeaderOf(const Ipv6Header& ip, const Ipv6Extensions& extensions);

// Writes a header without options, for payload_bytes of payload; IPv4 with its checksum. Returns
// false and fails the writer where the addresses are not of one family, the payload is longer than
// such a packet can be, or the header is a fragment's.
bool WriteIp(const IpHeader& header, ByteWriter& writer);

// Takes one from the TTL of a whole packet and puts IPv4's checksum right. The TTL left; nullopt:
// it was 0, or the packet is no IP packet.
std::optional<uint8_t> DecrementTtl(std::span<std::byte> packet);

// Writes another traffic class into a whole packet and puts IPv4's checksum right. False: no IP
// packet.
bool RewriteTrafficClass(uint8_t traffic_class, std::span<std::byte> packet);

}  // namespace weft::wire
