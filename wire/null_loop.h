// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kNullLoopBytes = 4;

// What BSD and its kin put before a packet of a loopback or tunnel interface: the address family,
// four bytes in the byte order of the machine that captured (LINKTYPE_NULL) or of the network
// (LINKTYPE_LOOP). tcpdump.org/linktypes.html. The numbers of families are each system's own.
enum class LoopFamily : uint8_t { kIpv4, kIpv6, kOther };

// Of either byte order, which the number itself tells: families are below 65536. AF_INET is 2
// everywhere; AF_INET6 is 10 on Linux, 24 on NetBSD and OpenBSD, 28 on FreeBSD, 30 on Darwin.
LoopFamily ReadNullLoop(ByteReader& reader);  // check reader.ok() after
std::optional<LoopFamily> ParseNullLoop(std::span<const std::byte> bytes);
// In network byte order, with the numbers of Darwin; kOther as 0.
void WriteNullLoop(LoopFamily family, ByteWriter& writer);

}  // namespace weft::wire
