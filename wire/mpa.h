// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

// iWARP's framing in a TCP stream: Marker PDU Aligned framing, RFC 5044; within it Direct Data
// Placement, RFC 5041, and RDMAP, RFC 5040.
//   first each side:  | "MPA ID Req Frame" or "MPA ID Rep Frame" | flags 8 | revision 8 | length 16
//   |
//   then:             | ULPDU length 16 | DDP: T 1, L 1, res 4, DV 2 | RDMAP: RV 2, res 2, op 4 |
//                     | ... | padding to four bytes | CRC32c 32 |
// The ULPDU length counts DDP header and payload, neither itself nor padding nor CRC.
inline constexpr size_t kMpaKeyBytes = 16;
inline constexpr size_t kMpaLengthBytes = 2;
inline constexpr size_t kMpaCrcBytes = 4;
inline constexpr size_t kDdpTaggedBytes = 14;    // control bytes, STag, tagged offset
inline constexpr size_t kDdpUntaggedBytes = 18;  // control bytes, reserved, queue, sequence, offset

// Whether the payload of a TCP segment is iWARP without a doubt: it begins with one of the keys, or
// it is a row of whole FPDUs with DDP and RDMAP version 1, an operation that RDMAP knows, and a
// CRC32c that is right or (CRC switched off) zero. Framing with markers, and segments that do not
// begin with an FPDU, are not seen. `payload`: all of it, not cut.
bool IsMpaStart(std::span<const std::byte> payload);  // the keys alone: may be cut behind them
bool IsMpaData(std::span<const std::byte> payload);

// CRC-32 of Castagnoli (RFC 3720, appendix B.4), reflected, initial value and final inversion ones.
uint32_t Crc32c(std::span<const std::byte> bytes);

}  // namespace weft::wire
