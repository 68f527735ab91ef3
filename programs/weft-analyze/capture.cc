// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/capture/capture_writer.h"
#include "analyzer/report/capture_findings.h"
#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/capture_flows.h"
#include "programs/weft-analyze/capture_input.h"
#include "programs/weft-analyze/capture_json.h"
#include "programs/weft-analyze/capture_result.h"
#include "programs/weft-analyze/capture_text.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/subcommands.h"
#include "topology/records/record_file.h"

namespace weft::analyze {
namespace {

using analyzer::CaptureAnalyzer;
using analyzer::CapturedPacket;

constexpr const char* kName = "weft-analyze capture";

struct CaptureOptions {
  CaptureInput input;
  double bin_s = 1e-3;
  double line_rate_bps = 0;
  std::string export_path;
  std::string flows_path;
  std::vector<std::string> paths;
  std::string fabric;
  std::string per = "connection";
  bool all = false;
  command::Format format = command::Format::kAuto;
};

// Writes packets, where there is a file to write them to.
class Exporter {
 public:
  static absl::StatusOr<Exporter> Create(const std::string& path) {
    Exporter exporter;
    if (path.empty()) return exporter;
    auto writer = analyzer::CaptureWriter::Create(path);
    if (!writer.ok()) return writer.status();
    exporter.writer_ = *std::move(writer);
    return exporter;
  }
  absl::Status Write(const CapturedPacket& packet) {
    return writer_ == nullptr ? absl::OkStatus() : writer_->Write(packet);
  }
  absl::Status Close() { return writer_ == nullptr ? absl::OkStatus() : writer_->Close(); }

 private:
  std::unique_ptr<analyzer::CaptureWriter> writer_;
};

absl::StatusOr<CaptureResult> Analyze(const CaptureOptions& options, const PacketChoice& choice) {
  auto reader = PacketReader::Open(options.input);
  if (!reader.ok()) return reader.status();
  // Both directions of a connection are exported, which are known only at the end.
  const bool exports_later = !choice.qpns.empty();
  auto exporter = Exporter::Create(exports_later ? "" : options.export_path);
  if (!exporter.ok()) return exporter.status();

  std::optional<CaptureAnalyzer> analyzer;
  const auto use = [&](std::span<const CapturedPacket> packets) -> absl::Status {
    if (!analyzer && !packets.empty()) {
      analyzer::AnalysisOptions analysis = choice.OptionsFrom(packets.front().time_ns);
      analysis.bin_ns = std::llround(options.bin_s * 1e9);
      analyzer.emplace(analysis);
    }
    for (size_t i = 0; i < packets.size(); ++i) {
      const CapturedPacket& packet = packets[i];
      if (i % CaptureAnalyzer::kMaxExpected == 0) {
        analyzer->Expect(
            packets.subspan(i, std::min(CaptureAnalyzer::kMaxExpected, packets.size() - i)));
      }
      if (!analyzer->Add(packet)) continue;
      if (absl::Status status = exporter->Write(packet); !status.ok()) return status;
    }
    return absl::OkStatus();
  };
  if (absl::Status status = (*reader)->ForEachBatch(use); !status.ok()) return status;
  if (absl::Status status = exporter->Close(); !status.ok()) return status;
  if (!analyzer) analyzer.emplace(choice.OptionsFrom(0));

  const analyzer::CaptureSource& source = (*reader)->source();
  CaptureResult result{.inputs = options.input.interface.empty()
                                     ? options.input.files
                                     : std::vector{options.input.interface},
                       .interfaces = source.interfaces(),
                       .problems = source.problems(),
                       .was_interrupted = (*reader)->was_interrupted(),
                       .analysis = analyzer->Finish(),
                       .findings = {}};
  analyzer::CaptureFindingOptions finding_options;
  finding_options.line_rate_bps = static_cast<uint64_t>(options.line_rate_bps);
  result.findings = analyzer::CaptureFindings(result.analysis, result.interfaces, finding_options);
  return result;
}

// The packets of the connections that --qp named: a second pass, now that both ends' QPNs are
// known.
absl::Status ExportConnections(const CaptureOptions& options, const PacketChoice& choice,
                               const CaptureResult& result) {
  std::set<analyzer::FlowKey> keys;
  for (const analyzer::Connection& connection : result.analysis.connections) {
    keys.insert(connection.forward.key);
    if (connection.backward) keys.insert(connection.backward->key);
  }
  auto reader = PacketReader::Open(options.input);
  if (!reader.ok()) return reader.status();
  auto exporter = Exporter::Create(options.export_path);
  if (!exporter.ok()) return exporter.status();
  wire::FrameView view;
  std::optional<analyzer::AnalysisOptions> bounds;
  const auto use = [&](std::span<const CapturedPacket> packets) -> absl::Status {
    for (const CapturedPacket& packet : packets) {
      if (!bounds) bounds = choice.OptionsFrom(packet.time_ns);
      if (!analyzer::IsInTime(*bounds, packet) || !packet.link_is_known ||
          !wire::IsRdma(wire::DissectFrame(packet.link_type, packet.bytes, packet.wire_bytes,
                                           {.check_icrc = false}, view)) ||
          !keys.contains({view.source, view.destination, view.rdma.bth.dest_qpn})) {
        continue;
      }
      if (absl::Status status = exporter->Write(packet); !status.ok()) return status;
    }
    return absl::OkStatus();
  };
  if (absl::Status status = (*reader)->ForEachBatch(use); !status.ok()) return status;
  return exporter->Close();
}

// Puts the flows on the links of their measured paths, and writes them as records.
absl::Status UseFlows(const CaptureOptions& options, CaptureResult& result, bool* partial) {
  std::optional<topology::Fabric> fabric;
  std::vector<topology::PathTable> tables;
  if (!options.paths.empty()) {
    auto read = ReadTables(kName, options.paths, partial);
    if (!read.ok()) return read.status();
    tables = *std::move(read);
  }
  if (!options.paths.empty() || !options.fabric.empty()) {
    auto read = ReadOrInferFabric(kName, options.fabric, tables, partial);
    if (!read.ok()) return read.status();
    fabric.emplace(*std::move(read));
  }
  const std::vector<topology::Flow> flows =
      FlowRecords(result.analysis.connections, fabric ? &*fabric : nullptr);
  if (!tables.empty()) {
    auto links = analyzer::FindCollisions(*fabric, flows, tables);
    if (!links.ok()) return links.status();
    result.findings.insert(result.findings.end(), links->findings.begin(), links->findings.end());
    result.links = *std::move(links);
  }
  if (options.flows_path.empty()) return absl::OkStatus();
  return topology::WriteRecords<topology::Flow>(options.flows_path, flows);
}

void Print(const CaptureResult& result, const CaptureOptions& options) {
  switch (command::Resolve(options.format)) {
    case command::Format::kText:
      PrintCaptureText(result, {.all_connections = options.all, .verbose_findings = options.all});
      break;
    case command::Format::kCsv:
      options.per == "second" ? PrintSecondsCsv(result) : PrintConnectionsCsv(result);
      break;
    default:
      PrintCaptureJson(result);
  }
}

void AddOptions(CaptureOptions& chosen, command::Options& options) {
  chosen.input.AddTo(options);
  options.AddDuration("--bin", &chosen.bin_s, "Time in which bytes are summed to find microbursts");
  options.AddRate("--line-rate", &chosen.line_rate_bps,
                  "Of the links to the hosts, where the capture does not say it");
  CLI::App& app = options.app();
  app.add_option("--export", chosen.export_path,
                 "Write the packets that were analysed to this file, as pcapng")
      ->type_name("FILE");
  options.AddPaths(&chosen.paths);
  options.AddFabric(&chosen.fabric);
  app.add_flag("--all", chosen.all, "In text: every connection, and every finding in full");
  app.add_option("--per", chosen.per, "In CSV: a line for each connection's flow, or each second")
      ->check(CLI::IsMember({"connection", "second"}))
      ->type_name("connection|second");
  options.AddOutput(&chosen.flows_path);
  app.get_option("-o")->description("Write the flows as records, for weft-lb plan");
  options.AddFormat(&chosen.format);
}

}  // namespace

command::ExitCode Capture(const std::vector<std::string>& arguments) {
  CaptureOptions chosen;
  command::Options options(
      kName,
      "From captures to what went wrong, on which QP. Needs no fabric and no root (only "
      "--interface "
      "does). Exit code 1: findings of severity error; 4: a capture ends early or is damaged, or "
      "Ctrl-C came; what was read is analysed.");
  AddOptions(chosen, options);
  if (const auto exit = options.Parse(arguments)) return *exit;
  const auto choice = ParseChoice(chosen.input);
  if (!choice.ok()) return command::UsageError(kName, std::string(choice.status().message()));
  if (!(chosen.bin_s > 0)) return command::UsageError(kName, "--bin 0: expected more than 0 s");
  const bool reads_twice = !choice->qpns.empty() && !chosen.export_path.empty();
  if (reads_twice && !CanBeReadAgain(chosen.input)) {
    return command::UsageError(kName, "--export with --qp: expected files, which are read twice");
  }

  command::CatchInterrupts();
  auto result = Analyze(chosen, *choice);
  if (!result.ok()) return command::PrintError(kName, result.status());
  bool partial = !result->problems.empty() || result->was_interrupted;
  if (reads_twice) {
    const absl::Status exported = ExportConnections(chosen, *choice, *result);
    if (!exported.ok()) return command::PrintError(kName, exported);
  }
  const absl::Status used = UseFlows(chosen, *result, &partial);
  if (!used.ok()) return command::PrintError(kName, used);
  if (chosen.flows_path != "-" && chosen.export_path != "-") Print(*result, chosen);
  WarnOfProblems(kName, result->problems);
  // A result from half a capture is that first of all, whatever was found in it.
  return partial ? command::ExitCode::kPartial : command::ExitCodeOf(result->findings);
}

}  // namespace weft::analyze
