// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/local_interface.h"
#include "probe/traffic/sender.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/subcommands.h"
#include "programs/weft-probe/targets.h"
#include "topology/records/record_file.h"

namespace weft::command {
namespace {

constexpr const char* kName = "weft-probe send";
constexpr uint32_t kLargestPathMtu = 4096;

struct SendCommand {
  std::string flows_file;
  std::string name;
  std::vector<std::string> target_files;
  uint16_t tcp_port = 4791;
  double duration_seconds = 5;
  double warmup_seconds = 1;
  std::string output;
  Format format = Format::kAuto;
  probe::SenderOptions sender;
};

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     SendCommand& command) {
  Options parser(kName,
                 "Send the elephant flows of this host and report what arrived. Exit code 4: some "
                 "flow was not sent to its end.");
  CLI::App& app = parser.app();
  app.add_option("FLOWS", command.flows_file, "Flow records")->required();
  app.add_option("--name", command.name,
                 "Send the flows of this source (default: those whose source address is local)")
      ->type_name("HOST");
  app.add_option("--target,--targets", command.target_files,
                 "Target records (default: each destination's responder is asked)")
      ->type_name("FILE");
  parser.AddDuration("--duration", &command.duration_seconds, "Of each flow");
  parser.AddDuration("--warmup", &command.warmup_seconds,
                     "Not counted; the last 500 ms are not either");
  app.add_option("--message-bytes", command.sender.message_bytes, "Bytes of a message")
      ->check(CLI::Range(1u, 1u << 31))
      ->capture_default_str();
  app.add_option("--packet-bytes", command.sender.packet_payload_bytes,
                 "Payload bytes of a packet (default: the target's path MTU)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--tcp-port", command.tcp_port, "Where responders serve their records")
      ->capture_default_str();
  parser.AddSeed(&command.sender.seed);
  parser.AddFormat(&command.format);
  parser.AddOutput(&command.output);
  return parser.Parse(arguments);
}

absl::StatusOr<std::vector<topology::Flow>> OwnFlows(const SendCommand& command, bool* partial) {
  auto flows = ReadRecordFiles<topology::Flow>(kName, {command.flows_file}, partial);
  if (!flows.ok()) return flows.status();
  absl::StatusOr<std::vector<probe::LocalAddressInfo>> local = probe::LocalAddresses();
  if (!local.ok()) return local.status();
  std::erase_if(*flows, [&](const topology::Flow& flow) {
    if (!command.name.empty()) return flow.source != command.name;
    return std::none_of(local->begin(), local->end(),
                        [&](const auto& info) { return info.address == flow.source_address; });
  });
  if (flows->empty()) {
    return absl::NotFoundError(
        command.name.empty()
            ? command.flows_file + ": no flow has a source address of this host"
            : absl::StrCat(command.flows_file, ": no flow has the source \"", command.name, "\""));
  }
  return flows;
}

std::vector<probe::FlowToSend> FindTargets(const SendCommand& command, const Targets& targets,
                                           const std::vector<topology::Flow>& flows) {
  std::map<wire::IpAddress, absl::StatusOr<topology::Target>> found;
  std::vector<probe::FlowToSend> to_send;
  Progress progress;
  for (const topology::Flow& flow : flows) {
    progress.Update(absl::StrCat("asking ", flow.destination_address.ToString()));
    const wire::IpAddress& address = flow.destination_address;
    // Without an address the name has to be in a file, which takes no time.
    const auto find = [&] { return targets.Find(flow.destination, address, command.tcp_port); };
    auto known = found.find(address);
    if (address.empty() || known == found.end()) {
      known = found.insert_or_assign(address, find()).first;
    }
    probe::FlowToSend one = {.flow = flow, .target = {}};
    if (known->second.ok()) {
      one.target = *known->second;
    } else {
      one.cannot_send = std::string(known->second.status().message());
    }
    to_send.push_back(std::move(one));
  }
  return to_send;
}

bool IsWhole(const topology::FlowReport& report) {
  return report.report_received && report.stopped_because == "done";
}

double RateOf(double bytes, const topology::FlowReport& report) {
  return report.window_seconds > 0 ? bytes * 8 / report.window_seconds : 0;
}

std::optional<double> ShareOf(double received_bytes, double sent_bytes) {
  if (sent_bytes <= 0) return std::nullopt;
  return received_bytes / sent_bytes;
}

struct Totals {
  double sent_bytes = 0;  // of flows whose report came
  double received_bytes = 0;
};

Totals Sum(const std::vector<topology::FlowReport>& reports) {
  Totals totals;
  for (const topology::FlowReport& report : reports) {
    if (!report.report_received) continue;
    totals.sent_bytes += report.sent_bytes;
    totals.received_bytes += report.received_bytes;
  }
  return totals;
}

std::string ShareText(const std::optional<double>& share) {
  return share ? absl::StrFormat("%.1f %%", *share * 100) : "-";
}

void PrintText(const std::vector<topology::FlowReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"flow", "from", "to", "port", "sent", "goodput", "share", "lost", "reordered", "ended"}};
  for (const topology::FlowReport& report : reports) {
    const topology::Flow& flow = report.flow;
    const auto if_known = [&report](const std::string& text) {
      return report.report_received ? text : std::string("-");
    };
    rows.push_back(
        {flow.id, flow.source.empty() ? flow.source_address.ToString() : flow.source,
         flow.destination.empty() ? flow.destination_address.ToString() : flow.destination,
         absl::StrCat(flow.udp_src_port), FormatRate(RateOf(report.sent_bytes, report)),
         if_known(FormatRate(RateOf(report.received_bytes, report))),
         if_known(ShareText(ShareOf(report.received_bytes, report.sent_bytes))),
         if_known(absl::StrCat(report.lost_packets)),
         if_known(absl::StrCat(report.reordered_packets)), report.stopped_because});
  }
  std::fputs(FormatTable(rows).c_str(), stdout);
  const Totals totals = Sum(reports);
  if (const auto share = ShareOf(totals.received_bytes, totals.sent_bytes)) {
    std::printf("%s of what was sent arrived\n", ShareText(share).c_str());
  }
}

void PrintCsv(const std::vector<topology::FlowReport>& reports) {
  std::printf(
      "flow,source,destination,udp_src_port,sent_bps,goodput_bps,share,lost_packets,"
      "reordered_packets,report_received,stopped_because\n");
  for (const topology::FlowReport& report : reports) {
    const auto share = ShareOf(report.received_bytes, report.sent_bytes);
    std::printf("%s,%s,%s,%u,%.0f,%.0f,%s,%u,%u,%s,\"%s\"\n", report.flow.id.c_str(),
                report.flow.source.c_str(), report.flow.destination.c_str(),
                report.flow.udp_src_port, RateOf(report.sent_bytes, report),
                RateOf(report.received_bytes, report), share ? absl::StrCat(*share).c_str() : "",
                report.lost_packets, report.reordered_packets,
                report.report_received ? "true" : "false", report.stopped_because.c_str());
  }
}

void PrintJson(const std::vector<topology::FlowReport>& reports) {
  command::Json flows = command::Json::array();
  for (const topology::FlowReport& report : reports) {
    command::Json json = {{"id", report.flow.id},
                          {"source", report.flow.source},
                          {"destination", report.flow.destination},
                          {"udp_src_port", report.flow.udp_src_port},
                          {"sent_bps", RateOf(report.sent_bytes, report)}};
    const auto share = ShareOf(report.received_bytes, report.sent_bytes);
    if (report.report_received) {
      json["goodput_bps"] = RateOf(report.received_bytes, report);
      json["share"] = command::OrNull(share);
      json["lost_packets"] = report.lost_packets;
      json["reordered_packets"] = report.reordered_packets;
      json["duplicate_packets"] = report.duplicate_packets;
    }
    json["report_received"] = report.report_received;
    json["stopped_because"] = report.stopped_because;
    flows.push_back(std::move(json));
  }
  const Totals totals = Sum(reports);
  const auto share = ShareOf(totals.received_bytes, totals.sent_bytes);
  const command::Json json = {{"share", command::OrNull(share)}, {"flows", flows}};
  command::PrintJson(json);
}

void Print(const SendCommand& command, const std::vector<topology::FlowReport>& reports) {
  switch (Resolve(command.format)) {
    case Format::kJson:
      return PrintJson(reports);
    case Format::kCsv:
      return PrintCsv(reports);
    default:
      return PrintText(reports);
  }
}

void Send(probe::Sender& sender, double duration_seconds) {
  Progress progress;
  constexpr int64_t kLookAroundNs = 200'000'000;
  const int64_t start_ns = probe::MonotonicNs();
  bool stopped = false;
  while (!sender.done()) {
    sender.Step(probe::MonotonicNs() + kLookAroundNs);
    if (Interrupted() && !stopped) {
      sender.Stop("interrupted");
      stopped = true;
    }
    const double seconds = static_cast<double>(probe::MonotonicNs() - start_ns) / 1e9;
    progress.Update(seconds < duration_seconds
                        ? absl::StrFormat("sending: %.0f of %.0f s", seconds, duration_seconds)
                        : "asking what arrived");
  }
}

}  // namespace

ExitCode RunSend(const std::vector<std::string>& arguments) {
  SendCommand command;
  if (const auto code = ParseOptions(arguments, command)) return *code;
  command.sender.duration_ns = static_cast<int64_t>(command.duration_seconds * 1e9);
  command.sender.warmup_ns = static_cast<int64_t>(command.warmup_seconds * 1e9);
  const uint32_t packet_bytes = command.sender.packet_payload_bytes;
  absl::Status checked =
      probe::Validate(command.sender, packet_bytes != 0 ? packet_bytes : kLargestPathMtu);
  if (!checked.ok()) return UsageError(kName, std::string(checked.message()));
  CatchInterrupts();
  bool partial = false;
  absl::StatusOr<Targets> targets = Targets::Read(kName, command.target_files, &partial);
  if (!targets.ok()) return PrintError(kName, targets.status());
  absl::StatusOr<std::vector<topology::Flow>> flows = OwnFlows(command, &partial);
  if (!flows.ok()) return PrintError(kName, flows.status());
  auto sender = probe::Sender::Create(command.sender, FindTargets(command, *targets, *flows));
  if (!sender.ok()) return UsageError(kName, std::string(sender.status().message()));
  Send(**sender, command.duration_seconds);

  const std::vector<topology::FlowReport> reports = (*sender)->Reports();
  if (command.output != "-") Print(command, reports);
  if (!command.output.empty()) {
    absl::Status status = topology::WriteRecords<topology::FlowReport>(command.output, reports);
    if (!status.ok()) return PrintError(kName, status);
  }
  const bool all_whole = std::all_of(reports.begin(), reports.end(), IsWhole);
  return all_whole && !partial && !Interrupted() ? ExitCode::kOk : ExitCode::kPartial;
}

}  // namespace weft::command
