// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/traffic_meter.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "wire/dcbx.h"
#include "wire/lldp.h"

namespace weft::analyzer {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr size_t kMaxSeconds = 100'000;
constexpr size_t kMaxHosts = 8'192;
constexpr size_t kMaxPauses = 1'024;
constexpr size_t kMaxNeighbours = 1'024;
constexpr size_t kMaxBursts = 16;
constexpr size_t kMaxReceivers = 256;
constexpr uint32_t kMaxSources = 48;  // told apart in one bin
constexpr uint8_t kCe = 3;

int64_t FloorTo(int64_t time_ns, int64_t step_ns) {
  const int64_t rest = time_ns % step_ns;
  return time_ns - (rest < 0 ? rest + step_ns : rest);
}

uint64_t MacNumber(const wire::MacAddress& mac) {
  uint64_t number = 0;
  for (const uint8_t byte : mac) number = number << 8 | byte;
  return number;
}

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

struct Host {
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

// The one priority of 802.3x pause is kept as [0].
struct Held {
  std::array<int64_t, wire::kPriorities> since_ns{};
  std::array<bool, wire::kPriorities> is_held{};
};

}  // namespace

struct TrafficMeter::State {
  explicit State(int64_t bin) { traffic.bin_ns = bin; }

  Traffic traffic;
  Second* second = nullptr;
  int64_t last_time_ns = 0;
  absl::flat_hash_map<int64_t, uint32_t> seconds_by_start;

  struct CacheSlot {
    wire::NetworkAddress address;
    uint32_t host = 0;
  };
  std::array<CacheSlot, 256> cache{};
  std::vector<Host> hosts;
  std::vector<wire::NetworkAddress> addresses;
  absl::flat_hash_map<wire::NetworkAddress, uint32_t> host_by_address;

  absl::flat_hash_map<uint64_t, uint32_t> pause_by_sender;
  std::vector<Held> held;
  absl::flat_hash_map<uint64_t, uint32_t> neighbour_by_sender;

  void NoteTime(const CapturedPacket& packet);
  void FindSecond(int64_t time_ns);
  void AddRdma(const wire::FrameView& view, const CapturedPacket& packet);
  Host* HostOf(const wire::NetworkAddress& address, uint64_t fold);
  Host* FindHost(const wire::NetworkAddress& address);
  void Receive(Host& host, uint64_t source, const CapturedPacket& packet);
  void CloseBin(Host& host);
  void AddPause(const wire::FrameView& view, const CapturedPacket& packet);
  void AddLldp(const wire::FrameView& view, const CapturedPacket& packet);
  void FinishHosts();
  void FinishPauses();
};

void TrafficMeter::State::NoteTime(const CapturedPacket& packet) {
  if (!packet.has_time) {
    second = nullptr;
    return;
  }
  const int64_t now = packet.time_ns;
  if (!traffic.has_times) {
    traffic.has_times = true;
    traffic.first_ns = traffic.last_ns = now;
  } else if (now < last_time_ns) {
    ++traffic.backward_steps;
    traffic.first_ns = std::min(traffic.first_ns, now);
  } else {
    traffic.last_ns = std::max(traffic.last_ns, now);
  }
  last_time_ns = now;
  if (second == nullptr || now < second->start_ns || now - second->start_ns >= kSecondNs) {
    FindSecond(now);
  }
  ++second->packets;
}

void TrafficMeter::State::FindSecond(int64_t time_ns) {
  const int64_t start = FloorTo(time_ns, kSecondNs);
  if (const auto found = seconds_by_start.find(start); found != seconds_by_start.end()) {
    second = &traffic.seconds[found->second];
    return;
  }
  if (traffic.seconds.size() < kMaxSeconds) {
    seconds_by_start.emplace(start, static_cast<uint32_t>(traffic.seconds.size()));
    traffic.seconds.push_back({.start_ns = start});
  }
  second = &traffic.seconds.back();
}

Host* TrafficMeter::State::HostOf(const wire::NetworkAddress& address, uint64_t fold) {
  CacheSlot& slot = cache[fold >> 56];
  if (slot.address == address) return &hosts[slot.host];
  Host* host = FindHost(address);
  if (host != nullptr) slot = {address, static_cast<uint32_t>(host - hosts.data())};
  return host;
}

Host* TrafficMeter::State::FindHost(const wire::NetworkAddress& address) {
  if (const auto found = host_by_address.find(address); found != host_by_address.end()) {
    return &hosts[found->second];
  }
  if (hosts.size() == kMaxHosts) return nullptr;
  host_by_address.emplace(address, static_cast<uint32_t>(hosts.size()));
  addresses.push_back(address);
  return &hosts.emplace_back();
}

void TrafficMeter::State::CloseBin(Host& host) {
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

void TrafficMeter::State::Receive(Host& host, uint64_t source, const CapturedPacket& packet) {
  Receiver& received = host.received;
  ++received.packets;
  received.bytes += packet.wire_bytes;
  if (!packet.has_time) return;
  const int64_t now = packet.time_ns;
  if (host.bin == nullptr) {
    host.bin = std::make_unique<Bin>();
    received.first_ns = received.last_ns = now;
    host.first_bin_ns = FloorTo(now, traffic.bin_ns);
  }
  received.last_ns = std::max(received.last_ns, now);
  Bin& bin = *host.bin;
  // Times that step back stay in the bin that is open.
  if (now >= bin.end_ns || bin.first_packet == 0) {
    if (bin.first_packet != 0) CloseBin(host);
    bin.start_ns = FloorTo(now, traffic.bin_ns);
    bin.end_ns = bin.start_ns + traffic.bin_ns;
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

void TrafficMeter::State::AddRdma(const wire::FrameView& view, const CapturedPacket& packet) {
  if (second != nullptr) {
    ++second->roce_packets;
    second->roce_bytes += packet.wire_bytes;
  }
  if (view.icrc == wire::IcrcState::kCut) ++traffic.unchecked_icrc;
  if (view.icrc == wire::IcrcState::kBad) ++traffic.bad_icrc;
  if ((view.traffic_class & 3) == kCe) {
    ++traffic.ecn_ce;
    if (second != nullptr) ++second->ecn_ce;
    if (packet.has_time && !traffic.first_ce_ns) traffic.first_ce_ns = packet.time_ns;
  }
  const wire::MessageKind kind = view.rdma.info().kind;
  if (kind == wire::MessageKind::kCnp) {
    ++traffic.cnps;
    if (second != nullptr) ++second->cnps;
    if (packet.has_time && !traffic.first_cnp_ns) traffic.first_cnp_ns = packet.time_ns;
  } else if (kind == wire::MessageKind::kAck && view.rdma.Has(wire::header::kAeth)) {
    const wire::AckKind ack = wire::AckKindOf(view.rdma.aeth.syndrome);
    if (ack == wire::AckKind::kNak) {
      ++traffic.naks;
      if (second != nullptr) ++second->naks;
    } else if (ack == wire::AckKind::kRnrNak) {
      ++traffic.rnr_naks;
      if (second != nullptr) ++second->rnr_naks;
    }
  }

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
    ++traffic.unmetered_packets;
  }
}

void TrafficMeter::State::AddPause(const wire::FrameView& view, const CapturedPacket& packet) {
  const wire::PauseFrame& frame = view.pause;
  if (frame.Pauses()) {
    ++traffic.pause_frames;
    if (second != nullptr) ++second->pause_frames;
    if (packet.has_time && !traffic.first_pause_ns) traffic.first_pause_ns = packet.time_ns;
  }
  const uint64_t key = MacNumber(view.mac_source) << 1 | (frame.is_pfc ? 1 : 0);
  auto found = pause_by_sender.find(key);
  if (found == pause_by_sender.end()) {
    if (traffic.pauses.size() == kMaxPauses) return;
    found = pause_by_sender.emplace(key, static_cast<uint32_t>(traffic.pauses.size())).first;
    traffic.pauses.push_back({.sender = view.mac_source,
                              .is_pfc = frame.is_pfc,
                              .first_ns = packet.time_ns,
                              .last_ns = packet.time_ns});
    held.emplace_back();
  }
  PauseLink& link = traffic.pauses[found->second];
  Held& holds = held[found->second];
  link.last_ns = std::max(link.last_ns, packet.time_ns);
  for (size_t priority = 0; priority < (frame.is_pfc ? wire::kPriorities : 1); ++priority) {
    if (!frame.Enables(priority)) continue;
    bool& is_held = holds.is_held[priority];
    if (frame.quanta[priority] != 0) {
      link.xoff[priority].Note(packet.number);
      link.quanta[priority] += frame.quanta[priority];
      if (!is_held) holds.since_ns[priority] = packet.time_ns;
      is_held = packet.has_time;
      continue;
    }
    link.xon[priority].Note(packet.number);
    if (is_held && packet.time_ns > holds.since_ns[priority]) {
      link.held_ns[priority] += packet.time_ns - holds.since_ns[priority];
    }
    is_held = false;
  }
}

void TrafficMeter::State::AddLldp(const wire::FrameView& view, const CapturedPacket& packet) {
  const uint64_t key = MacNumber(view.mac_source);
  auto found = neighbour_by_sender.find(key);
  if (found == neighbour_by_sender.end()) {
    if (traffic.neighbours.size() == kMaxNeighbours) return;
    found =
        neighbour_by_sender.emplace(key, static_cast<uint32_t>(traffic.neighbours.size())).first;
    traffic.neighbours.push_back({.sender = view.mac_source, .first_packet = packet.number});
  }
  LldpNeighbour& neighbour = traffic.neighbours[found->second];
  ++neighbour.packets;
  // The latest word counts; what it leaves out stays as it was said before.
  const std::optional<wire::Lldp> lldp = wire::ParseLldp(view.lldp);
  if (!lldp) return;
  if (lldp->chassis) neighbour.chassis = wire::ChassisIdText(*lldp->chassis);
  if (lldp->port) neighbour.port = wire::PortIdText(*lldp->port);
  if (!lldp->port_description.empty()) {
    neighbour.port_description = wire::LldpText(lldp->port_description);
  }
  if (!lldp->system_name.empty()) neighbour.system_name = wire::LldpText(lldp->system_name);
  const std::optional<wire::Dcbx> dcbx = wire::ParseDcbx(*lldp);
  if (dcbx && dcbx->pfc) neighbour.pfc_classes = dcbx->pfc->enabled_priorities;
}

void TrafficMeter::State::FinishHosts() {
  for (size_t i = 0; i < hosts.size(); ++i) {
    Host& host = hosts[i];
    if (host.received.packets == 0) continue;
    Receiver& received = host.received;
    received.destination = addresses[i];
    if (host.bin != nullptr) {
      CloseBin(host);
      received.peak_bytes = host.fullest.bytes;
      const int64_t bins =
          std::max<int64_t>(1, (host.bin->end_ns - host.first_bin_ns) / traffic.bin_ns);
      host.fullest.destination = addresses[i];
      host.fullest.bin_ns = traffic.bin_ns;
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

void TrafficMeter::State::FinishPauses() {
  for (PauseLink& link : traffic.pauses) {
    for (size_t i = 0; i < hosts.size(); ++i) {
      const Host& host = hosts[i];
      if (!host.sent || host.mac != link.sender) continue;
      ++link.hosts_behind;
      link.host = addresses[i];
      link.host_ttl_is_fresh = host.ttl == 64 || host.ttl == 128 || host.ttl == 255;
    }
    if (link.hosts_behind != 1) {
      link.host = {};
      link.host_ttl_is_fresh = false;
    }
  }
}

TrafficMeter::TrafficMeter(const Options& options) {
  assert(options.bin_ns > 0);
  state_ = std::make_unique<State>(options.bin_ns);
}
TrafficMeter::~TrafficMeter() = default;

void TrafficMeter::Add(const wire::FrameView& view, const CapturedPacket& packet) {
  State& state = *state_;
  Traffic& traffic = state.traffic;
  ++traffic.packets;
  traffic.bytes += packet.wire_bytes;
  if (packet.bytes.size() < packet.wire_bytes) ++traffic.cut_packets;
  ++traffic.by_class[static_cast<size_t>(view.frame_class)];
  for (size_t i = 0; i < view.tunnel_count; ++i) {
    const auto begin = view.tunnels.begin();
    // A packet in two tunnels of a kind is one packet with such a tunnel.
    if (std::find(begin, begin + i, view.tunnels[i]) != begin + i) continue;
    ++traffic.by_tunnel[static_cast<size_t>(view.tunnels[i])];
  }
  state.NoteTime(packet);
  if (wire::IsRdma(view.frame_class)) {
    state.AddRdma(view, packet);
  } else if (view.frame_class == wire::FrameClass::kPfc ||
             view.frame_class == wire::FrameClass::kPause) {
    state.AddPause(view, packet);
  } else if (view.frame_class == wire::FrameClass::kLldp) {
    state.AddLldp(view, packet);
  }
}

Traffic TrafficMeter::Finish() {
  state_->FinishHosts();
  state_->FinishPauses();
  std::ranges::sort(state_->traffic.seconds, {}, &Second::start_ns);
  return std::move(state_->traffic);
}

}  // namespace weft::analyzer
