// SPDX-License-Identifier: Apache-2.0
// The limit that capture analysis is measured against: reads a pcap file in chunks and parses each
// packet up to its BTH, and nothing else. Only for what capture_maker writes.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr size_t kChunkBytes = 1 << 20;
constexpr size_t kRecordBytes = 16;

uint32_t Little32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}
uint32_t Big16(const uint8_t* p) { return static_cast<uint32_t>(p[0] << 8 | p[1]); }
uint32_t Big24(const uint8_t* p) { return static_cast<uint32_t>(p[0] << 16 | p[1] << 8 | p[2]); }

struct Sums {
  uint64_t packets = 0;
  uint64_t roce = 0;
  uint64_t opcodes = 0;
  uint64_t qpns = 0;
  uint64_t psns = 0;
};

void Parse(const uint8_t* p, size_t size, Sums& sums) {
  ++sums.packets;
  size_t at = 14;
  if (size < at) return;
  uint32_t type = Big16(p + 12);
  if (type == 0x8100 && size >= at + 4) {
    type = Big16(p + 16);
    at += 4;
  }
  if (type == 0x0800 && size >= at + 20 && p[at + 9] == 17) {
    at += static_cast<size_t>(p[at] & 15) * 4;
  } else if (type == 0x86dd && size >= at + 40 && p[at + 6] == 17) {
    at += 40;
  } else {
    return;
  }
  if (size < at + 20 || Big16(p + at + 2) != 4791) return;
  const uint8_t* bth = p + at + 8;
  ++sums.roce;
  sums.opcodes += bth[0];
  sums.qpns += Big24(bth + 5);
  sums.psns += Big24(bth + 9);
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 3;
  std::vector<uint8_t> buffer(2 * kChunkBytes);
  Sums sums;
  size_t have = 0;
  size_t skip = 24;
  for (;;) {
    const ssize_t got = read(file, buffer.data() + have, kChunkBytes);
    if (got <= 0) break;
    have += static_cast<size_t>(got);
    size_t at = skip;
    skip = 0;
    while (have - at >= kRecordBytes) {
      const size_t size = Little32(buffer.data() + at + 8);
      if (have - at < kRecordBytes + size) break;
      Parse(buffer.data() + at + kRecordBytes, size, sums);
      at += kRecordBytes + size;
    }
    std::memmove(buffer.data(), buffer.data() + at, have - at);
    have -= at;
  }
  close(file);
  std::printf(
      "%llu packets, %llu RoCEv2, sums %llu %llu %llu\n",
      static_cast<unsigned long long>(sums.packets), static_cast<unsigned long long>(sums.roce),
      static_cast<unsigned long long>(sums.opcodes), static_cast<unsigned long long>(sums.qpns),
      static_cast<unsigned long long>(sums.psns));
  return 0;
}
