// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/open_capture.h"
#include "tests/analyzer/capture/memory_source.h"

namespace weft::analyzer {

// A packet with its own copy of the bytes.
struct KeptPacket {
  int64_t time_ns = 0;
  bool has_time = true;
  uint32_t wire_bytes = 0;
  std::string bytes{};
  uint32_t interface = 0;
  uint16_t link = 1;
  friend bool operator==(const KeptPacket&, const KeptPacket&) = default;
  friend std::ostream& operator<<(std::ostream& out, const KeptPacket& packet) {
    return out << "time " << packet.time_ns << (packet.has_time ? "" : " (none)") << ", "
               << packet.bytes.size() << " of " << packet.wire_bytes << " bytes, interface "
               << packet.interface << ", link " << packet.link << "\n";
  }
};

struct KeptCapture {
  std::vector<KeptPacket> packets;
  std::vector<CaptureInterface> interfaces;
  std::vector<CaptureProblem> problems;
};

// Reads to the end, in small batches, and checks what holds for every source.
inline KeptCapture ReadAll(CaptureSource& source) {
  KeptCapture kept;
  std::array<CapturedPacket, 3> batch;
  while (const size_t count = source.Read(batch)) {
    for (const CapturedPacket& packet : std::span(batch).first(count)) {
      EXPECT_EQ(packet.number, kept.packets.size() + 1);
      EXPECT_GE(packet.wire_bytes, packet.bytes.size());
      EXPECT_LT(packet.interface, source.interfaces().size());
      kept.packets.push_back(
          {.time_ns = packet.time_ns,
           .has_time = packet.has_time,
           .wire_bytes = packet.wire_bytes,
           .bytes =
               std::string(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size()),
           .interface = packet.interface,
           .link = static_cast<uint16_t>(packet.link_type)});
    }
  }
  EXPECT_TRUE(source.finished());
  kept.interfaces = source.interfaces();
  kept.problems = source.problems();
  uint64_t counted = 0;
  for (const CaptureInterface& interface : kept.interfaces) counted += interface.packets;
  EXPECT_EQ(counted, kept.packets.size());
  return kept;
}

// `step`: how many bytes one read gives at most.
inline KeptCapture ReadBytes(const std::string& bytes, size_t step = ~size_t{0},
                             size_t chunk_bytes = RecordBuffer::kChunkBytes) {
  auto raw = Decompressed(std::make_unique<MemorySource>(bytes, step), "test");
  if (!raw.ok()) {
    ADD_FAILURE() << raw.status();
    return {};
  }
  auto source = OpenCaptureBytes(*std::move(raw), "test", chunk_bytes);
  if (!source.ok()) {
    ADD_FAILURE() << source.status();
    return {};
  }
  return ReadAll(**source);
}

}  // namespace weft::analyzer
