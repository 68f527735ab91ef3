// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "wire/cm.h"
#include "wire/ethernet.h"
#include "wire/ip_address.h"
#include "wire/pause.h"
#include "wire/rdma_packet.h"

// Whole Ethernet frames of RoCE traffic, for tests, golden captures and benchmarks: packets first
// (SendOnly, Ack, RcStream, ...), then the frame around one (RoceFrame). All checksums are right.
namespace weft::wire {

inline constexpr size_t kMaxFillerBytes = 8192;

// The first bytes of a fixed pattern, which packets below have as their payload; at most
// kMaxFillerBytes. Lives as long as the program.
std::span<const std::byte> Filler(size_t bytes);

// `headers` are those that the opcode asks for, with fields of 0; the payload is filler.
RdmaPacket RdmaOf(uint8_t opcode, uint32_t dest_qpn, uint32_t psn, size_t payload_bytes = 0);

// RC packets. `message_bytes`: of the whole message, as a RETH says it. Set bth.opcode's upper
// three bits for another transport.
RdmaPacket SendFirst(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket SendMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket SendLast(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket SendOnly(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket WriteFirst(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes, size_t message_bytes);
RdmaPacket WriteMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket WriteLast(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket WriteOnly(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket ReadRequest(uint32_t dest_qpn, uint32_t psn, size_t message_bytes);
RdmaPacket ReadResponseFirst(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes);
RdmaPacket ReadResponseMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes);
RdmaPacket ReadResponseLast(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes);
RdmaPacket ReadResponseOnly(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes);
RdmaPacket AtomicFetchAdd(uint32_t dest_qpn, uint32_t psn);
RdmaPacket AtomicCompareSwap(uint32_t dest_qpn, uint32_t psn);
RdmaPacket AtomicAck(uint32_t dest_qpn, uint32_t psn, uint32_t msn);

// Syndrome 31: an ACK without credits.
inline constexpr uint8_t kPlainAck = 31;
RdmaPacket Ack(uint32_t dest_qpn, uint32_t psn, uint32_t msn, uint8_t syndrome = kPlainAck);
RdmaPacket Nak(uint32_t dest_qpn, uint32_t psn, uint32_t msn, NakCode code);
RdmaPacket RnrNak(uint32_t dest_qpn, uint32_t psn, uint32_t msn, uint8_t timer_code);

RdmaPacket Cnp(uint32_t dest_qpn);
RdmaPacket UdSend(uint32_t dest_qpn, uint32_t psn, uint32_t source_qpn, uint32_t q_key,
                  std::span<const std::byte> payload);

// Cuts messages into packets of an MTU, one PSN after the other, over 2^24 too. The last packet of
// each message asks for an ACK.
class RcStream {
 public:
  // `transport`: kRc, kUc or kXrc.
  RcStream(uint32_t dest_qpn, uint32_t first_psn, size_t mtu_bytes,
           Transport transport = Transport::kRc);

  std::vector<RdmaPacket> Send(size_t message_bytes);
  std::vector<RdmaPacket> Write(size_t message_bytes);
  // Takes the PSNs of its response.
  RdmaPacket Read(size_t message_bytes);

  uint32_t next_psn() const { return next_psn_; }

 private:
  std::vector<RdmaPacket> Cut(uint8_t first_operation, size_t message_bytes);
  uint32_t TakePsns(size_t count);

  uint32_t dest_qpn_;
  uint32_t next_psn_;
  size_t mtu_bytes_;
  uint8_t transport_bits_;
};

// What answers a READ request of that PSN; the receiver is the requester's QP.
std::vector<RdmaPacket> ReadResponse(uint32_t dest_qpn, uint32_t request_psn, uint32_t msn,
                                     size_t message_bytes, size_t mtu_bytes);

struct FrameVlan {
  uint16_t id = 0;
  uint8_t priority = 0;
};

// What is around a packet. Addresses of one family, IPv4 or IPv6.
struct FrameSpec {
  IpAddress source = IpAddress::V4(0x0a010102);       // 10.1.1.2
  IpAddress destination = IpAddress::V4(0x0a020202);  // 10.2.2.2
  MacAddress source_mac = {0x02, 0, 0, 0, 0, 0x0a};
  MacAddress destination_mac = {0x02, 0, 0, 0, 0, 0x0b};
  uint16_t udp_src_port = 0xc001;
  uint8_t dscp = 26;
  uint8_t ecn = 2;  // ECT(0); 3: CE
  uint8_t ttl = 64;
  uint16_t identification = 0;  // IPv4
  uint32_t flow_label = 0;      // IPv6, RoCEv1
  std::optional<FrameVlan> vlan{};
  bool is_roce_v1 = false;  // addresses become GIDs, IPv4 ones mapped
};

// The same the other way; the UDP source port stays (devices choose it for themselves).
FrameSpec Reversed(const FrameSpec& spec);

std::vector<std::byte> RoceFrame(const FrameSpec& spec, const RdmaPacket& packet);

// A CM message as UD traffic from QP 1 to QP 1.
std::vector<std::byte> CmFrame(const FrameSpec& spec, const CmMessage& message,
                               uint64_t transaction_id, uint32_t psn = 0);

// 60 bytes, to the group address of pause frames.
std::vector<std::byte> PauseFrameBytes(const PauseFrame& pause,
                                       const MacAddress& source_mac = {0x02, 0, 0, 0, 0, 0x01});

// An LLDPDU (wire/lldp.h writes one) to the nearest bridge; 60 bytes or more.
std::vector<std::byte> LldpFrame(std::span<const std::byte> lldpdu,
                                 const MacAddress& source_mac = {0x02, 0, 0, 0, 0, 0x01});

}  // namespace weft::wire
