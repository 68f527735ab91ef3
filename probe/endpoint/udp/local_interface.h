// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "wire/ip_address.h"

namespace weft::probe {

// One address of this host (of this network namespace).
struct LocalAddressInfo {
  std::string interface;
  wire::IpAddress address;
  uint32_t mtu = 0;  // bytes of the largest IP packet
  bool is_loopback = false;
};

// Of the interfaces that are up, in the kernel's order; without IPv6's link-local ones.
absl::StatusOr<std::vector<LocalAddressInfo>> LocalAddresses();

// NotFound, naming the interfaces there are, when `interface` is not one.
absl::Status CheckInterface(const std::string& interface);

// The address that the kernel would send from to `destination`; none when there is no route.
// Asks by connecting a UDP socket, which sends nothing. `interface` may be empty.
wire::IpAddress RouteSource(const wire::IpAddress& destination, const std::string& interface);

// The largest InfiniBand MTU (256 to 4096) whose RoCEv2 UD packet fits an IP packet of `ip_mtu`
// bytes to or from `address`: with IP, UDP, BTH and DETH headers and the ICRC. 0: not even 256
// does.
uint32_t PathMtuFor(uint32_t ip_mtu, const wire::IpAddress& address);

}  // namespace weft::probe
