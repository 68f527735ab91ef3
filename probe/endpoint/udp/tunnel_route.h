// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "wire/ip_address.h"

namespace weft::probe {

// A route of this host whose packets leave inside a tunnel: to their TTLs the network between its
// ends is one link.
struct TunnelRoute {
  std::string interface {};  // the tunnel's device
  std::string kind{};        // as rtnetlink names it: "vxlan"
  wire::IpAddress remote{};  // the tunnel's other end, in the underlay; none: not fixed
  bool operator==(const TunnelRoute&) const = default;
};

// Asks the kernel (rtnetlink) by which device packets to `destination` leave; `interface`, which
// may be empty, is the one that they are sent from. A device on top of another (VLAN, macvlan,
// ipvlan) counts as that one; a tunnel behind a bridge is not seen. nullopt: by no tunnel, or there
// is no route. Fails where the kernel cannot be asked.
absl::StatusOr<std::optional<TunnelRoute>> FindTunnelRoute(const wire::IpAddress& destination,
                                                           const std::string& interface);

}  // namespace weft::probe
