// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft::topology {

// Which addresses a generated fabric has. Links are numbered from 0 in the order in which they are
// made and take pairs (/31 or /127): the end nearer the hosts has the even address.
//
//                         IPv4                IPv6
//   host links            10.0.0.0 + 2i       fd00:: + 2i            the host's is the odd one
//   between switches      10.128.0.0 + 2i     fd00:0:0:1:: + 2i
//   loopbacks             172.16.0.0 + n      fd00:0:0:2:: + n       n-th switch, from 1
struct Addressing {
  bool ipv6 = false;
  // Links between switches have no addresses (as with IPv6 link-local next hops): every switch has
  // one loopback, with which it answers. Host links stay numbered.
  bool unnumbered = false;
  bool operator==(const Addressing&) const = default;
};

}  // namespace weft::topology
