// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "tests/wire/hex.h"
#include "wire/ethernet.h"
#include "wire/gre.h"
#include "wire/grh.h"
#include "wire/ip_address.h"
#include "wire/lrh.h"
#include "wire/rdma_packet.h"

// Whole frames for tests, from the inside out: each function puts one layer around the bytes that
// it is given.
namespace weft::wire {

inline constexpr MacAddress kTestMacSource = {0x02, 0, 0, 0, 0, 0x0a};
inline constexpr MacAddress kTestMacDestination = {0x02, 0, 0, 0, 0, 0x0b};

Bytes Join(std::span<const std::byte> front, std::span<const std::byte> back);

Bytes InEthernet(uint16_t ethertype, std::span<const std::byte> payload);
// `control`: priority and VLAN ID as they stand in the tag.
Bytes InVlan(uint16_t tag_ethertype, uint16_t control, std::span<const std::byte> untagged_frame);
// An IP packet in Ethernet, of the version that its first byte says.
Bytes IpInEthernet(std::span<const std::byte> packet);

// 10.9.0.1 to 10.9.0.2, or fd09::1 to fd09::2.
Bytes InIpv4(uint8_t protocol, std::span<const std::byte> payload);
Bytes InIpv6(uint8_t protocol, std::span<const std::byte> payload);
Bytes InUdp(uint16_t source_port, uint16_t destination_port, std::span<const std::byte> payload);
Bytes InVxlan(uint16_t udp_port, std::span<const std::byte> frame);
Bytes InGeneve(uint16_t protocol, std::span<const std::byte> options,
               std::span<const std::byte> payload);
Bytes InGre(const Gre& header, std::span<const std::byte> payload);
Bytes InMpls(int depth, std::span<const std::byte> payload);

// An ERF record, not cut. `extensions`: its extension headers.
Bytes InErf(uint8_t type, std::span<const std::byte> extensions, std::span<const std::byte> packet);

// Packets with their right ICRC.
Bytes RoceV2(const IpAddress& source, const IpAddress& destination, uint16_t udp_src_port,
             const RdmaPacket& packet);
Bytes RoceV1(const RdmaPacket& packet);  // from the GRH on, fe80::a to fe80::b
// From the LRH on, LID 17 to LID 18; with a GRH or without; VCRC (zeroes) at its end or not.
Bytes Infiniband(const RdmaPacket& packet, bool has_grh, bool has_vcrc);

// RC packets, by opcode: all the headers that it asks for, and a payload of 13 bytes (3 of pad)
// where it may have one.
RdmaPacket PacketOf(uint8_t opcode, uint32_t dest_qpn, uint32_t psn);

}  // namespace weft::wire
