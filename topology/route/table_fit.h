// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/records/path_table.h"
#include "topology/route/fit.h"
#include "topology/route/route.h"

// How switches hash, from path tables: every measured port is a sample at each switch on its path
// that had a choice.
namespace weft::topology {

// What tables show of one switch's choice among one group of next hops.
struct GroupSamples {
  NodeIndex node = 0;
  std::vector<Direction> members;   // the group, in the router's order
  std::vector<HashSample> samples;  // none twice; next_hop as MemberName() calls it
  uint32_t untold =
      0;  // ports whose member is not known: silence, or parallel links not told apart
  HopMode mode = HopMode::kUnknown;  // as experiments found it; unknown: there was none
};

// "spine1", or with the interface it leaves by where several members lead there: "spine1 by up2".
std::string MemberName(const Fabric& fabric, std::span<const Direction> group, Direction member);

// A probe's or flow's headers as a table's probes wore them, with this source port.
HashedHeaders HeadersOf(const PathTable& table, uint16_t udp_src_port);

// By node, then by members. Tables that are void or hidden, and ports that were computed and not
// measured, say nothing.
std::vector<GroupSamples> SamplesOf(const Router& router, std::span<const PathTable> tables);

// A model that was fitted to three quarters of the samples and then asked for the others.
struct GroupFit {
  FittedHash hash;
  uint32_t fitted = 0;   // samples it rests on
  uint32_t checked = 0;  // others that it had something to say of
  uint32_t right = 0;    // of these: so many went where it says
  std::string reason;    // why it is not known; empty: it is, and was verified

  bool known() const { return reason.empty(); }
};

// `options.members` is set from the group. About so many samples are fitted at most; all others are
// checks.
inline constexpr size_t kMaxFitted = 512;
GroupFit FitGroup(const GroupSamples& group, FitOptions options);

// "crc32 of source port, source address, destination address; the high bits choose", "a linear map
// of the header bits that varied"; "unknown".
std::string ModelText(const FittedHash& hash);

}  // namespace weft::topology
