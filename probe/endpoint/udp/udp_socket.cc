// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/udp_socket.h"

#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/socket_address.h"

namespace weft::probe {
namespace {

bool SetOption(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

bool DropWhatArrives(int fd) {
  sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program = {.len = 1, .filter = &drop};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

// Stamps are an offer of the kernel's: without them the endpoint takes its own time.
void AskForStamps(int fd, const UdpSocketOptions& options) {
  int flags = SOF_TIMESTAMPING_SOFTWARE;
  if (options.stamps_sends) flags |= SOF_TIMESTAMPING_TX_SOFTWARE;
  if (options.stamps_receives) flags |= SOF_TIMESTAMPING_RX_SOFTWARE;
  if (flags != SOF_TIMESTAMPING_SOFTWARE) SetOption(fd, SOL_SOCKET, SO_TIMESTAMPING, flags);
}

bool Configure(int fd, const UdpSocketOptions& options) {
  if (!SetOption(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)) return false;
  if (!options.interface.empty() &&
      setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, options.interface.data(),
                 static_cast<socklen_t>(options.interface.size())) != 0) {
    return false;
  }
  if (options.hears_errors && !SetOption(fd, IPPROTO_IP, IP_RECVERR, 1)) return false;
  if (options.receive_buffer_bytes > 0) {
    // Past the host's limit where that is allowed.
    if (!SetOption(fd, SOL_SOCKET, SO_RCVBUFFORCE, options.receive_buffer_bytes)) {
      SetOption(fd, SOL_SOCKET, SO_RCVBUF, options.receive_buffer_bytes);
    }
  }
  AskForStamps(fd, options);
  if (options.sharing == PortSharing::kForOneAnswer) {
    return SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  }
  if (!options.receives) return DropWhatArrives(fd);
  return SetOption(fd, IPPROTO_IP, IP_PKTINFO, 1) && SetOption(fd, IPPROTO_IP, IP_RECVTTL, 1) &&
         SetOption(fd, IPPROTO_IP, IP_RECVTOS, 1);
}

// Linux lets two sockets have a port when both allow it at the time that the second one is bound. A
// socket kWithAnswers allows it only once it is bound, so two of these never meet, while one
// kForOneAnswer, which always allows it, gets in; that one is soon gone again if it came first.
int Bind(int fd, const UdpSocketOptions& options) {
  sockaddr_in address = ToSockaddr(options.address, options.port);
  const bool shares = options.sharing == PortSharing::kWithAnswers;
  constexpr int kTries = 10;
  constexpr useconds_t kBetweenTriesUs = 100;
  for (int tries = 1; bind(fd, AsSockaddr(&address), sizeof address) != 0; ++tries) {
    if (!shares || errno != EADDRINUSE || tries == kTries) return errno;
    usleep(kBetweenTriesUs);
  }
  return !shares || SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1) ? 0 : errno;
}

// Whether sendmsg() reported an ICMP error of an earlier packet, which is then over.
bool MayBeAnEarlierPackets(int error) {
  return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
         error == EPROTO || error == ENOPROTOOPT || error == EMSGSIZE || error == EOPNOTSUPP ||
         error == EACCES || error == EHOSTDOWN;
}

}  // namespace

UdpSocket::~UdpSocket() {
  if (fd_ >= 0) close(fd_);
}

int UdpSocket::Open(const UdpSocketOptions& options) {
  UdpSocket opened;
  opened.fd_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (opened.fd_ < 0 || !Configure(opened.fd_, options)) return errno;
  if (const int error = Bind(opened.fd_, options); error != 0) return error;
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  if (getsockname(opened.fd_, AsSockaddr(&address), &size) != 0) return errno;
  opened.port_ = ntohs(address.sin_port);
  *this = std::move(opened);
  return 0;
}

int UdpSocket::Send(const Destination& destination, std::span<const std::byte> datagram) const {
  sockaddr_in address = ToSockaddr(destination.address, destination.udp_port);
  iovec data = {.iov_base = const_cast<std::byte*>(datagram.data()), .iov_len = datagram.size()};
  alignas(cmsghdr) std::array<char, 2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(in_pktinfo))>
      control{};
  msghdr message = {};
  message.msg_name = &address;
  message.msg_namelen = sizeof address;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();

  cmsghdr* header = CMSG_FIRSTHDR(&message);
  const auto add = [&](int type, const auto& value) {
    header->cmsg_level = IPPROTO_IP;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(header), &value, sizeof value);
    header = CMSG_NXTHDR(&message, header);
  };
  add(IP_TTL, int{destination.ttl});
  add(IP_TOS, int{destination.traffic_class});
  if (destination.source.empty()) {
    message.msg_controllen = 2 * CMSG_SPACE(sizeof(int));
  } else {
    in_pktinfo info = {};
    info.ipi_spec_dst.s_addr = htonl(destination.source.v4());
    add(IP_PKTINFO, info);
  }
  // One more try than there can be reports of earlier packets between two sends of one thread.
  for (int tries = 0;; ++tries) {
    if (sendmsg(fd_, &message, MSG_DONTWAIT) >= 0) return 0;
    if (errno == EINTR) continue;
    if (tries == 2 || !MayBeAnEarlierPackets(errno)) return errno;
  }
}

absl::Status OpenError(const UdpSocketOptions& options, int error) {
  const std::string where =
      absl::StrCat("UDP port ", options.port, " on ",
                   options.address.empty() ? "all addresses" : options.address.ToString());
  switch (error) {
    case EADDRINUSE: {
      const std::string holder = UdpPortHolder(options.address, options.port);
      return absl::AlreadyExistsError(
          absl::StrCat(where, " is held by ", holder.empty() ? "another program" : holder));
    }
    case EADDRNOTAVAIL:
      return absl::NotFoundError(
          absl::StrCat(options.address.ToString(), ": not an address of this host"));
    case ENODEV:
      return absl::NotFoundError(
          absl::StrCat("interface ", options.interface, ": no such interface"));
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(
          absl::StrCat(where, ": too many open files: raise the limit (ulimit -n)"));
    default:
      return absl::InternalError(absl::StrCat(where, ": ", strerror(error)));
  }
}

}  // namespace weft::probe
