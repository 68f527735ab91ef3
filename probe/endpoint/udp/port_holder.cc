// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "probe/endpoint/udp/socket_address.h"
#include "probe/endpoint/udp/udp_socket.h"

namespace weft::probe {
namespace {

// An address as /proc/net has it: words of 32 bits in hex, each in the byte order of this machine.
wire::IpAddress FromProc(const std::string& text) {
  std::array<uint32_t, 4> words{};
  if (text.size() != 8 && text.size() != 32) return {};
  for (size_t i = 0; i < text.size() / 8; ++i) {
    words[i] = static_cast<uint32_t>(std::strtoul(text.substr(8 * i, 8).c_str(), nullptr, 16));
  }
  if (text.size() == 8) return wire::IpAddress::V4(ntohl(words[0]));
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return wire::IpAddress::V6(bytes);
}

// The inode of the socket that stands in the way of binding address:port; 0: none seen. A line of
// /proc/net/udp and udp6 reads "sl: local_address:port remote:port st ... inode ..." in hex.
uint64_t InodeOfUdpPort(const wire::IpAddress& address, uint16_t port) {
  std::ifstream table(address.IsV6() ? "/proc/net/udp6" : "/proc/net/udp");
  std::string line;
  while (std::getline(table, line)) {
    std::array<char, 33> local{};
    unsigned local_port = 0;
    uint64_t inode = 0;
    if (std::sscanf(line.c_str(),
                    "%*d: %32[0-9A-F]:%x %*[0-9A-F]:%*x %*x %*x:%*x %*x:%*x %*x %*d %*d %" SCNu64,
                    local.data(), &local_port, &inode) != 3) {
      continue;
    }
    const wire::IpAddress held = FromProc(local.data());
    const bool overlaps =
        address.empty() || IsEveryAddress(address) || IsEveryAddress(held) || held == address;
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
