// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// Whole packets from the IP header on, shared by tests.
namespace weft::wire {

// RoCEv2, UD SEND Only from 10.1.1.2:49153 to 10.2.2.2, payload "weft1abcdef" and one byte of pad.
inline constexpr std::string_view kUdSendPacket =
    "45000040 00004000 401123a7 0a010102 0a020202 c00112b7 002c0000 6410ffff 0000001c 00000007"
    "11111111 000abcde 77656674 31616263 64656600 96bef3e7";

// RoCEv2, congestion notification from 10.2.2.2 to 10.1.1.2, UDP source port 0, DSCP 48.
inline constexpr std::string_view kCnpPacket =
    "45c0003c 00004000 401122eb 0a020202 0a010102 000012b7 00280000 8140ffff 40000015 00000000"
    "00000000 00000000 00000000 00000000 a36fd8f5";

// RoCEv2 over IPv6, RC WRITE Only from fd00::a to fd00::b, traffic class 0x6a, flow label 0x12345,
// payload "8 bytes!".
inline constexpr std::string_view kIpv6WritePacket =
    "66a12345 00301140 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000 0000000b"
    "e34112b7 0030beef 0a00ffff 00123456 80fffffe 00007f00 00001000 0000beef 00000008 38206279"
    "74657321 dbd0f555";

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

// The same over IPv6, from fd00:1::2 with traffic class 0x6a: hop limit 1 towards fd00:2::2, no
// route to fd00:3::2, nobody listening at fd00:1::1 (the router itself). The flow labels are the
// kernel's.
inline constexpr std::string_view kLinuxV6TimeExceeded =
    "600c427d 005c3a40 fd000001 00000000 00000000 00000001 fd000001 00000000 00000000 00000002"
    "030070fa 00000000 66acb829 002c1101 fd000001 00000000 00000000 00000002 fd000002 00000000"
    "00000000 00000002 c00112b7 002cfa45 6410ffff 0000001c 00000007 11111111 000abcde 77656674"
    "31616263 64656600 c5ba5534";
inline constexpr std::string_view kLinuxV6NoRoute =
    "60081540 005c3a40 fd000001 00000000 00000000 00000001 fd000001 00000000 00000000 00000002"
    "010020c1 00000000 66ad13f2 002c1109 fd000001 00000000 00000000 00000002 fd000003 00000000"
    "00000000 00000002 c00112b7 002cfa46 6410ffff 0000001c 00000007 11111111 000abcde 77656674"
    "31616263 64656600 840a8d4a";
inline constexpr std::string_view kLinuxV6PortUnreachable =
    "600d2144 005c3a40 fd000001 00000000 00000000 00000001 fd000001 00000000 00000000 00000002"
    "0104a649 00000000 66ab8590 002c1109 fd000001 00000000 00000000 00000002 fd000001 00000000"
    "00000000 00000001 c00112b7 002cfa43 6410ffff 0000001c 00000007 11111111 000abcde 77656674"
    "31616263 64656600 a4dd7554";

}  // namespace weft::wire
