// SPDX-License-Identifier: Apache-2.0
#include "probe/respond/target_server.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/socket_address.h"
#include "topology/records/record_codec.h"

namespace weft::probe {
namespace {

constexpr int kBacklog = 64;
constexpr int kClientsAtOnce = 8;  // so that probes do not wait behind a crowd

std::string RecordFileText(const topology::Target& target) {
  const auto& kind = topology::kRecordKind<topology::Target>;
  return absl::StrCat("{\"kind\":\"", kind.name, "\",\"version\":", kind.version, "}\n",
                      topology::RecordCodec<topology::Target>::ToJson(target), "\n");
}

wire::IpAddress LocalAddressOf(int fd) {
  SocketAddress address;
  if (getsockname(fd, address.data(), address.size()) != 0) return {};
  return address.address();
}

}  // namespace

absl::StatusOr<TargetServer> TargetServer::Listen(const wire::IpAddress& address,
                                                  uint16_t tcp_port) {
  TargetServer server;
  server.fd_ = socket(DomainOf(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  SocketAddress local(address, tcp_port);
  // Connections of an earlier responder that are still closing do not hold the port.
  const int yes = 1;
  if (server.fd_ < 0 ||
      (address.IsV6() &&
       setsockopt(server.fd_, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0) ||
      setsockopt(server.fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(server.fd_, local.data(), *local.size()) != 0 || listen(server.fd_, kBacklog) != 0) {
    const std::string where = absl::StrCat("TCP port ", tcp_port, " on ",
                                           address.empty() ? "all addresses" : address.ToString());
    if (errno == EADDRINUSE) {
      return absl::AlreadyExistsError(where +
                                      " is held by another program (--tcp-port chooses another)");
    }
    return absl::InternalError(absl::StrCat(where, ": ", strerror(errno)));
  }
  return server;
}

TargetServer::~TargetServer() {
  if (fd_ >= 0) close(fd_);
}

uint16_t TargetServer::tcp_port() const {
  SocketAddress address;
  if (fd_ < 0 || getsockname(fd_, address.data(), address.size()) != 0) return 0;
  return address.port();
}

int TargetServer::Serve(const topology::Target& target) const {
  int served = 0;
  while (served < kClientsAtOnce) {
    const int client = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) break;
    topology::Target told = target;
    const wire::IpAddress asked = LocalAddressOf(client);
    if (!asked.empty()) told.address = asked;
    const std::string text = RecordFileText(told);
    // A new connection's buffer holds it all, and the kernel delivers it after close().
    if (send(client, text.data(), text.size(), MSG_NOSIGNAL) > 0) ++served;
    close(client);
  }
  return served;
}

}  // namespace weft::probe
