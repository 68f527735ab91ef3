// SPDX-License-Identifier: Apache-2.0
#include "wire/pause.h"

namespace weft::wire {
namespace {

constexpr uint16_t kPauseOpcode = 0x0001;
constexpr uint16_t kPfcOpcode = 0x0101;
constexpr uint8_t kAllClasses = 0xff;

}  // namespace

bool PauseFrame::Pauses() const {
  for (size_t priority = 0; priority < kPriorities; ++priority) {
    if (Enables(priority) && quanta[priority] != 0) return true;
  }
  return false;
}

std::optional<PauseFrame> ParsePause(std::span<const std::byte> after_ethertype) {
  ByteReader reader(after_ethertype);
  const uint16_t opcode = reader.U16();
  PauseFrame frame;
  if (opcode == kPfcOpcode) {
    frame.is_pfc = true;
    frame.enabled_classes = static_cast<uint8_t>(reader.U16());
    for (uint16_t& quanta : frame.quanta) quanta = reader.U16();
  } else if (opcode == kPauseOpcode) {
    frame.enabled_classes = kAllClasses;
    frame.quanta.fill(reader.U16());
  } else {
    reader.Fail();
  }
  if (!reader.ok()) return std::nullopt;
  return frame;
}

void WritePause(const PauseFrame& frame, ByteWriter& writer) {
  writer.U16(frame.is_pfc ? kPfcOpcode : kPauseOpcode);
  if (!frame.is_pfc) {
    writer.U16(frame.quanta[0]);
    return;
  }
  writer.U16(frame.enabled_classes);
  for (const uint16_t quanta : frame.quanta) writer.U16(quanta);
}

}  // namespace weft::wire
