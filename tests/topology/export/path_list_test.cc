// SPDX-License-Identifier: Apache-2.0
#include "topology/export/path_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/topology/export/fabrics.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ExportPaths, ListsEachPairOnceWithAllItsPaths) {
  const Exported out = ExportPaths(*GenerateLeafSpine({2, 2, 1, 20e6, std::nullopt}), {});
  EXPECT_EQ(out.text,
            "Source,Destination,Path,Paths,Hops,Switches,Ports\n"
            "host1-1,host2-1,1,2,3,leaf1 > spine1 > leaf2,eth0 > spine1 > leaf2 > host2-1\n"
            "host1-1,host2-1,2,2,3,leaf1 > spine2 > leaf2,eth0 > spine2 > leaf2 > host2-1\n");
  EXPECT_THAT(out.findings, IsEmpty());
}

TEST(ExportPaths, SaysWhatItsBoundsCutOff) {
  const auto fabric = GenerateLeafSpine({3, 4, 2, 20e6, std::nullopt});
  const Exported out = ExportPaths(*fabric, {6, 2});
  EXPECT_EQ(std::count(out.text.begin(), out.text.end(), '\n'), 1 + 1 + 4 * 2 + 2)
      << "a pair on one leaf has one path; the others have four, of which two are listed";
  EXPECT_NE(out.text.find("host1-1,host2-1,2,2+,3,"), std::string::npos);
  EXPECT_THAT(Codes(out.findings), ElementsAre("pairs-cut-off 6", "paths-cut-off 5"));
  EXPECT_EQ(out.findings[0].evidence[1].value, 15);
}

TEST(ExportPaths, ListsPairsWithoutAPath) {
  FabricMaker maker;
  for (const char* end : {"1", "2"}) {
    maker.Switch(std::string("leaf") + end, 0);
    maker.Host(std::string("host") + end);
    maker.Cable(std::string("leaf") + end, std::string("host") + end);
  }
  const Exported out = ExportPaths(maker.Make(), {});
  EXPECT_EQ(out.text, "Source,Destination,Path,Paths,Hops,Switches,Ports\nhost1,host2,,0,,,\n");
  EXPECT_THAT(Codes(out.findings), ElementsAre("no-path 1"));
}

TEST(ExportPaths, QuotesNames) {
  FabricMaker maker;
  maker.Switch("leaf, one", 0);
  maker.Host("a");
  maker.Host("b\"");
  maker.Cable("a", "1", "leaf, one", "1");
  maker.Cable("b\"", "1", "leaf, one", "2");
  EXPECT_EQ(ExportPaths(maker.Make(), {}).text,
            "Source,Destination,Path,Paths,Hops,Switches,Ports\n"
            "a,\"b\"\"\",1,1,1,\"leaf, one\",1 > 2\n");
}

TEST(ExportPaths, OfAFabricWithoutHostsIsTheHeaderAlone) {
  FabricMaker maker;
  maker.Switch("leaf1", 0);
  EXPECT_EQ(ExportPaths(maker.Make(), {}).text,
            "Source,Destination,Path,Paths,Hops,Switches,Ports\n");
}

}  // namespace
}  // namespace weft::topology
