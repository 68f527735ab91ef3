// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/icmp_socket.h"

#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "probe/endpoint/udp/socket_options.h"
#include "wire/icmp.h"
#include "wire/icmpv6.h"
#include "wire/ipv6.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

// As many as there can be probes in flight by default, at what Linux counts for a short packet.
constexpr int kReceiveBufferBytes = 1 << 22;

constexpr unsigned kIpv4ProtocolAt = 9;
constexpr unsigned kIpv6NextHeaderAt = 6;
constexpr unsigned kUdpDestinationPortAt = 2;

bool Attach(int fd, std::span<sock_filter> filter) {
  const sock_fprog program = {.len = static_cast<uint16_t>(filter.size()), .filter = filter.data()};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

// Classic BPF; a load from beyond the packet drops it. An IPv4 socket's packets begin with their IP
// header, whose length goes to X.
bool HearOnlyErrorsV4(int fd) {
  constexpr unsigned kQuote = wire::kIcmpHeaderBytes;
  std::array<sock_filter, 15> program = {{
      BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP_DEST_UNREACH, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP_TIME_EXCEEDED, 0, 9),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, kQuote + kIpv4ProtocolAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 7),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, kQuote),  // version, and the quoted header's words
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
      BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2),
      BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_STMT(BPF_LD | BPF_H | BPF_IND, kQuote + kUdpDestinationPortAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wire::kRoceUdpPort, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
  }};
  return Attach(fd, program);
}

// An IPv6 socket's packets begin with the ICMPv6 header. A quote with extension headers is of
// nothing that we sent.
bool HearOnlyErrorsV6(int fd) {
  constexpr unsigned kQuote = wire::kIcmpv6HeaderBytes;
  std::array<sock_filter, 9> program = {{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP6_DST_UNREACH, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ICMP6_TIME_EXCEEDED, 0, 4),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kQuote + kIpv6NextHeaderAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 2),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kQuote + wire::kIpv6HeaderBytes + kUdpDestinationPortAt),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wire::kRoceUdpPort, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
  }};
  return Attach(fd, program);
}

// Of IPv6 the socket shows no header: what it holds is told beside each message.
bool TellHeaderV6(int fd) {
  return SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1) &&
         SetSocketOption(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
}

}  // namespace

IcmpSocket::~IcmpSocket() {
  if (fd_ >= 0) close(fd_);
}

int IcmpSocket::Open(wire::IpAddress::Family family, bool stamps) {
  const bool v6 = family == wire::IpAddress::Family::kV6;
  IcmpSocket opened;
  opened.fd_ = socket(v6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
                      v6 ? int{IPPROTO_ICMPV6} : int{IPPROTO_ICMP});
  if (opened.fd_ < 0) return errno;
  const bool hears =
      v6 ? HearOnlyErrorsV6(opened.fd_) && TellHeaderV6(opened.fd_) : HearOnlyErrorsV4(opened.fd_);
  if (!hears) return errno;
  SetReceiveBuffer(opened.fd_, kReceiveBufferBytes);
  AskForStamps(opened.fd_, false, stamps);
  *this = std::move(opened);
  return 0;
}

uint64_t IcmpSocket::OverflowCount() const {
  std::array<uint32_t, SK_MEMINFO_VARS> memory = {};
  socklen_t size = sizeof memory;
  if (fd_ < 0 || getsockopt(fd_, SOL_SOCKET, SO_MEMINFO, memory.data(), &size) != 0) return 0;
  return memory[SK_MEMINFO_DROPS];
}

std::optional<wire::IpError> ParseIcmpDatagram(const Datagram& datagram) {
  if (datagram.cut) return std::nullopt;
  if (!datagram.source.IsV6()) return wire::ParseIpError(datagram.bytes);
  const wire::Ipv6Header carrier = {.traffic_class = datagram.traffic_class,
                                    .hop_limit = datagram.ttl,
                                    .source = datagram.source,
                                    .destination = datagram.destination};
  return wire::ParseIpv6Error(carrier, datagram.bytes);
}

}  // namespace weft::probe
