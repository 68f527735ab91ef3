// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/report/finding_world.h"

namespace weft::analyzer {
namespace {

FlowStats FlowBetween(wire::NetworkAddress source, wire::NetworkAddress destination,
                      uint32_t dest_qpn, uint16_t port) {
  FlowStats flow;
  flow.key = {source, destination, dest_qpn};
  flow.transport = wire::Transport::kRc;
  flow.has_times = true;
  flow.first_ns = kStartNs;
  flow.last_ns = kStartNs + 100 * kMs;
  flow.first_packet = 1;
  flow.last_packet = 11'000;
  flow.packets = 10'000;
  flow.wire_bytes = 11'000'000;
  flow.ecn = {0, 0, 10'000, 0};
  flow.classes = {{26, 10'000, 11'000'000}};
  flow.ports = {{port, 10'000, 1}};
  flow.min_ttl = flow.max_ttl = 64;
  return flow;
}

}  // namespace

Tally Seen(uint64_t count, uint64_t first) {
  Tally tally;
  for (uint64_t i = 0; i < count; ++i) tally.Note(first + i);
  return tally;
}

Connection Healthy(uint32_t number, wire::NetworkAddress source, wire::NetworkAddress destination) {
  Connection connection;
  connection.forward =
      FlowBetween(source, destination, 0x100 + number, static_cast<uint16_t>(0xc100 + number * 7));
  FlowStats& data = connection.forward;
  data.source_qpn = 0x900 + number;
  data.payload_bytes = data.goodput_bytes = 10'000'000;
  data.path_mtu = 1024;
  data.write = {
      .messages = 156, .bytes = uint64_t{156} * 65'536, .min_bytes = 65'536, .max_bytes = 65'536};
  data.ack_rtt = {.count = 150,
                  .min_ns = 8'000,
                  .median_ns = 10'000,
                  .p99_ns = 20'000,
                  .p999_ns = 30'000,
                  .max_ns = 30'000,
                  .total_ns = 1'600'000};
  connection.backward =
      FlowBetween(destination, source, 0x900 + number, static_cast<uint16_t>(0xe100 + number * 7));
  FlowStats& answers = *connection.backward;
  answers.source_qpn = 0x100 + number;
  answers.packets = answers.acks = 1'000;
  answers.classes = {{26, 1'000, 62'000}};
  answers.ports[0].packets = 1'000;
  answers.wire_bytes = 62'000;
  connection.pairing = Pairing::kEvidence;
  connection.vantage = Vantage::kAtRequester;
  return connection;
}

World HealthyWorld() {
  World world;
  CaptureAnalysis& analysis = world.analysis;
  analysis.connections = {Healthy(1), Healthy(2)};
  analysis.totals.packets = analysis.totals.roce_packets = 22'000;
  Traffic& traffic = analysis.traffic;
  traffic.packets = 22'000;
  traffic.has_times = true;
  traffic.first_ns = kStartNs;
  traffic.last_ns = kStartNs + 100 * kMs;
  traffic.bin_ns = kMs;
  traffic.by_class[0] = 22'000;
  analysis.host_pairs = {{kLeft, kRight, 2, 2, 0xc107, 1, 22'000'000}};
  return world;
}

void ManyToOne(World& world) {
  CaptureAnalysis& analysis = world.analysis;
  analysis.connections = {Healthy(1), Healthy(2, wire::NetworkAddress::Ipv4(0x0a000003))};
  Receiver receiver;
  receiver.destination = kRight;
  receiver.packets = 20'000;
  receiver.bytes = 22'000'000;  // in 100 ms: 1.76 Gb/s
  receiver.first_ns = kStartNs;
  receiver.last_ns = kStartNs + 100 * kMs;
  receiver.busy_bins = receiver.shared_bins = 100;
  receiver.most_sources = 2;
  receiver.most_sources_packet = 5;
  receiver.peak_bytes = 300'000;
  analysis.traffic.receivers = {receiver};
}

void Lossy(Connection& connection) {
  connection.forward.retransmitted = Seen(50);
  connection.forward.go_back_n = Seen(10);
  connection.forward.gaps = Seen(10);
  connection.backward->naks[0] = Seen(10);
}

PauseLink Pause(uint64_t frames, int64_t span_ns) {
  PauseLink link;
  link.sender = kMac;
  link.is_pfc = true;
  link.xoff[3] = Seen(frames);
  link.quanta[3] = frames * 65'535;
  link.first_ns = kStartNs;
  link.last_ns = kStartNs + span_ns;
  return link;
}

}  // namespace weft::analyzer
