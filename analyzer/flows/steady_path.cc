// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/steady_path.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "analyzer/flows/answers.h"
#include "analyzer/flows/flow_index.h"
#include "analyzer/flows/message_segments.h"
#include "analyzer/flows/path_use.h"
#include "analyzer/flows/psn_stream.h"
#include "analyzer/flows/traffic_state.h"
#include "wire/big_endian.h"
#include "wire/ip.h"
#include "wire/roce.h"

namespace weft::analyzer {
namespace {

constexpr size_t kFirstSlots = 512;
constexpr uint8_t kCe = 3;

constexpr size_t kEthernetBytes = wire::kEthernetHeaderBytes;
constexpr size_t kTagBytes = 4;
constexpr size_t kIpv4Bytes = 20;
constexpr size_t kIpv6Bytes = 40;
constexpr size_t kUdpBytes = 8;
constexpr size_t kAckByteAt = 8;  // in the BTH; the PSN is behind it
constexpr uint8_t kPlainIpv4 = 0x45;
constexpr size_t kCacheLine = 64;
constexpr size_t kHeadBytes = sizeof(HeadWords);

// How the headers follow each other: bit 0 where there is a VLAN tag, bit 1 where it is IPv6.
constexpr size_t kLayouts = 4;
constexpr size_t IpAt(size_t layout) { return kEthernetBytes + (layout & 1) * kTagBytes; }
constexpr size_t BthAt(size_t layout) {
  return IpAt(layout) + ((layout & 2) != 0 ? kIpv6Bytes : kIpv4Bytes) + kUdpBytes;
}
constexpr size_t HeadBytes(size_t layout) { return BthAt(layout) + wire::kBthBytes; }

// Ones where two packets in a row have the same bits.
constexpr std::array<HeadWords, kLayouts> kMasks = [] {
  std::array<HeadWords, kLayouts> masks{};
  for (size_t layout = 0; layout < kLayouts; ++layout) {
    std::array<uint8_t, kHeadBytes> same{};
    for (size_t i = 0; i <= BthAt(layout) + kAckByteAt; ++i) same[i] = 0xff;
    const size_t ip = IpAt(layout);
    const size_t udp = BthAt(layout) - kUdpBytes;
    if ((layout & 2) == 0) same[ip + 4] = same[ip + 5] = same[ip + 10] = same[ip + 11] = 0;
    same[udp + 6] = same[udp + 7] = 0;
    masks[layout] = std::bit_cast<HeadWords>(same);
  }
  return masks;
}();

uint64_t Load64(const std::byte* at) {
  uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
uint32_t Load32(const std::byte* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
uint16_t Load16(const std::byte* at) {
  uint16_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

uint32_t PsnOf(const std::byte* bth) { return wire::LoadBig32(bth + kAckByteAt) & wire::kPsnMask; }

inline void Fetch(const void* at) { __builtin_prefetch(at, 1); }

}  // namespace

SteadyPath::SteadyPath(TrafficMeter& meter, FlowObserver* observer)
    : traffic_(meter.state()), tells_messages_(observer != nullptr), slots_(kFirstSlots) {}

// Without branches that depend on the layout: flows of all kinds come mixed.
inline bool SteadyPath::ReadHead(const CapturedPacket& packet, Head& head) {
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  constexpr uint16_t kVlan = kIsLittle ? 0x0081 : 0x8100;
  constexpr uint16_t kIpv4 = kIsLittle ? 0x0008 : 0x0800;
  constexpr uint16_t kIpv6 = kIsLittle ? 0xdd86 : 0x86dd;
  if (packet.link_type != wire::LinkType::kEthernet || !packet.link_is_known || !packet.has_time ||
      packet.bytes.size() < HeadBytes(0)) {
    return false;
  }
  const std::byte* bytes = packet.bytes.data();
  const size_t is_tagged = Load16(bytes + kEthernetBytes - 2) == kVlan ? 1 : 0;
  const uint16_t ethertype = Load16(bytes + kEthernetBytes - 2 + is_tagged * kTagBytes);
  const size_t is_v6 = ethertype == kIpv6 ? 1 : 0;
  const size_t layout = is_tagged | is_v6 << 1;
  if (((ethertype == kIpv4 ? 1 : 0) | is_v6) == 0 || packet.bytes.size() < HeadBytes(layout)) {
    return false;
  }
  // IPv4: both addresses, twice. IPv6: the lower half of each.
  const std::byte* ip = bytes + kEthernetBytes + is_tagged * kTagBytes;
  const uint64_t source = Load64(ip + 12 + is_v6 * 4);
  const uint64_t destination = Load64(ip + 12 + is_v6 * 20);
  const std::byte* bth = ip + kIpv4Bytes + kUdpBytes + is_v6 * (kIpv6Bytes - kIpv4Bytes);
  const uint64_t qpn_and_opcode = uint64_t{Load32(bth + 4)} << 8 | std::to_integer<uint8_t>(bth[0]);
  head.layout = static_cast<uint8_t>(layout);
  head.bth_at = static_cast<uint8_t>(bth - bytes);
  head.hash = MixHash(source ^ std::rotl(destination, 23), qpn_and_opcode);
  return true;
}

inline bool SteadyPath::HasHead(std::span<const std::byte> bytes, const Head& head,
                                const Pattern& pattern) {
  const HeadWords& mask = kMasks[head.layout];
  uint64_t difference = 0;
  if (bytes.size() >= kHeadBytes) {
#pragma GCC unroll 10
    for (size_t i = 0; i < mask.size(); ++i) {
      difference |= (Load64(bytes.data() + 8 * i) & mask[i]) ^ pattern.head[i];
    }
    return difference == 0;
  }
  HeadWords words{};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  for (size_t i = 0; i < mask.size(); ++i) difference |= (words[i] & mask[i]) ^ pattern.head[i];
  return difference == 0;
}

inline SteadyPath::Pattern* SteadyPath::Find(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    if (slots_[i].hash == hash || slots_[i].pattern == nullptr) return slots_[i].pattern;
  }
}

SteadyPath::Pattern& SteadyPath::FindOrAdd(uint64_t hash) {
  if (Pattern* known = Find(hash)) return *known;
  const auto put = [this](const Slot& slot) {
    size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].pattern != nullptr) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  };
  if (patterns_.size() * 2 >= slots_.size()) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.pattern != nullptr) put(slot);
    }
  }
  Pattern& pattern = patterns_.emplace_back();
  put({.hash = hash, .pattern = &pattern});
  return pattern;
}

void SteadyPath::Expect(std::span<const CapturedPacket> packets) {
  expected_count_ = std::min(packets.size(), kMaxExpected);
  next_expected_ = 0;
  for (size_t i = 0; i < expected_count_; ++i) {
    Expected& expected = expected_[i];
    expected.packet = &packets[i];
    expected.pattern = ReadHead(packets[i], expected.head) ? Find(expected.head.hash) : nullptr;
    if (expected.pattern == nullptr) continue;
    const auto* pattern = reinterpret_cast<const std::byte*>(expected.pattern);
    for (size_t at = 0; at < sizeof(Pattern); at += kCacheLine) Fetch(pattern + at);
  }
  for (size_t i = 0; i < expected_count_; ++i) {
    const Pattern* pattern = expected_[i].pattern;
    if (pattern == nullptr) continue;
    // Up to its key stands what every packet changes.
    const auto* at = reinterpret_cast<const std::byte*>(pattern->flow);
    const auto* end = reinterpret_cast<const std::byte*>(&pattern->flow->key);
    for (; at < end; at += kCacheLine) Fetch(at);
  }
}

inline bool SteadyPath::IsSteady(const Pattern& pattern, const CapturedPacket& packet,
                                 uint32_t psn) const {
  const Flow& flow = *pattern.flow;
  const Stream& stream = flow.requests;
  const int64_t now = packet.time_ns;
  const bool is_next = stream.expected == psn && stream.is_started && !stream.end_is_unknown &&
                       (!stream.trouble || !stream.trouble->burst.is_open);
  const bool fits_message = pattern.starts ? !stream.message.is_open
                                           : stream.message.is_open && stream.message.has_first &&
                                                 stream.message.kind == pattern.kind;
  const bool is_same = flow.path_signature == pattern.path_signature &&
                       flow.transport == wire::Transport::kRc && !flow.rnr_pending &&
                       flow.last_request_ns != 0;
  // A second and a bin that end are for the meter.
  const bool is_in_time = now >= traffic_.last_time_ns && now < traffic_.second_end_ns &&
                          now >= traffic_.second_start_ns &&
                          now < traffic_.hosts.at(pattern.receiver).bin_end_ns;
  if (!is_next || !fits_message || !is_same || !is_in_time) return false;
  // Who asks for it is kept where it is not known who answers; and what ends a message is told.
  if (pattern.needs_pair && (tells_messages_ || !flow.is_paired)) return false;
  if (flow.peer == nullptr || now - flow.last_request_ns <= kIdleNs) return true;
  const int64_t wait = now - std::max(flow.last_ns, flow.peer->last_ns);
  if (IsAwaited(*flow.peer) && IsLongWait(*flow.peer, wait)) return false;
  if (IsAwaited(flow)) return !IsLongWait(flow, wait);
  return !flow.is_acked ||
         IsShortWait(flow, now - std::max(flow.last_request_ns, flow.peer->last_answer_ns));
}

inline void SteadyPath::CountMessages(const Pattern& pattern, Flow& flow, int64_t now_ns,
                                      uint32_t psn) {
  Stream& stream = flow.requests;
  if (!pattern.starts && !pattern.ends) {
    stream.message.bytes += pattern.payload_bytes;
    stream.message.last_psn = psn;
    return;
  }
  const bool is_whole = ExtendMessage(stream, StatsOf(flow, pattern.kind), false,
                                      {.time_ns = now_ns,
                                       .bytes = pattern.payload_bytes,
                                       .psn = psn,
                                       .kind = pattern.kind,
                                       .starts = pattern.starts,
                                       .ends = pattern.ends});
  if (is_whole) AwaitMessage(flow, now_ns, true, psn);
}

// As TrafficMeter::Add.
inline void SteadyPath::CountTraffic(const Pattern& pattern, const CapturedPacket& packet) {
  const int64_t now = packet.time_ns;
  Traffic& traffic = traffic_.traffic;
  ++traffic.packets;
  traffic.bytes += packet.wire_bytes;
  ++traffic.cut_packets;
  ++traffic.by_class[static_cast<size_t>(wire::FrameClass::kRoceV2)];
  ++traffic.unchecked_icrc;
  traffic.last_ns = std::max(traffic.last_ns, now);
  traffic_.last_time_ns = now;
  Second& second = *traffic_.second;
  ++second.packets;
  ++second.roce_packets;
  second.roce_bytes += packet.wire_bytes;

  HostMeter::Host& sender = traffic_.hosts.at(pattern.sender);
  sender.mac = pattern.mac_source;
  sender.ttl = pattern.ttl;
  HostMeter::Host& receiver = traffic_.hosts.at(pattern.receiver);
  ++receiver.packets;
  receiver.bytes += packet.wire_bytes;
  receiver.last_ns = std::max(receiver.last_ns, now);
  receiver.bin_bytes += packet.wire_bytes;
  if (receiver.last_source == pattern.source_fold) return;
  receiver.last_source = pattern.source_fold;
  receiver.bin->sources.Add(pattern.source_fold);
}

// As FlowTable::Add.
[[gnu::always_inline]] inline void SteadyPath::Count(const Pattern& pattern,
                                                     const CapturedPacket& packet, uint32_t psn) {
  const int64_t now = packet.time_ns;
  Flow& flow = *pattern.flow;
  Stream& stream = flow.requests;
  if (flow.peer != nullptr && AllIsAcked(flow)) NoteReaction(flow, now);
  DriftTypicalGap(flow, now - flow.last_request_ns);
  ++flow.packets;
  flow.wire_bytes += packet.wire_bytes;
  ++flow.ecn[pattern.ecn];
  flow.is_marked = false;
  ++flow.unchecked_icrc;
  ++flow.request_packets;
  stream.expected = PsnPlus(psn, 1);
  Remember(stream, psn, pattern.opcode, now);
  flow.payload_bytes += pattern.payload_bytes;
  flow.goodput_bytes += pattern.payload_bytes;
  flow.last_request_ns = now;
  CountMessages(pattern, flow, now, psn);
  ++flow.transport_votes;
  flow.last_packet = packet.number;
  flow.last_ns = now;
  CountTraffic(pattern, packet);
}

bool SteadyPath::Take(const CapturedPacket& packet, bool& names_qp) {
  Head head;
  const Pattern* pattern = nullptr;
  if (next_expected_ < expected_count_ && expected_[next_expected_].packet == &packet) {
    const Expected& expected = expected_[next_expected_++];
    pattern = expected.pattern;
    head = expected.head;
  } else {
    expected_count_ = 0;
    if (ReadHead(packet, head)) pattern = Find(head.hash);
  }
  if (pattern == nullptr || pattern->wire_bytes != packet.wire_bytes ||
      pattern->captured_bytes != packet.bytes.size() || !HasHead(packet.bytes, head, *pattern)) {
    return false;
  }
  const uint32_t psn = PsnOf(packet.bytes.data() + head.bth_at);
  if (!IsSteady(*pattern, packet, psn)) return false;
  Count(*pattern, packet, psn);
  names_qp = pattern->names_qp;
  return true;
}

void SteadyPath::Learn(const wire::FrameView& view, const CapturedPacket& packet, Flow& flow,
                       bool names_qp) {
  const wire::OpcodeInfo& info = view.rdma.info();
  const bool is_data =
      info.transport == wire::Transport::kRc && info.has_payload &&
      (info.kind == wire::MessageKind::kSend || info.kind == wire::MessageKind::kWrite);
  if (!is_data || view.frame_class != wire::FrameClass::kRoceV2 || view.tunnel_count != 0 ||
      view.icrc != wire::IcrcState::kCut || packet.bytes.size() >= packet.wire_bytes ||
      (view.traffic_class & 3) == kCe || view.rdma.payload_bytes == 0 || !flow.has_times ||
      flow.hosts.sender >= HostSlots::kNotMetered ||
      flow.hosts.receiver >= HostSlots::kNotMetered) {
    return;
  }
  Head head;
  if (!ReadHead(packet, head)) return;
  // Behind IP options, extension headers or a second tag the BTH stands elsewhere.
  const std::byte* bytes = packet.bytes.data();
  const std::byte* ip = bytes + IpAt(head.layout);
  const bool is_plain = (head.layout & 2) == 0 ? wire::LoadBig8(ip) == kPlainIpv4
                                               : wire::LoadBig8(ip + 6) == wire::kIpProtocolUdp;
  if (!is_plain || wire::LoadBig8(bytes + head.bth_at) != view.rdma.bth.opcode ||
      PsnOf(bytes + head.bth_at) != view.rdma.bth.psn) {
    return;
  }
  Pattern& pattern = FindOrAdd(head.hash);
  HeadWords words{};
  std::memcpy(words.data(), bytes, std::min(packet.bytes.size(), kHeadBytes));
  for (size_t i = 0; i < words.size(); ++i) pattern.head[i] = words[i] & kMasks[head.layout][i];
  pattern.flow = &flow;
  pattern.path_signature = PathSignature(view);
  pattern.source_fold = FoldOf(view.source);
  pattern.captured_bytes = static_cast<uint32_t>(packet.bytes.size());
  pattern.wire_bytes = packet.wire_bytes;
  pattern.payload_bytes = static_cast<uint32_t>(view.rdma.payload_bytes);
  pattern.sender = flow.hosts.sender;
  pattern.receiver = flow.hosts.receiver;
  pattern.mac_source = view.mac_source;
  pattern.ttl = view.ttl;
  pattern.ecn = view.traffic_class & 3;
  pattern.opcode = view.rdma.bth.opcode;
  pattern.kind = info.kind;
  pattern.starts = info.starts_message;
  pattern.ends = info.ends_message;
  pattern.needs_pair = info.ends_message || view.rdma.bth.ack_request;
  pattern.names_qp = names_qp;
}

}  // namespace weft::analyzer
