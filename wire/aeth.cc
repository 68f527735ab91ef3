// SPDX-License-Identifier: Apache-2.0
#include "wire/aeth.h"

#include <array>

namespace weft::wire {
namespace {

constexpr uint8_t kKindShift = 5;
constexpr uint8_t kKindMask = 3;
constexpr uint8_t kCodeMask = 0x1f;
constexpr uint8_t kNoCredits = 31;

// In units of 10 us. InfiniBand Architecture Specification, volume 1, table 47.
constexpr std::array<int64_t, 32> kRnrTimers = {
    65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
    48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
    2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
constexpr int64_t kRnrUnitNs = 10'000;

// Section 9.7.7.2: the codes grow by half steps of powers of two.
constexpr std::array<uint32_t, 31> kCredits = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

}  // namespace

const char* ToString(NakCode code) {
  switch (code) {
    case NakCode::kPsnSequenceError:
      return "PSN sequence error";
    case NakCode::kInvalidRequest:
      return "invalid request";
    case NakCode::kRemoteAccessError:
      return "remote access error";
    case NakCode::kRemoteOperationalError:
      return "remote operational error";
    case NakCode::kInvalidRdRequest:
      return "invalid RD request";
    case NakCode::kReserved:
      break;
  }
  return "reserved NAK code";
}

AckKind AckKindOf(uint8_t syndrome) {
  return static_cast<AckKind>(syndrome >> kKindShift & kKindMask);
}

NakCode NakCodeOf(uint8_t syndrome) {
  const uint8_t code = syndrome & kCodeMask;
  return code < static_cast<uint8_t>(NakCode::kReserved) ? static_cast<NakCode>(code)
                                                         : NakCode::kReserved;
}

int64_t RnrTimerNs(uint8_t syndrome) { return kRnrTimers[syndrome & kCodeMask] * kRnrUnitNs; }

std::optional<uint32_t> CreditsOf(uint8_t syndrome) {
  const uint8_t code = syndrome & kCodeMask;
  if (code == kNoCredits) return std::nullopt;
  return kCredits[code];
}

Aeth ReadAeth(ByteReader& reader) {
  Aeth aeth;
  aeth.syndrome = reader.U8();
  aeth.msn = reader.U24();
  return aeth;
}

std::optional<Aeth> ParseAeth(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Aeth aeth = ReadAeth(reader);
  if (!reader.ok()) return std::nullopt;
  return aeth;
}

void WriteAeth(const Aeth& aeth, ByteWriter& writer) {
  writer.U8(aeth.syndrome);
  writer.U24(aeth.msn);
}

int64_t AckTimeoutNs(uint8_t code) {
  constexpr int64_t kUnitNs = 4096;
  const int shift = code & kCodeMask;
  return shift == 0 ? 0 : kUnitNs << shift;
}

}  // namespace weft::wire
