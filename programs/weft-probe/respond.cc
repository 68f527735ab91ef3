// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/local_interface.h"
#include "probe/endpoint/udp/socket_address.h"
#include "probe/respond/responder.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/subcommands.h"
#include "topology/records/record_file.h"

namespace weft::command {
namespace {

constexpr const char* kName = "weft-probe respond";

struct RespondOptions {
  probe::ResponderOptions responder;
  std::string address;
  std::string output = "-";
  double max_rate_bps = 100e9;
  double max_duration_seconds = 3600;
};

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     RespondOptions& options) {
  Options parser(
      kName,
      "Answer probes on UDP port 4791 and count the elephants that are sent there. Prints "
      "its target record, then serves until Ctrl-C.");
  CLI::App& app = parser.app();
  app.add_option("--name", options.responder.name, "This host's name (default: the hostname)");
  app.add_option("--address", options.address,
                 "Local address to answer on (default: this host's only one, IPv4 where it has "
                 "both; 0.0.0.0: all of IPv4, ::, all of IPv6)");
  app.add_option("--interface", options.responder.interface, "Answer only here")->type_name("IF");
  app.add_option("--tcp-port", options.responder.tcp_port,
                 "TCP port that serves the target record; 0: none")
      ->capture_default_str();
  app.add_option("--qpn", options.responder.dest_qpn, "Queue pair number (default: random)")
      ->check(CLI::Range(2u, 0xfffffeu))
      ->type_name("QPN");
  app.add_option("--q-key", options.responder.q_key, "Q_Key (default: random)")->type_name("KEY");
  app.add_option("--max-flows", options.responder.flow_limits.flows, "Elephants at once")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str();
  parser.AddRate("--max-rate", &options.max_rate_bps, "Largest rate of one elephant");
  parser.AddDuration("--max-duration", &options.max_duration_seconds, "Longest elephant");
  parser.AddSeed(&options.responder.seed);
  parser.AddOutput(&options.output);
  return parser.Parse(arguments);
}

// Leaves of this host's addresses those that `asked` means; none asked for: those of its network,
// IPv4's where it has both.
void KeepMeant(const std::optional<wire::IpAddress>& asked,
               std::vector<probe::LocalAddressInfo>& all) {
  if (asked) {
    const bool every = probe::IsEveryAddress(*asked);
    const bool loopback = asked->IsV4() && asked->v4() >> 24 == 127;
    std::erase_if(all, [&](const auto& info) {
      if (info.address.family() != asked->family()) return true;
      if (loopback) return !info.is_loopback;  // all of 127.0.0.0/8 is there, one is listed
      return !every && info.address != *asked;
    });
    if (!every) return;
  }
  const bool has_network =
      std::any_of(all.begin(), all.end(), [](const auto& info) { return !info.is_loopback; });
  if (has_network) std::erase_if(all, [](const auto& info) { return info.is_loopback; });
  const bool has_v4 =
      std::any_of(all.begin(), all.end(), [](const auto& info) { return info.address.IsV4(); });
  if (has_v4) std::erase_if(all, [](const auto& info) { return info.address.IsV6(); });
}

// The local address to own, and what the largest packet to it may carry.
absl::Status ChooseAddress(RespondOptions& options) {
  absl::StatusOr<std::vector<probe::LocalAddressInfo>> all = probe::LocalAddresses();
  if (!all.ok()) return all.status();
  probe::ResponderOptions& responder = options.responder;
  if (!responder.interface.empty()) {
    absl::Status status = probe::CheckInterface(responder.interface);
    if (!status.ok()) return status;
    std::erase_if(*all, [&](const auto& info) { return info.interface != responder.interface; });
  }
  std::optional<wire::IpAddress> asked;
  if (!options.address.empty()) {
    asked = wire::IpAddress::Parse(options.address);
    if (!asked) {
      return absl::InvalidArgumentError("--address \"" + options.address +
                                        "\": expected an IP address");
    }
  }
  KeepMeant(asked, *all);
  if (all->empty()) {
    return absl::NotFoundError(
        asked ? options.address + ": not an address of this host"
              : absl::StrCat(responder.interface.empty() ? "this host" : responder.interface,
                             ": no address that is up"));
  }
  if (!asked && all->size() > 1) {
    std::vector<std::string> texts;
    for (const auto& info : *all) texts.push_back(info.address.ToString());
    return absl::InvalidArgumentError(absl::StrCat("several addresses (",
                                                   absl::StrJoin(texts, ", "),
                                                   "): choose with --address or --interface"));
  }
  const auto least = std::min_element(all->begin(), all->end(),
                                      [](const auto& a, const auto& b) { return a.mtu < b.mtu; });
  responder.path_mtu = probe::PathMtuFor(least->mtu, least->address);
  if (responder.path_mtu == 0) {
    return absl::InvalidArgumentError(absl::StrCat("interface ", least->interface, ": MTU ",
                                                   least->mtu, ": expected at least ",
                                                   least->address.IsV6() ? 328 : 308));
  }
  responder.advertised_address = all->front().address;
  responder.address = asked ? *asked : all->front().address;
  return absl::OkStatus();
}

std::string Hostname() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void PrintCounters(const probe::ResponderCounters& counters) {
  std::fprintf(stderr, "%s: %llu answers, %llu data packets of %llu flows, %llu records served\n",
               kName, static_cast<unsigned long long>(counters.answers),
               static_cast<unsigned long long>(counters.data_packets),
               static_cast<unsigned long long>(counters.flows_accepted),
               static_cast<unsigned long long>(counters.records_served));
  struct Row {
    uint64_t count;
    const char* what;
  };
  const std::array<Row, 9> rows = {{
      {counters.reply_port_busy, "answers from another port than asked (it was not to be had)"},
      {counters.malformed, "packets that are not ours"},
      {counters.bad_icrc, "packets with a wrong ICRC"},
      {counters.wrong_qp, "packets with another QPN or Q_Key"},
      {counters.rate_limited, "questions over the rate limit"},
      {counters.not_sent, "answers that the kernel did not take"},
      {counters.flows_refused, "offers refused"},
      {counters.unknown_flow, "packets of unknown flows"},
      {counters.socket_drops,
       "packets dropped at this socket (this host was too slow, not the "
       "fabric)"},
  }};
  for (const Row& row : rows) {
    if (row.count == 0) continue;
    std::fprintf(stderr, "  %llu %s\n", static_cast<unsigned long long>(row.count), row.what);
  }
}

}  // namespace

ExitCode RunRespond(const std::vector<std::string>& arguments) {
  RespondOptions options;
  if (const auto code = ParseOptions(arguments, options)) return *code;
  if (options.responder.name.empty()) options.responder.name = Hostname();
  absl::Status status = ChooseAddress(options);
  if (absl::IsInvalidArgument(status)) return UsageError(kName, std::string(status.message()));
  if (!status.ok()) return PrintError(kName, status);
  probe::FlowLimits& limits = options.responder.flow_limits;
  limits.rate_bps = static_cast<uint64_t>(options.max_rate_bps);
  limits.duration_ms = static_cast<uint32_t>(std::min(options.max_duration_seconds, 4e6) * 1e3);
  limits.packet_payload_bytes = options.responder.path_mtu;

  CatchInterrupts();
  auto responder = probe::Responder::Create(options.responder);
  if (!responder.ok()) return PrintError(kName, responder.status());
  status = topology::WriteRecords<topology::Target>(options.output,
                                                    std::span(&(*responder)->target(), 1));
  if (!status.ok()) return PrintError(kName, status);
  constexpr int64_t kLookForInterruptsNs = 1'000'000'000;
  while (!Interrupted()) (*responder)->Step(probe::MonotonicNs() + kLookForInterruptsNs);
  PrintCounters((*responder)->counters());
  return ExitCode::kOk;
}

}  // namespace weft::command
