// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/crc32.h"

namespace weft::wire {

// Invariant CRC of a RoCEv2 packet over IPv4. InfiniBand Architecture Specification, volume 1,
// section 7.8.1 and annex A17 (RoCEv2): the CRC-32 over eight bytes of ones, then the packet from
// the IPv4 header to the last byte of payload or pad, where what may change on the way counts as
// ones: TOS, TTL and header checksum; UDP checksum; byte 4 of the BTH. All else counts as it
// stands, IPv4 ID, flags and options included.
//
// `ip_and_udp`: the IPv4 header with its options and the UDP header, as they stand in the packet;
// `bth_to_pad`: what follows, without the ICRC. nullopt: ip_and_udp is not 28 to 68 bytes, or
// bth_to_pad shorter than a BTH. Allocates nothing.
std::optional<uint32_t> RoceIpv4Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad);

// The same over IPv6: traffic class, flow label and hop limit; UDP checksum; byte 4 of the BTH
// count as ones. Extension headers count as they stand.
//
// `ip_and_udp`: the IPv6 header with its extension headers and the UDP header. nullopt: it is less
// than 48 bytes, or bth_to_pad shorter than a BTH. Allocates nothing.
std::optional<uint32_t> RoceIpv6Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad);

// Of a RoCEv1 packet (InfiniBand Architecture Specification, volume 1, annex A16): eight bytes of
// ones where InfiniBand has its LRH, then the packet from the GRH on, whose traffic class, flow
// label and hop limit count as ones, as does byte 4 of the BTH.
//
// nullopt: `grh` is not 40 bytes, or bth_to_pad shorter than a BTH. Allocates nothing.
std::optional<uint32_t> RoceV1Icrc(std::span<const std::byte> grh,
                                   std::span<const std::byte> bth_to_pad);

// Of a native InfiniBand packet (section 7.8.1): the LRH itself, its virtual lane as ones; the GRH,
// where there is one, and the BTH as above.
//
// nullopt: `lrh` is not 8 bytes, `grh` neither 40 nor none, or bth_to_pad shorter than a BTH.
// Allocates nothing.
std::optional<uint32_t> InfinibandIcrc(std::span<const std::byte> lrh,
                                       std::span<const std::byte> grh,
                                       std::span<const std::byte> bth_to_pad);

// The four bytes of an ICRC stand least significant first, unlike every other field.
uint32_t ReadIcrc(std::span<const std::byte, 4> bytes);
void WriteIcrc(uint32_t icrc, std::span<std::byte, 4> bytes);

}  // namespace weft::wire
