// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::probe {

int64_t MonotonicNs();  // CLOCK_MONOTONIC
int64_t RealtimeNs();   // CLOCK_REALTIME, which the kernel stamps packets with

// Waits until `fd` is readable or has an error, `timeout_ns` has passed, or a signal came (all
// true). false: see errno.
bool WaitReadable(int fd, int64_t timeout_ns);

}  // namespace weft::probe
