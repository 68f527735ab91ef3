// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/tunnel_route.h"

#include <net/if.h>
#include <sys/socket.h>
// After <net/if.h>, which has what both would define.
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/route_netlink.h"
#include "probe/endpoint/udp/socket_address.h"

namespace weft::probe {
namespace {

constexpr int kMaxStackedDevices = 8;

// Where a kind of tunnel says what its other end is, by family. 0: nowhere.
struct TunnelKind {
  std::string_view name;
  uint16_t remote_v4 = 0;
  uint16_t remote_v6 = 0;
};
constexpr TunnelKind kTunnelKinds[] = {
    {"vxlan", IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6},
    {"geneve", IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6},
    {"gre", IFLA_GRE_REMOTE, 0},
    {"gretap", IFLA_GRE_REMOTE, 0},
    {"erspan", IFLA_GRE_REMOTE, 0},
    {"ip6gre", 0, IFLA_GRE_REMOTE},
    {"ip6gretap", 0, IFLA_GRE_REMOTE},
    {"ip6erspan", 0, IFLA_GRE_REMOTE},
    {"ipip", IFLA_IPTUN_REMOTE, 0},
    {"sit", IFLA_IPTUN_REMOTE, 0},
    {"ip6tnl", 0, IFLA_IPTUN_REMOTE},
    {"wireguard", 0, 0},
    {"bareudp", 0, 0},
};
constexpr std::string_view kStackedKinds[] = {"vlan", "macvlan", "ipvlan"};

bool IsMulticast(const wire::IpAddress& address) {
  return address.IsV6() ? address.bytes()[0] == 0xff : address.v4() >> 28 == 0xe;
}

// The other end, where it is one that is fixed: no group, and not 0.
wire::IpAddress RemoteOf(std::span<const std::byte> data, const TunnelKind& kind) {
  wire::IpAddress remote;
  const auto v4 = FindAttribute(data, kind.remote_v4);
  const auto v6 = FindAttribute(data, kind.remote_v6);
  if (kind.remote_v4 != 0 && v4 && v4->size() == sizeof(in_addr)) {
    in_addr address;
    std::memcpy(&address, v4->data(), sizeof address);
    remote = FromInAddr(address);
  } else if (kind.remote_v6 != 0 && v6 && v6->size() == sizeof(in6_addr)) {
    in6_addr address;
    std::memcpy(&address, v6->data(), sizeof address);
    remote = FromIn6Addr(address);
  }
  return remote.empty() || IsEveryAddress(remote) || IsMulticast(remote) ? wire::IpAddress()
                                                                         : remote;
}

bool IsNoRoute(int error) {
  return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES || error == EINVAL;
}

// The index of the device by which packets leave; 0: there is no route.
absl::StatusOr<uint32_t> DeviceOfRoute(const wire::IpAddress& destination, uint32_t from) {
  rtmsg message = {};
  message.rtm_family = static_cast<uint8_t>(DomainOf(destination));
  message.rtm_dst_len = destination.IsV6() ? 128 : 32;
  NetlinkRequest request(RTM_GETROUTE, std::as_bytes(std::span(&message, 1)));
  if (destination.IsV6()) {
    request.Add(RTA_DST, std::as_bytes(std::span(destination.bytes())));
  } else {
    const uint32_t address = htonl(destination.v4());
    request.Add(RTA_DST, std::as_bytes(std::span(&address, 1)));
  }
  if (from != 0) request.Add(RTA_OIF, std::as_bytes(std::span(&from, 1)));
  int error = 0;
  const std::vector<std::byte> answer = request.Ask(sizeof(rtmsg), &error);
  if (IsNoRoute(error)) return 0;
  if (error != 0) {
    return absl::InternalError(absl::StrCat("the kernel does not tell the route to ",
                                            destination.ToString(), ": ", strerror(error)));
  }
  return FindNumber(answer, RTA_OIF).value_or(0);
}

absl::StatusOr<std::vector<std::byte>> AskForLink(uint32_t index) {
  ifinfomsg message = {};
  message.ifi_index = static_cast<int>(index);
  int error = 0;
  std::vector<std::byte> answer = NetlinkRequest(RTM_GETLINK, std::as_bytes(std::span(&message, 1)))
                                      .Ask(sizeof(ifinfomsg), &error);
  if (error == 0) return answer;
  return absl::InternalError(
      absl::StrCat("the kernel does not tell of device ", index, ": ", strerror(error)));
}

}  // namespace

absl::StatusOr<std::optional<TunnelRoute>> FindTunnelRoute(const wire::IpAddress& destination,
                                                           const std::string& interface) {
  const uint32_t from = interface.empty() ? 0 : if_nametoindex(interface.c_str());
  absl::StatusOr<uint32_t> index = DeviceOfRoute(destination, from);
  for (int depth = 0; depth < kMaxStackedDevices; ++depth) {
    if (!index.ok()) return index.status();
    if (*index == 0) return std::nullopt;
    const absl::StatusOr<std::vector<std::byte>> link = AskForLink(*index);
    if (!link.ok()) return link.status();
    const auto info = FindAttribute(*link, IFLA_LINKINFO);
    if (!info) return std::nullopt;  // an ordinary device
    const std::string name = FindText(*info, IFLA_INFO_KIND);
    const auto kind = std::ranges::find(kTunnelKinds, name, &TunnelKind::name);
    if (kind != std::end(kTunnelKinds)) {
      const auto data = FindAttribute(*info, IFLA_INFO_DATA);
      return TunnelRoute{.interface = FindText(*link, IFLA_IFNAME),
                         .kind = name,
                         .remote = data ? RemoteOf(*data, *kind) : wire::IpAddress()};
    }
    if (std::ranges::find(kStackedKinds, name) == std::end(kStackedKinds)) return std::nullopt;
    // Its lower device may be in another namespace, whose numbers mean nothing here.
    if (FindAttribute(*link, IFLA_LINK_NETNSID)) return std::nullopt;
    index = FindNumber(*link, IFLA_LINK).value_or(0);
  }
  return std::nullopt;
}

}  // namespace weft::probe
