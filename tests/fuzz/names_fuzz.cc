// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of names: refused by one message that names the file and line, or read so
// that what was read, written as such a file, is read again.
#include <string>

#include "programs/weft-analyze/inputs.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using weft::fuzz::Expect;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto names = weft::analyze::ParseNames("fuzz", text);
  if (!names.ok()) {
    Expect(names.status().message().substr(0, 5) == "fuzz:", "an error names the file");
    Expect(names.status().message().size() < 8 * 80 + size, "an error is short");
    return 0;
  }
  std::string again;
  for (const auto& [address, name] : *names) {
    Expect(!address.empty() && !name.empty(), "no empty address or name");
    Expect(name.find_first_of(" \t\r\n#") == std::string::npos, "a name is one word");
    again += address.ToString() + " " + name + "\n";
  }
  const auto same = weft::analyze::ParseNames("fuzz", again);
  Expect(same.ok() && *same == *names, "names come back from what they are written as");
  return 0;
}
