// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "analyzer/flows/flow_table.h"

namespace weft::analyzer {
namespace {

constexpr uint32_t kPacketsOfMessage = 8;  // and an ACK

// Connections that take turns packet by packet; `range(0)` flows, half of them of ACKs.
void BM_FlowTable(benchmark::State& state) {
  const auto pairs = static_cast<uint32_t>(state.range(0) / 2);
  const auto table = std::make_unique<FlowTable>(FlowTable::Options{});
  wire::FrameView view;
  view.frame_class = wire::FrameClass::kRoceV2;
  view.ttl = 64;
  CapturedPacket packet = {.number = 0, .time_ns = 1, .has_time = true, .wire_bytes = 1082};
  uint32_t pair = 0;
  uint32_t step = 0;
  std::vector<uint32_t> psns(pairs);
  for (uint32_t i = 0; i < pairs; ++i) psns[i] = i * 7919 & 0xffffff;
  for (auto _ : state) {
    const bool is_ack = step == kPacketsOfMessage;
    const uint32_t client = 0x0a000000 + pair % 64;
    const uint32_t server = 0x0b000000 + pair / 64 % 64;
    view.source = wire::NetworkAddress::Ipv4(is_ack ? server : client);
    view.destination = wire::NetworkAddress::Ipv4(is_ack ? client : server);
    wire::RdmaPacket& rdma = view.rdma;
    rdma.bth.dest_qpn = pair + (is_ack ? 0x800000 : 0x1000);
    rdma.bth.psn = is_ack ? (psns[pair] - 1) & 0xffffff : psns[pair];
    rdma.bth.opcode = static_cast<uint8_t>(is_ack                          ? 0x11
                                           : step == 0                     ? 0x06
                                           : step + 1 == kPacketsOfMessage ? 0x08
                                                                           : 0x07);
    rdma.headers = wire::InfoOf(rdma.bth.opcode).headers;
    rdma.aeth.syndrome = 0x1f;
    rdma.payload_bytes = is_ack ? 0 : 1024;
    ++packet.number;
    packet.time_ns += 100;
    table->Add(view, packet);
    if (!is_ack) psns[pair] = (psns[pair] + 1) & 0xffffff;
    if (++pair == pairs) {
      pair = 0;
      step = step == kPacketsOfMessage ? 0 : step + 1;
    }
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["bytes/flow"] =
      static_cast<double>(table->memory_bytes()) / static_cast<double>(table->flow_count());
}
BENCHMARK(BM_FlowTable)->Arg(128)->Arg(100'000)->Iterations(5'000'000);

}  // namespace
}  // namespace weft::analyzer
