// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wire/ip_address.h"

namespace weft::probe {

// Address `number` (1 to 9) of the network that EnterIpv6Network() makes.
wire::IpAddress Ipv6Loopback(uint32_t number);

// Takes this process, which has one thread, into a network namespace of its own with those
// addresses on its loopback: as root, or where user namespaces are allowed. Returns what stands in
// the way; empty: nothing.
std::string EnterIpv6Network();

}  // namespace weft::probe
