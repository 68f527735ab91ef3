// SPDX-License-Identifier: Apache-2.0
#include "wire/flow_label.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

TEST(FlowLabel, FoldsToThePortsThatRxeWasSeenToUse) {
  const struct {
    uint32_t flow_label;
    uint16_t port;
  } rows[] = {
      {0x1, 49153},     {0x2, 49154},     {0x3fff, 65535}, {0x4000, 49153},
      {0x12345, 58177}, {0xfffff, 65472}, {0, 49152},      {441, 49593},
  };
  for (const auto& row : rows)
    EXPECT_EQ(UdpSourcePortOf(row.flow_label), row.port) << row.flow_label;
}

TEST(FlowLabel, BitsAbove20DoNotCount) {
  EXPECT_EQ(UdpSourcePortOf(0xfff12345), UdpSourcePortOf(0x12345));
}

TEST(FlowLabel, EveryRocePortHasALabel) {
  for (uint32_t port = kFirstRoceSourcePort; port <= kLastRoceSourcePort; ++port) {
    const uint32_t flow_label = FlowLabelFor(static_cast<uint16_t>(port));
    ASSERT_EQ(UdpSourcePortOf(flow_label), port);
    ASSERT_EQ(flow_label, port & 0x3fff);
  }
}

TEST(FlowLabel, EveryLabelFoldsIntoTheRange) {
  for (uint32_t flow_label = 0; flow_label <= kFlowLabelMask; ++flow_label) {
    const uint16_t port = UdpSourcePortOf(flow_label);
    ASSERT_GE(port, kFirstRoceSourcePort);
    ASSERT_EQ(UdpSourcePortOf(FlowLabelFor(port)), port);
  }
}

TEST(FlowLabel, LabelZeroIsComputedFromBothQpns) {
  const struct {
    const char* name;
    uint32_t local_qpn, remote_qpn, flow_label;
    uint16_t port;
  } rows[] = {
      {"SeenOnRxe", 0x15, 0x15, 441, 49593},
      {"NoFoldBelow20Bits", 0x3ff, 0x400, 0xffc00, 0xfc00 ^ 0x3f},
      // 0x100000 * 0x10 = 2^24: bit 24 folds to bit 4.
      {"SecondPart", 0x100000, 0x10, 0x10, 0xc010},
      // 2^46: bit 46 folds by 20 to 26, beyond the label, and by 40 to 6.
      {"ThirdPart", 0x800000, 0x800000, 0x40, 0xc040},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(DefaultFlowLabel(row.local_qpn, row.remote_qpn), row.flow_label);
    EXPECT_EQ(DefaultFlowLabel(row.remote_qpn, row.local_qpn), row.flow_label);
    EXPECT_EQ(UdpSourcePortOf(row.flow_label), row.port);
  }
}

TEST(FlowLabel, DatagramsOfRxeFollowTheQpn) {
  EXPECT_EQ(RxeUdSourcePort(0x1b), 54281);
  EXPECT_EQ(RxeUdSourcePort(0x1c), 60539);
}

}  // namespace
}  // namespace weft::wire
