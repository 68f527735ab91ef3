// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "probe/endpoint/udp/tunnel_route.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "probe/trace/tracer.h"
#include "programs/command/fabric_input.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/subcommands.h"
#include "programs/weft-probe/targets.h"
#include "programs/weft-probe/trace_output.h"
#include "topology/records/flow.h"
#include "topology/records/probe_record.h"
#include "topology/records/record_file.h"

namespace weft::command {
namespace {

constexpr const char* kName = "weft-probe trace";

struct TraceCommand {
  std::vector<std::string> destinations;
  std::vector<std::string> flow_files;
  std::vector<std::string> target_files;
  std::vector<uint16_t> udp_src_ports;
  uint16_t tcp_port = 4791;
  std::string interface;
  std::string fabric_file;
  uint32_t traffic_class = 0;  // a byte would be read as a character
  double timeout_seconds = 0.5;
  std::string output;
  std::string probes_output;
  Format format = Format::kAuto;
  probe::TraceOptions trace;
};

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     TraceCommand& command) {
  probe::TraceOptions& trace = command.trace;
  Options parser(
      kName,
      "Finds the paths to responders and the UDP source ports that lead there. Exit code "
      "1: no destination was reached; 4: some were not.");
  CLI::App& app = parser.app();
  app.add_option("DEST", command.destinations, "Addresses of responders, or names in --targets");
  app.add_option("--flows", command.flow_files,
                 "Also to the far ends of these flows that begin or end at --name, on their ports")
      ->type_name("FILE");
  app.add_option("--name", trace.source_name, "This host's name, in --flows and in the records");
  app.add_option("--target,--targets", command.target_files,
                 "Target records (default: the responders are asked)")
      ->type_name("FILE");
  app.add_option("--confidence", trace.confidence, "That the whole run misses no path")
      ->check(CLI::Range(0.01, 0.999999))
      ->capture_default_str();
  app.add_option("--ports", trace.ports_per_path, "Find at least so many source ports per path")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--udp-src-port", command.udp_src_ports,
                 "UDP source ports that shall be in the tables")
      ->check(CLI::Range(1, 65535))
      ->type_name("PORT");
  app.add_option("--max-ttl", trace.max_ttl, "The most hops")
      ->check(CLI::Range(1, 63))
      ->capture_default_str();
  parser.AddDuration("--timeout", &command.timeout_seconds, "A probe is lost after this long");
  app.add_option("--tries", trace.tries, "Probes before a hop is called silent for a port")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  app.add_option("--probe-rate", trace.probes_per_second, "Probes a second, at most")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--icmp-rate", trace.icmp_per_second,
                 "Probes a second that may end in one switch, from all probers; 0: any number")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--probers", trace.probers,
                 "So many hosts trace at the same time: each takes its part of --icmp-rate")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--flow-label", trace.flow_label, "The probes' IPv6 flow label")
      ->check(CLI::Range(0, 0xfffff))
      ->capture_default_str();
  app.add_option("--traffic-class", command.traffic_class,
                 "The probes' DSCP and ECN bits: 0 to 255")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  app.add_option("--fabric", command.fabric_file,
                 "What was built: tells where an overlay, or a switch, hides hops")
      ->type_name("FILE");
  app.add_option("--interface", command.interface, "Send from this interface")->type_name("IF");
  app.add_option("--tcp-port", command.tcp_port, "Where responders serve their records")
      ->capture_default_str();
  parser.AddSeed(&trace.seed);
  parser.AddFormat(&command.format);
  parser.AddOutput(&command.output);
  app.add_option("--probes", command.probes_output,
                 "Write probe records to FILE, with the IPv4 IDs of hops' answers")
      ->type_name("FILE");
  if (const auto code = parser.Parse(arguments)) return code;
  if (command.destinations.empty() && command.flow_files.empty()) {
    return UsageError(kName, "DEST or --flows is needed");
  }
  if (!command.flow_files.empty() && trace.source_name.empty()) {
    return UsageError(kName, "--flows needs --name: which end of the flows is this host");
  }
  trace.traffic_class = static_cast<uint8_t>(command.traffic_class);
  trace.timeout_ns = static_cast<int64_t>(command.timeout_seconds * 1e9);
  trace.measured_at = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  return std::nullopt;
}

// Gathers destinations, each once.
class Destinations {
 public:
  Destinations(const TraceCommand& command, const Targets& targets)
      : command_(command), targets_(targets) {}

  // One that does not answer on TCP is traced all the same: the hops towards it can be found.
  absl::Status Add(const std::string& name, const wire::IpAddress& address) {
    absl::StatusOr<topology::Target> target = targets_.Find(name, address, command_.tcp_port);
    if (!target.ok()) {
      if (address.empty()) return target.status();
      PrintWarning(kName, std::string(target.status().message()));
      target = topology::Target{.name = name,
                                .address = address,
                                .dest_qpn = 0,
                                .q_key = 0,
                                .path_mtu = 0,
                                .clock = {},
                                .tcp_port = 0};
    }
    Enter(*target);
    return absl::OkStatus();
  }

  // Far ends of the flows of this host, and the ports of those that begin here.
  absl::Status AddFlows(std::span<const topology::Flow> flows) {
    const std::string& self = command_.trace.source_name;
    bool found = false;
    for (const topology::Flow& flow : flows) {
      if (flow.source != self && flow.destination != self) continue;
      found = true;
      const bool begins_here = flow.source == self;
      const absl::Status status = begins_here ? AddOnce(flow.destination, flow.destination_address)
                                              : AddOnce(flow.source, flow.source_address);
      if (!status.ok()) return status;
      if (begins_here && flow.udp_src_port != 0) {
        Find(flow.destination, flow.destination_address)->wanted_ports.push_back(flow.udp_src_port);
      }
    }
    if (found) return absl::OkStatus();
    return absl::NotFoundError(
        absl::StrCat("--name ", self, ": no flow of --flows begins or ends there"));
  }

  std::vector<probe::TraceDestination>& all() { return all_; }

 private:
  absl::Status AddOnce(const std::string& name, const wire::IpAddress& address) {
    return Find(name, address) != all_.end() ? absl::OkStatus() : Add(name, address);
  }

  std::vector<probe::TraceDestination>::iterator Find(const std::string& name,
                                                      const wire::IpAddress& address) {
    return std::ranges::find_if(all_, [&](const probe::TraceDestination& d) {
      return address.empty() ? d.name == name : d.target.address == address;
    });
  }

  void Enter(const topology::Target& target) {
    if (Find("", target.address) != all_.end()) return;
    all_.push_back(
        {.target = {.address = target.address, .dest_qpn = target.dest_qpn, .q_key = target.q_key},
         .name = target.name,
         .wanted_ports = command_.udp_src_ports});
  }

  const TraceCommand& command_;
  const Targets& targets_;
  std::vector<probe::TraceDestination> all_;
};

// IPv6's fe80::/10 reach over one link, with or without a scope ("fe80::1%eth0"): no switch is in
// between.
absl::Status RefuseLinkLocal(const std::string& text) {
  const auto address = wire::IpAddress::Parse(text.substr(0, text.find('%')));
  if (!address || !address->IsV6()) return absl::OkStatus();
  const auto& bytes = address->bytes();
  if (bytes[0] != 0xfe || (bytes[1] & 0xc0) != 0x80) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      text,
      ": a link-local address, to which there is one link and no path: expected one that "
      "is routed"));
}

absl::StatusOr<std::vector<probe::TraceDestination>> ReadDestinations(const TraceCommand& command,
                                                                      bool* partial) {
  absl::StatusOr<Targets> targets = Targets::Read(kName, command.target_files, partial);
  if (!targets.ok()) return targets.status();
  auto flows = ReadRecordFiles<topology::Flow>(kName, command.flow_files, partial);
  if (!flows.ok()) return flows.status();
  Destinations destinations(command, *targets);
  for (const std::string& text : command.destinations) {
    if (absl::Status refused = RefuseLinkLocal(text); !refused.ok()) return refused;
    const std::optional<wire::IpAddress> address = wire::IpAddress::Parse(text);
    const absl::Status status =
        address ? destinations.Add("", *address) : destinations.Add(text, wire::IpAddress());
    if (!status.ok()) return status;
  }
  if (!command.flow_files.empty()) {
    const absl::Status status = destinations.AddFlows(*flows);
    if (!status.ok()) return status;
  }
  return std::move(destinations.all());
}

// Finds which destinations this host reaches by a tunnel. Not to know is no reason not to trace.
void FindOwnTunnels(const std::string& interface, std::vector<probe::TraceDestination>& all) {
  for (probe::TraceDestination& destination : all) {
    const auto route = probe::FindTunnelRoute(destination.target.address, interface);
    if (!route.ok()) PrintWarning(kName, std::string(route.status().message()));
    if (!route.ok() || !*route) continue;
    destination.own_tunnel = {(*route)->interface, (*route)->kind, (*route)->remote};
  }
}

// What is done, and what the rest waits for.
std::string ProgressText(const probe::TraceProgress& so_far, size_t destination_count) {
  std::string text = absl::StrCat(so_far.probes_sent, " probes sent, ", so_far.destinations_done,
                                  " of ", destination_count, " destinations done");
  if (so_far.slow > 0) {
    absl::StrAppend(&text, "; asking ", so_far.slow, " again slowly: silent, or limited?");
  } else if (so_far.waiting > 0) {
    absl::StrAppend(&text, "; ", so_far.waiting, " probes wait for --icmp-rate");
  }
  return text;
}

ExitCode ExitCodeFor(std::span<const probe::TraceResult> results, bool partial) {
  const auto reached = std::ranges::count_if(results, &probe::TraceResult::reached);
  if (reached == 0) return ExitCode::kFindings;
  const bool complete = std::ranges::all_of(results, [](const probe::TraceResult& result) {
    return result.problem.empty() && result.unplaced_ports.empty();
  });
  for (const probe::TraceResult& result : results) {
    const ExitCode code = ExitCodeOf(result.table.findings);
    if (code != ExitCode::kOk) return code;
  }
  return complete && !partial && !Interrupted() ? ExitCode::kOk : ExitCode::kPartial;
}

}  // namespace

ExitCode RunTrace(const std::vector<std::string>& arguments) {
  TraceCommand command;
  if (const auto code = ParseOptions(arguments, command)) return *code;
  CatchInterrupts();
  bool partial = false;
  auto destinations = ReadDestinations(command, &partial);
  if (!destinations.ok()) return PrintError(kName, destinations.status());
  FindOwnTunnels(command.interface, *destinations);
  std::optional<topology::Fabric> blueprint;
  if (!command.fabric_file.empty()) {
    auto fabric = ReadFabric(kName, command.fabric_file, &partial);
    if (!fabric.ok()) return PrintError(kName, fabric.status());
    blueprint = *std::move(fabric);
    command.trace.blueprint = &*blueprint;
  }
  auto endpoint = probe::UdpEndpoint::Create({.interface = command.interface});
  if (!endpoint.ok()) return PrintError(kName, endpoint.status());
  command.trace.quotes_unseen_reason = std::string((*endpoint)->quote_status().message());
  std::vector<topology::ProbeRecord> probes;
  if (!command.probes_output.empty()) {
    command.trace.on_probe = [&](const auto& record) { probes.push_back(record); };
  }

  Progress progress;
  command.trace.stop = [] { return Interrupted(); };
  command.trace.progress = [&](const probe::TraceProgress& so_far) {
    progress.Update(ProgressText(so_far, destinations->size()));
  };
  const int64_t begin_ns = (*endpoint)->Now();
  const auto results = probe::Trace(**endpoint, *destinations, command.trace);
  const double seconds = static_cast<double>((*endpoint)->Now() - begin_ns) * 1e-9;
  progress.Done();
  if (!results.ok()) return PrintError(kName, results.status());

  if (command.output != "-") {
    PrintTrace({.results = *results, .confidence = command.trace.confidence, .seconds = seconds},
               Resolve(command.format));
  }
  if (!command.output.empty()) {
    std::vector<topology::PathTable> tables;
    for (const probe::TraceResult& result : *results) tables.push_back(result.table);
    const absl::Status status = topology::WriteRecords<topology::PathTable>(command.output, tables);
    if (!status.ok()) return PrintError(kName, status);
  }
  if (!command.probes_output.empty()) {
    const absl::Status status =
        topology::WriteRecords<topology::ProbeRecord>(command.probes_output, probes);
    if (!status.ok()) return PrintError(kName, status);
  }
  return ExitCodeFor(*results, partial);
}

}  // namespace weft::command
