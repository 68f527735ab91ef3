// SPDX-License-Identifier: Apache-2.0
#include "wire/lldp.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wire/capture_files.h"
#include "tests/wire/hex.h"
#include "tests/wire/random.h"
#include "wire/dcbx.h"

namespace weft::wire {
namespace {

// A MAC, an interface, 120 s, two descriptions and a name, a bridge and router, 10.1.1.1 by
// ifIndex 7, an organisation's TLV, the end.
constexpr std::string_view kNeighbour =
    "0207 04 020000000001  0405 05 73777031  0602 0078  0806 75706c696e6b  0a05 6c65616631"
    "0c04 57656674  0e04 0014 0004  100c 05 01 0a010101 02 00000007 00"
    "fe05 0080c2 01 ff  0000";

TEST(Lldp, ReadsWhatANeighbourSays) {
  const Bytes bytes = FromHex(kNeighbour);
  const std::optional<Lldp> lldp = ParseLldp(bytes);
  ASSERT_TRUE(lldp.has_value());
  EXPECT_TRUE(lldp->is_complete);
  EXPECT_EQ(ChassisIdText(lldp->chassis.value()), "02:00:00:00:00:01");
  EXPECT_EQ(PortIdText(lldp->port.value()), "swp1");
  EXPECT_EQ(lldp->ttl_s, 120);
  EXPECT_EQ(LldpText(lldp->port_description), "uplink");
  EXPECT_EQ(LldpText(lldp->system_name), "leaf1");
  EXPECT_EQ(LldpText(lldp->system_description), "Weft");
  EXPECT_EQ(lldp->capabilities->system, 0x14);
  EXPECT_EQ(lldp->capabilities->enabled, 0x04);
  ASSERT_EQ(lldp->management_addresses.size(), 1u);
  EXPECT_EQ(AddressText(lldp->management_addresses[0]), "10.1.1.1");
  EXPECT_EQ(lldp->management_addresses[0].interface_number, 7u);
  ASSERT_EQ(lldp->organizations.size(), 1u);
  EXPECT_EQ(lldp->organizations[0].oui, 0x80c2u);
  EXPECT_FALSE(ParseDcbx(*lldp).has_value());

  Bytes rebuilt(256);
  ByteWriter writer(rebuilt);
  WriteLldpTlvs(*lldp, writer);
  WriteLldpEnd(writer);
  EXPECT_EQ(ToHex(writer.written_bytes()), ToHex(bytes));
}

TEST(Lldp, ACutOneKeepsWhatStoodBefore) {
  const Bytes bytes = FromHex(kNeighbour);
  size_t parsed = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    const std::optional<Lldp> lldp = ParseLldp(cut);
    EXPECT_EQ(lldp.has_value(), size >= 9) << size << " bytes";
    if (!lldp.has_value()) continue;
    EXPECT_FALSE(lldp->is_complete) << size << " bytes";
    EXPECT_EQ(lldp->port.has_value(), size >= 16);
    EXPECT_EQ(lldp->ttl_s.has_value(), size >= 20);
    EXPECT_EQ(LldpText(lldp->system_name), size >= 35 ? "leaf1" : "");
    ++parsed;
  }
  EXPECT_GT(parsed, 50u);
}

TEST(Lldp, AMalformedTlvEndsTheReading) {
  constexpr std::string_view kMandatory = "0207 04 020000000001 0405 05 73777031 0602 0078";
  const struct {
    const char* name;
    const char* more;
  } rows[] = {
      {"ChassisTwice", "0207 04 020000000002"},
      {"TtlTwice", "0602 0079"},
      {"NoEnd", ""},
      {"EndWithAValue", "0001 00"},
      {"CapabilitiesTooShort", "0e03 001400"},
      {"AddressLongerThanItsTlv", "1004 ff 01 0a01"},
      {"AddressWithoutBytes", "1007 01 01 02 00000007"},
      {"OrganizationWithoutSubtype", "fe03 0080c2"},
      {"LengthBeyondTheEnd", "fe7f 0080c2 01"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    // What follows is not read.
    const Bytes bytes = FromHex(std::string(kMandatory) + row.more + "0a05 6c65616631");
    const std::optional<Lldp> lldp = ParseLldp(bytes);
    ASSERT_TRUE(lldp.has_value());
    EXPECT_FALSE(lldp->is_complete);
    EXPECT_EQ(lldp->ttl_s, 120);
    EXPECT_EQ(ChassisIdText(*lldp->chassis), "02:00:00:00:00:01");
    EXPECT_EQ(lldp->system_name.empty(), std::string_view(row.name) != "NoEnd");
  }
  EXPECT_TRUE(ParseLldp(FromHex(std::string(kMandatory) + "1401 00 0000"))->is_complete)
      << "a reserved type is passed over";
  EXPECT_FALSE(ParseLldp({}).has_value());
  EXPECT_FALSE(ParseLldp(FromHex("0405 05 73777031")).has_value()) << "a port without a chassis";
}

TEST(Lldp, IdsByTheirSubtype) {
  const Bytes v4 = FromHex("01 0a010101");
  const Bytes v6 = FromHex("02 fd000000 00000000 00000000 0000000a");
  const Bytes text = FromHex("65746830 1b");
  const Bytes six = FromHex("506b4bf61eb3");
  EXPECT_EQ(ChassisIdText({5, v4}), "10.1.1.1");
  EXPECT_EQ(PortIdText({4, v6}), "fd00::a");
  EXPECT_EQ(ChassisIdText({4, six}), "50:6b:4b:f6:1e:b3");
  EXPECT_EQ(PortIdText({4, six}), "6b4bf61eb3");
  EXPECT_EQ(PortIdText({3, six}), "50:6b:4b:f6:1e:b3");
  EXPECT_EQ(PortIdText({5, text}), "eth0.");
  EXPECT_EQ(ChassisIdText({7, text}), "eth0.");
  EXPECT_EQ(ChassisIdText({0, text}), "657468301b");
  EXPECT_EQ(PortIdText({200, text}), "657468301b");
  EXPECT_EQ(ChassisIdText({5, {}}), "");
}

Dcbx ExampleDcbx() {
  const EtsTable ets{.is_willing = true,
                     .max_traffic_classes = 4,
                     .traffic_class = {0, 0, 0, 3, 0, 0, 6, 0},
                     .bandwidth_percent = {50, 0, 0, 50, 0, 0, 0, 0},
                     .algorithm = {2, 2, 2, 2, 2, 2, 0, 2}};
  EtsTable recommendation = ets;
  recommendation.is_willing = false;
  recommendation.max_traffic_classes = 0;
  return {
      .ets = ets,
      .ets_recommendation = recommendation,
      .pfc = PfcSettings{.bypasses_macsec = true, .max_classes = 2, .enabled_priorities = 1 << 3},
      .applications = {{DcbxSelector::kUdpPort, 4791, 1 << 3},
                       {DcbxSelector::kEthertype, 0x8915, 1 << 3},
                       {DcbxSelector::kDscp, 26, 1 << 3}}};
}

Bytes LldpduWith(const Dcbx& dcbx) {
  const Bytes front = FromHex(kNeighbour);
  Bytes bytes(256);
  ByteWriter writer(bytes);
  writer.Bytes(First(front, front.size() - 2));
  WriteDcbx(dcbx, writer);
  WriteLldpEnd(writer);
  bytes.resize(writer.written());
  return bytes;
}

TEST(Dcbx, ReadsAsItWasWritten) {
  const Bytes bytes = LldpduWith(ExampleDcbx());
  const std::optional<Lldp> lldp = ParseLldp(bytes);
  ASSERT_TRUE(lldp.has_value());
  EXPECT_TRUE(lldp->is_complete);
  const std::optional<Dcbx> dcbx = ParseDcbx(*lldp);
  ASSERT_TRUE(dcbx.has_value());
  EXPECT_EQ(*dcbx, ExampleDcbx());
  EXPECT_TRUE(dcbx->pfc->Enables(3));
  EXPECT_FALSE(dcbx->pfc->Enables(4));
}

std::optional<Dcbx> DcbxOf(std::string_view organizations) {
  const Bytes bytes = FromHex("0207 04 020000000001 0405 05 73777031 0602 0078" +
                              std::string(organizations) + "0000");
  const std::optional<Lldp> lldp = ParseLldp(bytes);
  EXPECT_TRUE(lldp.has_value() && lldp->is_complete);
  return ParseDcbx(*lldp);
}

// Control, groups (willing; priority 3 in group 1, others in 0; 40 to 60), PFC of priority 3, and
// ethertype 0x8915 and port 4791 on priority 3.
constexpr std::string_view kCee =
    "fe3d 001b21 02  020a 00 00 00000001 00000001"
    "0411 0000 c0 00 00010000 283c000000000000 08  0606 0000 80 00 08 04"
    "0810 0000 80 00 8915 00 1b21 08 12b7 01 1b21 08";

TEST(Dcbx, ReadsTheOlderForm) {
  const std::optional<Dcbx> dcbx = DcbxOf(kCee);
  ASSERT_TRUE(dcbx.has_value());
  EXPECT_TRUE(dcbx->is_cee);
  EXPECT_FALSE(dcbx->is_malformed);
  ASSERT_TRUE(dcbx->ets.has_value());
  EXPECT_TRUE(dcbx->ets->is_willing);
  EXPECT_EQ(dcbx->ets->traffic_class, (std::array<uint8_t, 8>{0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(dcbx->ets->bandwidth_percent, (std::array<uint8_t, 8>{40, 60, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(dcbx->pfc, (PfcSettings{.max_classes = 4, .enabled_priorities = 8}));
  EXPECT_EQ(dcbx->applications, (std::vector<DcbxApplication>{{DcbxSelector::kEthertype, 0x8915, 8},
                                                              {DcbxSelector::kAnyPort, 4791, 8}}));
}

TEST(Dcbx, ThePresentFormGoesBeforeTheOlderOne) {
  const std::optional<Dcbx> dcbx = DcbxOf(std::string(kCee) + "fe06 0080c2 0b 08 10");
  ASSERT_TRUE(dcbx.has_value());
  EXPECT_FALSE(dcbx->is_cee);
  EXPECT_FALSE(dcbx->ets.has_value());
  EXPECT_EQ(dcbx->pfc->enabled_priorities, 0x10);
}

TEST(Dcbx, AShortTlvIsPassedOverAndSaid) {
  const std::optional<Dcbx> dcbx = DcbxOf("fe05 0080c2 0b 08  fe08 0080c2 0c 00 6312b7");
  ASSERT_TRUE(dcbx.has_value());
  EXPECT_TRUE(dcbx->is_malformed);
  EXPECT_FALSE(dcbx->pfc.has_value());
  ASSERT_EQ(dcbx->applications.size(), 1u);
  EXPECT_EQ(dcbx->applications[0], (DcbxApplication{DcbxSelector::kUdpPort, 4791, 8}));
}

// LLDPDUs of a capture, in order.
std::vector<Bytes> LldpdusOf(const std::string& name) {
  std::vector<Bytes> found;
  for (const FilePacket& packet : ReadCapture(CaptureFolder() + "/pause_dcbx_lldp/" + name)) {
    const auto& bytes = packet.bytes;
    if (bytes.size() < 14 || bytes[12] != std::byte{0x88} || bytes[13] != std::byte{0xcc}) continue;
    found.emplace_back(bytes.begin() + 14, bytes.end());
  }
  return found;
}

class RealLldp : public testing::Test {
 protected:
  void SetUp() override {
    if (CaptureFolder().empty()) GTEST_SKIP() << "no data/captures on this machine";
  }
};

// The values are tshark's.
TEST_F(RealLldp, PfcOfALinuxBridge) {
  const std::vector<Bytes> lldpdus = LldpdusOf("dcb_pfc.pcap");
  ASSERT_EQ(lldpdus.size(), 4u);
  const std::optional<Lldp> lldp = ParseLldp(lldpdus[0]);
  ASSERT_TRUE(lldp.has_value());
  EXPECT_TRUE(lldp->is_complete);
  EXPECT_EQ(ChassisIdText(*lldp->chassis), "08:00:27:42:ba:59");
  EXPECT_EQ(lldp->ttl_s, 120);
  const std::optional<Dcbx> dcbx = ParseDcbx(*lldp);
  ASSERT_TRUE(dcbx.has_value() && dcbx->pfc.has_value());
  EXPECT_EQ(dcbx->pfc->enabled_priorities, 0x34);
  EXPECT_FALSE(dcbx->pfc->is_willing);
}

TEST_F(RealLldp, EtsAndItsRecommendation) {
  const std::vector<Bytes> lldpdus = LldpdusOf("dcb_ets.pcap");
  ASSERT_EQ(lldpdus.size(), 31u);
  const std::optional<Dcbx> dcbx = ParseDcbx(ParseLldp(lldpdus[0]).value());
  ASSERT_TRUE(dcbx.has_value() && dcbx->ets.has_value() && dcbx->ets_recommendation.has_value());
  const std::array<uint8_t, 8> classes = {15, 4, 1, 1, 15, 4, 1, 4};
  const std::array<uint8_t, 8> percent = {0, 50, 0, 0, 50, 0, 0, 0};
  const std::array<uint8_t, 8> algorithm = {0, 2, 0, 0, 2, 0, 0, 0};
  EXPECT_EQ(dcbx->ets->traffic_class, classes);
  EXPECT_EQ(dcbx->ets->bandwidth_percent, percent);
  EXPECT_EQ(dcbx->ets->algorithm, algorithm);
  EXPECT_EQ(dcbx->ets_recommendation->traffic_class, classes);
}

TEST_F(RealLldp, ApplicationsOfALeaf) {
  const std::vector<Bytes> lldpdus = LldpdusOf("lldp-app-priority.pcap");
  ASSERT_EQ(lldpdus.size(), 1u);
  const std::optional<Lldp> lldp = ParseLldp(lldpdus[0]);
  ASSERT_TRUE(lldp.has_value());
  EXPECT_EQ(LldpText(lldp->system_name), "leaf0b");
  EXPECT_EQ(PortIdText(*lldp->port), "leaf0b-eth10");
  const std::optional<Dcbx> dcbx = ParseDcbx(*lldp);
  ASSERT_TRUE(dcbx.has_value() && dcbx->pfc.has_value());
  EXPECT_EQ(dcbx->pfc->enabled_priorities, 1 << 4);
  ASSERT_EQ(dcbx->applications.size(), 1u);
  EXPECT_EQ(dcbx->applications[0].protocol, 0x0cbc);
  EXPECT_EQ(dcbx->applications[0].priorities, 1 << 4);
}

TEST_F(RealLldp, ConnectxFirmwareNamesTwoMacs) {
  const std::vector<Bytes> lldpdus = LldpdusOf("lldpd_connectx.pcap");
  ASSERT_EQ(lldpdus.size(), 1u);
  const std::optional<Lldp> lldp = ParseLldp(lldpdus[0]);
  ASSERT_TRUE(lldp.has_value());
  EXPECT_TRUE(lldp->is_complete);
  EXPECT_EQ(ChassisIdText(*lldp->chassis), "50:6b:4b:f6:1e:b3");
  EXPECT_EQ(PortIdText(*lldp->port), "50:6b:4b:f6:1e:b1");
  EXPECT_TRUE(lldp->system_name.empty());
  EXPECT_FALSE(ParseDcbx(*lldp).has_value());
}

TEST_F(RealLldp, DamagedOnesEnd) {
  size_t count = 0;
  for (const char* name : {"lldp-infinite-loop-1.pcap", "lldp_mgmt_addr_tlv_asan.pcap",
                           "lldp_8023_mtu-oobr.pcap", "lldpd_med-loc-malformed.pcap"}) {
    for (const Bytes& lldpdu : LldpdusOf(name)) {
      const std::optional<Lldp> lldp = ParseLldp(lldpdu);
      if (lldp.has_value()) ParseDcbx(*lldp);
      ++count;
    }
  }
  EXPECT_GE(count, 4u);
}

TEST(Lldp, RandomBytesNeverReadOutsideThem) {
  Random random(11);
  const Bytes good = LldpduWith(ExampleDcbx());
  for (int round = 0; round < 2000; ++round) {
    Bytes bytes = good;
    for (int i = 0; i < 4; ++i) bytes[random.Below(bytes.size())] = std::byte{random.U8()};
    const std::optional<Lldp> lldp = ParseLldp(bytes);
    if (!lldp.has_value()) continue;
    const std::byte* const end = bytes.data() + bytes.size();
    for (const LldpOrganization& tlv : lldp->organizations) {
      ASSERT_LE(tlv.value.data() + tlv.value.size(), end);
    }
    ParseDcbx(*lldp);
  }
}

}  // namespace
}  // namespace weft::wire
