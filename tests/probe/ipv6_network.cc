// SPDX-License-Identifier: Apache-2.0
#include "tests/probe/ipv6_network.h"

#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "probe/endpoint/udp/socket_address.h"
#include "probe/endpoint/udp/udp_socket.h"

namespace weft::probe {
namespace {

constexpr uint32_t kAddresses = 9;

// As SIOCSIFADDR wants it of an IPv6 socket; <linux/ipv6.h> does not go with <netinet/in.h>.
struct In6InterfaceRequest {
  in6_addr address;
  uint32_t prefix_length;
  int interface_index;
};

std::string Failed(const char* what) { return std::string(what) + ": " + strerror(errno); }

std::string SetUpLoopback(int fd) {
  ifreq up = {};
  std::strncpy(up.ifr_name, "lo", IFNAMSIZ - 1);
  up.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(fd, SIOCSIFFLAGS, &up) != 0) return Failed("lo cannot be brought up");
  const auto index = static_cast<int>(if_nametoindex("lo"));
  for (uint32_t number = 1; number <= kAddresses; ++number) {
    In6InterfaceRequest request = {ToIn6Addr(Ipv6Loopback(number)), 128, index};
    if (ioctl(fd, SIOCSIFADDR, &request) != 0) return Failed("lo takes no IPv6 address");
  }
  return "";
}

// An address can be used once the kernel has come round to it.
std::string WaitFor(const wire::IpAddress& address) {
  constexpr int kTries = 2000;
  constexpr useconds_t kBetweenTriesUs = 1000;
  for (int tries = 0; tries < kTries; ++tries) {
    if (UdpSocket().Open({.address = address}) == 0) return "";
    usleep(kBetweenTriesUs);
  }
  return address.ToString() + " does not come up";
}

}  // namespace

wire::IpAddress Ipv6Loopback(uint32_t number) {
  std::array<uint8_t, 16> bytes = {0xfd};
  bytes[15] = static_cast<uint8_t>(number);
  return wire::IpAddress::V6(bytes);
}

std::string EnterIpv6Network() {
  if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) {
    return Failed("no network namespace");
  }
  const int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Failed("no IPv6 socket");
  std::string problem = SetUpLoopback(fd);
  close(fd);
  for (uint32_t number = 1; number <= kAddresses && problem.empty(); ++number) {
    problem = WaitFor(Ipv6Loopback(number));
  }
  return problem;
}

}  // namespace weft::probe
