// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/wire/hex.h"
#include "wire/frame.h"

// One frame for every carrier and class: what tests of rows, of properties, and of the fuzz
// target's corpus start from.
namespace weft::wire {

struct FrameCase {
  std::string name;
  LinkType link_type = LinkType::kEthernet;
  Bytes frame{};
  FrameClass expected = FrameClass::kRoceV2;
  std::vector<Tunnel> tunnels{};
  std::string source{};  // of the innermost network header; RDMA only
  std::string destination{};
};

// RDMA by every carrier, each with a right ICRC and destination QP kCaseQpn.
inline constexpr uint32_t kCaseQpn = 0x123456;
std::vector<FrameCase> RdmaFrames();
// All else.
std::vector<FrameCase> OtherFrames();
std::vector<FrameCase> AllFrames();

std::vector<Tunnel> TunnelsOf(const FrameView& view);

}  // namespace weft::wire
