// SPDX-License-Identifier: Apache-2.0
// Writes the captures that scripts/bench-captures reads: many QPs that write 64 KiB messages in
// turn, with their ACKs; now and then a lost packet with its NAK and go-back-N, marks, CNPs. A
// quarter of the QPs is IPv6, a quarter carries a VLAN tag. capture_maker PACKETS QPS SNAPLEN FILE
// (SNAPLEN 0: whole packets, with their ICRCs)
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "wire/ethernet.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/rdma_packet.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft {
namespace {

constexpr size_t kMtu = 4096;
constexpr uint32_t kPacketsOfMessage = 16;
constexpr uint32_t kAckEvery = 8;
constexpr size_t kMaxFrameBytes = 4400;
constexpr int64_t kStartNs = 1'800'000'000'000'000'000;
constexpr int64_t kGapNs = 90;  // between packets, of all QPs together: about 364 Gbit/s

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

struct Qp {
  uint32_t index = 0;
  uint32_t psn = 0;
  uint32_t message_psn = 0;  // of the message's first packet
  uint32_t msn = 0;
  uint32_t repeat_from = 0;  // after a loss: where the requester begins again
  bool has_lost = false;
};

class Maker {
 public:
  Maker(File file, uint32_t snaplen) : file_(std::move(file)), snaplen_(snaplen) {}

  void WriteFileHeader() {
    // Nanoseconds, little-endian, Ethernet.
    const std::array<uint32_t, 6> header = {
        0xa1b23c4d, 0x00040002, 0, 0, snaplen_ == 0 ? 262144 : snaplen_, 1};
    Put(header.data(), sizeof(header));
  }

  // One turn of a QP: the next packet of its message, and sometimes what the other end says to it.
  void Turn(Qp& qp, std::mt19937_64& random) {
    const uint32_t place = (qp.psn - qp.message_psn) & wire::kPsnMask;
    const bool is_first = place == 0;
    const bool is_last = place == kPacketsOfMessage - 1;
    wire::RdmaPacket packet;
    packet.bth = {.opcode = static_cast<uint8_t>(is_first  ? 0x06
                                                 : is_last ? 0x08
                                                           : 0x07),
                  .dest_qpn = PeerQpn(qp),
                  .ack_request = is_last,
                  .psn = qp.psn};
    if (is_first) {
      packet.headers = wire::header::kReth;
      packet.reth = {.address = 0x7f0000000000, .r_key = qp.index, .length = kMtu * 16};
    }
    packet.payload = std::span(payload_).first(kMtu);
    const uint64_t dice = random() % 100'000;
    const bool is_marked = dice < 50;
    const bool is_lost = dice == 60 && !is_first && !is_last && !qp.has_lost;
    if (!is_lost) Frame(qp, packet, true, is_marked ? 3 : 2);
    if (is_marked) Notify(qp);
    if (is_lost) {
      qp.has_lost = true;
      qp.repeat_from = qp.psn;
    }
    qp.psn = (qp.psn + 1) & wire::kPsnMask;
    if (qp.has_lost && ((qp.psn - qp.repeat_from) & wire::kPsnMask) == 3) {
      Acknowledge(qp, qp.repeat_from, 0x60);
      qp.psn = qp.repeat_from;
      qp.has_lost = false;
      return;
    }
    if (place % kAckEvery == kAckEvery - 1 && !qp.has_lost) {
      if (is_last) ++qp.msn;
      Acknowledge(qp, (qp.psn - 1) & wire::kPsnMask, 0x1f);
    }
    if (is_last && !qp.has_lost) qp.message_psn = qp.psn;
  }

  uint64_t packets() const { return packets_; }
  bool ok() const { return ok_; }

 private:
  static uint32_t PeerQpn(const Qp& qp) { return 0x1000 + qp.index; }

  void Acknowledge(const Qp& qp, uint32_t psn, uint8_t syndrome) {
    wire::RdmaPacket packet;
    packet.bth = {.opcode = 0x11, .dest_qpn = 0x800000 + qp.index, .psn = psn};
    packet.headers = wire::header::kAeth;
    packet.aeth = {.syndrome = syndrome, .msn = qp.msn};
    Frame(qp, packet, false, 0);
  }

  void Notify(const Qp& qp) {
    wire::RdmaPacket packet;
    packet.bth = {.opcode = 0x81, .becn = true, .dest_qpn = 0x800000 + qp.index};
    packet.payload = std::span(payload_).first(16);
    Frame(qp, packet, false, 0);
  }

  static wire::IpAddress Host(const Qp& qp, bool is_source) {
    const auto host = static_cast<uint8_t>(1 + qp.index % 64);
    if (qp.index % 4 != 1) {
      return wire::IpAddress::V4((is_source ? 0x0a010000U : 0x0a020000U) + host);
    }
    return wire::IpAddress::V6({0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                static_cast<uint8_t>(is_source ? 1 : 2), host});
  }

  void Frame(const Qp& qp, const wire::RdmaPacket& packet, bool is_forward, uint8_t ecn) {
    std::array<std::byte, kMtu + 64> datagram;
    const size_t rdma_bytes = wire::WriteRdma(packet, datagram);
    wire::ByteWriter writer(frame_);
    const bool is_v6 = qp.index % 4 == 1;
    const bool is_tagged = qp.index % 4 == 2;
    const uint16_t type = is_v6 ? wire::kEthertypeIpv6 : wire::kEthertypeIpv4;
    wire::WriteEthernet({.destination = {2, 0, 0, 0, 0, 2},
                         .source = {2, 0, 0, 0, 0, 1},
                         .ethertype = is_tagged ? wire::kEthertypeVlan : type},
                        writer);
    if (is_tagged) wire::WriteVlanTag({.priority = 3, .vlan_id = 100, .ethertype = type}, writer);
    const size_t ip_at = writer.written();
    wire::IpHeader ip;
    ip.source = Host(qp, is_forward);
    ip.destination = Host(qp, !is_forward);
    ip.traffic_class = static_cast<uint8_t>(26 << 2 | ecn);
    ip.protocol = wire::kIpProtocolUdp;
    ip.payload_bytes = wire::kUdpHeaderBytes + rdma_bytes + wire::kIcrcBytes;
    wire::WriteIp(ip, writer);
    wire::WriteUdp({.source_port = static_cast<uint16_t>(0xc000 + qp.index % 16384),
                    .destination_port = wire::kRoceUdpPort,
                    .length = static_cast<uint16_t>(ip.payload_bytes)},
                   writer);
    const size_t bth_at = writer.written();
    writer.Bytes(std::span(datagram).first(rdma_bytes));
    const auto headers = std::span<const std::byte>(frame_).subspan(ip_at, bth_at - ip_at);
    const auto covered = std::span<const std::byte>(frame_).subspan(bth_at, rdma_bytes);
    std::array<std::byte, wire::kIcrcBytes> icrc{};
    const size_t frame_bytes = writer.written() + icrc.size();
    if (snaplen_ == 0 || frame_bytes <= snaplen_) {
      const auto value =
          is_v6 ? wire::RoceIpv6Icrc(headers, covered) : wire::RoceIpv4Icrc(headers, covered);
      wire::WriteIcrc(value.value_or(0), icrc);
    }
    writer.Bytes(icrc);
    if (!writer.ok()) std::abort();
    Record(writer.written());
  }

  void Record(size_t wire_bytes) {
    const size_t kept = snaplen_ == 0 ? wire_bytes : std::min<size_t>(snaplen_, wire_bytes);
    const int64_t time_ns = kStartNs + static_cast<int64_t>(packets_) * kGapNs;
    const std::array<uint32_t, 4> header = {static_cast<uint32_t>(time_ns / 1'000'000'000),
                                            static_cast<uint32_t>(time_ns % 1'000'000'000),
                                            static_cast<uint32_t>(kept),
                                            static_cast<uint32_t>(wire_bytes)};
    Put(header.data(), sizeof(header));
    Put(frame_.data(), kept);
    ++packets_;
  }

  void Put(const void* bytes, size_t size) {
    ok_ = ok_ && std::fwrite(bytes, 1, size, file_.get()) == size;
  }

  File file_;
  uint32_t snaplen_;
  uint64_t packets_ = 0;
  bool ok_ = true;
  std::array<std::byte, kMaxFrameBytes> frame_{};
  std::array<std::byte, kMtu> payload_{};
};

int Run(uint64_t packets, uint32_t qps, uint32_t snaplen, const char* path) {
  Maker maker(File(std::fopen(path, "wb"), std::fclose), snaplen);
  maker.WriteFileHeader();
  std::mt19937_64 random(1);
  std::vector<Qp> all(qps);
  for (uint32_t i = 0; i < qps; ++i) {
    all[i].index = i;
    all[i].psn = all[i].message_psn = static_cast<uint32_t>(random()) & wire::kPsnMask;
  }
  while (maker.packets() < packets && maker.ok()) maker.Turn(all[random() % qps], random);
  if (maker.ok()) return 0;
  std::fprintf(stderr, "capture_maker: %s: cannot be written\n", path);
  return 3;
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: capture_maker PACKETS QPS SNAPLEN FILE\n");
    return 2;
  }
  return weft::Run(std::strtoull(argv[1], nullptr, 10),
                   static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)),
                   static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10)), argv[4]);
}
