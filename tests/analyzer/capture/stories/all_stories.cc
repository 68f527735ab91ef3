// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tests/analyzer/capture/stories/story.h"

namespace weft::analyzer {
namespace {

using wire::Bytes;
using wire::RdmaPacket;

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kRtt = 10 * kMicrosecond;
constexpr uint8_t kNakSequence = 0x60;
constexpr uint8_t kNakRemoteAccess = 0x62;

// One message and its ACK.
void Exchange(Story& story, Pair& pair, uint32_t packets = 8) {
  story.Write(pair, packets);
  story.After(kRtt);
  story.Ack(pair);
  story.After(2 * kMicrosecond);
}

void Exchanges(Story& story, Pair& pair, int messages, uint32_t packets = 8) {
  for (int i = 0; i < messages; ++i) Exchange(story, pair, packets);
}

Story Healthy() {
  Story story;
  Pair first = PairOf(1, 2, 0);
  Pair second = PairOf(1, 3, 1);
  for (int i = 0; i < 12; ++i) {
    Exchange(story, first);
    Exchange(story, second);
  }
  return story;
}

// A packet is lost behind the capture point, as the responder's NAK shows.
Story GoBackN() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  Exchanges(story, pair, 4);
  for (int i = 0; i < 3; ++i) {
    story.Write(pair, 8);
    story.After(kRtt);
    story.Answer(pair, pair.psn - 6, kNakSequence);
    story.After(5 * kMicrosecond);
    story.WriteFrom(pair, 2, 8);
    story.After(kRtt);
    story.Ack(pair);
    Exchanges(story, pair, 3);
  }
  return story;
}

// Nothing asks for it: the requester's timer of some milliseconds does.
Story Timeout() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  Exchanges(story, pair, 6);
  for (int i = 0; i < 3; ++i) {
    story.Write(pair, 8);
    story.After(67 * kMillisecond);
    story.WriteFrom(pair, 0, 8);
    story.After(kRtt);
    story.Ack(pair);
    Exchanges(story, pair, 3);
  }
  return story;
}

// Timer code 0 is 655.36 ms.
Story ReceiverNotReady() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 6; ++i) {
    story.Send(pair, 512);
    story.After(kRtt);
    story.Ack(pair);
  }
  for (int i = 0; i < 3; ++i) {
    story.Send(pair, 512);
    story.After(kRtt);
    story.Answer(pair, pair.psn - 1, 0x20);
    story.After(655'360 * kMicrosecond);
    --pair.psn;
    story.Send(pair, 512);
    story.After(kRtt);
    story.Ack(pair);
  }
  return story;
}

Story RemoteAccessError() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  Exchanges(story, pair, 4);
  story.Write(pair, 4);
  story.After(kRtt);
  story.Answer(pair, pair.psn - 4, kNakRemoteAccess);
  return story;
}

Story Congestion(bool has_cnps) {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 60; ++i) {
    const bool is_marked = i % 3 == 0;
    story.Mark(is_marked);
    story.Write(pair, 8);
    story.Mark(false);
    if (is_marked && has_cnps) story.Cnp(pair.backward);
    story.After(kRtt);
    story.Ack(pair);
  }
  return story;
}

// The switch pauses priority 3 before anything is marked.
Story PauseThenMarks() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  Exchanges(story, pair, 4);
  wire::PauseFrame pause{.is_pfc = true, .enabled_classes = 1 << 3};
  for (int i = 0; i < 40; ++i) {
    pause.quanta[3] = 0xffff;
    story.Pause(pause);
    story.After(50 * kMicrosecond);
    pause.quanta[3] = 0;
    story.Pause(pause);
    Exchange(story, pair);
  }
  for (int i = 0; i < 20; ++i) {
    story.Mark(true);
    story.Write(pair, 8);
    story.Mark(false);
    story.Cnp(pair.backward);
    story.After(kRtt);
    story.Ack(pair);
  }
  return story;
}

Story Connected() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  wire::CmMessage request{.kind = wire::CmKind::kReq};
  request.local_comm_id = 11;
  request.service_id = 0x1000;
  request.qpn = pair.backward.dest_qpn;
  request.starting_psn = pair.psn;
  request.path_mtu_code = 3;
  request.retry_count = 7;
  request.rnr_retry_count = 7;
  request.ack_timeout_code = 14;
  story.Cm(pair.forward, request);
  story.After(500 * kMicrosecond);
  wire::CmMessage reply{.kind = wire::CmKind::kRep};
  reply.local_comm_id = 22;
  reply.remote_comm_id = 11;
  reply.qpn = pair.forward.dest_qpn;
  story.Cm(pair.backward, reply);
  story.After(50 * kMicrosecond);
  wire::CmMessage ready{.kind = wire::CmKind::kRtu};
  ready.local_comm_id = 11;
  ready.remote_comm_id = 22;
  story.Cm(pair.forward, ready);
  Exchanges(story, pair, 4);
  return story;
}

Story OneSourcePort() {
  Story story;
  for (uint32_t n = 0; n < 16; ++n) {
    Pair pair = PairOf(1, 2, n);
    pair.forward.udp_src_port = 0xc000;
    Exchanges(story, pair, 8);
  }
  return story;
}

// Eight hosts at once to one.
Story Incast() {
  Story story;
  std::vector<Pair> pairs;
  for (uint32_t n = 0; n < 8; ++n) pairs.push_back(PairOf(static_cast<uint8_t>(n + 10), 2, n));
  for (int i = 0; i < 20; ++i) {
    for (Pair& pair : pairs) story.Write(pair, 8);
    story.After(kRtt);
    for (Pair& pair : pairs) story.Ack(pair);
    story.After(500 * kMicrosecond);
  }
  return story;
}

// 40 KiB, then 50 us in which nothing is under way, and nothing wrong.
Story SlowSender() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 24; ++i) {
    Exchange(story, pair, 40);
    story.After(50 * kMicrosecond);
  }
  return story;
}

Story Reordered() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  Exchanges(story, pair, 4);
  for (int i = 0; i < 10; ++i) {
    story.WriteLate(pair, 16, 5, 9);
    story.After(kRtt);
    story.Ack(pair);
  }
  return story;
}

// Acknowledged, never seen, never sent again: the capture lost them.
Story CaptureLost() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 12; ++i) {
    story.Write(pair, 16, i % 2 == 0 ? std::vector<uint32_t>{4, 5, 6} : std::vector<uint32_t>{});
    story.After(kRtt);
    story.Ack(pair);
  }
  return story;
}

Story OneQpnAtBothEnds() {
  Story story;
  Pair one = PairOf(1, 2, 0);
  one.forward.dest_qpn = one.backward.dest_qpn = 0x11;
  Exchanges(story, one, 6);
  return story;
}

Story OneWay() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 8; ++i) {
    story.Write(pair, 8);
    story.After(kRtt);
  }
  return story;
}

Story OtherClassBack() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  pair.backward.dscp = 0;
  Exchanges(story, pair, 24);
  return story;
}

Story Reads() {
  Story story;
  Pair pair = PairOf(1, 2, 0);
  for (int i = 0; i < 6; ++i) {
    constexpr uint32_t kPackets = 4;
    RdmaPacket request;
    request.bth = {.opcode = 0x0c, .dest_qpn = pair.forward.dest_qpn, .psn = pair.psn};
    request.headers = wire::header::kReth;
    request.reth = {.address = 0x10000, .r_key = 9, .length = kPackets * Story::kMtu};
    story.Say(pair.forward, request);
    story.After(kRtt);
    ++pair.msn;
    const Bytes payload(Story::kMtu);
    for (uint32_t index = 0; index < kPackets; ++index) {
      RdmaPacket response;
      const bool has_aeth = index == 0 || index + 1 == kPackets;
      const uint8_t opcode = index == 0 ? 0x0d : index + 1 == kPackets ? 0x0f : 0x0e;
      response.bth = {.opcode = opcode,
                      .dest_qpn = pair.backward.dest_qpn,
                      .psn = (pair.psn + index) & wire::kPsnMask};
      if (has_aeth) {
        response.headers = wire::header::kAeth;
        response.aeth = {.syndrome = 0x1f, .msn = pair.msn};
      }
      response.payload = payload;
      story.Say(pair.backward, response);
    }
    pair.psn += kPackets;
    RdmaPacket atomic;
    atomic.bth = {.opcode = 0x14, .dest_qpn = pair.forward.dest_qpn, .psn = pair.psn};
    atomic.headers = wire::header::kAtomicEth;
    atomic.atomic = {.address = 0x20000, .r_key = 9, .swap_or_add = 1};
    story.Say(pair.forward, atomic);
    story.After(kRtt);
    ++pair.msn;
    RdmaPacket answer;
    answer.bth = {.opcode = 0x12, .dest_qpn = pair.backward.dest_qpn, .psn = pair.psn};
    answer.headers = wire::header::kAeth | wire::header::kAtomicAckEth;
    answer.aeth = {.syndrome = 0x1f, .msn = pair.msn};
    answer.atomic_original = static_cast<uint64_t>(i);
    story.Say(pair.backward, answer);
    ++pair.psn;
  }
  return story;
}

Story InTunnels() {
  Story story;
  Pair tagged = PairOf(1, 2, 0);
  Pair tunnelled = PairOf(3, 4, 1);
  story.Dress([](Bytes frame) { return wire::InVlan(0x8100, 3 << 13 | 100, frame); });
  Exchanges(story, tagged, 6);
  story.Dress(
      [](Bytes frame) { return wire::IpInEthernet(wire::InIpv4(17, wire::InVxlan(4789, frame))); });
  Exchanges(story, tunnelled, 6);
  return story;
}

// The three usual reasons why one sees none: here is TCP only.
Story NoRoce() {
  Story story;
  const Bytes tcp = wire::FromHex("c0a8 01bb 00000001 00000002 50 18 ffff 0000 0000 68656c6c6f");
  for (int i = 0; i < 20; ++i) story.Put(wire::IpInEthernet(wire::InIpv4(6, tcp)));
  return story;
}

Bytes WithoutItsTail(Bytes bytes) {
  bytes.resize(bytes.size() - 40);
  return bytes;
}

}  // namespace

std::vector<NamedCapture> AllStories() {
  return {{"healthy.pcap", Healthy().Pcap()},
          {"cut-at-64.pcap", Healthy().Pcap(64)},
          {"torn.pcap", WithoutItsTail(Healthy().Pcap())},
          {"go-back-n.pcap", GoBackN().Pcap(128)},
          {"timeout.pcap", Timeout().Pcap(128)},
          {"receiver-not-ready.pcap", ReceiverNotReady().Pcap(128)},
          {"remote-access-error.pcap", RemoteAccessError().Pcap(128)},
          {"congestion.pcap", Congestion(true).Pcap(128)},
          {"marks-without-cnps.pcap", Congestion(false).Pcap(128)},
          {"pause-then-marks.pcap", PauseThenMarks().Pcap(128)},
          {"connected.pcap", Connected().Pcap()},
          {"one-source-port.pcap", OneSourcePort().Pcap(128)},
          {"incast.pcap", Incast().Pcap(128)},
          {"slow-sender.pcap", SlowSender().Pcap(128)},
          {"reordered.pcap", Reordered().Pcap(128)},
          {"capture-lost.pcap", CaptureLost().Pcap(128)},
          {"one-qpn-at-both-ends.pcap", OneQpnAtBothEnds().Pcap(128)},
          {"one-way.pcap", OneWay().Pcap(128)},
          {"other-class-back.pcap", OtherClassBack().Pcap(128)},
          {"reads.pcap", Reads().Pcap(128)},
          {"in-tunnels.pcap", InTunnels().Pcap(160)},
          {"no-roce.pcap", NoRoce().Pcap()}};
}

}  // namespace weft::analyzer
