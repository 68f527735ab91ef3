// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/host_meter.h"

#include <algorithm>

namespace weft::analyzer {
namespace {

constexpr size_t kMaxHosts = 8'192;
constexpr size_t kMaxBursts = 16;
constexpr size_t kMaxReceivers = 256;
constexpr uint32_t kMaxSources = 48;  // told apart in one bin

// Never 0, which stands for an empty slot.
uint64_t Fold(const wire::NetworkAddress& address) {
  const uint64_t mixed = (address.low() ^ (address.high() * 0x9e3779b97f4a7c15)) +
                         (static_cast<uint64_t>(address.kind()) << 60);
  return (mixed * 0xff51afd7ed558ccd) | 1;
}

// The sources of one bin, in a table of open addresses that is never more than three quarters full.
class SourceSet {
 public:
  uint32_t count() const { return count_; }
  void Clear() {
    slots_.fill(0);
    count_ = 0;
  }
  void Add(uint64_t fold) {
    for (size_t i = fold >> 58;; i = (i + 1) % slots_.size()) {
      if (slots_[i] == fold) return;
      if (slots_[i] != 0) continue;
      if (count_ == kMaxSources) return;
      slots_[i] = fold;
      ++count_;
      return;
    }
  }

 private:
  std::array<uint64_t, 64> slots_{};
  uint32_t count_ = 0;
};

struct Bin {
  int64_t start_ns = 0;
  int64_t end_ns = 0;  // 0: none yet
  uint64_t bytes = 0;
  uint64_t first_packet = 0;
  SourceSet sources;
};

}  // namespace

struct HostMeter::Host {
  // As a sender.
  wire::MacAddress mac{};
  uint8_t ttl = 0;
  bool sent = false;
  // As a receiver of message data.
  Receiver received;
  int64_t first_bin_ns = 0;
  uint64_t last_source = 0;  // in the current bin
  Microburst fullest;
  std::unique_ptr<Bin> bin;
};

int64_t FloorTo(int64_t time_ns, int64_t step_ns) {
  const int64_t rest = time_ns % step_ns;
  return time_ns - (rest < 0 ? rest + step_ns : rest);
}

HostMeter::HostMeter(int64_t bin_ns) : bin_ns_(bin_ns) {}
HostMeter::~HostMeter() = default;

HostMeter::Host* HostMeter::HostOf(const wire::NetworkAddress& address, uint64_t fold) {
  CacheSlot& slot = cache_[fold >> 56];
  if (slot.address == address) return &hosts_[slot.host];
  Host* host = FindHost(address);
  if (host != nullptr) slot = {address, static_cast<uint32_t>(host - hosts_.data())};
  return host;
}

HostMeter::Host* HostMeter::FindHost(const wire::NetworkAddress& address) {
  if (const auto found = host_by_address_.find(address); found != host_by_address_.end()) {
    return &hosts_[found->second];
  }
  if (hosts_.size() == kMaxHosts) return nullptr;
  host_by_address_.emplace(address, static_cast<uint32_t>(hosts_.size()));
  addresses_.push_back(address);
  return &hosts_.emplace_back();
}

void HostMeter::CloseBin(Host& host) {
  Bin& bin = *host.bin;
  Receiver& received = host.received;
  ++received.busy_bins;
  if (bin.sources.count() > 1) ++received.shared_bins;
  if (bin.sources.count() > received.most_sources) {
    received.most_sources = bin.sources.count();
    received.most_sources_packet = bin.first_packet;
  }
  if (bin.bytes > host.fullest.bytes) {
    host.fullest.start_ns = bin.start_ns;
    host.fullest.bytes = bin.bytes;
    host.fullest.sources = bin.sources.count();
    host.fullest.first_packet = bin.first_packet;
  }
}

void HostMeter::Receive(Host& host, uint64_t source, const CapturedPacket& packet) {
  Receiver& received = host.received;
  ++received.packets;
  received.bytes += packet.wire_bytes;
  if (!packet.has_time) return;
  const int64_t now = packet.time_ns;
  if (host.bin == nullptr) {
    host.bin = std::make_unique<Bin>();
    received.first_ns = received.last_ns = now;
    host.first_bin_ns = FloorTo(now, bin_ns_);
  }
  received.last_ns = std::max(received.last_ns, now);
  Bin& bin = *host.bin;
  // Times that step back stay in the bin that is open.
  if (now >= bin.end_ns || bin.first_packet == 0) {
    if (bin.first_packet != 0) CloseBin(host);
    bin.start_ns = FloorTo(now, bin_ns_);
    bin.end_ns = bin.start_ns + bin_ns_;
    bin.bytes = 0;
    bin.first_packet = packet.number;
    bin.sources.Clear();
    host.last_source = 0;
  }
  bin.bytes += packet.wire_bytes;
  if (source == host.last_source) return;
  host.last_source = source;
  bin.sources.Add(source);
}

void HostMeter::Add(const wire::FrameView& view, const CapturedPacket& packet) {
  const uint64_t source_fold = Fold(view.source);
  if (Host* sender = HostOf(view.source, source_fold); sender != nullptr) {
    sender->mac = view.mac_source;
    sender->ttl = view.ttl;
    sender->sent = true;
  }
  if (view.rdma.payload_bytes == 0) return;
  if (Host* host = HostOf(view.destination, Fold(view.destination)); host != nullptr) {
    Receive(*host, source_fold, packet);
  } else {
    ++unmetered_packets_;
  }
}

void HostMeter::Finish(Traffic& traffic) {
  traffic.unmetered_packets = unmetered_packets_;
  NameSenders(traffic.pauses);
  for (size_t i = 0; i < hosts_.size(); ++i) {
    Host& host = hosts_[i];
    if (host.received.packets == 0) continue;
    Receiver& received = host.received;
    received.destination = addresses_[i];
    if (host.bin != nullptr) {
      CloseBin(host);
      received.peak_bytes = host.fullest.bytes;
      const int64_t bins = std::max<int64_t>(1, (host.bin->end_ns - host.first_bin_ns) / bin_ns_);
      host.fullest.destination = addresses_[i];
      host.fullest.bin_ns = bin_ns_;
      host.fullest.mean_bytes = static_cast<double>(received.bytes) / static_cast<double>(bins);
      traffic.bursts.push_back(host.fullest);
    }
    traffic.receivers.push_back(received);
  }
  std::ranges::stable_sort(traffic.bursts, std::ranges::greater{}, &Microburst::bytes);
  if (traffic.bursts.size() > kMaxBursts) traffic.bursts.resize(kMaxBursts);
  std::ranges::stable_sort(traffic.receivers, std::ranges::greater{}, &Receiver::bytes);
  if (traffic.receivers.size() > kMaxReceivers) traffic.receivers.resize(kMaxReceivers);
}

void HostMeter::NameSenders(std::vector<PauseLink>& pauses) const {
  for (PauseLink& link : pauses) {
    for (size_t i = 0; i < hosts_.size(); ++i) {
      const Host& host = hosts_[i];
      if (!host.sent || host.mac != link.sender) continue;
      ++link.hosts_behind;
      link.host = addresses_[i];
      link.host_ttl_is_fresh = host.ttl == 64 || host.ttl == 128 || host.ttl == 255;
    }
    if (link.hosts_behind != 1) {
      link.host = {};
      link.host_ttl_is_fresh = false;
    }
  }
}

}  // namespace weft::analyzer
