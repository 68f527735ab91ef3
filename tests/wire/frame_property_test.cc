// SPDX-License-Identifier: Apache-2.0
// What holds for every frame: of all carriers and classes, cut anywhere, padded, and damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/wire/frame_builder.h"
#include "tests/wire/frame_cases.h"
#include "tests/wire/random.h"
#include "tests/wire/same_view.h"
#include "wire/frame.h"
#include "wire/frame_paths.h"

namespace weft::wire {
namespace {

// Heap memory of exactly this size, so that a sanitizer sees a read beyond it.
Bytes Exactly(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(FrameProperty, ACutFrameIsTheSameOrCut) {
  for (const FrameCase& row : AllFrames()) {
    SCOPED_TRACE(row.name);
    for (size_t size = 0; size < row.frame.size(); ++size) {
      const Bytes cut = Exactly(First(row.frame, size));
      FrameView view;
      const FrameClass cut_class = DissectFrame(row.link_type, cut, row.frame.size(), {}, view);
      // That TCP is iWARP stands behind its header.
      const bool is_allowed = cut_class == row.expected || cut_class == FrameClass::kCut ||
                              (row.expected == FrameClass::kIwarp && cut_class == FrameClass::kTcp);
      EXPECT_TRUE(is_allowed) << size << " bytes: " << ToString(cut_class);
      EXPECT_NE(view.icrc, IcrcState::kBad) << size;
      if (!IsRdma(cut_class)) continue;
      EXPECT_EQ(view.rdma.bth.dest_qpn, kCaseQpn) << size;
      EXPECT_LE(view.rdma.payload.size(), view.rdma.payload_bytes);
      const std::byte* begin = cut.data();
      EXPECT_TRUE(view.rdma.payload.empty() ||
                  (view.rdma.payload.data() >= begin &&
                   view.rdma.payload.data() + view.rdma.payload.size() <= begin + cut.size()));
    }
  }
}

TEST(FrameProperty, PaddingBehindAnIpPacketIsIgnored) {
  for (const FrameCase& row : RdmaFrames()) {
    SCOPED_TRACE(row.name);
    FrameView plain;
    FrameView padded_view;
    Bytes padded = row.frame;
    padded.resize(padded.size() + 20, std::byte{0x55});
    DissectFrame(row.link_type, row.frame, row.frame.size(), {}, plain);
    EXPECT_EQ(DissectFrame(row.link_type, padded, padded.size(), {}, padded_view), row.expected);
    EXPECT_TRUE(SameHeaders(plain, padded_view));
    EXPECT_EQ(padded_view.rdma.payload_bytes, 13u);
    EXPECT_EQ(padded_view.icrc, IcrcState::kOk);
  }
}

TEST(FrameProperty, AViewMayBeUsedOverAndOver) {
  const std::vector<FrameCase> cases = AllFrames();
  FrameView used;
  for (size_t round = 0; round < 2; ++round) {
    for (const FrameCase& row : cases) {
      SCOPED_TRACE(row.name);
      FrameView fresh;
      DissectFrame(row.link_type, row.frame, row.frame.size(), {}, fresh);
      DissectFrame(row.link_type, row.frame, row.frame.size(), {}, used);
      EXPECT_TRUE(SameView(fresh, used));
    }
  }
}

// Both paths on one frame. True where the straight one took it.
bool ExpectPathsAgree(std::span<const std::byte> frame, size_t wire_bytes) {
  for (const bool check_icrc : {true, false}) {
    const FrameOptions options{.check_icrc = check_icrc};
    FrameView straight;
    FrameView general;
    const bool is_plain = DissectPlainRoce(frame, options, straight);
    const FrameClass general_class =
        DissectAnyFrame(LinkType::kEthernet, frame, wire_bytes, options, general);
    if (!is_plain) {
      EXPECT_TRUE(SameView(straight, FrameView{})) << "unchanged where it takes nothing";
      return false;
    }
    EXPECT_EQ(general_class, FrameClass::kRoceV2);
    EXPECT_TRUE(SameView(straight, general));
  }
  return true;
}

TEST(FrameProperty, BothPathsSeeTheSame) {
  size_t plain = 0;
  for (const FrameCase& row : AllFrames()) {
    if (row.link_type != LinkType::kEthernet) continue;
    SCOPED_TRACE(row.name);
    for (size_t size = 0; size <= row.frame.size(); ++size) {
      plain += ExpectPathsAgree(Exactly(First(row.frame, size)), row.frame.size()) ? size_t{1}
                                                                                   : size_t{0};
    }
  }
  EXPECT_GT(plain, 100u) << "frames that the straight path takes";
}

TEST(FrameProperty, BothPathsSeeTheSameOfEveryOpcode) {
  for (int opcode = 0; opcode < 256; ++opcode) {
    SCOPED_TRACE(opcode);
    const RdmaPacket packet = PacketOf(static_cast<uint8_t>(opcode), 0x123456, 0xfffffe);
    const Bytes frames[] = {
        IpInEthernet(RoceV2(IpAddress::V4(1), IpAddress::V4(2), 1, packet)),
        IpInEthernet(RoceV2(*IpAddress::Parse("fd00::a"), *IpAddress::Parse("fd00::b"), 1, packet)),
    };
    for (const Bytes& frame : frames) {
      for (size_t size = 40; size <= frame.size(); ++size) {
        ExpectPathsAgree(Exactly(First(frame, size)), frame.size());
      }
    }
  }
}

TEST(FrameProperty, BothPathsSeeTheSameOfDamagedFrames) {
  Random random(20240607);
  const std::vector<FrameCase> cases = AllFrames();
  size_t plain = 0;
  for (int round = 0; round < 60000; ++round) {
    const FrameCase& row = cases[random.Below(cases.size())];
    if (row.link_type != LinkType::kEthernet) continue;
    Bytes frame = row.frame;
    const size_t changes = 1 + random.Below(3);
    for (size_t i = 0; i < changes; ++i) {
      frame[random.Below(frame.size())] ^= static_cast<std::byte>(1 << random.Below(8));
    }
    const size_t size = random.Bit() ? frame.size() : random.Below(frame.size() + 1);
    plain += ExpectPathsAgree(Exactly(First(frame, size)), frame.size()) ? size_t{1} : size_t{0};
  }
  EXPECT_GT(plain, 1000u);
}

TEST(FrameProperty, AnyBytesOfAnyLinkTypeHaveAClass) {
  Random random(7);
  for (int round = 0; round < 40000; ++round) {
    const Bytes bytes = random.Octets(random.Below(128));
    const auto link_type = static_cast<LinkType>(random.Below(300));
    FrameView view;
    const FrameClass frame_class =
        DissectFrame(link_type, bytes, bytes.size() + random.Below(100), {}, view);
    EXPECT_LT(static_cast<size_t>(frame_class), kFrameClasses);
    EXPECT_EQ(frame_class, view.frame_class);
    EXPECT_LE(view.tunnel_count, kMaxTunnels);
  }
}

}  // namespace
}  // namespace weft::wire
