// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/capture/captured_packet.h"
#include "analyzer/flows/traffic_meter.h"
#include "wire/frame.h"

// What each host sends with and gets, in bins of time: the part of the traffic meter that knows
// hosts.
namespace weft::analyzer {

// The last multiple of step_ns that is not after time_ns.
int64_t FloorTo(int64_t time_ns, int64_t step_ns);

// Not thread-safe. Memory is bounded by hosts, of which it knows the first 8,192.
class HostMeter {
 public:
  explicit HostMeter(int64_t bin_ns);
  ~HostMeter();

  // A packet of RDMA. No allocation where its hosts are known.
  void Add(const wire::FrameView& view, const CapturedPacket& packet);

  // Fills bursts, receivers and unmetered_packets, and says of each of `pauses` which host sent it.
  void Finish(Traffic& traffic);

 private:
  struct Host;
  struct CacheSlot {
    wire::NetworkAddress address;
    uint32_t host = 0;
  };

  Host* HostOf(const wire::NetworkAddress& address, uint64_t fold);
  Host* FindHost(const wire::NetworkAddress& address);
  void Receive(Host& host, uint64_t source, const CapturedPacket& packet);
  static void CloseBin(Host& host);
  void NameSenders(std::vector<PauseLink>& pauses) const;

  int64_t bin_ns_;
  uint64_t unmetered_packets_ = 0;
  std::array<CacheSlot, 256> cache_{};
  std::vector<Host> hosts_;
  std::vector<wire::NetworkAddress> addresses_;
  absl::flat_hash_map<wire::NetworkAddress, uint32_t> host_by_address_;
};

}  // namespace weft::analyzer
