// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "probe/endpoint/udp/udp_socket.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Sockets by local address and source port, opened when first asked for. At most `limit` are open:
// the one unused for longest makes room, unless somebody still waits for something on it.
class PortSockets {
 public:
  struct Socket {
    UdpSocket socket;
    wire::IpAddress address;
    uint16_t port = 0;
    size_t users = 0;  // the owner's count of what it still expects here; above 0 it stays open
  };

  // Every socket is opened with `options`, address and port replaced. With an `epoll_fd` (not
  // owned; -1: none) it is registered there for errors, its Socket* as the event's data.
  PortSockets(UdpSocketOptions options, size_t limit, int epoll_fd = -1);

  // nullptr: it cannot be opened, and *error is the errno; EMFILE also when all of `limit` are in
  // use. The pointer stays valid until a later Get() closes it.
  Socket* Get(const wire::IpAddress& address, uint16_t port, int* error);
  bool IsOpen(const wire::IpAddress& address, uint16_t port) const {
    return by_port_.contains(Key(address, port));
  }

  size_t size() const { return by_port_.size(); }
  const UdpSocketOptions& options() const { return options_; }

 private:
  using Key = std::pair<wire::IpAddress, uint16_t>;

  bool MakeRoom();

  UdpSocketOptions options_;
  size_t limit_;
  int epoll_fd_;
  std::list<Socket> sockets_;  // used last first
  absl::flat_hash_map<Key, std::list<Socket>::iterator> by_port_;
};

// How many files this process may still open, after raising its own limit as far as it is allowed.
size_t RaiseFileLimit();

}  // namespace weft::probe
