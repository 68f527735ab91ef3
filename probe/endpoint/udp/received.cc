// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/received.h"

#include <linux/errqueue.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "probe/endpoint/udp/socket_address.h"
#include "wire/byte_reader.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace weft::probe {
namespace {

template <typename T>
T ControlValue(cmsghdr* header) {
  T value;
  std::memcpy(&value, CMSG_DATA(header), sizeof value);
  return value;
}

int64_t StampOf(cmsghdr* header) {
  const auto stamps = ControlValue<scm_timestamping>(header);
  return stamps.ts[0].tv_sec * int64_t{1'000'000'000} + stamps.ts[0].tv_nsec;  // [0] is software
}

bool IsStamp(const cmsghdr* header) {
  return header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPING;
}

wire::IpAddress AddressOf(const sockaddr* address) {
  if (address->sa_family != AF_INET) return {};
  sockaddr_in v4;
  std::memcpy(&v4, address, sizeof v4);
  return FromInAddr(v4.sin_addr);
}

// The UDP payload inside a sent frame. How long the link header is depends on the device, so the
// IPv4 header is found by where its own length says that the frame ends.
std::span<const std::byte> PayloadOfSentFrame(std::span<const std::byte> frame) {
  constexpr size_t kLongestLinkHeader = 22;
  for (size_t start = 0; start <= std::min(kLongestLinkHeader, frame.size()); start += 2) {
    const std::span<const std::byte> packet = frame.subspan(start);
    wire::ByteReader reader(packet);
    const wire::Ipv4Header ip = wire::ReadIpv4(reader);
    wire::ReadUdp(reader);
    if (reader.ok() && ip.total_bytes == packet.size() && ip.protocol == wire::kIpProtocolUdp) {
      return reader.Rest();
    }
  }
  return {};
}

void ReadExtendedError(cmsghdr* header, QueuedError& error) {
  const auto extended = ControlValue<sock_extended_err>(header);
  if (extended.ee_origin == SO_EE_ORIGIN_TIMESTAMPING) {
    error.kind = QueuedError::Kind::kSendStamp;
    return;
  }
  if (extended.ee_origin != SO_EE_ORIGIN_ICMP) return;
  error.kind = QueuedError::Kind::kIcmp;
  error.icmp_type = extended.ee_type;
  error.icmp_code = extended.ee_code;
  sockaddr_in offender;
  std::memcpy(&offender, CMSG_DATA(header) + sizeof extended, sizeof offender);
  if (offender.sin_family == AF_INET) error.offender = FromInAddr(offender.sin_addr);
}

}  // namespace

ReceiveBatch::ReceiveBatch(size_t count, size_t bytes_each)
    : bytes_each_(bytes_each), bytes_(count * bytes_each), slots_(count), headers_(count) {
  for (size_t i = 0; i < count; ++i) {
    slots_[i].data = {.iov_base = bytes_.data() + i * bytes_each, .iov_len = bytes_each};
    msghdr& header = headers_[i].msg_hdr;
    header = {};
    header.msg_name = &slots_[i].address;
    header.msg_iov = &slots_[i].data;
    header.msg_iovlen = 1;
    header.msg_control = slots_[i].control.data();
  }
}

size_t ReceiveBatch::Receive(int fd) {
  for (mmsghdr& header : headers_) {
    header.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
    header.msg_hdr.msg_controllen = kControlBytes;
  }
  const int count =
      recvmmsg(fd, headers_.data(), static_cast<unsigned>(headers_.size()), MSG_DONTWAIT, nullptr);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

Datagram ReceiveBatch::Get(size_t index) const {
  const mmsghdr& received = headers_[index];
  Datagram datagram;
  datagram.bytes = {bytes_.data() + index * bytes_each_,
                    std::min<size_t>(received.msg_len, bytes_each_)};
  datagram.cut = (received.msg_hdr.msg_flags & MSG_TRUNC) != 0;
  sockaddr_in from;
  std::memcpy(&from, &slots_[index].address, sizeof from);
  datagram.source = FromInAddr(from.sin_addr);
  datagram.udp_src_port = ntohs(from.sin_port);
  msghdr message = received.msg_hdr;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (IsStamp(header)) {
      datagram.stamp_ns = StampOf(header);
    } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TTL) {
      datagram.ttl = static_cast<uint8_t>(ControlValue<int>(header));
    } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TOS) {
      datagram.traffic_class = ControlValue<uint8_t>(header);
    } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
      datagram.destination = FromInAddr(ControlValue<in_pktinfo>(header).ipi_addr);
    }
  }
  return datagram;
}

bool ReadErrorQueue(int fd, std::span<std::byte> buffer, QueuedError& error) {
  sockaddr_storage address = {};
  iovec data = {.iov_base = buffer.data(), .iov_len = buffer.size()};
  alignas(cmsghdr) std::array<char, 512> control;
  msghdr message = {};
  message.msg_name = &address;
  message.msg_namelen = sizeof address;
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
  if (size < 0) return false;

  error = QueuedError();
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (IsStamp(header)) error.stamp_ns = StampOf(header);
    if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR) {
      ReadExtendedError(header, error);
    }
  }
  error.destination = AddressOf(reinterpret_cast<const sockaddr*>(&address));
  error.bytes = buffer.first(std::min(static_cast<size_t>(size), buffer.size()));
  if (error.kind == QueuedError::Kind::kSendStamp) error.bytes = PayloadOfSentFrame(error.bytes);
  return true;
}

}  // namespace weft::probe
