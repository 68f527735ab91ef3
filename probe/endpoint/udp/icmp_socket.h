// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "probe/endpoint/udp/received.h"
#include "wire/ip_address.h"
#include "wire/ip_error.h"

namespace weft::probe {

// The longest error that is read whole. Routers quote at most 548 bytes (RFC 1812) or what 1,280
// bytes hold (RFC 4443), and a probe has fewer; RFC 4884's extensions come on top.
inline constexpr size_t kIcmpErrorBytes = 2048;

// A raw, non-blocking ICMP or ICMPv6 socket that hears what routers and hosts say about UDP packets
// to port 4791: time exceeded and destination unreachable, to any address of this host and about
// any program's packets. The kernel drops all else. It takes CAP_NET_RAW in the network namespace.
// Owns its descriptor. Sends nothing.
class IcmpSocket {
 public:
  IcmpSocket() = default;
  IcmpSocket(IcmpSocket&& other) noexcept { *this = std::move(other); }
  IcmpSocket& operator=(IcmpSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~IcmpSocket();

  // 0, or the errno of what failed: EPERM or EACCES without the right to it.
  int Open(wire::IpAddress::Family family, bool stamps);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // Errors that found its buffer full, since it was opened.
  uint64_t OverflowCount() const;

 private:
  int fd_ = -1;
};

// Reads what such a socket handed out: over IPv4 a whole packet, over IPv6 a message whose header
// the kernel tells beside it. nullopt as ParseIpError() says. Points into the datagram.
std::optional<wire::IpError> ParseIcmpDatagram(const Datagram& datagram);

}  // namespace weft::probe
