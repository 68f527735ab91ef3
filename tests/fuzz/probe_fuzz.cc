// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "tests/fuzz/expect.h"
#include "wire/probe.h"

namespace weft::wire {
namespace {

constexpr size_t kReservedOffsets[] = {22, 23, 32, 33, 34, 35, 36, 37, 38, 39};

void FuzzProbe(std::span<const std::byte> payload) {
  const std::optional<ProbePayload> probe = ParseProbePayload(payload);
  if (!probe.has_value()) return;
  fuzz::Expect(payload.size() >= kProbePayloadBytes, "a short payload is rejected");

  std::array<std::byte, kProbePayloadBytes> written;
  fuzz::Expect(WriteProbePayload(*probe, written), "what was parsed can be written");
  fuzz::Expect(ParseProbePayload(written) == probe, "what was written parses to the same");

  std::array<std::byte, kProbePayloadBytes> expected;
  std::copy_n(payload.begin(), expected.size(), expected.begin());
  expected[6] = std::byte{0};
  expected[7] &= std::byte{1};
  for (const size_t offset : kReservedOffsets) expected[offset] = std::byte{0};
  fuzz::Expect(written == expected, "the same bytes are written, reserved bits as zero");
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzProbe(weft::fuzz::AsBytes(data, size));
  return 0;
}
