// SPDX-License-Identifier: Apache-2.0
// What it costs to dissect a packet of a capture cut at 128 bytes, beside a bare parse that reads
// the same packets from their length to the BTH. One row times both on the same packets in turn and
// gives the ratio. The packets lie in memory as in a file: 4,000 of them fit a cache, as a chunk
// that was just read does; 400,000 do not.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

#include "tests/wire/frame_builder.h"
#include "wire/big_endian.h"
#include "wire/frame.h"
#include "wire/frame_paths.h"

namespace weft::wire {
namespace {

constexpr size_t kCutBytes = 128;
constexpr size_t kRecordHeaderBytes = 16;
constexpr uint32_t kQps = 128;

// As a capture file holds them: 16 bytes of record header with two lengths, then the packet.
struct Records {
  std::vector<std::byte> bytes{};
  size_t count = 0;
};

// WRITEs of 16 packets with an ACK for each, from 128 QPs in random order.
Records MakeRecords(int64_t ip_version, bool is_tagged, size_t count) {
  std::mt19937 engine(1);
  const std::vector<std::byte> data(4096);
  Records records{.bytes = {}, .count = count};
  records.bytes.reserve(count * (kRecordHeaderBytes + kCutBytes));
  const IpAddress source =
      ip_version == 4 ? IpAddress::V4(0x0a010102) : *IpAddress::Parse("fd00::a");
  const IpAddress destination =
      ip_version == 4 ? IpAddress::V4(0x0a020202) : *IpAddress::Parse("fd00::b");
  std::vector<uint32_t> sent(kQps);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t qp = engine() % kQps;
    const uint32_t step = sent[qp]++ % 17;
    constexpr uint8_t kFirst = 0x06;
    constexpr uint8_t kMiddle = 0x07;
    constexpr uint8_t kLast = 0x08;
    constexpr uint8_t kAck = 0x11;
    const uint8_t opcode = step == 0 ? kFirst : step < 15 ? kMiddle : step == 15 ? kLast : kAck;
    RdmaPacket packet = PacketOf(opcode, 0x100 + qp, sent[qp] & 0xffffff);
    packet.payload = {};
    if (opcode != kAck) packet.payload = data;
    std::vector<std::byte> frame =
        IpInEthernet(RoceV2(source, destination, static_cast<uint16_t>(0xc000 + qp), packet));
    if (is_tagged) frame = InVlan(kEthertypeVlan, 0x6064, frame);
    const size_t wire_bytes = frame.size();
    frame.resize(std::min(frame.size(), kCutBytes));
    std::array<std::byte, kRecordHeaderBytes> header{};
    ByteWriter writer(std::span<std::byte>(header).subspan(8));
    writer.U32(static_cast<uint32_t>(frame.size()));
    writer.U32(static_cast<uint32_t>(wire_bytes));
    records.bytes.insert(records.bytes.end(), header.begin(), header.end());
    records.bytes.insert(records.bytes.end(), frame.begin(), frame.end());
  }
  return records;
}

template <typename Handle>
void ForEach(const Records& records, Handle handle) {
  const std::byte* at = records.bytes.data();
  for (size_t i = 0; i < records.count; ++i) {
    const size_t captured = LoadBig32(at + 8);
    const size_t wire_bytes = LoadBig32(at + 12);
    handle(std::span<const std::byte>(at + kRecordHeaderBytes, captured), wire_bytes);
    at += kRecordHeaderBytes + captured;
  }
}

// The least that a program can do: is it RoCE, and then opcode, destination QP and PSN.
struct BareBth {
  uint8_t opcode = 0;
  uint32_t dest_qpn = 0;
  uint32_t psn = 0;
};
bool BareParse(std::span<const std::byte> frame, BareBth& bth) {
  if (frame.size() < 54) return false;
  const std::byte* ip = frame.data() + 14;
  uint16_t ethertype = LoadBig16(ip - 2);
  if (ethertype == kEthertypeVlan) {
    ethertype = LoadBig16(ip + 2);
    ip += 4;
  }
  const bool is_v4 = ethertype == kEthertypeIpv4;
  if (!is_v4 && ethertype != kEthertypeIpv6) return false;
  if (LoadBig8(ip + (is_v4 ? 9 : 6)) != 17) return false;
  const std::byte* udp = ip + (is_v4 ? (LoadBig8(ip) & 0xf) * 4 : 40);
  if (udp + 20 > frame.data() + frame.size() || LoadBig16(udp + 2) != 4791) return false;
  bth.opcode = LoadBig8(udp + 8);
  bth.dest_qpn = LoadBig32(udp + 12) & 0xffffff;
  bth.psn = LoadBig32(udp + 16) & 0xffffff;
  return true;
}

uint64_t RunBare(const Records& records) {
  uint64_t sum = 0;
  BareBth bth;
  ForEach(records, [&](std::span<const std::byte> frame, size_t wire_bytes) {
    if (!BareParse(frame, bth)) std::abort();
    sum += bth.opcode + bth.dest_qpn + bth.psn + wire_bytes;
  });
  return sum;
}

uint64_t RunDissect(const Records& records) {
  uint64_t sum = 0;
  FrameView view;
  ForEach(records, [&](std::span<const std::byte> frame, size_t wire_bytes) {
    if (DissectFrame(LinkType::kEthernet, frame, wire_bytes, {}, view) != FrameClass::kRoceV2) {
      std::abort();
    }
    benchmark::DoNotOptimize(view);
    sum += view.rdma.bth.opcode + view.rdma.bth.dest_qpn + view.rdma.bth.psn + wire_bytes;
  });
  return sum;
}

uint64_t RunGeneral(const Records& records) {
  uint64_t sum = 0;
  FrameView view;
  ForEach(records, [&](std::span<const std::byte> frame, size_t wire_bytes) {
    DissectAnyFrame(LinkType::kEthernet, frame, wire_bytes, {.check_icrc = false}, view);
    sum += view.rdma.bth.opcode + view.rdma.bth.dest_qpn + view.rdma.bth.psn + wire_bytes;
  });
  return sum;
}

// Of this thread, so that what else the machine does counts little.
double CpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Lowers `least_ns` to what a packet costs now.
void Time(const Records& records, uint64_t (*run)(const Records&), double& least_ns) {
  const double before = CpuNs();
  benchmark::DoNotOptimize(run(records));
  least_ns = std::min(least_ns, (CpuNs() - before) / static_cast<double>(records.count));
}

void BM_DissectFrame(benchmark::State& state) {
  const Records records =
      MakeRecords(state.range(0), state.range(1) != 0, static_cast<size_t>(state.range(2)));
  constexpr double kNever = 1e9;
  double bare_ns = kNever;
  double dissect_ns = kNever;
  double general_ns = kNever;
  for (auto _ : state) {
    Time(records, RunBare, bare_ns);
    Time(records, RunDissect, dissect_ns);
    Time(records, RunGeneral, general_ns);
  }
  state.counters["bare_ns"] = bare_ns;
  state.counters["dissect_ns"] = dissect_ns;
  state.counters["general_ns"] = general_ns;
  state.counters["ratio"] = dissect_ns / bare_ns;
}
BENCHMARK(BM_DissectFrame)
    ->ArgNames({"ip", "vlan", "packets"})
    ->Args({4, 0, 4000})
    ->Args({4, 1, 4000})
    ->Args({6, 0, 4000})
    ->Args({4, 0, 400000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::wire
