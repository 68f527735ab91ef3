// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "wire/ip_address.h"

namespace weft::probe {

// An address and port as the socket calls want them; no address becomes 0.0.0.0.
inline sockaddr_in ToSockaddr(const wire::IpAddress& address, uint16_t port) {
  sockaddr_in result = {};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(address.v4());
  return result;
}

inline wire::IpAddress FromInAddr(in_addr address) {
  return wire::IpAddress::V4(ntohl(address.s_addr));
}

inline sockaddr* AsSockaddr(sockaddr_in* address) { return reinterpret_cast<sockaddr*>(address); }

}  // namespace weft::probe
