// SPDX-License-Identifier: Apache-2.0
// A transport packet from the BTH on. The first byte of the input says how much longer than the
// rest the packet was on the wire.
#include <algorithm>
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/rdma_packet.h"

namespace weft::wire {
namespace {

bool LiesIn(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// What was read, written again, is the packet but for reserved bits.
void FuzzRewrite(const RdmaPacket& packet) {
  std::vector<std::byte> bytes(256 + packet.payload.size());
  bytes.resize(WriteRdma(packet, bytes));
  fuzz::Expect(bytes.size() % 4 == 0 && !bytes.empty(), "a packet is written in words");
  RdmaPacket again;
  fuzz::Expect(ReadRdma(bytes, bytes.size() + 4, again) == RdmaReadResult::kOk, "and reads");
  fuzz::Expect(again.headers == packet.headers, "with the same headers");
  fuzz::Expect(std::ranges::equal(again.payload, packet.payload), "and the same payload");
  std::vector<std::byte> second(bytes.size());
  fuzz::Expect(WriteRdma(again, second) == bytes.size() && second == bytes,
               "and writes as the same bytes");
}

void FuzzRead(std::span<const std::byte> bytes, size_t wire_bytes) {
  RdmaPacket packet;
  switch (ReadRdma(bytes, wire_bytes, packet)) {
    case RdmaReadResult::kCut:
      fuzz::Expect(bytes.size() < kBthBytes, "only what ends in its BTH is cut");
      return;
    case RdmaReadResult::kMalformed:
      return;
    case RdmaReadResult::kOk:
      break;
  }
  const OpcodeInfo& opcode = packet.info();
  fuzz::Expect((packet.headers & ~opcode.headers) == 0, "no header that the opcode does not have");
  fuzz::Expect(LiesIn(packet.payload, bytes), "the payload lies in the packet");
  fuzz::Expect(packet.payload.size() <= packet.payload_bytes, "and is no longer than on the wire");
  fuzz::Expect(
      kBthBytes + opcode.header_bytes + packet.payload_bytes + packet.bth.pad + 4 == wire_bytes,
      "the parts make up the whole");
  const bool is_whole = bytes.size() >= wire_bytes;
  fuzz::Expect(!is_whole || packet.headers == opcode.headers, "a whole packet has all headers");
  fuzz::Expect(!is_whole || packet.payload.size() == packet.payload_bytes, "and all its payload");
  if (is_whole) FuzzRewrite(packet);

  RdmaPacket shorter;
  for (const size_t size : {kBthBytes, bytes.size() / 2, bytes.size() - 1}) {
    if (size >= bytes.size()) continue;
    if (ReadRdma(bytes.first(size), wire_bytes, shorter) != RdmaReadResult::kOk) continue;
    fuzz::Expect((shorter.headers & ~packet.headers) == 0, "cutting adds no header");
    fuzz::Expect(shorter.payload_bytes == packet.payload_bytes, "nor changes what was on the wire");
  }
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = weft::fuzz::AsBytes(data, size).subspan(1);
  weft::wire::FuzzRead(bytes, bytes.size() + data[0]);
  return 0;
}
