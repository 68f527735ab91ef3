// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Who else may send from a socket's port. Both directions of a host's traffic use the same port
// numbers: its own probes and flows, and its answers to the probes of others.
enum class PortSharing : uint8_t {
  kNobody,
  // The port of probes or of a flow: no other such socket has it, but answers may leave from it.
  kWithAnswers,
  // To send one answer or control message and be closed again: as long as it is open, ICMP errors
  // that are meant for the port's other owner may go to it.
  kForOneAnswer,
};

struct UdpSocketOptions {
  wire::IpAddress address{};  // none: every local IPv4 address; ::, every IPv6 one
  uint16_t port = 0;          // 0: one of the kernel's choice
  std::string interface {};   // empty: any; otherwise sends and receives only there
  PortSharing sharing = PortSharing::kNobody;
  bool receives = false;      // false: what arrives is dropped in the kernel
  bool hears_errors = false;  // ICMP errors go to the error queue (IP_RECVERR)
  bool stamps_sends = false;  // so do the times when packets left, with the packets
  bool stamps_receives = false;
  int receive_buffer_bytes = 0;  // 0: the kernel's default
};

// An unprivileged, non-blocking UDP socket, of its address's family, whose packets fit the ICRC
// that we compute: never connected, DF set, so that the kernel writes ID 0 (IPv4). Over IPv6
// packets have the flow label that is asked for, and are never fragmented. Owns its descriptor.
class UdpSocket {
 public:
  UdpSocket() = default;
  UdpSocket(UdpSocket&& other) noexcept { *this = std::move(other); }
  UdpSocket& operator=(UdpSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(port_, other.port_);
    return *this;
  }
  ~UdpSocket();

  // 0, or the errno of what failed: EADDRINUSE when another socket holds the port, EACCES for a
  // port below 1024 without the right to it. Cheap to fail: see OpenError for words.
  int Open(const UdpSocketOptions& options);

  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  uint16_t port() const { return port_; }

  struct Destination {
    wire::IpAddress address{};
    uint16_t udp_port = 0;
    uint8_t ttl = 64;
    uint8_t traffic_class = 0;
    wire::IpAddress source{};  // none: as the socket is bound; to be given where it is not bound
    uint32_t flow_label = 0;   // IPv6, 20 bits; EINVAL where this host does not let us choose one
  };
  // 0 or errno. An ICMP error of an earlier packet, which the kernel reports here, is not one.
  int Send(const Destination& destination, std::span<const std::byte> datagram) const;

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
};

// "UDP port 4791 on 10.0.0.1 is held by weft-probe (pid 123)" (AlreadyExists) and the like.
absl::Status OpenError(const UdpSocketOptions& options, int error);

// Whether IPv6 packets from `source` get the flow label that they are sent with.
// FailedPrecondition: this host's rules keep programs from choosing one.
absl::Status CheckFlowLabels(const wire::IpAddress& source);

// "weft-probe (pid 123)", for as much as /proc tells this user; empty when it tells nothing.
std::string UdpPortHolder(const wire::IpAddress& address, uint16_t port);

}  // namespace weft::probe
