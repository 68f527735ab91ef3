// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/received.h"

#include <linux/errqueue.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "probe/endpoint/udp/socket_address.h"
#include "wire/byte_reader.h"
#include "wire/ip.h"
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

// The UDP payload inside a sent frame. How long the link header is depends on the device, so the IP
// header is found by where its own length says that the frame ends.
std::span<const std::byte> PayloadOfSentFrame(std::span<const std::byte> frame) {
  constexpr size_t kLongestLinkHeader = 22;
  for (size_t start = 0; start <= std::min(kLongestLinkHeader, frame.size()); start += 2) {
    const std::span<const std::byte> packet = frame.subspan(start);
    const std::optional<wire::IpHeader> ip = wire::ParseIp(packet);
    if (!ip || ip->header_bytes + ip->payload_bytes != packet.size()) continue;
    wire::ByteReader reader(packet.subspan(ip->header_bytes));
    wire::ReadUdp(reader);
    if (reader.ok() && ip->protocol == wire::kIpProtocolUdp) return reader.Rest();
  }
  return {};
}

void ReadExtendedError(cmsghdr* header, QueuedError& error) {
  const auto extended = ControlValue<sock_extended_err>(header);
  if (extended.ee_origin == SO_EE_ORIGIN_TIMESTAMPING) {
    error.kind = QueuedError::Kind::kSendStamp;
    return;
  }
  if (extended.ee_origin != SO_EE_ORIGIN_ICMP && extended.ee_origin != SO_EE_ORIGIN_ICMP6) return;
  error.kind = QueuedError::Kind::kIcmp;
  error.icmp_type = extended.ee_type;
  error.icmp_code = extended.ee_code;
  const size_t before = CMSG_LEN(sizeof extended);  // the offender's address follows
  if (header->cmsg_len <= before) return;
  error.offender = SocketAddress({reinterpret_cast<const std::byte*>(header) + before,
                                  header->cmsg_len - before})
                       .address();
}

// Of an IP header, as a socket tells it beside a datagram or an error.
struct ToldHeader {
  uint8_t ttl = 0;  // 0: not told
  uint8_t traffic_class = 0;
  wire::IpAddress destination;
};

void ReadToldHeader(cmsghdr* header, ToldHeader& told) {
  if (header->cmsg_level == IPPROTO_IP) {
    if (header->cmsg_type == IP_TTL) told.ttl = static_cast<uint8_t>(ControlValue<int>(header));
    if (header->cmsg_type == IP_TOS) told.traffic_class = ControlValue<uint8_t>(header);
    if (header->cmsg_type == IP_PKTINFO) {
      told.destination = FromInAddr(ControlValue<in_pktinfo>(header).ipi_addr);
    }
  } else if (header->cmsg_level == IPPROTO_IPV6) {
    if (header->cmsg_type == IPV6_HOPLIMIT) {
      told.ttl = static_cast<uint8_t>(ControlValue<int>(header));
    }
    if (header->cmsg_type == IPV6_TCLASS) {
      told.traffic_class = static_cast<uint8_t>(ControlValue<int>(header));
    }
    if (header->cmsg_type == IPV6_PKTINFO) {
      told.destination = FromIn6Addr(ControlValue<in6_pktinfo>(header).ipi6_addr);
    }
  }
}

bool IsExtendedError(const cmsghdr* header) {
  return (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR) ||
         (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR);
}

}  // namespace

ReceiveBatch::ReceiveBatch(size_t count, size_t bytes_each)
    : bytes_each_(bytes_each), bytes_(count * bytes_each), slots_(count), headers_(count) {
  for (size_t i = 0; i < count; ++i) {
    slots_[i].data = {.iov_base = bytes_.data() + i * bytes_each, .iov_len = bytes_each};
    msghdr& header = headers_[i].msg_hdr;
    header = {};
    header.msg_name = slots_[i].address.data();
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
  datagram.source = slots_[index].address.address();
  datagram.udp_src_port = slots_[index].address.port();
  ToldHeader told;
  msghdr message = received.msg_hdr;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (IsStamp(header)) datagram.stamp_ns = StampOf(header);
    ReadToldHeader(header, told);
  }
  datagram.ttl = told.ttl;
  datagram.traffic_class = told.traffic_class;
  datagram.destination = told.destination;
  return datagram;
}

bool ReadErrorQueue(int fd, std::span<std::byte> buffer, QueuedError& error) {
  SocketAddress address;
  iovec data = {.iov_base = buffer.data(), .iov_len = buffer.size()};
  alignas(cmsghdr) std::array<char, 512> control;
  msghdr message = {};
  message.msg_name = address.data();
  message.msg_namelen = *address.size();
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
  if (size < 0) return false;

  error = QueuedError();
  ToldHeader carrier;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (IsStamp(header)) error.stamp_ns = StampOf(header);
    ReadToldHeader(header, carrier);
    if (IsExtendedError(header)) ReadExtendedError(header, error);
  }
  error.destination = address.address();
  if (error.kind == QueuedError::Kind::kIcmp) {
    if (carrier.ttl != 0) error.carrier_ttl = carrier.ttl;
    // Traffic class and flow label of the quoted header are one word; IPv4 has no such thing here.
    if (error.destination.IsV6()) {
      error.quoted_traffic_class = static_cast<uint8_t>(address.flow_info() >> 20);
    }
  }
  error.bytes = buffer.first(std::min(static_cast<size_t>(size), buffer.size()));
  if (error.kind == QueuedError::Kind::kSendStamp) error.bytes = PayloadOfSentFrame(error.bytes);
  return true;
}

}  // namespace weft::probe
