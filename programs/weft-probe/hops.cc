// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "probe/hashing/hop_experiment.h"
#include "probe/hashing/linear_ports.h"
#include "probe/trace/tracer.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/hops_output.h"
#include "programs/weft-probe/subcommands.h"
#include "programs/weft-probe/targets.h"
#include "topology/records/record_file.h"

namespace weft::command {
namespace {

constexpr const char* kName = "weft-probe hops";
constexpr uint32_t kDefaultComputedPorts = 16;

struct HopsCommand {
  std::vector<std::string> destinations;
  std::vector<std::string> target_files;
  std::vector<std::string> also;
  std::vector<std::string> sources;
  uint16_t tcp_port = 4791;
  std::string interface;
  double timeout_seconds = 0.5;
  bool linear = false;
  bool no_load = false;
  uint32_t computed_ports = kDefaultComputedPorts;
  std::string output;
  Format format = Format::kAuto;
  probe::TraceOptions trace;
  probe::HopsOptions hops;
};

void AddExperimentOptions(CLI::App& app, HopsCommand& command) {
  app.add_option("--also", command.also,
                 "Other hosts (addresses, or names in --targets) behind the same switches as DEST: "
                 "their addresses are tried too")
      ->type_name("HOST");
  app.add_option("--source", command.sources,
                 "Other addresses of this host's interface: they are tried too")
      ->type_name("ADDRESS");
  app.add_option("--live-qpn", command.hops.live_qpns,
                 "Destination QPs that the traffic has: tried first")
      ->check(CLI::Range(2, 0xffffff))
      ->type_name("QPN");
  app.add_flag("--linear", command.linear,
               "Learn the map from ports to paths and compute ports for every path");
  app.add_option("--ports", command.computed_ports, "With --linear: ports to compute per path")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--no-load", command.no_load,
               "Put no load on flows, by which adaptive routing shows itself");
}

void AddProbeOptions(Options& parser, HopsCommand& command) {
  CLI::App& app = parser.app();
  probe::TraceOptions& trace = command.trace;
  app.add_option("--confidence", trace.confidence,
                 "That the whole run misses no path; and that it calls no field ignored wrongly")
      ->check(CLI::Range(0.01, 0.999999))
      ->capture_default_str();
  app.add_option("--icmp-rate", trace.icmp_per_second,
                 "Probes a second that may end in one switch; 0: not paced")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--probers", trace.probers, "Hosts that probe at the same time and share the rate")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  parser.AddDuration("--timeout", &command.timeout_seconds, "A probe is lost after this long");
  app.add_option("--tries", trace.tries, "Probes before an answer counts as missing")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  app.add_option("--probe-rate", trace.probes_per_second, "Probes a second, at most")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--interface", command.interface, "Send from this interface")->type_name("IF");
  app.add_option("--tcp-port", command.tcp_port, "Where responders serve their records")
      ->capture_default_str();
}

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     HopsCommand& command) {
  Options parser(kName,
                 "Finds by experiment how each hop chooses among its next hops: by flow, packet or "
                 "load, by which header fields, and how evenly. Exit code 1: no destination was "
                 "reached; 4: something could not be told.");
  CLI::App& app = parser.app();
  app.add_option("DEST", command.destinations, "Addresses of responders, or names in --targets")
      ->required();
  app.add_option("--name", command.trace.source_name, "This host's name in the records");
  app.add_option("--target,--targets", command.target_files,
                 "Target records (default: the responders are asked)")
      ->type_name("FILE");
  AddExperimentOptions(app, command);
  AddProbeOptions(parser, command);
  parser.AddSeed(&command.trace.seed);
  parser.AddFormat(&command.format);
  parser.AddOutput(&command.output);
  if (const auto code = parser.Parse(arguments)) return code;
  if (!command.also.empty() && command.destinations.size() > 1) {
    return UsageError(kName, "--also goes with one DEST: they are behind the same switches as it");
  }
  command.trace.timeout_ns = static_cast<int64_t>(command.timeout_seconds * 1e9);
  command.trace.measured_at =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  command.trace.stop = [] { return Interrupted(); };
  for (const std::string& text : command.sources) {
    const auto address = wire::IpAddress::Parse(text);
    if (!address) {
      return UsageError(kName, absl::StrCat("--source ", text, ": expected an IP address"));
    }
    command.hops.sources.push_back(*address);
  }
  return std::nullopt;
}

probe::HopsOptions HopsOptionsOf(const HopsCommand& command) {
  probe::HopsOptions options = command.hops;
  options.confidence = command.trace.confidence;
  options.tries = command.trace.tries;
  options.timeout_ns = command.trace.timeout_ns;
  options.probes_per_second = command.trace.probes_per_second;
  options.seed = command.trace.seed;
  options.stop = command.trace.stop;
  if (command.no_load) options.load_packets = 0;
  return options;
}

absl::StatusOr<std::vector<probe::TraceDestination>> FindDestinations(const HopsCommand& command,
                                                                      const Targets& targets) {
  std::vector<probe::TraceDestination> destinations;
  for (const std::string& text : command.destinations) {
    const absl::StatusOr<topology::Target> target = targets.Find(text, command.tcp_port);
    const std::optional<wire::IpAddress> address = wire::IpAddress::Parse(text);
    if (!target.ok() && !address) return target.status();
    // One that does not answer on TCP is traced all the same.
    if (!target.ok()) PrintWarning(kName, std::string(target.status().message()));
    probe::TraceDestination destination;
    if (target.ok()) {
      destination.target = {
          .address = target->address, .dest_qpn = target->dest_qpn, .q_key = target->q_key};
      destination.name = target->name;
    } else {
      destination.target.address = *address;
    }
    destinations.push_back(std::move(destination));
  }
  return destinations;
}

absl::StatusOr<std::vector<wire::IpAddress>> FindOthers(const HopsCommand& command,
                                                        const Targets& targets) {
  std::vector<wire::IpAddress> others;
  for (const std::string& text : command.also) {
    if (const auto address = wire::IpAddress::Parse(text)) {
      others.push_back(*address);
      continue;
    }
    const absl::StatusOr<topology::Target> target = targets.Find(text, command.tcp_port);
    if (!target.ok()) return target.status();
    others.push_back(target->address);
  }
  return others;
}

// The experiments on one traced pair.
absl::StatusOr<HopsOfPair> Examine(probe::Endpoint& endpoint, const HopsCommand& command,
                                   const probe::TraceResult& traced,
                                   const probe::ProbeTarget& target,
                                   const std::vector<wire::IpAddress>& others, Progress& progress) {
  probe::IcmpBudget budget(
      {.per_second = command.trace.icmp_per_second, .probers = command.trace.probers});
  probe::HopsOptions options = HopsOptionsOf(command);
  options.progress = [&](const std::string& what) {
    progress.Update(absl::StrCat(target.address.ToString(), ": ", what));
  };
  const probe::HopsInput input = {
      .table = traced.table, .target = target, .answers = traced.reached, .others = others};
  absl::StatusOr<probe::HopsResult> hops = probe::ExamineHops(endpoint, budget, input, options);
  if (!hops.ok()) return hops.status();
  HopsOfPair pair = {.hops = *std::move(hops), .linear = {}, .problem = traced.problem};
  if (!command.linear || Interrupted()) return pair;
  progress.Update(absl::StrCat(target.address.ToString(), ": whether the hash is linear"));
  absl::StatusOr<probe::LinearPortsResult> linear =
      probe::LearnPorts(endpoint, budget, pair.hops.table, target,
                        {.ports_per_path = command.computed_ports,
                         .tries = options.tries,
                         .timeout_ns = options.timeout_ns,
                         .probes_per_second = options.probes_per_second,
                         .seed = options.seed,
                         .stop = options.stop});
  if (!linear.ok()) return linear.status();
  pair.hops.table = linear->table;
  pair.linear = *std::move(linear);
  return pair;
}

ExitCode ExitCodeFor(std::span<const HopsOfPair> pairs, bool any_reached, bool partial) {
  if (!any_reached) return ExitCode::kFindings;
  const bool complete = std::ranges::all_of(pairs, [](const HopsOfPair& pair) {
    return pair.problem.empty() && std::ranges::none_of(pair.hops.hops, [](const auto& report) {
             const topology::HopBehaviour& hop = report.behaviour;
             return hop.next_hop_count != 1 && hop.mode == topology::HopMode::kUnknown;
           });
  });
  return complete && !partial && !Interrupted() ? ExitCode::kOk : ExitCode::kPartial;
}

}  // namespace

ExitCode RunHops(const std::vector<std::string>& arguments) {
  HopsCommand command;
  if (const auto code = ParseOptions(arguments, command)) return *code;
  CatchInterrupts();
  bool partial = false;
  const auto targets = Targets::Read(kName, command.target_files, &partial);
  if (!targets.ok()) return PrintError(kName, targets.status());
  const auto destinations = FindDestinations(command, *targets);
  if (!destinations.ok()) return PrintError(kName, destinations.status());
  const auto others = FindOthers(command, *targets);
  if (!others.ok()) return PrintError(kName, others.status());
  auto endpoint = probe::UdpEndpoint::Create({.interface = command.interface});
  if (!endpoint.ok()) return PrintError(kName, endpoint.status());

  Progress progress;
  progress.Update("tracing");
  const auto traced = probe::Trace(**endpoint, *destinations, command.trace);
  if (!traced.ok()) return PrintError(kName, traced.status());
  std::vector<HopsOfPair> pairs;
  bool any_reached = false;
  for (size_t i = 0; i < traced->size() && !Interrupted(); ++i) {
    auto pair =
        Examine(**endpoint, command, (*traced)[i], (*destinations)[i].target, *others, progress);
    if (!pair.ok()) return PrintError(kName, pair.status());
    any_reached = any_reached || (*traced)[i].reached;
    pairs.push_back(*std::move(pair));
  }
  progress.Done();

  if (command.output != "-") PrintHops(pairs, Resolve(command.format));
  if (!command.output.empty()) {
    std::vector<topology::PathTable> tables;
    for (const HopsOfPair& pair : pairs) tables.push_back(pair.hops.table);
    const absl::Status status = topology::WriteRecords<topology::PathTable>(command.output, tables);
    if (!status.ok()) return PrintError(kName, status);
  }
  return ExitCodeFor(pairs, any_reached, partial || pairs.size() < traced->size());
}

}  // namespace weft::command
