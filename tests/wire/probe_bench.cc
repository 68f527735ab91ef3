// SPDX-License-Identifier: Apache-2.0
// What one probe costs in memory: to build (payload, headers, ICRC), to parse and check, and the
// ICRC's CRC-32 alone beside zlib's. "allocations" counts calls of operator new per packet.
#include <benchmark/benchmark.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "tests/wire/allocation_counter.h"
#include "wire/dissect.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/probe.h"
#include "wire/roce.h"

namespace weft::wire {
namespace {

const RoceEndpoints kEndpoints = {.source = IpAddress::V4(0x0a010102),
                                  .destination = IpAddress::V4(0x0a020202),
                                  .udp_src_port = 49153};

const RoceEndpoints kIpv6Endpoints = {.source = *IpAddress::Parse("fd00::a"),
                                      .destination = *IpAddress::Parse("fd00::b"),
                                      .udp_src_port = 49153};

const RoceEndpoints& EndpointsOf(const benchmark::State& state) {
  return state.range(0) == 4 ? kEndpoints : kIpv6Endpoints;
}

size_t BuildProbe(const RoceEndpoints& endpoints, uint32_t sequence, std::span<std::byte> out) {
  std::array<std::byte, kProbePayloadBytes> payload;
  WriteProbePayload({.session = 1, .sequence = sequence, .reply_udp_src_port = 49154}, payload);
  return BuildRoceDatagram(endpoints, {.opcode = 0x64, .dest_qpn = 0x1c, .psn = sequence},
                           Deth{.q_key = 0x11111111, .source_qpn = 0xabcde}, payload, out);
}

// Times `work`, which handles one packet of this size; counts its allocations beforehand, because
// the library's own loop has some.
template <typename Work>
void Measure(benchmark::State& state, size_t packet_bytes, Work work) {
  constexpr int kCounted = 1000;
  const size_t before = AllocationCount();
  for (int i = 0; i < kCounted; ++i) work();
  state.counters["allocations"] = static_cast<double>(AllocationCount() - before) / kCounted;
  for (auto _ : state) work();
  const auto packets = static_cast<int64_t>(state.iterations());
  state.SetItemsProcessed(packets);
  state.SetBytesProcessed(packets * static_cast<int64_t>(packet_bytes));
}

void BM_BuildProbe(benchmark::State& state) {
  std::array<std::byte, 256> datagram;
  uint32_t sequence = 0;
  const RoceEndpoints& endpoints = EndpointsOf(state);
  Measure(state, BuildProbe(endpoints, sequence, datagram), [&] {
    BuildProbe(endpoints, sequence++, datagram);
    benchmark::DoNotOptimize(datagram);
  });
}
BENCHMARK(BM_BuildProbe)->ArgName("ip")->Arg(4)->Arg(6);

// The ICRC is checked, as every receiver must.
void BM_ParseProbe(benchmark::State& state) {
  std::array<std::byte, 256> buffer;
  const RoceEndpoints& endpoints = EndpointsOf(state);
  const std::span<const std::byte> datagram =
      std::span(buffer).first(BuildProbe(endpoints, 7, buffer));
  Measure(state, datagram.size(), [&] {
    benchmark::DoNotOptimize(buffer);
    const bool matches = IcrcMatches(endpoints, datagram);
    const std::optional<RoceDatagram> parsed = ParseRoceDatagram(datagram);
    const std::optional<ProbePayload> probe = ParseProbePayload(parsed->payload);
    if (!matches || !probe.has_value() || probe->sequence != 7) std::abort();
  });
}
BENCHMARK(BM_ParseProbe)->ArgName("ip")->Arg(4)->Arg(6);

// A whole packet as a capture shows it, its ICRC checked.
void BM_DissectProbe(benchmark::State& state) {
  const RoceEndpoints& endpoints = EndpointsOf(state);
  std::array<std::byte, 256> datagram;
  const size_t datagram_bytes = BuildProbe(endpoints, 7, datagram);
  const auto udp_bytes = static_cast<uint16_t>(kUdpHeaderBytes + datagram_bytes);
  std::array<std::byte, 512> buffer;
  ByteWriter writer(buffer);
  WriteIp({.source = endpoints.source,
           .destination = endpoints.destination,
           .protocol = kIpProtocolUdp,
           .payload_bytes = udp_bytes},
          writer);
  WriteUdp({endpoints.udp_src_port, endpoints.udp_dst_port, udp_bytes, 0}, writer);
  writer.Bytes(std::span(datagram).first(datagram_bytes));
  const std::span<const std::byte> packet = writer.written_bytes();
  Measure(state, packet.size(), [&] {
    benchmark::DoNotOptimize(buffer);
    RoceView view;
    if (DissectIp(packet, view) != PacketClass::kRoce || view.icrc != IcrcState::kOk) std::abort();
  });
}
BENCHMARK(BM_DissectProbe)->ArgName("ip")->Arg(4)->Arg(6);

std::vector<std::byte> CoveredBytes(const benchmark::State& state) {
  std::vector<std::byte> bytes(static_cast<size_t>(state.range(0)));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
  return bytes;
}

void BM_Icrc(benchmark::State& state) {
  const std::vector<std::byte> bytes = CoveredBytes(state);
  Measure(state, bytes.size(), [&] {
    Crc32 crc;
    crc.Update(bytes);
    benchmark::DoNotOptimize(crc.value());
  });
}
BENCHMARK(BM_Icrc)->RangeMultiplier(4)->Range(64, 4096);

// By one of the methods, in the order of Crc32Methods(): where which one is the quicker.
void BM_IcrcByMethod(benchmark::State& state) {
  const auto methods = Crc32Methods();
  const auto index = static_cast<size_t>(state.range(1));
  if (index >= methods.size()) {
    state.SkipWithError("built without this method");
    return;
  }
  const std::vector<std::byte> bytes = CoveredBytes(state);
  state.SetLabel(methods[index].name);
  Measure(state, bytes.size(),
          [&] { benchmark::DoNotOptimize(methods[index].advance(0xffffffff, bytes)); });
}
BENCHMARK(BM_IcrcByMethod)->ArgsProduct({{8, 16, 24, 32, 64, 128, 1024, 4096}, {0, 1}});

void BM_IcrcOfZlib(benchmark::State& state) {
  const std::vector<std::byte> bytes = CoveredBytes(state);
  Crc32 ours;
  ours.Update(bytes);
  Measure(state, bytes.size(), [&] {
    const uLong crc =
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
    if (crc != ours.value()) std::abort();
  });
}
BENCHMARK(BM_IcrcOfZlib)->RangeMultiplier(4)->Range(64, 4096);

}  // namespace
}  // namespace weft::wire
