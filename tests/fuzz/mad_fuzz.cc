// SPDX-License-Identifier: Apache-2.0
// Management datagrams, and CM's among them: what was read, built again, reads as the same.
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/cm.h"

namespace weft::wire {
namespace {

void FuzzMad(std::span<const std::byte> bytes) {
  const std::optional<MadHeader> header = ParseMadHeader(bytes);
  fuzz::Expect(header.has_value() == (bytes.size() >= kMadHeaderBytes),
               "every 24 bytes are a MAD header, and no fewer");
  if (!header.has_value()) return;
  std::vector<std::byte> rewritten(kMadHeaderBytes);
  ByteWriter writer(rewritten);
  WriteMadHeader(*header, writer);
  fuzz::Expect(writer.ok() && ParseMadHeader(rewritten) == header, "a header reads as written");
  for (const char* name :
       {MadClassName(header->mgmt_class), MadMethodName(*header), MadAttributeName(*header)}) {
    fuzz::Expect(name == nullptr || *name != '\0', "a name is none or not empty");
  }
}

void FuzzCm(std::span<const std::byte> bytes) {
  const std::optional<CmMessage> message = ParseCm(bytes);
  if (!message.has_value()) return;
  fuzz::Expect(ParseMadHeader(bytes)->mgmt_class == kMadClassCommunication, "CM is of its class");
  fuzz::Expect(message->starting_psn <= 0xffffff && message->qpn.value_or(0) <= 0xffffff,
               "PSN and QPN have 24 bits");
  fuzz::Expect(message->retry_count <= 7 && message->rnr_retry_count <= 7, "retries have 3 bits");
  fuzz::Expect(message->ack_timeout_code <= 31, "timeouts have 5 bits");
  std::vector<std::byte> mad(kMadBytes);
  fuzz::Expect(BuildCm(*message, 1, mad) == kMadBytes, "what was read can be built");
  fuzz::Expect(ParseCm(mad) == message, "and reads as the same");
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> bytes = weft::fuzz::AsBytes(data, size);
  weft::wire::FuzzMad(bytes);
  weft::wire::FuzzCm(bytes);
  return 0;
}
