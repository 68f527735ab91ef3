// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Whole packets from the IPv4 header on, shared by tests.
namespace weft::wire {

// RoCEv2, UD SEND Only from 10.1.1.2:49153 to 10.2.2.2, payload "weft1abcdef" and one byte of pad.
inline constexpr std::string_view kUdSendPacket =
    "45000040 00004000 401123a7 0a010102 0a020202 c00112b7 002c0000 6410ffff 0000001c 00000007"
    "11111111 000abcde 77656674 31616263 64656600 96bef3e7";

// RoCEv2, congestion notification from 10.2.2.2 to 10.1.1.2, UDP source port 0, DSCP 48.
inline constexpr std::string_view kCnpPacket =
    "45c0003c 00004000 401122eb 0a020202 0a010102 000012b7 00280000 8140ffff 40000015 00000000"
    "00000000 00000000 00000000 00000000 a36fd8f5";

// What Linux routers sent when kUdSendPacket's datagram went through them from an unconnected
// socket with IP_PMTUDISC_DO: TTL 1 towards 10.2.2.2, and TTL 64 with no neighbour 10.2.2.2 behind
// the router.
inline constexpr std::string_view kLinuxTimeExceeded =
    "45c0005c ccd90000 40019703 0a010101 0a010102 0b0000ee 00000000 45000040 00004000 011162a7"
    "0a010102 0a020202 c00112b7 002c1744 6410ffff 0000001c 00000007 11111111 000abcde 77656674"
    "31616263 64656600 96bef3e7";
inline constexpr std::string_view kLinuxHostUnreachable =
    "45c0005c cd570000 40019685 0a010101 0a010102 030108ed 00000000 45000040 00004000 3f1124a7"
    "0a010102 0a020202 c00112b7 002c1744 6410ffff 0000001c 00000007 11111111 000abcde 77656674"
    "31616263 64656600 96bef3e7";

}  // namespace weft::wire
