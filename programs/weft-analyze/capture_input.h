// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/packet_filter.h"
#include "analyzer/flows/capture_analysis.h"
#include "programs/command/options.h"

// What `capture` and `connection` have in common: where packets come from, and which of them count.
namespace weft::analyze {

struct CaptureInput {
  std::vector<std::string> files;
  std::string interface;  // live, instead of files
  double duration_s = 0;  // live: how long; 0: until Ctrl-C
  std::vector<std::string> qps;
  std::vector<std::string> hosts;
  std::string time;    // FROM..UNTIL
  std::string filter;  // BPF
  bool rdma_only = false;
  bool skip_icrc = false;

  void AddTo(command::Options& options);
};

// One end of --time: since the first packet, or since 1970.
struct TimeBound {
  bool is_relative = true;
  int64_t ns = 0;
};

struct PacketChoice {
  std::vector<uint32_t> qpns;
  std::vector<wire::NetworkAddress> hosts;
  std::optional<TimeBound> from;
  std::optional<TimeBound> until;
  bool rdma_only = false;
  bool check_icrc = true;

  // The analysis' own options, once the time of the first packet is known.
  analyzer::AnalysisOptions OptionsFrom(int64_t first_ns) const;
};

// InvalidArgument names the option, its value, and what was expected.
absl::StatusOr<PacketChoice> ParseChoice(const CaptureInput& input);

// Packets of the input, in batches, with progress on stderr, until its end, Ctrl-C or the end of
// --duration.
class PacketReader {
 public:
  static absl::StatusOr<std::unique_ptr<PacketReader>> Open(const CaptureInput& input);

  // Calls `use` with the packets that the BPF filter lets in. Fails only where `use`
  // does.
  using Use = std::function<absl::Status(std::span<const analyzer::CapturedPacket>)>;
  absl::Status ForEachBatch(const Use& use);

  const analyzer::CaptureSource& source() const { return *source_; }
  bool was_interrupted() const { return was_interrupted_; }

 private:
  PacketReader(std::unique_ptr<analyzer::CaptureSource> source,
               std::optional<analyzer::PacketFilter> filter, const CaptureInput& input);
  bool IsOver(double seconds);

  std::unique_ptr<analyzer::CaptureSource> source_;
  std::optional<analyzer::PacketFilter> filter_;
  double duration_s_;
  bool was_interrupted_ = false;
};

// On stderr: what could not be read, and where.
void WarnOfProblems(const std::string& name, const std::vector<analyzer::CaptureProblem>& problems);

// Whether the input can be read a second time.
bool CanBeReadAgain(const CaptureInput& input);

}  // namespace weft::analyze
