// SPDX-License-Identifier: Apache-2.0
// capture_stories FOLDER: writes every story as a capture file. tests/golden/data/captures holds
// them.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/analyzer/capture/stories/story.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: capture_stories FOLDER\n");
    return 2;
  }
  for (const weft::analyzer::NamedCapture& capture : weft::analyzer::AllStories()) {
    std::ofstream out(std::string(argv[1]) + "/" + capture.file, std::ios::binary);
    for (const std::byte byte : capture.bytes) out.put(static_cast<char>(byte));
    if (!out.flush()) {
      std::fprintf(stderr, "capture_stories: %s/%s: cannot be written\n", argv[1],
                   capture.file.c_str());
      return 3;
    }
  }
  return 0;
}
