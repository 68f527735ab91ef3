// SPDX-License-Identifier: Apache-2.0
#include "topology/export/cabling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/topology/export/fabrics.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FabricMaker TwoLeaves() {
  FabricMaker maker;
  maker.Host("host10");
  maker.Host("host2");
  maker.Switch("spine1", 1);
  maker.Switch("leaf10", 0);
  maker.Switch("leaf2", 0);
  maker.Cable("host10", "eth0", "leaf2", "Ethernet8", 100e9);
  maker.Cable("host2", "eth0", "leaf2", "Ethernet0", 100e9);
  maker.Cable("spine1", "Ethernet4", "leaf10", "Ethernet64", 400e9).cable = "MCP7Y00, SN1";
  maker.Cable("leaf2", "Ethernet64", "spine1", "Ethernet0");
  return maker;
}

TEST(ExportCabling, ListsLeafByLeafAndPortByPort) {
  const Fabric fabric = TwoLeaves().Make();
  EXPECT_EQ(ExportCabling(fabric, CablingColumns::kAll).text,
            "StartDevice,StartPort,EndDevice,EndPort,BandWidth,Width,Speed,Cable,StartRole,EndRole,"
            "Rail,Plane\n"
            "leaf2,Ethernet0,host2,eth0,100000,,,,leaf,host,,\n"
            "leaf2,Ethernet8,host10,eth0,100000,,,,leaf,host,,\n"
            "leaf2,Ethernet64,spine1,Ethernet0,,,,,leaf,spine,,\n"
            "leaf10,Ethernet64,spine1,Ethernet4,400000,,,\"MCP7Y00, SN1\",leaf,spine,,\n");
}

TEST(ExportCabling, HasSonicsColumnsAloneWhereAsked) {
  const Exported out = ExportCabling(TwoLeaves().Make(), CablingColumns::kSonic);
  EXPECT_EQ(out.text.substr(0, out.text.find('\n', out.text.find('\n') + 1)),
            "StartDevice,StartPort,EndDevice,EndPort,BandWidth\n"
            "leaf2,Ethernet0,host2,eth0,100000");
  EXPECT_THAT(Codes(out.findings), ElementsAre("cable-data-left-out 1"));
}

TEST(ExportCabling, SaysNothingWhereNothingIsLost) {
  EXPECT_THAT(ExportCabling(TwoLeaves().Make(), CablingColumns::kAll).findings, IsEmpty());
}

TEST(ExportCabling, NamesWhatItCannotHold) {
  FabricMaker maker = TwoLeaves();
  maker.Host("spare");
  maker.At("leaf2").addresses = {*wire::IpAddress::Parse("10.0.0.1")};
  maker.At("host2").guid = 7;
  maker.links()[0].one_or_more = true;
  EXPECT_THAT(Codes(ExportCabling(maker.Make(), CablingColumns::kAll).findings),
              ElementsAre("nodes-without-cable 1", "cables-not-counted 1", "addresses-left-out 1",
                          "identity-left-out 1"));
}

TEST(ExportCabling, TellsRailAndPlane) {
  FabricMaker maker = TwoLeaves();
  maker.At("leaf2").rail = 3;
  maker.At("spine1").plane = 1;
  const std::string text = ExportCabling(maker.Make(), CablingColumns::kAll).text;
  EXPECT_NE(text.find("leaf2,Ethernet0,host2,eth0,100000,,,,leaf,host,3,\n"), std::string::npos);
  EXPECT_NE(text.find("leaf2,Ethernet64,spine1,Ethernet0,,,,,leaf,spine,3,1\n"), std::string::npos);
}

TEST(ExportCabling, HasEveryCableOnce) {
  const auto fabric = GenerateThreeTier({3, 4, 2, 8, 5, 20e6, std::nullopt, 25e6, {}, 2});
  ASSERT_TRUE(fabric.ok());
  const std::string text = ExportCabling(*fabric, CablingColumns::kSonic).text;
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')),
            fabric->links().size() + 1);
  for (const Link& link : fabric->links()) {
    const std::string a = link.a.node + "," + link.a.interface + ",";
    const std::string b = link.b.node + "," + link.b.interface + ",";
    size_t found = 0;
    for (const std::string& row : {"\n" + a + b, "\n" + b + a}) {
      for (size_t at = text.find(row); at != std::string::npos; at = text.find(row, at + 1))
        ++found;
    }
    EXPECT_EQ(found, 1U) << a << b;
  }
}

}  // namespace
}  // namespace weft::topology
