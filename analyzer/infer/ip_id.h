// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/records/probe_record.h"
#include "wire/ip_address.h"

// A router that numbers its IPv4 packets from one counter shows it: the IP IDs of answers from two
// of its addresses, put in order of time, go up in one sequence (Ally: Spring et al., SIGCOMM 2002;
// the bounds test: Keys et al., MIDAR, IEEE/ACM ToN 2013).
namespace weft::analyzer {

struct IpIdVerdict {
  wire::IpAddress a;  // a < b
  wire::IpAddress b;
  bool same = false;   // one counter; false: two
  std::string reason;  // in words, with the numbers
};

// Samples are answers with an IP ID, at the record's time. An address says something with at least
// kMinIpIdSamples of them, IDs that go up by less than 3 tenths of the counter's range (65,536)
// between two, and not all equal: constant, zero and random IDs say nothing. Two addresses are of
// one counter when every ID of one lies between the neighbouring IDs of the other, and that by
// chance (two counters of one speed) in less than 1 of 100 such comparisons; of two when two of
// them lie outside by more than kIpIdSlack, which reordering on the way may make up. Otherwise
// there is no verdict. At most kMaxIpIdAddresses addresses are compared, the lowest. Sorted.
inline constexpr size_t kMinIpIdSamples = 8;
inline constexpr size_t kMaxIpIdAddresses = 300;
inline constexpr uint16_t kIpIdSlack = 16;
std::vector<IpIdVerdict> CompareIpIds(std::span<const topology::ProbeRecord> probes);

}  // namespace weft::analyzer
