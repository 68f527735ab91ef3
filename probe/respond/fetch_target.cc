// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/socket_address.h"
#include "probe/respond/target_server.h"
#include "topology/records/record_file.h"

namespace weft::probe {
namespace {

constexpr size_t kMaxRecordFileBytes = 65536;

// One connection, blocking at most until `deadline_ns` at each step.
class Connection {
 public:
  Connection(const wire::IpAddress& address, int64_t deadline_ns)
      : address_(address),
        fd_(socket(DomainOf(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        deadline_ns_(deadline_ns) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (fd_ >= 0) close(fd_);
  }

  // 0 or errno.
  int Connect(uint16_t tcp_port) {
    SocketAddress remote(address_, tcp_port);
    if (fd_ < 0) return errno;
    if (connect(fd_, remote.data(), *remote.size()) == 0) return 0;
    if (errno != EINPROGRESS) return errno;
    if (!Wait(POLLOUT)) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
  }

  int ReadAll(std::string& text) {
    std::array<char, 4096> chunk;
    while (text.size() < kMaxRecordFileBytes) {
      const ssize_t size = recv(fd_, chunk.data(), chunk.size(), 0);
      if (size == 0) return 0;
      if (size > 0) {
        text.append(chunk.data(), static_cast<size_t>(size));
      } else if (errno != EAGAIN) {
        return errno;
      } else if (!Wait(POLLIN)) {
        return ETIMEDOUT;
      }
    }
    return EMSGSIZE;
  }

 private:
  bool Wait(short events) {
    const int64_t left_ns = std::max<int64_t>(deadline_ns_ - MonotonicNs(), 0);
    pollfd waited = {.fd = fd_, .events = events, .revents = 0};
    return poll(&waited, 1, static_cast<int>((left_ns + 999'999) / 1'000'000)) > 0;
  }

  wire::IpAddress address_;
  int fd_;
  int64_t deadline_ns_;
};

absl::StatusOr<topology::Target> TargetFromText(const wire::IpAddress& address, std::string text) {
  absl::StatusOr<topology::RecordFile<topology::Target>> file =
      topology::ParseRecords<topology::Target>(std::move(text),
                                               "target record of " + address.ToString());
  if (!file.ok()) return file.status();
  if (file->records.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("target record of ", address.ToString(), ": ",
                                                   file->records.size(), " records: expected one"));
  }
  // What counts is the address that we can reach it at.
  file->records.front().address = address;
  return std::move(file->records.front());
}

const char* WordFor(int error) {
  switch (error) {
    case ECONNREFUSED:
      return "refused";
    case ETIMEDOUT:
      return "timed out";
    default:
      return strerror(error);
  }
}

}  // namespace

absl::StatusOr<topology::Target> FetchTarget(const wire::IpAddress& address,
                                             const FetchOptions& options) {
  const int64_t end_ns = MonotonicNs() + options.tries_ns;
  int tries = 0;
  int error = ETIMEDOUT;
  while (true) {
    const int64_t now = MonotonicNs();
    if (now >= end_ns) break;
    Connection connection(address, std::min(now + options.one_try_ns, end_ns));
    ++tries;
    std::string text;
    error = connection.Connect(options.tcp_port);
    if (error == 0) error = connection.ReadAll(text);
    if (error == 0) return TargetFromText(address, std::move(text));
    // Refused or unreachable does not get better; silence may, on another path.
    if (error != ETIMEDOUT && error != ECONNRESET) break;
  }
  return absl::UnavailableError(absl::StrCat(
      address.ToString(), ": no responder: TCP port ", options.tcp_port, " ", WordFor(error), " (",
      tries, tries == 1 ? " try" : " tries", "); start 'weft-probe respond' there"));
}

}  // namespace weft::probe
