// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "tests/fuzz/expect.h"
#include "wire/traffic.h"

namespace weft::wire {
namespace {

void FuzzTraffic(std::span<const std::byte> payload) {
  const std::optional<TrafficMessage> message = ParseTrafficMessage(payload);
  if (!message.has_value()) return;
  const size_t message_bytes = TrafficMessageBytes(TypeOf(*message));
  fuzz::Expect(payload.size() >= message_bytes, "a short payload is rejected");

  std::array<std::byte, 128> out;
  fuzz::Expect(WriteTrafficMessage(*message, out) == message_bytes, "what was parsed is written");
  const std::span<std::byte> written = std::span(out).first(message_bytes);
  fuzz::Expect(ParseTrafficMessage(written) == message, "what was written parses to the same");
  fuzz::Expect(!ParseTrafficMessage(written.first(message_bytes - 1)), "a cut message is rejected");

  std::array<std::byte, 128> expected;
  std::copy_n(payload.begin(), message_bytes, expected.begin());
  expected[6] = expected[7] = std::byte{0};
  if (TypeOf(*message) == TrafficType::kRefuse) {
    std::fill(expected.begin() + 17, expected.begin() + 24, std::byte{0});
  }
  fuzz::Expect(std::ranges::equal(written, std::span(expected).first(message_bytes)),
               "the same bytes are written, reserved ones as zero");
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzTraffic(weft::fuzz::AsBytes(data, size));
  return 0;
}
