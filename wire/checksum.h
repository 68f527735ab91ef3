// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/ip_address.h"

namespace weft::wire {

// Internet checksum (RFC 1071) as it is put into a header: the ones' complement of the ones'
// complement sum of the bytes as big-endian 16-bit words, an odd last byte filled with a zero. Over
// bytes that hold their own right checksum the result is 0.
uint16_t InternetChecksum(std::span<const std::byte> bytes);

// The same of a message that is checked together with a pseudo header of its addresses, its length
// and its protocol: UDP over IPv4 (RFC 768), UDP and ICMPv6 over IPv6 (RFC 8200, section 8.1). The
// addresses are of one family.
uint16_t ChecksumWithPseudoHeader(const IpAddress& source, const IpAddress& destination,
                                  uint8_t protocol, std::span<const std::byte> message);

}  // namespace weft::wire
