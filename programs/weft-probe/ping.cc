// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "probe/ping/pinger.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/subcommands.h"
#include "programs/weft-probe/targets.h"
#include "topology/records/record_file.h"
#include "wire/flow_label.h"

namespace weft::command {
namespace {

constexpr const char* kName = "weft-probe ping";

struct PingCommand {
  std::string destination;
  std::vector<std::string> target_files;
  uint16_t tcp_port = 4791;
  std::string interface;
  std::string source;
  double interval_seconds = 0.1;
  double timeout_seconds = 1;
  std::string output;
  Format format = Format::kAuto;
  probe::PingOptions ping;
};

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     PingCommand& command) {
  Options parser(kName, "Loss and round trip to a responder. Exit code 1: no answer at all.");
  CLI::App& app = parser.app();
  app.add_option("DEST", command.destination, "Address of a responder, or its name in --targets")
      ->required();
  app.add_option("--target,--targets", command.target_files,
                 "Target records (default: DEST's responder is asked)")
      ->type_name("FILE");
  app.add_option("--count", command.ping.count, "Probes to send")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  parser.AddDuration("--interval", &command.interval_seconds, "Between probes");
  parser.AddDuration("--timeout", &command.timeout_seconds, "A probe is lost after this long");
  app.add_option("--udp-src-port", command.ping.udp_src_ports,
                 "UDP source ports of the probes, in turn (default: one of 49152-65535)")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT");
  app.add_option("--reply-port", command.ping.reply_udp_src_ports,
                 "UDP source ports of the answers, in turn (default: those of the probes)")
      ->check(CLI::Range(1024, 65535))
      ->type_name("PORT");
  app.add_option("--traffic-class", command.ping.traffic_class, "IP traffic class (TOS) of probes")
      ->type_name("0-255");
  app.add_option("--flow-label", command.ping.flow_label, "IPv6 flow label of probes")
      ->check(CLI::Range(0u, 0xfffffu))
      ->type_name("0-0xfffff");
  app.add_option("--source", command.source, "Local address to send from (default: as routed)")
      ->type_name("ADDRESS");
  app.add_option("--name", command.ping.source_name, "This host's name in the records");
  app.add_option("--interface", command.interface, "Send from this interface")->type_name("IF");
  app.add_option("--tcp-port", command.tcp_port, "Where DEST's responder serves its record")
      ->capture_default_str();
  parser.AddFormat(&command.format);
  parser.AddOutput(&command.output);
  return parser.Parse(arguments);
}

absl::Status CompleteOptions(PingCommand& command) {
  probe::PingOptions& ping = command.ping;
  if (!command.source.empty()) {
    const auto source = wire::IpAddress::Parse(command.source);
    if (!source) {
      return absl::InvalidArgumentError("--source \"" + command.source +
                                        "\": expected an IP address");
    }
    ping.source = *source;
  }
  ping.interval_ns = static_cast<int64_t>(command.interval_seconds * 1e9);
  ping.timeout_ns = static_cast<int64_t>(command.timeout_seconds * 1e9);
  if (ping.udp_src_ports.empty()) {
    // Pings that run at once get different ports.
    constexpr int kPorts = wire::kLastRoceSourcePort - wire::kFirstRoceSourcePort + 1;
    ping.udp_src_ports = {static_cast<uint16_t>(wire::kFirstRoceSourcePort + getpid() % kPorts)};
  }
  if (ping.reply_udp_src_ports.empty()) ping.reply_udp_src_ports = ping.udp_src_ports;
  return absl::OkStatus();
}

std::string PortsText(const std::vector<uint16_t>& ports) {
  constexpr size_t kMostShown = 8;
  if (ports.size() <= kMostShown) return absl::StrJoin(ports, " ");
  return absl::StrCat(ports.front(), " to ", ports.back(), " (", ports.size(), ")");
}

void PrintText(const probe::PingOptions& ping, const probe::PingResult& result) {
  std::printf("%s%s: %u sent, %u answered, %u lost\n", ping.target.address.ToString().c_str(),
              ping.target.name.empty() ? "" : (" (" + ping.target.name + ")").c_str(), result.sent,
              result.received, result.lost);
  if (result.rtt_us_min) {
    std::printf("round trip  min %s  median %s  p99 %s  (without the responder's own median %s)\n",
                FormatSeconds(*result.rtt_us_min / 1e6).c_str(),
                FormatSeconds(*result.rtt_us_median / 1e6).c_str(),
                FormatSeconds(*result.rtt_us_p99 / 1e6).c_str(),
                FormatSeconds(*result.responder_delay_us_median / 1e6).c_str());
  } else if (result.sent > 0 && result.lost == result.sent) {
    std::printf("all lost: the destination is silent, or every path tried is dead\n");
  }
  std::printf("UDP source ports: probes %s, answers %s\n", PortsText(ping.udp_src_ports).c_str(),
              PortsText(ping.reply_udp_src_ports).c_str());
  if (!result.refused_by.empty()) {
    std::printf("%s says: destination unreachable\n", result.refused_by.ToString().c_str());
  }
  if (result.reply_port_was_other) {
    std::printf("the responder answered from other source ports than asked: they are held there\n");
  }
}

void PrintJson(const probe::PingOptions& ping, const probe::PingResult& result) {
  const command::Json json = {
      {"destination", ping.target.name},
      {"destination_address", ping.target.address.ToString()},
      {"udp_src_ports", ping.udp_src_ports},
      {"reply_udp_src_ports", ping.reply_udp_src_ports},
      {"reply_port_was_other", result.reply_port_was_other},
      {"sent", result.sent},
      {"received", result.received},
      {"lost", result.lost},
      {"unreachable_from", result.refused_by.ToString()},
      {"rtt_us",
       {{"min", command::OrNull(result.rtt_us_min)},
        {"median", command::OrNull(result.rtt_us_median)},
        {"p99", command::OrNull(result.rtt_us_p99)}}},
      {"responder_delay_us", {{"median", command::OrNull(result.responder_delay_us_median)}}}};
  command::PrintJson(json);
}

void PrintCsv(const probe::PingOptions& ping, const probe::PingResult& result) {
  const auto cell = [](const std::optional<double>& value) {
    return value ? absl::StrCat(*value) : std::string();
  };
  std::printf(
      "destination_address,sent,received,lost,rtt_us_min,rtt_us_median,rtt_us_p99,"
      "responder_delay_us_median\n%s,%u,%u,%u,%s,%s,%s,%s\n",
      ping.target.address.ToString().c_str(), result.sent, result.received, result.lost,
      cell(result.rtt_us_min).c_str(), cell(result.rtt_us_median).c_str(),
      cell(result.rtt_us_p99).c_str(), cell(result.responder_delay_us_median).c_str());
}

void Print(const PingCommand& command, const probe::PingResult& result) {
  switch (Resolve(command.format)) {
    case Format::kJson:
      return PrintJson(command.ping, result);
    case Format::kCsv:
      return PrintCsv(command.ping, result);
    default:
      return PrintText(command.ping, result);
  }
}

absl::Status Ping(probe::Endpoint& endpoint, probe::Pinger& pinger, uint32_t count) {
  Progress progress;
  constexpr int64_t kLookForInterruptsNs = 200'000'000;
  while (!pinger.done() && !Interrupted()) {
    absl::Status status = pinger.Step(endpoint.Now() + kLookForInterruptsNs);
    if (!status.ok()) return status;
    progress.Update(absl::StrCat(pinger.records().size(), " of ", count, " probes sent"));
  }
  return absl::OkStatus();
}

}  // namespace

ExitCode RunPing(const std::vector<std::string>& arguments) {
  PingCommand command;
  if (const auto code = ParseOptions(arguments, command)) return *code;
  absl::Status status = CompleteOptions(command);
  if (!status.ok()) return UsageError(kName, std::string(status.message()));
  CatchInterrupts();
  bool partial = false;
  absl::StatusOr<Targets> targets = Targets::Read(kName, command.target_files, &partial);
  if (!targets.ok()) return PrintError(kName, targets.status());
  auto endpoint = probe::UdpEndpoint::Create({.interface = command.interface});
  if (!endpoint.ok()) return PrintError(kName, endpoint.status());
  absl::StatusOr<topology::Target> target = targets->Find(command.destination, command.tcp_port);
  if (!target.ok()) return PrintError(kName, target.status());
  command.ping.target = *target;

  probe::Pinger pinger(**endpoint, command.ping);
  status = Ping(**endpoint, pinger, command.ping.count);
  if (!status.ok()) return PrintError(kName, status);
  const probe::PingResult result = pinger.Result();
  if (command.output != "-") Print(command, result);
  if (!command.output.empty()) {
    status = topology::WriteRecords<topology::ProbeRecord>(command.output, pinger.records());
    if (!status.ok()) return PrintError(kName, status);
  }
  if (result.received == 0 && result.lost > 0) return ExitCode::kFindings;
  return Interrupted() || partial ? ExitCode::kPartial : ExitCode::kOk;
}

}  // namespace weft::command
