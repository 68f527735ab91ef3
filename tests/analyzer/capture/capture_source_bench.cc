// SPDX-License-Identifier: Apache-2.0
// What it costs to read a capture, beside what reading its bytes alone costs and, where libpcap is
// there, beside its own reader, over the same file in the same run. Times are of the CPU.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analyzer/capture/capture_source.h"
#include "tests/analyzer/capture/capture_builder.h"
#ifdef WEFT_HAS_PCAP
#include <pcap/pcap.h>
#endif

namespace weft::analyzer {
namespace {

constexpr uint32_t kCutBytes = 128;
constexpr uint32_t kWireBytes = 4170;

// A temporary file that goes away with the program.
class TemporaryFile {
 public:
  TemporaryFile(const char* name, const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              (name + std::to_string(::getpid()) + ".bench")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr uint32_t kPackets = 2'000'000;

std::string PcapBytes() {
  PcapBuilder builder(std::endian::little, {.magic = kNanosecondMagic});
  const std::string data(kCutBytes, 'x');
  for (uint32_t i = 0; i < kPackets; ++i) builder.Record(i / 1000, i % 1000, data, kWireBytes);
  return builder.bytes;
}

std::string PcapngBytes() {
  PcapngBuilder builder(std::endian::little);
  builder.Interface(1, 0, builder.Option(9, std::string(1, 9)));
  const std::string data(kCutBytes, 'x');
  for (uint32_t i = 0; i < kPackets; ++i) builder.Enhanced(0, i, data, kWireBytes);
  return builder.bytes;
}

const std::string& PcapFile() {
  static const TemporaryFile file("weft_pcap_", PcapBytes());
  return file.path();
}
const std::string& PcapngFile() {
  static const TemporaryFile file("weft_pcapng_", PcapngBytes());
  return file.path();
}

void SetRates(benchmark::State& state, const std::string& path, uint64_t packets) {
  state.SetItemsProcessed(static_cast<int64_t>(packets));
  state.SetBytesProcessed(static_cast<int64_t>(
      state.iterations() * static_cast<int64_t>(std::filesystem::file_size(path))));
}

void BM_BareRead(benchmark::State& state) {
  const std::string& path = PcapFile();
  std::vector<char> chunk(static_cast<size_t>(state.range(0)) << 10);
  for ([[maybe_unused]] auto _ : state) {
    const int descriptor = ::open(path.c_str(), O_RDONLY);
    ssize_t got = 0;
    while ((got = ::read(descriptor, chunk.data(), chunk.size())) > 0) {
      benchmark::DoNotOptimize(chunk.data());
    }
    ::close(descriptor);
  }
  SetRates(state, path, 0);
}
BENCHMARK(BM_BareRead)->Arg(128)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond);

void ReadCapture(benchmark::State& state, const std::string& path) {
  uint64_t packets = 0;
  std::array<CapturedPacket, 256> batch;
  for ([[maybe_unused]] auto _ : state) {
    const auto source = OpenCapture(path);
    if (!source.ok()) return state.SkipWithError("cannot be opened");
    uint64_t bytes = 0;
    while (const size_t count = (*source)->Read(batch)) {
      packets += count;
      bytes += batch[count - 1].bytes.size();
    }
    benchmark::DoNotOptimize(bytes);
  }
  SetRates(state, path, packets);
}
void BM_Pcap(benchmark::State& state) { ReadCapture(state, PcapFile()); }
BENCHMARK(BM_Pcap)->Unit(benchmark::kMillisecond);
void BM_Pcapng(benchmark::State& state) { ReadCapture(state, PcapngFile()); }
BENCHMARK(BM_Pcapng)->Unit(benchmark::kMillisecond);

void BM_TwoMerged(benchmark::State& state) {
  uint64_t packets = 0;
  std::array<CapturedPacket, 256> batch;
  for ([[maybe_unused]] auto _ : state) {
    const auto source = OpenCaptures({PcapFile(), PcapFile()});
    if (!source.ok()) return state.SkipWithError("cannot be opened");
    while (const size_t count = (*source)->Read(batch)) packets += count;
  }
  state.SetItemsProcessed(static_cast<int64_t>(packets));
}
BENCHMARK(BM_TwoMerged)->Unit(benchmark::kMillisecond);

#ifdef WEFT_HAS_PCAP
void Libpcap(benchmark::State& state, const std::string& path) {
  uint64_t packets = 0;
  for ([[maybe_unused]] auto _ : state) {
    std::array<char, PCAP_ERRBUF_SIZE> error{};
    pcap_t* capture = pcap_open_offline(path.c_str(), error.data());
    if (capture == nullptr) return state.SkipWithError(error.data());
    pcap_pkthdr* header = nullptr;
    const u_char* data = nullptr;
    while (pcap_next_ex(capture, &header, &data) == 1) ++packets;
    pcap_close(capture);
  }
  SetRates(state, path, packets);
}
void BM_LibpcapPcap(benchmark::State& state) { Libpcap(state, PcapFile()); }
BENCHMARK(BM_LibpcapPcap)->Unit(benchmark::kMillisecond);
void BM_LibpcapPcapng(benchmark::State& state) { Libpcap(state, PcapngFile()); }
BENCHMARK(BM_LibpcapPcapng)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace weft::analyzer
