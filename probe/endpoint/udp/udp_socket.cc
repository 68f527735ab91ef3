// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/udp_socket.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
// After <netinet/in.h>, which has what both would define.
#include <linux/in6.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/socket_address.h"
#include "probe/endpoint/udp/socket_options.h"

namespace weft::probe {
namespace {

bool DropWhatArrives(int fd) {
  sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program = {.len = 1, .filter = &drop};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

// What an IP packet looks like, and what is told of those that arrive (of ICMP errors too).
bool ConfigureIpv4(int fd, bool tells) {
  return SetSocketOption(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO) &&
         (!tells || (SetSocketOption(fd, IPPROTO_IP, IP_PKTINFO, 1) &&
                     SetSocketOption(fd, IPPROTO_IP, IP_RECVTTL, 1) &&
                     SetSocketOption(fd, IPPROTO_IP, IP_RECVTOS, 1)));
}

// With IPV6_FLOWINFO_SEND the kernel takes the label that is asked for, and tells the one that an
// ICMP error quotes.
bool ConfigureIpv6(int fd, bool tells) {
  return SetSocketOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_DONTFRAG, 1) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_AUTOFLOWLABEL, 0) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, 1) &&
         (!tells || (SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) &&
                     SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1) &&
                     SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1)));
}

bool Configure(int fd, const UdpSocketOptions& options) {
  const bool v6 = options.address.IsV6();
  const bool tells = options.receives || options.hears_errors;
  if (!(v6 ? ConfigureIpv6(fd, tells) : ConfigureIpv4(fd, tells))) return false;
  if (!options.interface.empty() &&
      setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, options.interface.data(),
                 static_cast<socklen_t>(options.interface.size())) != 0) {
    return false;
  }
  if (options.hears_errors && !(v6 ? SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVERR, 1)
                                   : SetSocketOption(fd, IPPROTO_IP, IP_RECVERR, 1))) {
    return false;
  }
  if (options.receive_buffer_bytes > 0) {
    SetReceiveBuffer(fd, options.receive_buffer_bytes);
  }
  AskForStamps(fd, options.stamps_sends, options.stamps_receives);
  if (options.sharing == PortSharing::kForOneAnswer) {
    return SetSocketOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  }
  return options.receives || DropWhatArrives(fd);
}

// Linux lets two sockets have a port when both allow it at the time that the second one is bound. A
// socket kWithAnswers allows it only once it is bound, so two of these never meet, while one
// kForOneAnswer, which always allows it, gets in; that one is soon gone again if it came first.
int Bind(int fd, const UdpSocketOptions& options) {
  SocketAddress address(options.address, options.port);
  const bool shares = options.sharing == PortSharing::kWithAnswers;
  constexpr int kTries = 10;
  constexpr useconds_t kBetweenTriesUs = 100;
  for (int tries = 1; bind(fd, address.data(), *address.size()) != 0; ++tries) {
    if (!shares || errno != EADDRINUSE || tries == kTries) return errno;
    usleep(kBetweenTriesUs);
  }
  return !shares || SetSocketOption(fd, SOL_SOCKET, SO_REUSEADDR, 1) ? 0 : errno;
}

// Whether sendmsg() reported an ICMP error of an earlier packet, which is then over.
bool MayBeAnEarlierPackets(int error) {
  return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
         error == EPROTO || error == ENOPROTOOPT || error == EMSGSIZE || error == EOPNOTSUPP ||
         error == EACCES || error == EHOSTDOWN;
}

constexpr size_t kSendControlBytes = 2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(in6_pktinfo));

// Writes what a packet is to have beside its addresses. Returns the bytes written.
size_t WriteControl(const UdpSocket::Destination& destination,
                    std::array<char, kSendControlBytes>& control) {
  size_t used = 0;
  const auto add = [&](int level, int type, const auto& value) {
    auto* header = reinterpret_cast<cmsghdr*>(control.data() + used);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(header), &value, sizeof value);
    used += CMSG_SPACE(sizeof value);
  };
  const bool v6 = destination.address.IsV6();
  add(v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_HOPLIMIT : IP_TTL, int{destination.ttl});
  add(v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_TCLASS : IP_TOS, int{destination.traffic_class});
  if (destination.source.IsV6()) {
    add(IPPROTO_IPV6, IPV6_PKTINFO, in6_pktinfo{ToIn6Addr(destination.source), 0});
  } else if (destination.source.IsV4()) {
    in_pktinfo info = {};
    info.ipi_spec_dst.s_addr = htonl(destination.source.v4());
    add(IPPROTO_IP, IP_PKTINFO, info);
  }
  return used;
}

// Where some program has a label of its own, the kernel takes only labels that a socket has asked
// it for.
bool LeaseFlowLabel(int fd, const UdpSocket::Destination& destination) {
  in6_flowlabel_req request = {};
  request.flr_dst = ToIn6Addr(destination.address);
  request.flr_label = htonl(destination.flow_label);
  request.flr_action = IPV6_FL_A_GET;
  request.flr_share = IPV6_FL_S_ANY;
  request.flr_flags = IPV6_FL_F_CREATE;
  return setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &request, sizeof request) == 0;
}

}  // namespace

UdpSocket::~UdpSocket() {
  if (fd_ >= 0) close(fd_);
}

int UdpSocket::Open(const UdpSocketOptions& options) {
  UdpSocket opened;
  opened.fd_ = socket(DomainOf(options.address), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (opened.fd_ < 0 || !Configure(opened.fd_, options)) return errno;
  if (const int error = Bind(opened.fd_, options); error != 0) return error;
  SocketAddress address;
  if (getsockname(opened.fd_, address.data(), address.size()) != 0) return errno;
  opened.port_ = address.port();
  *this = std::move(opened);
  return 0;
}

int UdpSocket::Send(const Destination& destination, std::span<const std::byte> datagram) const {
  SocketAddress address(destination.address, destination.udp_port, destination.flow_label);
  iovec data = {.iov_base = const_cast<std::byte*>(datagram.data()), .iov_len = datagram.size()};
  alignas(cmsghdr) std::array<char, kSendControlBytes> control{};
  msghdr message = {};
  message.msg_name = address.data();
  message.msg_namelen = *address.size();
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = WriteControl(destination, control);
  bool leased = false;
  // One more try than there can be reports of earlier packets between two sends of one thread.
  for (int tries = 0;; ++tries) {
    if (sendmsg(fd_, &message, MSG_DONTWAIT) >= 0) return 0;
    if (errno == EINTR) continue;
    if (errno == EINVAL && destination.flow_label != 0 && !leased) {
      leased = LeaseFlowLabel(fd_, destination);
      if (leased) continue;
      return EINVAL;
    }
    if (tries == 2 || !MayBeAnEarlierPackets(errno)) return errno;
  }
}

absl::Status CheckFlowLabels(const wire::IpAddress& source) {
  UdpSocket socket;
  const UdpSocketOptions options = {.address = source};
  if (const int error = socket.Open(options); error != 0) return OpenError(options, error);
  const int error =
      socket.Send({.address = source, .udp_port = socket.port(), .flow_label = 1}, {});
  if (error == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("this host does not let programs choose IPv6 flow labels: ", strerror(error),
                   " (see net.ipv6.flowlabel_consistency and flowlabel_state_ranges)"));
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
