// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "probe/endpoint/udp/socket_address.h"
#include "wire/ip_address.h"

// What comes out of a UDP socket: datagrams, in batches, and its error queue.
namespace weft::probe {

struct Datagram {
  std::span<const std::byte> bytes;  // valid until the next Receive()
  wire::IpAddress source;
  uint16_t udp_src_port = 0;
  wire::IpAddress destination;  // the local address that it was sent to
  uint8_t ttl = 0;              // as it arrived; 0: not known
  uint8_t traffic_class = 0;
  int64_t stamp_ns = 0;  // kernel's time of arrival, CLOCK_REALTIME; 0: none
  bool cut = false;      // it was longer than the buffer
};

// Room for `count` datagrams of up to `bytes_each`; allocates nothing after construction.
class ReceiveBatch {
 public:
  ReceiveBatch(size_t count, size_t bytes_each);
  ReceiveBatch(const ReceiveBatch&) = delete;
  ReceiveBatch& operator=(const ReceiveBatch&) = delete;

  // How many datagrams came, without waiting.
  size_t Receive(int fd);
  Datagram Get(size_t index) const;
  size_t capacity() const { return headers_.size(); }

 private:
  static constexpr size_t kControlBytes = 256;
  struct Slot {
    SocketAddress address;
    iovec data;
    alignas(cmsghdr) std::array<char, kControlBytes> control;
  };

  size_t bytes_each_;
  std::vector<std::byte> bytes_;
  std::vector<Slot> slots_;
  std::vector<mmsghdr> headers_;
};

// One entry of a socket's error queue.
struct QueuedError {
  enum class Kind : uint8_t { kSendStamp, kIcmp, kOther };
  Kind kind = Kind::kOther;
  int64_t stamp_ns = 0;  // CLOCK_REALTIME; 0: none
  // kIcmp: what stood after the UDP header of the packet that it quotes. kSendStamp: the UDP
  // payload that left, or nothing where the kernel gives no data.
  std::span<const std::byte> bytes;
  // kIcmp:
  wire::IpAddress offender;
  wire::IpAddress destination;  // of the packet that it is about
  uint8_t icmp_type = 0;        // of ICMP or ICMPv6, as `destination` is
  uint8_t icmp_code = 0;
  std::optional<uint8_t> carrier_ttl;           // of the packet that carried the error
  std::optional<uint8_t> quoted_traffic_class;  // IPv6: Linux tells it of IPv6 quotes only
};

// false: the queue is empty. `buffer` holds what `error.bytes` points to.
bool ReadErrorQueue(int fd, std::span<std::byte> buffer, QueuedError& error);

}  // namespace weft::probe
