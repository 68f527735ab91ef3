// SPDX-License-Identifier: Apache-2.0
#include "topology/export/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/topology/export/fabrics.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using testing::HasSubstr;
using testing::Not;

// What `dot -Tcanon` makes of the text; nullopt: it cannot read it.
std::optional<std::string> Canonical(const std::string& source) {
  std::string path = testing::TempDir() + "/weft-export-XXXXXX";
  const int file = mkstemp(path.data());
  EXPECT_GE(file, 0);
  EXPECT_EQ(write(file, source.data(), source.size()), std::ssize(source));
  close(file);
  std::FILE* pipe = popen(("dot -Tcanon " + path + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> piece{};
  while (const size_t count = std::fread(piece.data(), 1, piece.size(), pipe)) {
    text.append(piece.data(), count);
  }
  const int status = pclose(pipe);
  unlink(path.c_str());
  if (status != 0 || text.find("Warning") != std::string::npos) {
    ADD_FAILURE() << text.substr(0, 2000);
    return std::nullopt;
  }
  return text;
}

bool DotIsInstalled() { return std::system("dot -V >/dev/null 2>&1") == 0; }

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ExportDot, MarksWhatIsSlowInRedAndWhatMissesCablesInOrange) {
  const Fabric healthy = *GenerateLeafSpine({4, 4, 1, 400e9, 400e9});
  const std::string plain = ExportDot(healthy, Detail::kSwitches).text;
  for (const char* sign :
       {"#c62828", "#e65100", "red:", "orange:", "style=dotted", "style=dashed"}) {
    EXPECT_THAT(plain, Not(HasSubstr(sign)));
  }
  auto records = healthy.ToRecords();
  for (FabricRecord& record : records) {
    Link* link = std::get_if<Link>(&record);
    if (link != nullptr && link->b.node == "spine1") link->capacity_bps = 100e9;
    if (link != nullptr && link->b.node == "spine2") link->one_or_more = true;
    if (link != nullptr && link->b.node == "spine3") link->capacity_bps = std::nullopt;
  }
  std::erase_if(records, [](const FabricRecord& record) {
    const Link* link = std::get_if<Link>(&record);
    return link != nullptr && link->a.node == "leaf2" && link->b.node == "spine4";
  });
  const std::string text = ExportDot(Build(records), Detail::kSwitches).text;
  EXPECT_THAT(text, HasSubstr("color=\"#c62828\" fontcolor=\"#c62828\" penwidth=2 "
                              "label=\"slower: 100G\"];"));
  EXPECT_THAT(text, HasSubstr("color=\"#e65100\" penwidth=2.5 "
                              "label=\"leaf2\\n1 host\\n3 of 4 cables to spines\"];"));
  EXPECT_THAT(text, HasSubstr("style=dashed"));
  EXPECT_THAT(text, HasSubstr("style=dotted"));
  for (const char* legend : {"red:", "orange:", "dotted:", "dashed:"}) {
    EXPECT_THAT(text, HasSubstr(legend));
  }
}

TEST(ExportDot, IsReadByGraphvizWhateverTheNames) {
  if (!DotIsInstalled()) GTEST_SKIP() << "dot is not installed (package graphviz)";
  FabricMaker maker;
  maker.Switch("spine \"1\"\\", 1);
  for (const std::string& name : AwkwardNames()) {
    maker.Switch(name, 0);
    maker.Host("host of " + name);
    maker.Cable(name, "host of " + name);
    maker.Cable(name, "up", "spine \"1\"\\", name);
  }
  const Fabric fabric = maker.Make();
  for (const Detail detail :
       {Detail::kAll, Detail::kSwitches, Detail::kPods, Detail::kShape, Detail::kAuto}) {
    const Exported out = ExportDot(fabric, detail);
    const auto canonical = Canonical(out.text);
    ASSERT_TRUE(canonical) << out.text;
    const Picture picture = DrawPicture(fabric, detail);
    EXPECT_EQ(CountOf(*canonical, "tooltip="), picture.bundles.size());
    EXPECT_EQ(CountOf(*canonical, "fillcolor="), picture.boxes.size());
  }
}

TEST(ExportDot, ShowsNamesAsTheyAre) {
  if (!DotIsInstalled()) GTEST_SKIP() << "dot is not installed (package graphviz)";
  FabricMaker maker;
  maker.Switch("a\\Nb&lt;c\"d", 0);
  const std::string source = ExportDot(maker.Make(), Detail::kAll).text;
  std::string path = testing::TempDir() + "/weft-names-XXXXXX";
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, source.data(), source.size()), std::ssize(source));
  close(file);
  std::FILE* pipe = popen(("dot -Tsvg " + path).c_str(), "r");
  std::string svg;
  std::array<char, 4096> piece{};
  while (const size_t count = std::fread(piece.data(), 1, piece.size(), pipe)) {
    svg.append(piece.data(), count);
  }
  EXPECT_EQ(pclose(pipe), 0);
  unlink(path.c_str());
  EXPECT_THAT(svg, HasSubstr(">a\\Nb&amp;lt;c&quot;d</text>"));
}

TEST(ExportDot, IsTheSameTwice) {
  const Fabric fabric = *GenerateLeafSpine({8, 4, 3});
  EXPECT_EQ(ExportDot(fabric, Detail::kAuto).text, ExportDot(fabric, Detail::kAuto).text);
}

}  // namespace
}  // namespace weft::topology
