// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/topology/imported.h"
#include "topology/fabric/fabric.h"
#include "topology/import/lldp.h"

namespace weft::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct File {
  std::string node;
  std::string text;
};

LldpResult Lldp(const std::vector<File>& files) {
  std::vector<LldpFile> given;
  for (const File& file : files) given.push_back({file.node + ".json", file.text, file.node});
  const auto result = ImportLldp(given);
  EXPECT_TRUE(result.ok()) << result.status().message();
  if (!result.ok()) return {};
  const auto fabric = Fabric::FromRecords(result->records);
  EXPECT_TRUE(fabric.ok()) << fabric.status().message();
  return *result;
}

std::vector<std::string> Cables(const LldpResult& result) {
  std::vector<std::string> cables;
  for (const FabricRecord& record : result.records) {
    if (const Link* link = std::get_if<Link>(&record)) {
      cables.push_back(ToString(link->a) + " - " + ToString(link->b));
    }
  }
  return cables;
}

std::vector<std::string> Nodes(const LldpResult& result) {
  std::vector<std::string> nodes;
  for (const FabricRecord& record : result.records) {
    if (const Node* node = std::get_if<Node>(&record)) nodes.push_back(node->name);
  }
  return nodes;
}

const Node& NodeNamed(const LldpResult& result, const std::string& name) {
  for (const FabricRecord& record : result.records) {
    const Node* node = std::get_if<Node>(&record);
    if (node != nullptr && node->name == name) return *node;
  }
  static const Node kNone;
  ADD_FAILURE() << "no node " << name;
  return kNone;
}

// A chassis as -f json has it.
std::string Chassis(const std::string& name, const std::string& mac = "02:00:00:00:00:11") {
  const std::string body =
      R"({"id":{"type":"mac","value":")" + mac + R"("},"mgmt-ip":"10.255.0.9","ttl":"120"})";
  return name.empty() ? body : R"({")" + name + R"(":)" + body + "}";
}

std::string Entry(const std::string& chassis, const std::string& type, const std::string& port,
                  const std::string& description = "") {
  return R"({"via":"LLDP","chassis":)" + chassis + R"(,"port":{"id":{"type":")" + type +
         R"(","value":")" + port + R"("})" +
         (description.empty() ? "" : R"(,"descr":")" + description + R"(")") + "}}";
}

std::string Document(const std::string& interfaces) {
  return R"({"lldp":{"interface":)" + interfaces + "}}";
}

const char* const kJson0 = R"({"lldp":[{"interface":[{"name":"swp1","via":"LLDP","chassis":[
  {"id":[{"type":"mac","value":"02:00:00:00:00:11"}],"name":[{"value":"spine1"}],
   "mgmt-ip":[{"value":"10.255.0.9"}],"capability":[{"type":"Bridge","enabled":true}]}],
  "port":[{"id":[{"type":"ifname","value":"swp7"}],"descr":[{"value":"to leaf1"}]}]}]}]})";

struct ShapeRow {
  const char* name;
  std::string text;
};
class Shape : public ::testing::TestWithParam<ShapeRow> {};
TEST_P(Shape, SaysTheSame) {
  const LldpResult result = Lldp({{"leaf1", GetParam().text}});
  EXPECT_THAT(Cables(result), ElementsAre("leaf1:swp1 - spine1:swp7"));
  EXPECT_THAT(Nodes(result), ElementsAre("leaf1", "spine1"));
  EXPECT_THAT(NodeNamed(result, "spine1").addresses,
              ElementsAre(*wire::IpAddress::Parse("10.255.0.9")));
  EXPECT_EQ(result.counts.damaged, 0U);
  EXPECT_EQ(result.counts.named_by[0], 1U);
  EXPECT_THAT(Codes(result.findings), IsEmpty());
}
const std::string kEntry = Entry(Chassis("spine1"), "ifname", "swp7", "to leaf1");
INSTANTIATE_TEST_SUITE_P(
    Rows, Shape,
    ::testing::Values(ShapeRow{"OneInterfaceAlone", Document(R"({"swp1":)" + kEntry + "}")},
                      ShapeRow{"OneInterfaceInAList", Document(R"([{"swp1":)" + kEntry + "}]")},
                      ShapeRow{"EveryValueAList", kJson0},
                      ShapeRow{"AddressesInAList",
                               Document(R"({"swp1":{"chassis":{"spine1":{"mgmt-ip":["10.255.0.9",)"
                                        R"("fe80::1","127.0.0.1"]}},"port":{"id":{"type":)"
                                        R"("ifname","value":"swp7"}}}})")}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Lldp, APortIsNamedByInterfaceThenAliasThenDescriptionThenMac) {
  const LldpResult result = Lldp(
      {{"leaf1", Document("[" + (R"({"a":)" + Entry(Chassis("s"), "ifname", "eth1", "d1")) +
                          R"(},{"b":)" + Entry(Chassis("s"), "ifalias", "alias2", "d2") +
                          R"(},{"c":)" + Entry(Chassis("s"), "local", "535", "ge-0/0/15.0") +
                          R"(},{"d":)" + Entry(Chassis("s"), "mac", "02:00:00:00:00:31", "d4") +
                          R"(},{"e":)" + Entry(Chassis("s"), "mac", "02:00:00:00:00:32") +
                          R"(},{"f":)" + Entry(Chassis("s"), "local", "7") + "}]")}});
  EXPECT_THAT(Cables(result),
              ElementsAre("leaf1:a - s:eth1", "leaf1:b - s:alias2", "leaf1:c - s:ge-0/0/15.0",
                          "leaf1:d - s:d4", "leaf1:e - s:02:00:00:00:00:32", "leaf1:f - s:7"));
  EXPECT_THAT(result.counts.named_by, ElementsAre(1, 1, 2, 1, 1));
}

TEST(Lldp, OneMacForAllPortsMergesNoCables) {
  const auto entry = Entry(Chassis("spine1"), "mac", "02:00:00:00:00:11");
  const LldpResult result =
      Lldp({{"leaf1", Document(R"([{"swp1":)" + entry + R"(},{"swp2":)" + entry + "}]")}});
  EXPECT_THAT(Cables(result), ElementsAre("leaf1:swp1 - spine1:02:00:00:00:00:11 to leaf1:swp1",
                                          "leaf1:swp2 - spine1:02:00:00:00:00:11 to leaf1:swp2"));
  EXPECT_THAT(Codes(result.findings), ElementsAre("port-name-twice"));
}

TEST(Lldp, TheFarNodesOwnFileNamesItsPort) {
  // leaf1 hears a MAC and a description; spine1's file calls the port swp7.
  const LldpResult result = Lldp(
      {{"leaf1", Document(R"({"swp1":)" +
                          Entry(Chassis("spine1"), "mac", "02:00:00:00:00:11", "uplink") + "}")},
       {"spine1", Document(R"({"swp7":)" +
                           Entry(Chassis("leaf1", "02:00:00:00:00:01"), "ifname", "swp1") + "}")}});
  EXPECT_THAT(Cables(result), ElementsAre("leaf1:swp1 - spine1:swp7"));
  EXPECT_EQ(result.counts.both_sides, 1U);
}

TEST(Lldp, FilesThatContradictEachOtherAreSaidAndNoCableIsGuessed) {
  const LldpResult result = Lldp(
      {{"leaf1", Document(R"({"swp1":)" + Entry(Chassis("spine1"), "ifname", "swp7") + "}")},
       {"spine1", Document(R"({"swp7":)" +
                           Entry(Chassis("leaf2", "02:00:00:00:00:02"), "ifname", "swp1") + "}")}});
  EXPECT_THAT(Codes(result.findings), testing::Contains("port-name-twice"));
  EXPECT_LE(Cables(result).size(), 2U);
}

TEST(Lldp, ANamelessMellanoxNeighbourIsNicFirmwareAndNoSwitch) {
  const LldpResult result =
      Lldp({{"host1",
             Document(R"({"eth0":)" +
                      Entry(Chassis("", "b8:59:9f:00:00:07"), "mac", "b8:59:9f:00:00:07") + "}")}});
  EXPECT_THAT(Nodes(result), ElementsAre("host1"));
  EXPECT_THAT(Cables(result), IsEmpty());
  EXPECT_EQ(result.counts.nic_firmware, 1U);
  EXPECT_THAT(Codes(result.findings), ElementsAre("nic-firmware"));
}

TEST(Lldp, ANamelessSwitchGoesByTheOnlyNameOfItsChassisId) {
  const std::string nameless = Entry(Chassis(""), "ifname", "swp8");
  const LldpResult known =
      Lldp({{"leaf1", Document(R"([{"swp1":)" + Entry(Chassis("spine1"), "ifname", "swp7") +
                               R"(},{"swp2":)" + nameless + "}]")}});
  EXPECT_THAT(Nodes(known), ElementsAre("leaf1", "spine1"));
  const LldpResult two_names =
      Lldp({{"leaf1", Document(R"([{"swp1":)" + Entry(Chassis("spine1"), "ifname", "swp7") +
                               R"(},{"swp3":)" + Entry(Chassis("spine2"), "ifname", "swp7") +
                               R"(},{"swp2":)" + nameless + "}]")}});
  EXPECT_THAT(Nodes(two_names), ElementsAre("02:00:00:00:00:11", "leaf1", "spine1", "spine2"));
  // One management address of several nodes is none of theirs.
  EXPECT_THAT(Codes(two_names.findings), testing::Contains("address-twice"));
  EXPECT_THAT(NodeNamed(two_names, "spine1").addresses, IsEmpty());
}

TEST(Lldp, SeveralNeighboursOnOnePortAreSaidAndGiveNoCable) {
  const LldpResult result = Lldp(
      {{"leaf1",
        Document(R"([{"swp1":)" + Entry(Chassis("spine 1"), "ifname", "swp7") + R"(},{"swp1":)" +
                 Entry(Chassis("host-1.dc", "02:00:00:00:00:77"), "ifname", "e") + "}]")}});
  EXPECT_THAT(Cables(result), IsEmpty());
  EXPECT_THAT(Codes(result.findings), testing::Contains("several-neighbours"));
  EXPECT_THAT(Nodes(result), UnorderedElementsAre("leaf1", "spine 1", "host-1.dc"));
}

struct RefusedRow {
  const char* name;
  const char* text;
  const char* says;
};
class Refused : public ::testing::TestWithParam<RefusedRow> {};
TEST_P(Refused, WithOneMessage) {
  const auto result = ImportLldp(std::vector<LldpFile>{{"f.json", GetParam().text, "leaf1"}});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("f.json: "));
  EXPECT_THAT(std::string(result.status().message()), HasSubstr(GetParam().says));
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("lldpctl -f json0"));
}
INSTANTIATE_TEST_SUITE_P(
    Rows, Refused,
    ::testing::Values(RefusedRow{"Text", "-----\nLLDP neighbors:\n-----\n", "text, keyvalue"},
                      RefusedRow{"KeyValue", "lldp.eth0.via=LLDP\n", "text, keyvalue"},
                      RefusedRow{"Xml", "<?xml version=\"1.0\"?><lldp/>", "text, keyvalue"},
                      RefusedRow{"Empty", " \n", "is empty"},
                      RefusedRow{"CutJson", "{\"lldp\":", "not JSON at byte"},
                      RefusedRow{"OtherJson", "{\"hops\":[]}", "has no \"lldp\""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Lldp, TwoFilesOfOneNodeAreRefused) {
  const std::vector<LldpFile> files = {{"a.json", "{\"lldp\":{}}", "leaf1"},
                                       {"b.json", "{\"lldp\":{}}", "leaf1"}};
  const auto result = ImportLldp(files);
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("b.json: node \"leaf1\""));
}

struct RealRow {
  const char* file;
  uint64_t neighbours;
  size_t cables;
};
class RealFile : public ::testing::TestWithParam<RealRow> {};
TEST_P(RealFile, IsReadWhole) {
  const std::filesystem::path path =
      std::filesystem::path(WEFT_SOURCE_DIR) / "../shared/data/fabric" / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  const LldpResult result = Lldp({{"arc-switch1025", text}});
  EXPECT_EQ(result.counts.neighbours, GetParam().neighbours);
  EXPECT_EQ(Cables(result).size(), GetParam().cables);
  EXPECT_EQ(result.counts.damaged, 0U);
}
INSTANTIATE_TEST_SUITE_P(Rows, RealFile,
                         ::testing::Values(RealRow{"sonic_lldpctl.json", 33, 33},
                                           RealRow{"sonic_lldpctl_mgmt_only.json", 1, 1},
                                           RealRow{"sonic_lldpctl_single_loc_mgmt_ip.json", 2, 2}));

}  // namespace
}  // namespace weft::topology
