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

// Where a flow's hosts stand in the meter, so that its packets need not look them up.
struct HostSlots {
  static constexpr uint32_t kNotLookedUp = ~uint32_t{0};
  static constexpr uint32_t kNotMetered = kNotLookedUp - 1;  // one host too many
  uint32_t sender = kNotLookedUp;
  uint32_t receiver = kNotLookedUp;
};

// The sources of one bin, in a table of open addresses that is never more than three quarters full.
class SourceSet {
 public:
  static constexpr uint32_t kMax = 48;  // told apart

  uint32_t count() const { return count_; }
  void Clear();
  void Add(uint64_t fold);

 private:
  std::array<uint64_t, 64> slots_{};
  uint32_t count_ = 0;
};

// Never 0.
uint64_t FoldOf(const wire::NetworkAddress& address);

// Not thread-safe. Memory is bounded by hosts, of which it knows the first 8,192.
class HostMeter {
 public:
  // One bin of a host that gets message data.
  struct Bin {
    int64_t start_ns = 0;
    uint64_t first_packet = 0;
    SourceSet sources;
  };
  struct Host {
    // As a sender.
    wire::MacAddress mac{};
    uint8_t ttl = 0;
    bool sent = false;
    // As a receiver of message data; without a bin until the first that has a time.
    int64_t bin_end_ns = 0;
    uint64_t bin_bytes = 0;
    uint64_t last_source = 0;  // in the current bin
    uint64_t packets = 0;
    uint64_t bytes = 0;
    int64_t last_ns = 0;
    std::unique_ptr<Bin> bin;
    int64_t first_bin_ns = 0;
    Receiver received;
    Microburst fullest;
  };

  explicit HostMeter(int64_t bin_ns);
  ~HostMeter();

  // A packet of RDMA between the hosts of `slots`, which are looked up where they are not yet. No
  // allocation where its hosts are known.
  void Add(const wire::FrameView& view, const CapturedPacket& packet, HostSlots& slots);

  // Valid until another host is added.
  Host& at(uint32_t slot) { return hosts_[slot]; }

  // Fills bursts, receivers and unmetered_packets, and says of each of `pauses` which host sent it.
  void Finish(Traffic& traffic);

 private:
  uint32_t SlotOf(const wire::NetworkAddress& address);
  void Receive(Host& host, uint64_t source, const CapturedPacket& packet);
  void OpenBin(Host& host, const CapturedPacket& packet);
  static void CloseBin(Host& host);
  void NameSenders(std::vector<PauseLink>& pauses) const;

  int64_t bin_ns_;
  uint64_t unmetered_packets_ = 0;
  std::vector<Host> hosts_;
  std::vector<wire::NetworkAddress> addresses_;
  absl::flat_hash_map<wire::NetworkAddress, uint32_t> host_by_address_;
};

}  // namespace weft::analyzer
