// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "wire/ip_address.h"

namespace weft::probe {

inline wire::IpAddress FromInAddr(in_addr address) {
  return wire::IpAddress::V4(ntohl(address.s_addr));
}

inline wire::IpAddress FromIn6Addr(const in6_addr& address) {
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), &address, sizeof address);
  return wire::IpAddress::V6(bytes);
}

inline in6_addr ToIn6Addr(const wire::IpAddress& address) {
  in6_addr result;
  std::memcpy(&result, address.bytes().data(), sizeof result);
  return result;
}

// 0.0.0.0 or ::, which sockets take for every local address of the family.
inline bool IsEveryAddress(const wire::IpAddress& address) {
  return !address.empty() && address.bytes() == std::array<uint8_t, 16>{};
}

// The domain of sockets that can have this address; no address is 0.0.0.0.
inline int DomainOf(const wire::IpAddress& address) { return address.IsV6() ? AF_INET6 : AF_INET; }

// An address and port as the socket calls want them.
class SocketAddress {
 public:
  // To be filled in by a call: give it data() and *size().
  SocketAddress() = default;
  // No address becomes 0.0.0.0. `flow_label`: IPv6, 20 bits.
  SocketAddress(const wire::IpAddress& address, uint16_t port, uint32_t flow_label = 0) {
    if (address.IsV6()) {
      sockaddr_in6 v6 = {};
      v6.sin6_family = AF_INET6;
      v6.sin6_port = htons(port);
      v6.sin6_flowinfo = htonl(flow_label);
      v6.sin6_addr = ToIn6Addr(address);
      Store(v6);
    } else {
      sockaddr_in v4 = {};
      v4.sin_family = AF_INET;
      v4.sin_port = htons(port);
      v4.sin_addr.s_addr = htonl(address.v4());
      Store(v4);
    }
  }
  // The same from the front of what a call has written; anything but an IP address counts as none.
  explicit SocketAddress(std::span<const std::byte> bytes) {
    std::memcpy(&storage_, bytes.data(), std::min(bytes.size(), sizeof storage_));
  }

  sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage_); }
  socklen_t* size() { return &size_; }

  wire::IpAddress address() const {
    if (storage_.ss_family == AF_INET) return FromInAddr(Load<sockaddr_in>().sin_addr);
    if (storage_.ss_family == AF_INET6) return FromIn6Addr(Load<sockaddr_in6>().sin6_addr);
    return {};
  }
  uint16_t port() const {
    static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
    return ntohs(Load<sockaddr_in>().sin_port);
  }
  // Traffic class and flow label of an IPv6 header as the kernel tells them; 0: it does not.
  uint32_t flow_info() const {
    return storage_.ss_family == AF_INET6 ? ntohl(Load<sockaddr_in6>().sin6_flowinfo) : 0;
  }

 private:
  template <typename T>
  void Store(const T& address) {
    std::memcpy(&storage_, &address, sizeof address);
    size_ = sizeof address;
  }
  template <typename T>
  T Load() const {
    T address;
    std::memcpy(&address, &storage_, sizeof address);
    return address;
  }

  sockaddr_storage storage_ = {};
  socklen_t size_ = sizeof storage_;
};

}  // namespace weft::probe
