// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/port_sockets.h"

#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace weft::probe {

PortSockets::PortSockets(UdpSocketOptions options, size_t limit, int epoll_fd)
    : options_(std::move(options)), limit_(std::max<size_t>(limit, 1)), epoll_fd_(epoll_fd) {
  by_port_.reserve(std::min<size_t>(limit_, 4096));
}

bool PortSockets::MakeRoom() {
  if (sockets_.size() < limit_) return true;
  const auto idle = std::find_if(sockets_.rbegin(), sockets_.rend(),
                                 [](const Socket& socket) { return socket.users == 0; });
  if (idle == sockets_.rend()) return false;
  by_port_.erase(Key(idle->address, idle->port));
  sockets_.erase(std::next(idle).base());
  return true;
}

PortSockets::Socket* PortSockets::Get(const wire::IpAddress& address, uint16_t port, int* error) {
  const auto known = by_port_.find(Key(address, port));
  if (known != by_port_.end()) {
    sockets_.splice(sockets_.begin(), sockets_, known->second);
    return &sockets_.front();
  }
  if (!MakeRoom()) {
    *error = EMFILE;
    return nullptr;
  }
  UdpSocketOptions options = options_;
  options.address = address;
  options.port = port;
  UdpSocket opened;
  *error = opened.Open(options);
  if (*error != 0) return nullptr;
  sockets_.push_front({.socket = std::move(opened), .address = address, .port = port});
  Socket* socket = &sockets_.front();
  if (epoll_fd_ >= 0) {
    epoll_event event = {};  // EPOLLERR is always told
    event.data.ptr = socket;
    if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, socket->socket.fd(), &event) != 0) {
      *error = errno;
      sockets_.pop_front();
      return nullptr;
    }
  }
  by_port_.emplace(Key(address, port), sockets_.begin());
  return socket;
}

size_t RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = raised.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  constexpr size_t kKeptForOthers = 128;
  const auto files = static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, rlim_t{1} << 20));
  return files > 2 * kKeptForOthers ? files - kKeptForOthers : files / 2;
}

}  // namespace weft::probe
