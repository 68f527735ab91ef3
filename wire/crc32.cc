// SPDX-License-Identifier: Apache-2.0
#include "wire/crc32.h"

#include <array>

#ifdef WEFT_HAS_ISAL
#include <isa-l/crc.h>
#endif

namespace weft::wire {
namespace {

constexpr uint32_t kReflectedPolynomial = 0xEDB88320;
constexpr size_t kSlices = 16;

using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b] is what byte b contributes when k more bytes follow it in the same step.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = previous >> 8 ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();
static_assert(kTables[0][1] == 0x77073096);

constexpr uint32_t LittleEndian32(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

// Of four bytes that `more` bytes follow in the same step.
uint32_t Contribution(size_t more, uint32_t word) {
  return kTables[more + 3][word & 0xff] ^ kTables[more + 2][word >> 8 & 0xff] ^
         kTables[more + 1][word >> 16 & 0xff] ^ kTables[more][word >> 24];
}

uint32_t AdvanceByTables(uint32_t state, std::span<const std::byte> bytes) {
  while (bytes.size() >= kSlices) {
    state = Contribution(12, state ^ LittleEndian32(bytes)) ^
            Contribution(8, LittleEndian32(bytes.subspan(4))) ^
            Contribution(4, LittleEndian32(bytes.subspan(8))) ^
            Contribution(0, LittleEndian32(bytes.subspan(12)));
    bytes = bytes.subspan(kSlices);
  }
  if (bytes.size() >= 8) {
    state = Contribution(4, state ^ LittleEndian32(bytes)) ^
            Contribution(0, LittleEndian32(bytes.subspan(4)));
    bytes = bytes.subspan(8);
  }
  if (bytes.size() >= 4) {
    state = Contribution(0, state ^ LittleEndian32(bytes));
    bytes = bytes.subspan(4);
  }
  for (const std::byte byte : bytes) {
    state = state >> 8 ^ kTables[0][(state ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return state;
}

#ifdef WEFT_HAS_ISAL
// ISA-L inverts before and after, as zlib does.
uint32_t AdvanceByIsal(uint32_t state, std::span<const std::byte> bytes) {
  return ~crc32_gzip_refl(~state, reinterpret_cast<const unsigned char*>(bytes.data()),
                          bytes.size());
}

constexpr Crc32Method kMethods[] = {{"tables", AdvanceByTables}, {"isal", AdvanceByIsal}};
// Below, its start costs more than it saves.
constexpr size_t kShortestForIsal = 24;
#else
constexpr Crc32Method kMethods[] = {{"tables", AdvanceByTables}};
#endif

}  // namespace

void Crc32::Update(std::span<const std::byte> bytes) {
#ifdef WEFT_HAS_ISAL
  if (bytes.size() >= kShortestForIsal) {
    state_ = AdvanceByIsal(state_, bytes);
    return;
  }
#endif
  state_ = AdvanceByTables(state_, bytes);
}

std::span<const Crc32Method> Crc32Methods() { return kMethods; }

}  // namespace weft::wire
