// SPDX-License-Identifier: Apache-2.0
#include "topology/export/ibnetdiscover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/export/fabrics.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A switch, an HCA of two ports and another switch, as an InfiniBand importer makes them.
FabricMaker TwoSwitches() {
  FabricMaker maker;
  Node& leaf = maker.Switch("leaf1", std::nullopt);
  leaf.guid = 0x2c5eab0300b87b40;
  leaf.system_guid = 0x2c5eab0300b87b40;
  leaf.vendor_id = 0x2c9;
  leaf.device_id = 0xd2f2;
  leaf.interfaces = {{"0", {}, 0x2c5eab0300b87b40, 73, 0}};
  Node& spine = maker.Switch("spine1", std::nullopt);
  spine.guid = 0x10;
  spine.interfaces = {{"0", {}, 0x10, 236, 2}};
  Node& hca = maker.Host("gpu1 mlx5_0");
  hca.guid = 0xe09d7303007a4bd8;
  hca.interfaces = {{"1", {}, 0xe09d7303007a4bd9, 647, 1}, {"2", {}}};
  Link& first = maker.Cable("leaf1", "1", "gpu1 mlx5_0", "1", 400e9);
  first.width = 4;
  first.speed = "NDR";
  Link& second = maker.Cable("spine1", "10", "leaf1", "35", 200e9);
  second.width = 4;
  second.speed = "HDR";
  return maker;
}

TEST(ExportIbnetdiscover, WritesWhatIbnetdiscoverPrints) {
  const Exported out = ExportIbnetdiscover(TwoSwitches().Make());
  EXPECT_EQ(out.text,
            "#\n# Topology file: written by weft-topo export\n#\n"
            "\n"
            "vendid=0x2c9\n"
            "devid=0xd2f2\n"
            "sysimgguid=0x2c5eab0300b87b40\n"
            "switchguid=0x2c5eab0300b87b40(2c5eab0300b87b40)\n"
            "Switch\t35 \"S-2c5eab0300b87b40\"\t\t# \"leaf1\" base port 0 lid 73 lmc 0\n"
            "[1]\t\"H-e09d7303007a4bd8\"[1](e09d7303007a4bd9) \t\t# \"gpu1 mlx5_0\" lid 647 4xNDR\n"
            "[35]\t\"S-0000000000000010\"[10]\t\t# \"spine1\" lid 236 4xHDR\n"
            "\n"
            "switchguid=0x10(10)\n"
            "Switch\t10 \"S-0000000000000010\"\t\t# \"spine1\" base port 0 lid 236 lmc 2\n"
            "[10]\t\"S-2c5eab0300b87b40\"[35]\t\t# \"leaf1\" lid 73 4xHDR\n"
            "\n"
            "caguid=0xe09d7303007a4bd8\n"
            "Ca\t2 \"H-e09d7303007a4bd8\"\t\t# \"gpu1 mlx5_0\"\n"
            "[1](e09d7303007a4bd9) \t\"S-2c5eab0300b87b40\"[1]\t\t# lid 647 lmc 1 \"leaf1\" lid 73 "
            "4xNDR\n");
  EXPECT_THAT(out.findings, IsEmpty());
}

TEST(ExportIbnetdiscover, LeavesOutTheGuidThatTellsEqualDescriptionsApart) {
  FabricMaker maker = TwoSwitches();
  maker.Host("MT4123 (0x0000000000000021)").guid = 0x21;
  maker.Host("MT4123 (0x0000000000000022)").guid = 0x22;
  maker.Host("0x0000000000000023").guid = 0x23;
  maker.Host("alone (0x0000000000000024)").guid = 0x24;
  const Exported out = ExportIbnetdiscover(maker.Make());
  EXPECT_THAT(out.text, HasSubstr("\"H-0000000000000021\"\t\t# \"MT4123\"\n"));
  EXPECT_THAT(out.text, HasSubstr("\"H-0000000000000022\"\t\t# \"MT4123\"\n"));
  EXPECT_THAT(out.text, HasSubstr("\"H-0000000000000023\"\t\t# \"\"\n"));
  EXPECT_THAT(out.text, HasSubstr("# \"alone (0x0000000000000024)\"\n"))
      << "an import would call it \"alone\"";
}

TEST(ExportIbnetdiscover, MakesUpGuidsAndPortNumbersForAnEthernetFabric) {
  const auto fabric = GenerateLeafSpine({2, 1, 1, 20e6, std::nullopt});
  const Exported out = ExportIbnetdiscover(*fabric);
  EXPECT_THAT(out.text, HasSubstr("switchguid=0x200000000000001(200000000000001)\n"
                                  "Switch\t2 \"S-0200000000000001\"\t\t# \"leaf1\""));
  EXPECT_THAT(Codes(out.findings),
              ElementsAre("guids-made-up 5", "ports-renumbered 8", "addresses-left-out 8",
                          "labels-left-out 3", "rates-left-out 2"));
}

TEST(ExportIbnetdiscover, KeepsMadeUpGuidsOffTakenOnes) {
  FabricMaker maker;
  maker.Switch("a", 0).guid = 0x0200000000000001;
  maker.Switch("b", 0);
  maker.Cable("a", "1", "b", "1");
  const std::string text = ExportIbnetdiscover(maker.Make()).text;
  EXPECT_THAT(text, HasSubstr("\"S-0200000000000001\"\t\t# \"a\""));
  EXPECT_THAT(text, HasSubstr("\"S-0200000000000002\"\t\t# \"b\""));
}

TEST(ExportIbnetdiscover, ReplacesWhatItsQuotesCannotHold) {
  FabricMaker maker;
  maker.Switch("say \"hi\"\nagain", 0).guid = 1;
  maker.Switch("hash # semi; = fine", 0).guid = 2;
  maker.Cable("say \"hi\"\nagain", "1", "hash # semi; = fine", "1");
  const Exported out = ExportIbnetdiscover(maker.Make());
  EXPECT_THAT(out.text, HasSubstr("# \"say 'hi' again\" base port 0"));
  EXPECT_THAT(out.text, HasSubstr("# \"hash # semi; = fine\" base port 0"));
  EXPECT_THAT(Codes(out.findings), ElementsAre("names-replaced 1", "labels-left-out 2"));
}

TEST(ExportIbnetdiscover, WritesNodesOfUnknownKindAsRouters) {
  FabricMaker maker = TwoSwitches();
  maker.Switch("router", std::nullopt).kind = NodeKind::kUnknown;
  maker.At("router").guid = 0x99;
  maker.Cable("router", "2", "leaf1", "7");
  EXPECT_THAT(ExportIbnetdiscover(maker.Make()).text,
              HasSubstr("\nrtguid=0x99\nRt\t2 \"R-0000000000000099\"\t\t# \"router\"\n"
                        "[2]\t\"S-2c5eab0300b87b40\"[7]\t\t# lid 0 \"leaf1\" lid 73\n"));
}

TEST(ExportIbnetdiscover, NamesPortsThatInfiniBandCannotHave) {
  FabricMaker maker;
  maker.Switch("big", 0).guid = 1;
  for (Guid i = 0; i < 260; ++i) {
    maker.Host("h" + std::to_string(i)).guid = 100 + i;
    maker.Cable("big", "swp" + std::to_string(i), "h" + std::to_string(i), "1");
  }
  const Exported out = ExportIbnetdiscover(maker.Make());
  EXPECT_THAT(Codes(out.findings),
              ElementsAre("ports-renumbered 260", "ports-left-out 12", "labels-left-out 1"))
      << "six cables, at both of their ends";
}

}  // namespace
}  // namespace weft::topology
