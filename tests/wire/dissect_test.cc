// SPDX-License-Identifier: Apache-2.0
#include "wire/dissect.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "wire/icrc.h"
#include "wire/ipv4.h"

namespace weft::wire {
namespace {

constexpr std::string_view kEthernet = "468c4cc96250 6e6fcc7568f7 0800";
constexpr size_t kEthernetBytes = 14;

Bytes Framed(std::string_view packet) {
  return FromHex(std::string(kEthernet) + std::string(packet));
}

TEST(Dissect, SeesADatagramWithDeth) {
  const Bytes frame = Framed(kUdSendPacket);
  RoceView view;
  ASSERT_EQ(DissectEthernet(frame, view), PacketClass::kRoce);
  EXPECT_EQ(view.source.ToString(), "10.1.1.2");
  EXPECT_EQ(view.destination.ToString(), "10.2.2.2");
  EXPECT_EQ(view.udp_src_port, 49153);
  EXPECT_EQ(view.udp_dst_port, 4791);
  EXPECT_EQ(view.ttl, 64);
  EXPECT_EQ(view.traffic_class, 0);
  EXPECT_EQ(view.bth, (Bth{.opcode = 0x64, .pad = 1, .dest_qpn = 0x1c, .psn = 7}));
  EXPECT_EQ(view.deth, (Deth{.q_key = 0x11111111, .source_qpn = 0xabcde}));
  EXPECT_EQ(ToHex(view.payload), "7765667431616263646566");
  EXPECT_EQ(view.payload_bytes, 11u);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Dissect, SeesACongestionNotificationFromPortZero) {
  const Bytes frame = Framed(kCnpPacket);
  RoceView view;
  ASSERT_EQ(DissectEthernet(frame, view), PacketClass::kRoce);
  EXPECT_EQ(view.udp_src_port, 0);
  EXPECT_EQ(view.traffic_class, 0xc0);
  EXPECT_EQ(view.bth,
            (Bth{.opcode = 0x81, .mig_req = true, .becn = true, .dest_qpn = 0x15, .psn = 0}));
  EXPECT_FALSE(view.deth.has_value());
  EXPECT_EQ(view.payload_bytes, 16u);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Dissect, IgnoresALinksPadding) {
  Bytes packet = FromHex(kUdSendPacket);
  packet.resize(packet.size() + 20, std::byte{0x55});
  RoceView view;
  ASSERT_EQ(DissectIp(packet, view), PacketClass::kRoce);
  EXPECT_EQ(view.payload.size(), 11u);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Dissect, SaysWhatAPacketIsByWhatIsChanged) {
  // The bytes at `offset` (from the IPv4 header on) become `hex`.
  const struct {
    const char* name;
    size_t offset;
    const char* hex;
    PacketClass expected;
    IcrcState icrc = IcrcState::kBad;
  } rows[] = {
      {"Unchanged", 0, "45", PacketClass::kRoce, IcrcState::kOk},
      {"TtlMayChange", 8, "01", PacketClass::kRoce, IcrcState::kOk},
      {"CongestionMarkMayChange", 1, "03", PacketClass::kRoce, IcrcState::kOk},
      {"AnySourcePort", 20, "0050", PacketClass::kRoce},
      {"PayloadChanged", 50, "ff", PacketClass::kRoce},
      {"IcrcChanged", 63, "ff", PacketClass::kRoce},
      {"IdentificationIsCovered", 4, "0001", PacketClass::kRoce},
      {"Ipv5", 0, "55", PacketClass::kNotIp},
      {"Ipv6HeaderOfIpv4Bytes", 0, "65", PacketClass::kNotUdp},
      {"HeaderOf16Bytes", 0, "44", PacketClass::kMalformedIp},
      {"TotalLengthBelowTheHeader", 2, "0013", PacketClass::kMalformedIp},
      {"TotalLengthZero", 2, "0000", PacketClass::kMalformedIp},
      {"FirstFragment", 6, "2000", PacketClass::kFragment},
      {"LaterFragment", 6, "0001", PacketClass::kFragment},
      {"Tcp", 9, "06", PacketClass::kNotUdp},
      {"SourcePortAloneIsNotRoce", 20, "12b7 0035", PacketClass::kOtherUdpPort},
      {"TotalLengthWithoutUdp", 2, "001b", PacketClass::kMalformedUdp},
      {"BothLengthsBelowTheUdpHeader", 2,
       "001b 0000 4000 4011 23a7 0a010102 0a020202 c001 12b7 0007", PacketClass::kMalformedUdp},
      {"UdpLengthTooLarge", 24, "002d", PacketClass::kMalformedUdp},
      {"UdpLengthTooSmall", 24, "002b", PacketClass::kMalformedUdp},
      {"BthVersion1", 29, "11", PacketClass::kNotRoce},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Bytes packet = FromHex(kUdSendPacket);
    const Bytes change = FromHex(row.hex);
    std::copy(change.begin(), change.end(), packet.begin() + static_cast<ptrdiff_t>(row.offset));
    RoceView view;
    EXPECT_EQ(DissectIp(packet, view), row.expected);
    if (row.expected == PacketClass::kRoce) {
      EXPECT_EQ(view.icrc, row.icrc);
    } else {
      EXPECT_EQ(view.bth, Bth{}) << "a view is written for RoCE only";
    }
  }
}

TEST(Dissect, SeesADatagramOverIpv6) {
  const Bytes frame = FromHex("468c4cc96250 6e6fcc7568f7 86dd" + std::string(kIpv6WritePacket));
  RoceView view;
  ASSERT_EQ(DissectEthernet(frame, view), PacketClass::kRoce);
  EXPECT_EQ(view.source.ToString(), "fd00::a");
  EXPECT_EQ(view.destination.ToString(), "fd00::b");
  EXPECT_EQ(view.udp_src_port, 0xe341);
  EXPECT_EQ(view.ttl, 64);
  EXPECT_EQ(view.traffic_class, 0x6a);
  EXPECT_EQ(view.flow_label, 0x12345u);
  EXPECT_FALSE(view.vlan_priority.has_value());
  EXPECT_EQ(view.bth.dest_qpn, 0x123456u);
  EXPECT_EQ(view.bth.psn, 0xfffffeu);
  EXPECT_EQ(view.payload_bytes, 24u);  // RETH and eight bytes
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Dissect, SaysWhatAnIpv6PacketIsByWhatIsChanged) {
  const struct {
    const char* name;
    size_t offset;  // from the IPv6 header on
    const char* hex;
    PacketClass expected;
    IcrcState icrc = IcrcState::kBad;
  } rows[] = {
      {"TrafficClassAndFlowLabelMayChange", 0, "60000000", PacketClass::kRoce, IcrcState::kOk},
      {"HopLimitMayChange", 7, "01", PacketClass::kRoce, IcrcState::kOk},
      {"UdpChecksumMayChange", 46, "0000", PacketClass::kRoce, IcrcState::kOk},
      {"AnotherAddress", 23, "0c", PacketClass::kRoce},
      {"PayloadChanged", 80, "ff", PacketClass::kRoce},
      {"Tcp", 6, "06", PacketClass::kNotUdp},
      {"NoNextHeader", 6, "3b", PacketClass::kNotUdp},
      {"LaterFragment", 6,
       "2c40 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000"
       "0000000b 11000008",
       PacketClass::kFragment},
      {"FirstFragment", 6,
       "2c40 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000"
       "0000000b 11000001",
       PacketClass::kFragment},
      {"PayloadLengthBelowItsExtensionHeader", 4,
       "0007 3c40 fd000000 00000000 00000000 0000000a"
       "fd000000 00000000 00000000 0000000b 1100",
       PacketClass::kMalformedIp},
      {"ExtensionHeaderBeyondTheEnd", 6,
       "3c40 fd000000 00000000 00000000 0000000a fd000000"
       "00000000 00000000 0000000b 11ff",
       PacketClass::kCut},
      {"PayloadLengthWithoutUdp", 4, "0007", PacketClass::kMalformedUdp},
      {"PayloadLengthOfAJumbogram", 4, "0000", PacketClass::kMalformedUdp},
      {"UdpLengthTooLarge", 44, "0031", PacketClass::kMalformedUdp},
      {"AnotherPort", 42, "12b6", PacketClass::kOtherUdpPort},
      {"BthVersion1", 49, "01", PacketClass::kNotRoce},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Bytes packet = FromHex(kIpv6WritePacket);
    const Bytes change = FromHex(row.hex);
    std::copy(change.begin(), change.end(), packet.begin() + static_cast<ptrdiff_t>(row.offset));
    RoceView view;
    EXPECT_EQ(DissectIp(packet, view), row.expected);
    if (row.expected == PacketClass::kRoce) {
      EXPECT_EQ(view.icrc, row.icrc);
    }
  }
}

TEST(Dissect, SeesBehindIpv6ExtensionHeaders) {
  const Bytes plain = FromHex(kIpv6WritePacket);
  Bytes packet(plain.begin(), plain.begin() + 40);
  const Bytes options = FromHex("11000104 00000000");
  packet.insert(packet.end(), options.begin(), options.end());
  packet.insert(packet.end(), plain.begin() + 40, plain.end());
  packet[5] = std::byte{0x38};
  packet[6] = std::byte{60};
  RoceView view;
  ASSERT_EQ(DissectIp(packet, view), PacketClass::kRoce);
  EXPECT_EQ(view.bth.dest_qpn, 0x123456u);
  EXPECT_EQ(view.icrc, IcrcState::kBad) << "they are covered, and were not there when it was made";
  WriteIcrc(*RoceIpv6Icrc(First(packet, 56), std::span(packet).subspan(56, packet.size() - 60)),
            std::span(packet).last<4>());
  ASSERT_EQ(DissectIp(packet, view), PacketClass::kRoce);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Dissect, ACutIpv6PacketIsNeverAnythingElse) {
  const Bytes packet = FromHex(kIpv6WritePacket);
  for (size_t size = 0; size < packet.size(); ++size) {
    RoceView view;
    const PacketClass packet_class = DissectIp(First(packet, size), view);
    EXPECT_EQ(packet_class, size < 60 ? PacketClass::kCut : PacketClass::kRoce) << size;
    EXPECT_EQ(view.icrc, IcrcState::kCut) << size;
  }
}

TEST(Dissect, SeesBehindVlanTags) {
  const struct {
    const char* name;
    const char* tags;  // from the first ethertype to the last
    bool is_v6;
    PacketClass expected;
    std::optional<uint8_t> priority;
  } rows[] = {
      {"None", "0800", false, PacketClass::kRoce, std::nullopt},
      {"Customer", "8100 6064 0800", false, PacketClass::kRoce, 3},
      {"CustomerIpv6", "8100 b064 86dd", true, PacketClass::kRoce, 5},
      {"ServiceAndCustomer", "88a8 e001 8100 6064 86dd", true, PacketClass::kRoce, 7},
      {"Three", "88a8 e001 8100 6064 8100 0001 0800", false, PacketClass::kNotIp, std::nullopt},
      {"EthertypeOfTheOtherVersion", "8100 6064 86dd", false, PacketClass::kNotIp, std::nullopt},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const Bytes frame = FromHex("468c4cc96250 6e6fcc7568f7" + std::string(row.tags) +
                                std::string(row.is_v6 ? kIpv6WritePacket : kUdSendPacket));
    RoceView view;
    EXPECT_EQ(DissectEthernet(frame, view), row.expected);
    EXPECT_EQ(view.vlan_priority, row.priority);
  }
  const Bytes tagged = FromHex("468c4cc96250 6e6fcc7568f7 8100 6064 0800");
  for (size_t size = 0; size <= tagged.size(); ++size) {
    RoceView view;
    EXPECT_EQ(DissectEthernet(First(tagged, size), view), PacketClass::kCut) << size;
  }
}

TEST(Dissect, DoesNotTakeLinkPaddingForHeaders) {
  // A UDP datagram of 8 and of 20 bytes: too short for BTH and ICRC, and for DETH, pad and ICRC.
  for (const char* lengths : {"0024 0010", "0034 0020"}) {
    Bytes packet = FromHex(kUdSendPacket);
    const Bytes changed = FromHex(lengths);
    std::copy(changed.begin(), changed.begin() + 2, packet.begin() + 2);
    std::copy(changed.begin() + 2, changed.end(), packet.begin() + 24);
    RoceView view;
    EXPECT_EQ(DissectIp(packet, view), PacketClass::kNotRoce) << lengths;
    packet.resize(packet[3] == std::byte{0x24} ? 36 : 52);
    EXPECT_EQ(DissectIp(packet, view), PacketClass::kNotRoce) << lengths;
  }
}

TEST(Dissect, SeesBehindIpv4Options) {
  const Bytes plain = FromHex(kUdSendPacket);
  const Bytes options = FromHex("94040000");
  const Bytes header = Written(Ipv4Header{.total_bytes = 68,
                                          .dont_fragment = true,
                                          .protocol = kIpProtocolUdp,
                                          .source = IpAddress::V4(0x0a010102),
                                          .destination = IpAddress::V4(0x0a020202),
                                          .options = options},
                               WriteIpv4);
  Bytes packet = header;
  packet.insert(packet.end(), plain.begin() + 20, plain.end());
  RoceView view;
  ASSERT_EQ(DissectIp(packet, view), PacketClass::kRoce);
  EXPECT_EQ(view.bth.psn, 7u);
  EXPECT_EQ(view.payload.size(), 11u);
  EXPECT_EQ(view.icrc, IcrcState::kBad)
      << "options are covered, and were not there when it was made";
}

TEST(Dissect, ACutPacketsIcrcIsNotBad) {
  const Bytes frame = Framed(kUdSendPacket);
  constexpr size_t kHeaders = kEthernetBytes + 20 + 8 + 12 + 8;
  for (size_t size = 0; size < frame.size(); ++size) {
    SCOPED_TRACE(size);
    RoceView view;
    const PacketClass packet_class = DissectEthernet(First(frame, size), view);
    if (size < kHeaders) {
      EXPECT_EQ(packet_class, PacketClass::kCut);
      continue;
    }
    ASSERT_EQ(packet_class, PacketClass::kRoce);
    EXPECT_EQ(view.icrc, IcrcState::kCut);
    EXPECT_EQ(view.payload_bytes, 11u);
    EXPECT_EQ(view.payload.size(), std::min<size_t>(size - kHeaders, 11));
    EXPECT_EQ(view.bth.psn, 7u);
  }
}

TEST(Dissect, LeavesOtherEthertypesAlone) {
  for (const char* ethertype : {"86dd", "8915", "8100", "0040"}) {
    Bytes frame = Framed(kUdSendPacket);
    const Bytes change = FromHex(ethertype);
    std::copy(change.begin(), change.end(), frame.begin() + 12);
    RoceView view;
    EXPECT_EQ(DissectEthernet(frame, view), PacketClass::kNotIp) << ethertype;
  }
}

}  // namespace
}  // namespace weft::wire
