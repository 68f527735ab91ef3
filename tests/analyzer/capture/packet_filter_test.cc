// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/packet_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace weft::analyzer {
namespace {

using testing::HasSubstr;
using wire::LinkType;

// An IPv4 UDP packet to port 4791 behind `link` bytes.
std::string UdpPacket(const std::string& link) {
  return link + std::string(
                    "\x45\x00\x00\x20\x00\x00\x40\x00\x40\x11\x00\x00"
                    "\x0a\x00\x00\x01\x0a\x00\x00\x02\xc0\x00\x12\xb7\x00\x0c\x00\x00....",
                    32);
}
const std::string kEthernet = std::string(12, '\x02') + std::string("\x08\x00", 2);
const std::string kTagged = std::string(12, '\x02') + std::string("\x81\x00\x00\x05\x08\x00", 6);

bool Matches(PacketFilter& filter, LinkType link, const std::string& bytes,
             bool link_is_known = true) {
  CapturedPacket packet;
  packet.bytes = std::as_bytes(std::span(bytes.data(), bytes.size()));
  packet.wire_bytes = static_cast<uint32_t>(bytes.size()) + 1000;
  packet.link_type = link;
  packet.link_is_known = link_is_known;
  return filter.Matches(packet);
}

class PacketFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (PacketFilter::Compile("udp").status().code() == absl::StatusCode::kUnimplemented) {
      GTEST_SKIP() << "this build is without libpcap";
    }
  }
};

TEST_F(PacketFilterTest, IsCompiledForEachLinkType) {
  auto filter = PacketFilter::Compile("udp port 4791");
  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_TRUE(Matches(*filter, LinkType::kEthernet, UdpPacket(kEthernet)));
  EXPECT_TRUE(Matches(*filter, LinkType::kRawIp, UdpPacket("")));
  EXPECT_TRUE(Matches(*filter, LinkType::kIpv4, UdpPacket("")));
  EXPECT_TRUE(Matches(*filter, LinkType::kNull, UdpPacket(std::string("\x02\0\0\0", 4))));
  const std::string sll2 = std::string("\x08\x00", 2) + std::string(18, '\0');
  EXPECT_TRUE(Matches(*filter, LinkType::kLinuxSll2, UdpPacket(sll2)));
  EXPECT_FALSE(Matches(*filter, LinkType::kEthernet, UdpPacket("")));
}

TEST_F(PacketFilterTest, PlainPortsMissTaggedFrames) {
  auto plain = PacketFilter::Compile("udp port 4791");
  auto tagged = PacketFilter::Compile("vlan and udp port 4791");
  ASSERT_TRUE(plain.ok() && tagged.ok());
  EXPECT_FALSE(Matches(*plain, LinkType::kEthernet, UdpPacket(kTagged)));
  EXPECT_TRUE(Matches(*tagged, LinkType::kEthernet, UdpPacket(kTagged)));
}

TEST_F(PacketFilterTest, LengthIsThatOnTheWireAndCutBytesDoNotMatch) {
  auto longer = PacketFilter::Compile("greater 1000");
  auto cut = PacketFilter::Compile("ether[500] = 0");
  ASSERT_TRUE(longer.ok() && cut.ok());
  EXPECT_TRUE(Matches(*longer, LinkType::kEthernet, UdpPacket(kEthernet)));
  EXPECT_FALSE(Matches(*cut, LinkType::kEthernet, UdpPacket(kEthernet)));
}

TEST_F(PacketFilterTest, WhatCompilesForSomeLinkTypesMatchesOnlyThose) {
  auto filter = PacketFilter::Compile("ifindex 0");  // SLL2 alone has it
  ASSERT_TRUE(filter.ok()) << filter.status();
  EXPECT_TRUE(Matches(*filter, LinkType::kLinuxSll2, std::string(40, '\0')));
  EXPECT_FALSE(Matches(*filter, LinkType::kEthernet, UdpPacket(kEthernet)));
}

TEST_F(PacketFilterTest, UnknownLinkTypesNeverMatch) {
  auto filter = PacketFilter::Compile("greater 1");
  ASSERT_TRUE(filter.ok());
  EXPECT_TRUE(Matches(*filter, LinkType::kEthernet, UdpPacket(kEthernet)));
  EXPECT_FALSE(Matches(*filter, LinkType::kEthernet, UdpPacket(kEthernet), false));
}

TEST_F(PacketFilterTest, AnErrorNamesTheExpressionAndTheReason) {
  const auto filter = PacketFilter::Compile("udp prt 4791");
  EXPECT_EQ(filter.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(filter.status().message(), HasSubstr("filter \"udp prt 4791\": "));
  EXPECT_THAT(filter.status().message(), HasSubstr("syntax error"));
}

}  // namespace
}  // namespace weft::analyzer
