// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/net_tstamp.h>
#include <sys/socket.h>

namespace weft::probe {

inline bool SetSocketOption(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// Past the host's limit where that is allowed; as far as the limit otherwise.
inline void SetReceiveBuffer(int fd, int bytes) {
  if (!SetSocketOption(fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes)) {
    SetSocketOption(fd, SOL_SOCKET, SO_RCVBUF, bytes);
  }
}

// Stamps are an offer of the kernel's: without them the endpoint takes its own time.
inline void AskForStamps(int fd, bool of_sends, bool of_receives) {
  int flags = SOF_TIMESTAMPING_SOFTWARE;
  if (of_sends) flags |= SOF_TIMESTAMPING_TX_SOFTWARE;
  if (of_receives) flags |= SOF_TIMESTAMPING_RX_SOFTWARE;
  if (flags != SOF_TIMESTAMPING_SOFTWARE) {
    SetSocketOption(fd, SOL_SOCKET, SO_TIMESTAMPING, flags);
  }
}

}  // namespace weft::probe
