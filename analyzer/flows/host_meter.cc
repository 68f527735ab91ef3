// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/host_meter.h"

#include <algorithm>

namespace weft::analyzer {
namespace {

constexpr size_t kMaxHosts = 8'192;
constexpr size_t kMaxBursts = 16;
constexpr size_t kMaxReceivers = 256;

}  // namespace

uint64_t FoldOf(const wire::NetworkAddress& address) {
  const uint64_t mixed = (address.low() ^ (address.high() * 0x9e3779b97f4a7c15)) +
                         (static_cast<uint64_t>(address.kind()) << 60);
  return (mixed * 0xff51afd7ed558ccd) | 1;
}

void SourceSet::Clear() {
  slots_.fill(0);
  count_ = 0;
}

void SourceSet::Add(uint64_t fold) {
  for (size_t i = fold >> 58;; i = (i + 1) % slots_.size()) {
    if (slots_[i] == fold) return;
    if (slots_[i] != 0) continue;
    if (count_ == kMax) return;
    slots_[i] = fold;
    ++count_;
    return;
  }
}

int64_t FloorTo(int64_t time_ns, int64_t step_ns) {
  const int64_t rest = time_ns % step_ns;
  return time_ns - (rest < 0 ? rest + step_ns : rest);
}

HostMeter::HostMeter(int64_t bin_ns) : bin_ns_(bin_ns) {}
HostMeter::~HostMeter() = default;

uint32_t HostMeter::SlotOf(const wire::NetworkAddress& address) {
  if (const auto found = host_by_address_.find(address); found != host_by_address_.end()) {
    return found->second;
  }
  if (hosts_.size() == kMaxHosts) return HostSlots::kNotMetered;
  const auto slot = static_cast<uint32_t>(hosts_.size());
  host_by_address_.emplace(address, slot);
  addresses_.push_back(address);
  hosts_.emplace_back();
  return slot;
}

void HostMeter::CloseBin(Host& host) {
  const Bin& bin = *host.bin;
  const uint32_t sources = bin.sources.count();
  Receiver& received = host.received;
  ++received.busy_bins;
  if (sources > 1) ++received.shared_bins;
  if (sources > received.most_sources) {
    received.most_sources = sources;
    received.most_sources_packet = bin.first_packet;
  }
  if (host.bin_bytes > host.fullest.bytes) {
    host.fullest.start_ns = bin.start_ns;
    host.fullest.bytes = host.bin_bytes;
    host.fullest.sources = sources;
    host.fullest.first_packet = bin.first_packet;
  }
}

void HostMeter::OpenBin(Host& host, const CapturedPacket& packet) {
  const int64_t start = FloorTo(packet.time_ns, bin_ns_);
  if (host.bin == nullptr) {
    host.bin = std::make_unique<Bin>();
    host.received.first_ns = host.last_ns = packet.time_ns;
    host.first_bin_ns = start;
  } else {
    CloseBin(host);
    host.bin->sources.Clear();
  }
  host.bin->start_ns = start;
  host.bin->first_packet = packet.number;
  host.bin_end_ns = start + bin_ns_;
  host.bin_bytes = 0;
  host.last_source = 0;
}

void HostMeter::Receive(Host& host, uint64_t source, const CapturedPacket& packet) {
  ++host.packets;
  host.bytes += packet.wire_bytes;
  if (!packet.has_time) return;
  // Times that step back stay in the bin that is open.
  if (host.bin == nullptr || packet.time_ns >= host.bin_end_ns) OpenBin(host, packet);
  host.last_ns = std::max(host.last_ns, packet.time_ns);
  host.bin_bytes += packet.wire_bytes;
  if (source == host.last_source) return;
  host.last_source = source;
  host.bin->sources.Add(source);
}

void HostMeter::Add(const wire::FrameView& view, const CapturedPacket& packet, HostSlots& slots) {
  if (slots.sender == HostSlots::kNotLookedUp) slots.sender = SlotOf(view.source);
  if (slots.sender != HostSlots::kNotMetered) {
    Host& sender = hosts_[slots.sender];
    sender.mac = view.mac_source;
    sender.ttl = view.ttl;
    sender.sent = true;
  }
  if (view.rdma.payload_bytes == 0) return;
  if (slots.receiver == HostSlots::kNotLookedUp) slots.receiver = SlotOf(view.destination);
  if (slots.receiver != HostSlots::kNotMetered) {
    Receive(hosts_[slots.receiver], FoldOf(view.source), packet);
  } else {
    ++unmetered_packets_;
  }
}

void HostMeter::Finish(Traffic& traffic) {
  traffic.unmetered_packets = unmetered_packets_;
  NameSenders(traffic.pauses);
  for (size_t i = 0; i < hosts_.size(); ++i) {
    Host& host = hosts_[i];
    if (host.packets == 0) continue;
    Receiver& received = host.received;
    received.destination = addresses_[i];
    received.packets = host.packets;
    received.bytes = host.bytes;
    received.last_ns = host.last_ns;
    if (host.bin != nullptr) {
      CloseBin(host);
      received.peak_bytes = host.fullest.bytes;
      const int64_t bins = std::max<int64_t>(1, (host.bin_end_ns - host.first_bin_ns) / bin_ns_);
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
