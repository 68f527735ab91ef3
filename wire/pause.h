// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/ethernet.h"

namespace weft::wire {

inline constexpr uint16_t kEthertypeMacControl = 0x8808;
inline constexpr size_t kPriorities = 8;
inline constexpr MacAddress kPauseDestination = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

// What follows the ethertype of a MAC control frame that pauses: IEEE 802.3, annex 31B (pause,
// opcode 0x0001) and IEEE 802.1Q, clause 36 (priority-based flow control, opcode 0x0101).
//   pause: | opcode 16 | quanta 16 |        PFC: | opcode 16 | 8 zero bits, class enable 8 | 8 x
//   quanta 16 |
// A quantum is 512 bit times of the link. Quanta of 0 resume (XON), others pause (XOFF).
struct PauseFrame {
  bool is_pfc = false;
  uint8_t enabled_classes = 0;                 // PFC: bit n: quanta[n] is meant; pause: all eight
  std::array<uint16_t, kPriorities> quanta{};  // pause: all the same
  bool operator==(const PauseFrame&) const = default;

  bool Enables(size_t priority) const { return (enabled_classes >> priority & 1) != 0; }
  // XOFF of at least one class that is meant.
  bool Pauses() const;
};

// nullopt: cut, or another opcode.
std::optional<PauseFrame> ParsePause(std::span<const std::byte> after_ethertype);
void WritePause(const PauseFrame& frame, ByteWriter& writer);

}  // namespace weft::wire
