// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kAethBytes = 4;

// ACK Extended Transport Header. InfiniBand Architecture Specification, volume 1, section 9.3.5;
// the syndrome is section 9.7.5.1.1 (table 45).
//   +-+---+---------+-----------------------------------------------+
//   |r|kin|  code   |         message sequence number (MSN)         |
//   +-+---+---------+-----------------------------------------------+
struct Aeth {
  uint8_t syndrome = 0;
  uint32_t msn = 0;  // 24 bits: messages that the responder has completed
  bool operator==(const Aeth&) const = default;
};

enum class AckKind : uint8_t { kAck, kRnrNak, kReserved, kNak };
enum class NakCode : uint8_t {
  kPsnSequenceError,
  kInvalidRequest,
  kRemoteAccessError,
  kRemoteOperationalError,
  kInvalidRdRequest,
  kReserved,
};
const char* ToString(NakCode code);  // "PSN sequence error", ...

AckKind AckKindOf(uint8_t syndrome);
NakCode NakCodeOf(uint8_t syndrome);  // of a NAK
// The wait that an RNR NAK asks for, of its timer code (5 bits); code 0 is 655.36 ms.
int64_t RnrTimerNs(uint8_t syndrome);
// Of an ACK: how many more messages the responder has receive buffers for. nullopt: it gives no
// credits (code 31). InfiniBand Architecture Specification, volume 1, section 9.7.7.2 (table 46).
std::optional<uint32_t> CreditsOf(uint8_t syndrome);

Aeth ReadAeth(ByteReader& reader);  // check reader.ok() after
std::optional<Aeth> ParseAeth(std::span<const std::byte> bytes);
void WriteAeth(const Aeth& aeth, ByteWriter& writer);

// The time that a local ACK timeout code (5 bits) stands for: 4.096 us x 2^code; 0: none, for ever.
int64_t AckTimeoutNs(uint8_t code);

}  // namespace weft::wire
