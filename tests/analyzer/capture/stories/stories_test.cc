// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/analyzer/capture/stories/story.h"

namespace weft::analyzer {
namespace {

// build/release/bench/capture_stories tests/golden/data/captures writes them anew.
TEST(CaptureStories, AreWhatTheGoldenTestsRead) {
  for (const NamedCapture& capture : AllStories()) {
    std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/tests/golden/data/captures/" + capture.file,
                     std::ios::binary);
    const std::string there((std::istreambuf_iterator<char>(in)), {});
    std::string expected;
    for (const std::byte byte : capture.bytes) expected += static_cast<char>(byte);
    EXPECT_TRUE(there == expected)
        << capture.file << ": " << there.size() << " bytes, expected " << expected.size();
  }
}

}  // namespace
}  // namespace weft::analyzer
