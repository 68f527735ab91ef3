// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/capture_input.h"
#include "programs/weft-analyze/capture_json.h"
#include "programs/weft-analyze/capture_text.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"
#include "programs/weft-analyze/timeline.h"

namespace weft::analyze {
namespace {

using analyzer::CapturedPacket;
using analyzer::Connection;

constexpr const char* kName = "weft-analyze connection";
constexpr size_t kUnusualInText = 200;
constexpr size_t kUsualInText = 20;
constexpr size_t kMaxEvents = 1'000'000;

struct ConnectionOptions {
  CaptureInput input;
  bool all = false;
  command::Format format = command::Format::kAuto;
};

struct Pass {
  analyzer::CaptureAnalysis analysis;
  std::vector<analyzer::CaptureProblem> problems;
  bool was_interrupted = false;
};

absl::StatusOr<Pass> ReadOnce(const ConnectionOptions& options, const PacketChoice& choice,
                              analyzer::FlowObserver* observer) {
  auto reader = PacketReader::Open(options.input);
  if (!reader.ok()) return reader.status();
  std::optional<analyzer::CaptureAnalyzer> analyzer;
  const auto start = [&](int64_t first_ns) {
    analyzer::AnalysisOptions analysis = choice.OptionsFrom(first_ns);
    analysis.observer = observer;
    analyzer.emplace(analysis);
  };
  const absl::Status status = (*reader)->ForEachBatch([&](std::span<const CapturedPacket> packets) {
    for (const CapturedPacket& packet : packets) {
      if (!analyzer) start(packet.time_ns);
      analyzer->Add(packet);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  if (!analyzer) start(0);
  return Pass{.analysis = analyzer->Finish(),
              .problems = (*reader)->source().problems(),
              .was_interrupted = (*reader)->was_interrupted()};
}

// The one connection that is meant. NotFound and InvalidArgument say which there are.
absl::StatusOr<Connection> Choose(const std::vector<Connection>& connections) {
  if (connections.empty()) {
    return absl::NotFoundError("no connection of such a QPN and host in the capture");
  }
  if (connections.size() == 1) return connections.front();
  constexpr size_t kNamed = 8;
  std::string text = absl::StrCat(connections.size(),
                                  " connections fit, expected one: choose by "
                                  "--qp and --host:");
  for (size_t i = 0; i < std::min(kNamed, connections.size()); ++i) {
    absl::StrAppend(&text, "\n  ", FlowName(connections[i].forward), ", ",
                    Grouped(connections[i].forward.packets), " packets");
  }
  if (connections.size() > kNamed) absl::StrAppend(&text, "\n  ...");
  return absl::InvalidArgumentError(text);
}

void PrintText(const Connection& connection, const Timeline& timeline) {
  std::printf("%s, %s, %s: %s\n", FlowName(connection.forward).c_str(),
              wire::ToString(connection.forward.transport), ToString(connection.pairing),
              connection.pairing_reason.c_str());
  std::printf("captured %s%s%s\n", ToString(connection.vantage),
              connection.vantage_reason.empty() ? "" : ": ", connection.vantage_reason.c_str());
  if (connection.forward.has_times) {
    std::printf("first packet %s\n", TimeText(connection.forward.first_ns).c_str());
  }
  std::vector<std::string> counts;
  for (size_t kind = 0; kind < kEventKinds; ++kind) {
    if (timeline.counts()[kind] == 0) continue;
    std::printf("%s%s %s", counts.empty() ? "" : ", ",
                EventName(static_cast<analyzer::FlowEvent::Kind>(kind)),
                Grouped(timeline.counts()[kind]).c_str());
    counts.emplace_back();
  }
  std::printf("%s\n\n", counts.empty() ? "no events" : "");
  int64_t first_ns = connection.forward.first_ns;
  if (connection.backward) first_ns = std::min(first_ns, connection.backward->first_ns);
  std::vector<std::vector<std::string>> rows = {{"ms", "packet", "", "event", "PSN", "what"}};
  for (const Timeline::Event& event : timeline.events()) {
    std::array<char, 32> time{};
    std::snprintf(time.data(), time.size(), "%.6f",
                  static_cast<double>(event.event.time_ns - first_ns) / 1e6);
    rows.push_back({time.data(), std::to_string(event.event.packet), event.is_forward ? "->" : "<-",
                    EventName(event.event.kind), std::to_string(event.event.psn),
                    EventDetail(event.event)});
  }
  if (rows.size() > 1) std::printf("%s", command::FormatTable(rows).c_str());
  if (timeline.left_out() > 0) {
    std::printf("and %s events more (--all, or --format csv)\n",
                Grouped(timeline.left_out()).c_str());
  }
}

void PrintJson(const Connection& connection, const Timeline& timeline, const Pass& pass) {
  command::Json events = command::Json::array();
  for (const Timeline::Event& event : timeline.events()) {
    events.push_back({{"time_ns", event.event.time_ns},
                      {"packet", event.event.packet},
                      {"direction", event.is_forward ? "forward" : "backward"},
                      {"event", EventName(event.event.kind)},
                      {"psn", event.event.psn},
                      {"opcode", event.event.opcode},
                      {"value", event.event.value},
                      {"detail", EventDetail(event.event)}});
  }
  command::PrintJson({{"complete", pass.problems.empty() && !pass.was_interrupted},
                      {"connection", ConnectionJson(connection)},
                      {"left_out", timeline.left_out()},
                      {"events", events}});
}

void PrintCsv(const Timeline& timeline) {
  std::printf("time_ns,packet,direction,event,psn,opcode,value\n");
  for (const Timeline::Event& event : timeline.events()) {
    std::printf("%s\n", absl::StrCat(event.event.time_ns, ",", event.event.packet, ",",
                                     event.is_forward ? "forward" : "backward", ",",
                                     EventName(event.event.kind), ",", event.event.psn, ",",
                                     event.event.opcode, ",", event.event.value)
                            .c_str());
  }
}

}  // namespace

command::ExitCode Connection(const std::vector<std::string>& arguments) {
  ConnectionOptions chosen;
  command::Options options(
      kName,
      "One connection of a capture as a timeline: messages, acknowledgements, and whatever went "
      "wrong, in order. --qp and --host choose it. The files are read twice.");
  chosen.input.AddTo(options);
  options.app().add_flag("--all", chosen.all, "In text: every event");
  options.AddFormat(&chosen.format);
  if (const auto exit = options.Parse(arguments)) return *exit;
  const auto choice = ParseChoice(chosen.input);
  if (!choice.ok()) return command::UsageError(kName, std::string(choice.status().message()));
  if (!CanBeReadAgain(chosen.input)) {
    return command::UsageError(kName, "expected files, which are read twice");
  }

  command::CatchInterrupts();
  const auto first = ReadOnce(chosen, *choice, nullptr);
  if (!first.ok()) return command::PrintError(kName, first.status());
  const auto connection = Choose(first->analysis.connections);
  if (!connection.ok()) return command::PrintError(kName, connection.status());

  const command::Format format = command::Resolve(chosen.format);
  const bool few = format == command::Format::kText && !chosen.all;
  Timeline timeline(connection->forward.key,
                    connection->backward ? &connection->backward->key : nullptr,
                    {.max_usual = few ? kUsualInText : kMaxEvents,
                     .max_unusual = few ? kUnusualInText : kMaxEvents});
  const auto second = ReadOnce(chosen, *choice, &timeline);
  if (!second.ok()) return command::PrintError(kName, second.status());
  switch (format) {
    case command::Format::kText:
      PrintText(*connection, timeline);
      break;
    case command::Format::kCsv:
      PrintCsv(timeline);
      break;
    default:
      PrintJson(*connection, timeline, *second);
  }
  WarnOfProblems(kName, second->problems);
  const bool partial = !second->problems.empty() || second->was_interrupted;
  return partial ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::analyze
