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
#include "wire/ipv4.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

uint32_t MtuOf(int fd, const char* interface) {
  ifreq request = {};
  std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
  return ioctl(fd, SIOCGIFMTU, &request) == 0 ? static_cast<uint32_t>(request.ifr_mtu) : 0;
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
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    if ((entry->ifa_flags & IFF_UP) == 0) continue;
    sockaddr_in address;
    std::memcpy(&address, entry->ifa_addr, sizeof address);
    addresses.push_back({.interface = entry->ifa_name,
                         .address = FromInAddr(address.sin_addr),
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
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  if (!interface.empty()) {
    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface.data(),
               static_cast<socklen_t>(interface.size()));
  }
  sockaddr_in address = ToSockaddr(destination, wire::kRoceUdpPort);
  socklen_t size = sizeof address;
  const bool found = connect(fd, AsSockaddr(&address), size) == 0 &&
                     getsockname(fd, AsSockaddr(&address), &size) == 0;
  close(fd);
  return found ? FromInAddr(address.sin_addr) : wire::IpAddress();
}

uint32_t PathMtuFor(uint32_t ip_mtu) {
  constexpr uint32_t kHeaderBytes = wire::kIpv4HeaderBytes + wire::kUdpHeaderBytes +
                                    wire::kBthBytes + wire::kDethBytes + wire::kIcrcBytes;
  for (uint32_t mtu = 4096; mtu >= 256; mtu /= 2) {
    if (mtu + kHeaderBytes <= ip_mtu) return mtu;
  }
  return 0;
}

}  // namespace weft::probe
