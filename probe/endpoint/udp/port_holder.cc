// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "probe/endpoint/udp/udp_socket.h"

namespace weft::probe {
namespace {

// The inode of the socket that stands in the way of binding address:port; 0: none seen. A line of
// /proc/net/udp reads "sl: local_address:port remote:port st ... inode ..." in hex, the address in
// the byte order of this machine.
uint64_t InodeOfUdpPort(const wire::IpAddress& address, uint16_t port) {
  std::ifstream table("/proc/net/udp");
  std::string line;
  while (std::getline(table, line)) {
    uint32_t local = 0;
    unsigned local_port = 0;
    uint64_t inode = 0;
    if (std::sscanf(line.c_str(),
                    "%*d: %" SCNx32 ":%x %*x:%*x %*x %*x:%*x %*x:%*x %*x %*d %*d %" SCNu64, &local,
                    &local_port, &inode) != 3) {
      continue;
    }
    const uint32_t held = ntohl(local);
    const bool overlaps = held == 0 || address.v4() == 0 || held == address.v4();
    if (local_port == port && overlaps) return inode;
  }
  return 0;
}

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

bool HoldsSocket(const std::string& process, const std::string& wanted) {
  const std::string fd_path = "/proc/" + process + "/fd";
  const Directory fds(opendir(fd_path.c_str()), closedir);
  if (fds == nullptr) return false;
  while (const dirent* entry = readdir(fds.get())) {
    std::array<char, 64> target{};
    const std::string path = fd_path + "/" + entry->d_name;
    if (readlink(path.c_str(), target.data(), target.size() - 1) > 0 && wanted == target.data()) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string UdpPortHolder(const wire::IpAddress& address, uint16_t port) {
  const uint64_t inode = InodeOfUdpPort(address, port);
  if (inode == 0) return "";
  const std::string wanted = "socket:[" + std::to_string(inode) + "]";
  const Directory processes(opendir("/proc"), closedir);
  if (processes == nullptr) return "";
  while (const dirent* entry = readdir(processes.get())) {
    const std::string process = entry->d_name;
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!HoldsSocket(process, wanted)) continue;
    std::string name = "a program";
    std::ifstream comm("/proc/" + process + "/comm");
    std::getline(comm, name);
    return name + " (pid " + process + ")";
  }
  return "";
}

}  // namespace weft::probe
