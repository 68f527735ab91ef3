// SPDX-License-Identifier: Apache-2.0
#include "topology/fabric/fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

wire::IpAddress Address(const char* text) { return *wire::IpAddress::Parse(text); }

// Two hosts on one switch.
std::vector<FabricRecord> SmallFabric() {
  return {Node{"leaf1", NodeKind::kSwitch, 0, {{"p1", Address("10.0.0.0")}, {"p2", {}}}},
          Node{"a", NodeKind::kHost, std::nullopt, {{"eth0", Address("10.0.0.1")}}},
          Node{"b", NodeKind::kHost, std::nullopt, {{"eth0", {}}}},
          Link{{"leaf1", "p1"}, {"a", "eth0"}, 1e9},
          Link{{"b", "eth0"}, {"leaf1", "p2"}, std::nullopt}};
}

TEST(Fabric, KeepsEveryRecordWithNodesFirst) {
  const auto fabric = Fabric::FromRecords(SmallFabric());
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  EXPECT_EQ(fabric->ToRecords(), SmallFabric());
}

TEST(Fabric, TakesRecordsInAnyOrder) {
  std::vector<FabricRecord> records = SmallFabric();
  std::rotate(records.begin(), records.begin() + 3, records.end());
  ASSERT_TRUE(std::holds_alternative<Link>(records.front()));
  const auto fabric = Fabric::FromRecords(records);
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  EXPECT_EQ(fabric->ToRecords(), SmallFabric());
}

TEST(Fabric, FindsByNameAddressAndPort) {
  const Fabric fabric = *Fabric::FromRecords(SmallFabric());
  EXPECT_EQ(fabric.FindNode("b"), NodeIndex{2});
  EXPECT_EQ(fabric.FindNode("c"), std::nullopt);
  EXPECT_EQ(fabric.FindAddress(Address("10.0.0.1")), NodeIndex{1});
  EXPECT_EQ(fabric.FindAddress(Address("10.0.0.2")), std::nullopt);
  EXPECT_EQ(fabric.FindAddress(wire::IpAddress()), std::nullopt) << "b's, for one, is not known";
  EXPECT_EQ(fabric.FindAddressInterface(Address("10.0.0.0")), (InterfaceIndex{0, 0}));
  EXPECT_EQ(fabric.FindInterface(0, "p1")->address, Address("10.0.0.0"));
  EXPECT_EQ(fabric.FindInterface(0, "p3"), nullptr);

  const auto port = fabric.FindPort(0, "p2");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->neighbour, NodeIndex{2});
  EXPECT_EQ(port->neighbour_interface, "eth0");
  EXPECT_EQ(port->direction, (Direction{1, true})) << "the link was written from b to leaf1";
  EXPECT_EQ(fabric.FindPort(0, "p3"), std::nullopt);
}

TEST(Fabric, ADirectionLeadsFromOneEndToTheOther) {
  const Fabric fabric = *Fabric::FromRecords(SmallFabric());
  const Direction down{0, false};
  EXPECT_EQ(fabric.From(down), NodeIndex{0});
  EXPECT_EQ(fabric.To(down), NodeIndex{1});
  EXPECT_EQ(ToString(fabric.Describe(down)), "leaf1 -> a");
  EXPECT_EQ(ToString(fabric.Describe({0, true})), "a -> leaf1");
  EXPECT_FALSE(fabric.BetweenSwitches(0));
}

TEST(Fabric, AnUnpluggedInterfaceHasNoPort) {
  Fabric fabric = *Fabric::FromRecords(SmallFabric());
  ASSERT_TRUE(fabric.AddInterface(0, {"p3", {}}).ok());
  EXPECT_NE(fabric.FindInterface(0, "p3"), nullptr);
  EXPECT_EQ(fabric.FindPort(0, "p3"), std::nullopt);
}

TEST(Fabric, ANodeThatIsRefusedLeavesNothingBehind) {
  Fabric fabric = *Fabric::FromRecords(SmallFabric());
  const Node refused{
      "c", NodeKind::kHost, std::nullopt, {{"eth0", Address("10.9.9.9")}, {"eth0", {}}}};
  EXPECT_FALSE(fabric.AddNode(refused).ok());
  EXPECT_EQ(fabric.ToRecords(), SmallFabric());
  EXPECT_EQ(fabric.FindNode("c"), std::nullopt);
  EXPECT_EQ(fabric.FindAddress(Address("10.9.9.9")), std::nullopt);
  EXPECT_TRUE(fabric.AddNode({"c", NodeKind::kHost, std::nullopt, {{"eth0", {}}}}).ok());
}

TEST(Fabric, TheOwnerOfAnAddressKeepsItWhenAnotherIsRefused) {
  Fabric fabric = *Fabric::FromRecords(SmallFabric());
  EXPECT_FALSE(
      fabric.AddNode({"c", NodeKind::kHost, std::nullopt, {{"eth0", Address("10.0.0.1")}}}).ok());
  EXPECT_EQ(fabric.FindAddress(Address("10.0.0.1")), NodeIndex{1});
}

TEST(Fabric, PartsAreNumberedFromTheFirstNode) {
  std::vector<FabricRecord> records = SmallFabric();
  EXPECT_THAT(Fabric::FromRecords(records)->Components(), ElementsAre(0, 0, 0));
  records.erase(records.begin() + 3);  // leaf1 - a
  EXPECT_THAT(Fabric::FromRecords(records)->Components(), ElementsAre(0, 1, 0));
  EXPECT_THAT(Fabric().Components(), ElementsAre());
}

struct BadFabric {
  const char* name;
  FabricRecord added;  // to SmallFabric()
  const char* message;
};

class RefusedFabric : public ::testing::TestWithParam<BadFabric> {};

TEST_P(RefusedFabric, SaysWhatIsWrong) {
  std::vector<FabricRecord> records = SmallFabric();
  records.push_back(GetParam().added);
  const auto fabric = Fabric::FromRecords(records);
  ASSERT_FALSE(fabric.ok());
  EXPECT_EQ(fabric.status().message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedFabric,
    ::testing::Values(
        BadFabric{"NameTwice", Node{"leaf1", NodeKind::kHost, std::nullopt, {}},
                  "node \"leaf1\": the name is used twice"},
        BadFabric{"EmptyName", Node{"", NodeKind::kHost, std::nullopt, {}},
                  "node \"\": expected a name"},
        BadFabric{"EmptyInterfaceName", Node{"c", NodeKind::kHost, std::nullopt, {{"", {}}}},
                  "node \"c\": expected a name for every interface"},
        BadFabric{"InterfaceTwice",
                  Node{"c", NodeKind::kHost, std::nullopt, {{"eth0", {}}, {"eth0", {}}}},
                  "node \"c\": interface \"eth0\" is named twice"},
        BadFabric{"AddressTwice",
                  Node{"c", NodeKind::kHost, std::nullopt, {{"eth0", Address("10.0.0.1")}}},
                  "node \"c\": address 10.0.0.1 is used twice, first by node \"a\""},
        BadFabric{"UnknownNode", Link{{"leaf1", "p1"}, {"c", "eth0"}, {}},
                  "link leaf1:p1 - c:eth0: leaf1:p1 is in use already, by link leaf1:p1 - a:eth0"},
        BadFabric{"UnknownNodeFirst", Link{{"c", "eth0"}, {"leaf1", "p1"}, {}},
                  "link c:eth0 - leaf1:p1: there is no node \"c\""},
        BadFabric{"UnknownInterface", Link{{"leaf1", "p9"}, {"a", "eth0"}, {}},
                  "link leaf1:p9 - a:eth0: node \"leaf1\" has no interface \"p9\""},
        BadFabric{"PortTwice", Link{{"b", "eth0"}, {"a", "eth0"}, {}},
                  "link b:eth0 - a:eth0: b:eth0 is in use already, by link b:eth0 - leaf1:p2"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Fabric, ACableNeedsTwoEnds) {
  Fabric fabric = *Fabric::FromRecords(SmallFabric());
  ASSERT_TRUE(fabric.AddInterface(0, {"p3", {}}).ok());
  const auto link = fabric.AddLink({{"leaf1", "p3"}, {"leaf1", "p3"}, {}});
  EXPECT_EQ(link.status().message(), "link leaf1:p3 - leaf1:p3: expected two different ends");
}

TEST(Fabric, ALoopbackBelongsToItsNodeAndToNoInterface) {
  Fabric fabric;
  const wire::IpAddress loopback = Address("172.16.0.1");
  ASSERT_TRUE(fabric.AddNode({"s", NodeKind::kSwitch, 0, {{"p", {}}}, {loopback}}).ok());
  EXPECT_EQ(fabric.FindAddress(loopback), NodeIndex{0});
  EXPECT_EQ(fabric.FindAddressInterface(loopback), std::nullopt);
  EXPECT_EQ(fabric.node(0).addresses, std::vector<wire::IpAddress>{loopback});
}

TEST(Fabric, ALoopbackIsOneOfTheAddressesThatAreUnique) {
  Fabric fabric;
  const wire::IpAddress a = Address("172.16.0.1");
  ASSERT_TRUE(fabric.AddNode({"a", NodeKind::kSwitch, 0, {}, {a}}).ok());
  const std::string twice = "address 172.16.0.1 is used twice, first by node \"a\"";
  EXPECT_EQ(fabric.AddNode({"b", NodeKind::kSwitch, 0, {}, {Address("172.16.0.2"), a}}).status(),
            absl::InvalidArgumentError("node \"b\": " + twice));
  EXPECT_EQ(fabric.AddNode({"b", NodeKind::kSwitch, 0, {{"p", a}}, {}}).status(),
            absl::InvalidArgumentError("node \"b\": " + twice));
  EXPECT_EQ(fabric.AddNode({"b", NodeKind::kSwitch, 0, {}, {wire::IpAddress()}}).status(),
            absl::InvalidArgumentError("node \"b\": expected no empty address"));
  EXPECT_EQ(fabric.FindAddress(Address("172.16.0.2")), std::nullopt) << "nothing is left of b";
  EXPECT_TRUE(fabric.AddNode({"b", NodeKind::kSwitch, 0, {}, {Address("172.16.0.2")}}).ok());
}

}  // namespace
}  // namespace weft::topology
