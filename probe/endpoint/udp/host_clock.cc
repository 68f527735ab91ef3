// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/host_clock.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace weft::probe {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

int64_t Read(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * kNsPerSecond + time.tv_nsec;
}

}  // namespace

int64_t MonotonicNs() { return Read(CLOCK_MONOTONIC); }
int64_t RealtimeNs() { return Read(CLOCK_REALTIME); }

bool WaitReadable(int fd, int64_t timeout_ns) {
  timeout_ns = std::max<int64_t>(timeout_ns, 0);
  const timespec timeout = {.tv_sec = timeout_ns / kNsPerSecond,
                            .tv_nsec = timeout_ns % kNsPerSecond};
  pollfd waited = {.fd = fd, .events = POLLIN, .revents = 0};
  return ppoll(&waited, 1, &timeout, nullptr) >= 0 || errno == EINTR;
}

}  // namespace weft::probe
