// SPDX-License-Identifier: Apache-2.0
#include "wire/null_loop.h"

namespace weft::wire {

namespace {

constexpr uint32_t kInet = 2;
constexpr uint32_t kInet6Linux = 10;
constexpr uint32_t kInet6NetBsd = 24;
constexpr uint32_t kInet6FreeBsd = 28;
constexpr uint32_t kInet6Darwin = 30;
constexpr uint32_t kLargestFamily = 0xffff;

}  // namespace

LoopFamily ReadNullLoop(ByteReader& reader) {
  uint32_t family = reader.U32();
  if (family > kLargestFamily) family = __builtin_bswap32(family);
  switch (family) {
    case kInet:
      return LoopFamily::kIpv4;
    case kInet6Linux:
    case kInet6NetBsd:
    case kInet6FreeBsd:
    case kInet6Darwin:
      return LoopFamily::kIpv6;
    default:
      return LoopFamily::kOther;
  }
}

std::optional<LoopFamily> ParseNullLoop(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const LoopFamily family = ReadNullLoop(reader);
  if (!reader.ok()) return std::nullopt;
  return family;
}

void WriteNullLoop(LoopFamily family, ByteWriter& writer) {
  switch (family) {
    case LoopFamily::kIpv4:
      writer.U32(kInet);
      return;
    case LoopFamily::kIpv6:
      writer.U32(kInet6Darwin);
      return;
    case LoopFamily::kOther:
      writer.U32(0);
      return;
  }
}

}  // namespace weft::wire
