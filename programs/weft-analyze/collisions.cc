// SPDX-License-Identifier: Apache-2.0
#include "analyzer/collisions/collisions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"

namespace weft::analyze {
namespace {

using analyzer::CollisionReport;
using topology::LinkLoad;

constexpr const char* kName = "weft-analyze collisions";

command::Json ToJson(const LinkLoad& link) {
  return {{"link", ToString(link.link)},
          {"from_interface", link.link.from.interface},
          {"to_interface", link.link.to.interface},
          {"flows", link.flows},
          {"offered_bps", link.offered_bps},
          {"capacity_bps", command::OrNull(link.capacity_bps)},
          {"load", command::OrNull(link.load)}};
}

void PrintJson(const CollisionReport& report) {
  command::Json json = {
      {"flows", report.flow_count},
      {"flows_without_path", command::Json::array()},
      {"fullest_link", command::OrNull(report.fullest_link)},
      {"fullest_link_name",
       report.fullest_link ? command::Json(report.fullest_link_name) : command::Json(nullptr)},
      {"idle_links", report.idle_links},
      {"dead_links", command::Json::array()},
      {"links_with_several", report.links_with_several},
      {"links", command::Json::array()},
      {"host_links", command::Json::array()},
      {"findings", command::FindingsJson(report.findings)}};
  for (const analyzer::UnplacedFlow& flow : report.unplaced) {
    json["flows_without_path"].push_back(
        {{"flow", flow.flow}, {"reason", flow.reason}, {"dead", flow.dead}});
  }
  for (const topology::DirectedLink& link : report.dead_links) {
    json["dead_links"].push_back(ToString(link));
  }
  for (const LinkLoad& link : report.links) json["links"].push_back(ToJson(link));
  for (const LinkLoad& link : report.host_links) json["host_links"].push_back(ToJson(link));
  command::PrintJson(json);
}

// One mark per tenth of the capacity, "|" where it is full.
std::string Bar(const std::optional<double>& load) {
  if (!load) return "";
  constexpr int kFull = 10;
  constexpr int kWidest = 40;
  const int marks = std::min(kWidest, static_cast<int>(std::lround(*load * kFull)));
  std::string bar;
  for (int i = 0; i < std::max(marks, kFull); ++i) {
    if (i == kFull) bar += '|';
    bar += i < marks ? '#' : '.';
  }
  return bar;
}

std::string Names(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) text += ", and " + std::to_string(names.size() - most) + " more";
  return text;
}

void PrintLinks(const CollisionReport& report) {
  constexpr size_t kMaxRows = 40;
  std::vector<std::vector<std::string>> rows = {{"link", "flows", "offered", "load", "", "which"}};
  std::vector<std::string> idle;
  size_t more = 0;
  for (const LinkLoad& link : report.links) {
    if (link.flows.empty()) {
      idle.push_back(ToString(link.link));
    } else if (rows.size() > kMaxRows) {
      ++more;
    } else {
      rows.push_back({ToString(link.link), std::to_string(link.flows.size()),
                      command::FormatRate(link.offered_bps), Percent(link.load), Bar(link.load),
                      Names(link.flows, 4)});
    }
  }
  if (rows.size() > 1) std::printf("\n%s", command::FormatTable(rows).c_str());
  if (more > 0) std::printf("and %zu links that are less full\n", more);
  if (!idle.empty()) std::printf("\nidle: %s\n", Names(idle, kMaxRows).c_str());
}

void PrintText(const CollisionReport& report) {
  std::printf("%s on %s between switches: %u with several flows, %u idle",
              Count(report.flow_count - report.unplaced.size(), "flow").c_str(),
              Count(report.links.size(), "directed link").c_str(), report.links_with_several,
              report.idle_links);
  if (!report.dead_links.empty()) std::printf(", %zu dead", report.dead_links.size());
  std::printf("\n");
  if (report.fullest_link) {
    std::printf("fullest: %s, %s of its capacity\n", report.fullest_link_name.c_str(),
                Percent(report.fullest_link).c_str());
  } else {
    std::printf("fullest: unknown, no capacities (give them with --fabric)\n");
  }
  PrintLinks(report);
  std::vector<std::string> dead;
  for (const topology::DirectedLink& link : report.dead_links) dead.push_back(ToString(link));
  if (!dead.empty()) std::printf("dead: %s\n", Names(dead, 40).c_str());
  if (!report.findings.empty()) std::printf("\n");
  command::PrintFindings(report.findings);
}

void PrintCsv(const CollisionReport& report) {
  std::printf("link,between_switches,flows,offered_bps,capacity_bps,load\n");
  for (const auto* links : {&report.links, &report.host_links}) {
    for (const LinkLoad& link : *links) {
      std::printf("%s,%d,%zu,%.17g,", command::CsvField(ToString(link.link)).c_str(),
                  link.between_switches ? 1 : 0, link.flows.size(), link.offered_bps);
      if (link.capacity_bps) std::printf("%.17g", *link.capacity_bps);
      std::printf(",");
      if (link.load) std::printf("%.17g", *link.load);
      std::printf("\n");
    }
  }
}

struct CollisionOptions {
  std::string flows;
  std::vector<std::string> paths;
  std::string fabric;
  std::string output;
  command::Format format = command::Format::kAuto;
};

absl::StatusOr<CollisionReport> Analyze(const CollisionOptions& options, bool* partial) {
  const auto flows = command::ReadRecordFiles<topology::Flow>(kName, {options.flows}, partial);
  if (!flows.ok()) return flows.status();
  if (flows->empty())
    return absl::NotFoundError(options.flows + ": no flows: expected at least one");
  const auto tables = ReadTables(kName, options.paths, partial);
  if (!tables.ok()) return tables.status();
  const auto fabric = ReadOrInferFabric(kName, options.fabric, *tables, partial);
  if (!fabric.ok()) return fabric.status();
  auto report = analyzer::FindCollisions(*fabric, *flows, *tables);
  if (report.ok()) return report;
  return absl::Status(report.status().code(),
                      options.flows + ": " + std::string(report.status().message()));
}

}  // namespace

command::ExitCode Collisions(const std::vector<std::string>& arguments) {
  CollisionOptions chosen;
  command::Options options(
      kName,
      "Put every flow on the links of its measured path: which links carry several, which none. "
      "Exit "
      "code 1: more is offered to a link than it carries, or a flow's path is dead; 4: the path of "
      "some flow is not known.");
  options.app().add_option("FLOWS", chosen.flows, "Flow records")->required()->type_name("");
  options.AddPaths(&chosen.paths);
  options.app().get_option("--paths")->required();
  options.AddFabric(&chosen.fabric);
  options.AddOutput(&chosen.output);
  options.AddFormat(&chosen.format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const absl::StatusOr<CollisionReport> report = Analyze(chosen, &partial);
  if (!report.ok()) return command::PrintError(kName, report.status());
  if (!chosen.output.empty()) {
    std::vector<LinkLoad> links = report->links;
    links.insert(links.end(), report->host_links.begin(), report->host_links.end());
    const absl::Status written = topology::WriteRecords<LinkLoad>(chosen.output, links);
    if (!written.ok()) return command::PrintError(kName, written);
  }
  if (chosen.output != "-") {
    switch (command::Resolve(chosen.format)) {
      case command::Format::kText:
        PrintText(*report);
        break;
      case command::Format::kCsv:
        PrintCsv(*report);
        break;
      default:
        PrintJson(*report);
    }
  }
  for (const analyzer::UnplacedFlow& flow : report->unplaced) partial |= !flow.dead;
  return command::Worse(command::ExitCodeOf(report->findings),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::analyze
