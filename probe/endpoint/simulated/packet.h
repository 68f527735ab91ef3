// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "probe/endpoint/probe_packet.h"
#include "topology/fabric/fabric.h"
#include "topology/route/route.h"
#include "wire/ip.h"
#include "wire/ipv6.h"
#include "wire/udp.h"

// Packets inside a simulated network.
namespace weft::probe {

// The headers that a tunnel puts round a packet, as far as they count between its ends.
struct OuterHeaders {
  topology::NodeIndex egress = 0;    // the switch that takes them off
  topology::HashedHeaders routed{};  // see SimulatedPacket::routed
  uint8_t ttl = 0;
};

// Real bytes, and what the switches look at, read from them once. TTL and traffic class change in
// the headers and go into the bytes by Sync().
struct SimulatedPacket {
  // The longest that we build: an ICMP error that quotes a whole probe.
  static constexpr size_t kMaxBytes = 512;
  static_assert(2 * (wire::kIpv6HeaderBytes + wire::kUdpHeaderBytes) + kMaxProbeBytes <= kMaxBytes);

  std::array<std::byte, kMaxBytes> bytes{};
  size_t size = 0;
  wire::IpHeader ip{};
  // What switches hash and route by. Its destination is always a host's address, for only hosts are
  // routed to: for a packet to a switch that of a host behind it.
  topology::HashedHeaders routed{};
  std::optional<topology::NodeIndex> destination{};  // nullopt: an address that nobody has
  std::optional<OuterHeaders> outer{};               // it is inside a tunnel
  uint32_t link_count = 0;                           // crossed

  std::span<std::byte> span() { return std::span(bytes).first(size); }

  // Reads `ip` and `routed` from the bytes (`routed` with the real destination), leaves the rest as
  // in a new packet. False: no IP packet.
  bool ReadHeaders();
  void Sync();
};

// Gives out packets and takes them back; allocates only when more are under way than ever before.
class PacketPool {
 public:
  uint32_t New();
  void Free(uint32_t packet) { free_.push_back(packet); }
  SimulatedPacket& operator[](uint32_t packet) { return *packets_[packet]; }

 private:
  std::vector<std::unique_ptr<SimulatedPacket>> packets_;
  std::vector<uint32_t> free_;
};

}  // namespace weft::probe
