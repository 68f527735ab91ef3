// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::analyzer {

// The DLT_ number of raw IP is another one on each system, and old files hold it where the
// LINKTYPE_ number (101) belongs: 12 (most), 14 (OpenBSD). Neither is assigned as a LINKTYPE_.
// tcpdump.org/linktypes.html.
inline constexpr uint16_t kDltRawIp = 12;
inline constexpr uint16_t kDltRawIpOpenBsd = 14;
inline constexpr uint16_t kLinkTypeRawIp = 101;

constexpr uint16_t LinkNumber(uint16_t in_file) {
  return in_file == kDltRawIp || in_file == kDltRawIpOpenBsd ? kLinkTypeRawIp : in_file;
}

}  // namespace weft::analyzer
