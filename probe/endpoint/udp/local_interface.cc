// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/local_interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "probe/endpoint/udp/socket_address.h"
#include "wire/ip.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

uint32_t MtuOf(int fd, const char* interface) {
  ifreq request = {};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  return ioctl(fd, SIOCGIFMTU, &request) == 0 ? static_cast<uint32_t>(request.ifr_mtu) : 0;
}

wire::IpAddress AddressOf(const sockaddr* address) {
  if (address == nullptr) return {};
  size_t size = 0;
  if (address->sa_family == AF_INET) size = sizeof(sockaddr_in);
  if (address->sa_family == AF_INET6) size = sizeof(sockaddr_in6);
  return SocketAddress({reinterpret_cast<const std::byte*>(address), size}).address();
}

// IPv6's fe80::/10, which mean nothing without an interface.
bool IsLinkLocal(const wire::IpAddress& address) {
  return address.IsV6() && address.bytes()[0] == 0xfe && (address.bytes()[1] & 0xc0) == 0x80;
}

}  // namespace

absl::StatusOr<std::vector<LocalAddressInfo>> LocalAddresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    return absl::InternalError(absl::StrCat("cannot list interfaces: ", strerror(errno)));
  }
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  std::vector<LocalAddressInfo> addresses;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if ((entry->ifa_flags & IFF_UP) == 0) continue;
    const wire::IpAddress address = AddressOf(entry->ifa_addr);
    if (address.empty() || IsLinkLocal(address)) continue;
    addresses.push_back({.interface = entry->ifa_name,
                         .address = address,
                         .mtu = MtuOf(fd, entry->ifa_name),
                         .is_loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  if (fd >= 0) close(fd);
  return addresses;
}

absl::Status CheckInterface(const std::string& interface) {
  if (if_nametoindex(interface.c_str()) != 0) return absl::OkStatus();
  std::vector<std::string> names;
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> list(if_nameindex(),
                                                                                  if_freenameindex);
  for (const auto* entry = list.get(); entry != nullptr && entry->if_name != nullptr; ++entry) {
    names.emplace_back(entry->if_name);
  }
  return absl::NotFoundError(absl::StrCat("interface ", interface,
                                          ": no such interface: expected one of ",
                                          absl::StrJoin(names, ", ")));
}

wire::IpAddress RouteSource(const wire::IpAddress& destination, const std::string& interface) {
  const int fd = socket(DomainOf(destination), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  if (!interface.empty()) {
    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface.data(),
               static_cast<socklen_t>(interface.size()));
  }
  SocketAddress address(destination, wire::kRoceUdpPort);
  const bool found = connect(fd, address.data(), *address.size()) == 0 &&
                     getsockname(fd, address.data(), address.size()) == 0;
  close(fd);
  return found ? address.address() : wire::IpAddress();
}

uint32_t PathMtuFor(uint32_t ip_mtu, const wire::IpAddress& address) {
  const size_t header_bytes = wire::IpHeaderBytes(address) + wire::kUdpHeaderBytes +
                              wire::kBthBytes + wire::kDethBytes + wire::kIcrcBytes;
  for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2) {
    if (mtu + header_bytes <= ip_mtu) return mtu;
  }
  return 0;
}

}  // namespace weft::probe
