// SPDX-License-Identifier: Apache-2.0
// Any bytes as a capture file: the first says in pieces of what size the rest is read, what follows
// is a pcap, a pcapng, or either compressed. It ends, each packet is inside the bounds that the
// contract states, and the pieces make no difference.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/capture/open_capture.h"
#include "tests/analyzer/capture/memory_source.h"
#include "tests/fuzz/expect.h"

namespace weft::analyzer {
namespace {

// Of each packet, so that two readings can be compared.
struct Summary {
  int64_t time_ns = 0;
  uint32_t wire_bytes = 0;
  size_t bytes = 0;
  uint64_t sum = 0;
  friend bool operator==(const Summary&, const Summary&) = default;
};

struct Reading {
  bool is_open = false;
  std::vector<Summary> packets;
  std::vector<std::string> problems;
};

void ExpectSound(const CapturedPacket& packet, uint64_t number, const CaptureSource& source) {
  fuzz::Expect(packet.number == number, "packets are numbered one after the other");
  fuzz::Expect(packet.wire_bytes >= packet.bytes.size(), "no more captured than there was");
  fuzz::Expect(packet.bytes.size() <= kMaxPacketBytes, "a packet's bytes are bounded");
  fuzz::Expect(packet.interface < source.interfaces().size(), "a packet's interface is there");
  fuzz::Expect(packet.has_time || packet.time_ns == 0, "no time is 0");
}

Reading ReadAll(const std::string& bytes, size_t step, size_t batch_size, size_t chunk_bytes) {
  Reading reading;
  auto raw = Decompressed(std::make_unique<MemorySource>(bytes, step), "fuzz");
  if (!raw.ok()) return reading;
  auto source = OpenCaptureBytes(*std::move(raw), "fuzz", chunk_bytes);
  if (!source.ok()) {
    fuzz::Expect(source.status().message().substr(0, 5) == "fuzz:", "an error names the file");
    reading.problems.emplace_back(source.status().message());
    return reading;
  }
  reading.is_open = true;
  std::array<CapturedPacket, 64> batch;
  // Compressed bytes may unfold into gigabytes; a few are enough.
  constexpr size_t kMaxPackets = 20'000;
  while (const size_t count = (*source)->Read(std::span(batch).first(batch_size))) {
    for (const CapturedPacket& packet : std::span(batch).first(count)) {
      ExpectSound(packet, reading.packets.size() + 1, **source);
      Summary summary{packet.time_ns, packet.wire_bytes, packet.bytes.size(), 0};
      for (const std::byte byte : packet.bytes) {
        summary.sum = summary.sum * 31 + static_cast<uint8_t>(byte);
      }
      reading.packets.push_back(summary);
    }
    if (reading.packets.size() > kMaxPackets) return reading;
  }
  fuzz::Expect((*source)->finished(), "nothing read of a file is its end");
  fuzz::Expect((*source)->problems().size() <= 3, "problems are bounded");
  uint64_t counted = 0;
  for (const CaptureInterface& interface : (*source)->interfaces()) counted += interface.packets;
  fuzz::Expect(counted == reading.packets.size(), "each packet is counted at its interface");
  for (const CaptureProblem& problem : (*source)->problems())
    reading.problems.push_back(problem.what);
  return reading;
}

bool HasDamage(const Reading& reading) {
  return std::any_of(reading.problems.begin(), reading.problems.end(), [](const std::string& what) {
    return what.find("data is damaged") != std::string::npos;
  });
}

void FuzzCapture(uint8_t step, const std::string& bytes) {
  const Reading whole = ReadAll(bytes, ~size_t{0}, 64, 4096);
  const Reading pieces = ReadAll(bytes, size_t{step} + 1, 1 + step % 7, 16);
  // How much comes before damage is found depends on how much a decompressor is asked for at once.
  const bool is_damaged = HasDamage(whole) || HasDamage(pieces);
  fuzz::Expect(is_damaged || whole.is_open == pieces.is_open, "opens alike in pieces");
  const size_t count = std::min(whole.packets.size(), pieces.packets.size());
  fuzz::Expect(
      std::equal(whole.packets.begin(), whole.packets.begin() + static_cast<ptrdiff_t>(count),
                 pieces.packets.begin()),
      "reads alike in pieces");
  fuzz::Expect(is_damaged || whole.problems == pieces.problems ||
                   whole.packets.size() != pieces.packets.size(),
               "has the same problems in pieces");
}

}  // namespace
}  // namespace weft::analyzer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  weft::analyzer::FuzzCapture(data[0],
                              std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
