// SPDX-License-Identifier: Apache-2.0
// A rival of capture analysis: counts the packets of a file by libpcap's callback, and nothing
// else.
#include <pcap/pcap.h>

#include <array>
#include <cstdint>
#include <cstdio>

namespace {

void OnPacket(u_char* count, const pcap_pkthdr*, const u_char*) {
  ++*reinterpret_cast<uint64_t*>(count);
}

}  // namespace

int main(int argc, char** argv) {
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  pcap_t* capture = argc == 2 ? pcap_open_offline(argv[1], error.data()) : nullptr;
  if (capture == nullptr) return 3;
  uint64_t count = 0;
  pcap_loop(capture, -1, OnPacket, reinterpret_cast<u_char*>(&count));
  pcap_close(capture);
  std::printf("%llu packets\n", static_cast<unsigned long long>(count));
  return 0;
}
