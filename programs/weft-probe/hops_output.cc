// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-probe/hops_output.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "probe/hashing/hop_findings.h"
#include "programs/command/json.h"
#include "programs/weft-probe/trace_output.h"

namespace weft::command {
namespace {

using topology::HopBehaviour;
using topology::PathTable;

std::string NextHopText(const HopBehaviour& hop) {
  return hop.next_hop_count == 0 ? "?" : absl::StrCat(hop.next_hop_count);
}

std::string ModeText(const HopBehaviour& hop) {
  return hop.next_hop_count == 1 ? "-" : topology::ToString(hop.mode);
}

std::string LinearText(const probe::LinearPortsResult& linear, size_t path_count) {
  if (!linear.verified) {
    return absl::StrCat("not linear (", linear.reason, "): the ports are those that were traced");
  }
  size_t ports = 0;
  for (const topology::Path& path : linear.table.paths) {
    ports += path.computed_udp_src_ports.size();
  }
  return absl::StrFormat(
      "linear: learnt from %u ports and verified on %u others with %d probes; %d ports computed "
      "for %d paths (searching them takes %d probes or more: %.1f x)",
      linear.learnt_ports, linear.verified_ports, linear.probes_sent, ports, path_count,
      linear.probes_by_search,
      static_cast<double>(linear.probes_by_search) /
          static_cast<double>(std::max<uint64_t>(1, linear.probes_sent)));
}

constexpr size_t kShownPorts = 8;  // -o FILE and JSON have all

// The computed ports of every path, where the map was verified.
void PrintLinearPaths(const PathTable& table) {
  for (const topology::Path& path : table.paths) {
    const std::vector<uint16_t>& ports = path.computed_udp_src_ports;
    const size_t shown = std::min(kShownPorts, ports.size());
    std::printf(
        "    %s: %s%s\n", HopsText(path).c_str(),
        ports.empty()
            ? "no port"
            : absl::StrJoin(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(shown), " ")
                  .c_str(),
        shown < ports.size() ? " .." : "");
  }
}

void PrintText(std::span<const HopsOfPair> pairs) {
  for (const HopsOfPair& pair : pairs) {
    const PathTable& table = pair.hops.table;
    std::printf("%s -> %s: %zu path%s, %zu hops, %s probes\n",
                NameAndAddress(table.source, table.source_address).c_str(),
                NameAndAddress(table.destination, table.destination_address).c_str(),
                table.paths.size(), table.paths.size() == 1 ? "" : "s", pair.hops.hops.size(),
                absl::StrCat(pair.hops.probes_sent).c_str());
    std::vector<std::vector<std::string>> rows = {{"TTL", "hop", "next hops", "mode", "steering"}};
    for (const probe::HopReport& report : pair.hops.hops) {
      rows.push_back({absl::StrCat(report.behaviour.hop_index), probe::NameOf(report.behaviour),
                      NextHopText(report.behaviour), ModeText(report.behaviour),
                      probe::SteeringText(report)});
    }
    std::printf("%s", FormatTable(rows).c_str());
    for (const probe::HopReport& report : pair.hops.hops) {
      for (const std::string& sentence : probe::Sentences(report)) {
        std::printf("  %s\n", sentence.c_str());
      }
    }
    if (pair.linear) {
      std::printf("  %s\n", LinearText(*pair.linear, table.paths.size()).c_str());
      if (pair.linear->verified) PrintLinearPaths(table);
    }
    if (!pair.problem.empty()) std::printf("  %s\n", pair.problem.c_str());
    PrintFindings(table.findings);
  }
}

Json ToJson(const probe::HopReport& report, const PathTable& table) {
  const HopBehaviour& hop = report.behaviour;
  Json fields = Json::array();
  for (const topology::FieldEffect& effect : hop.fields) {
    fields.push_back({{"field", topology::ToString(effect.field)},
                      {"effect", topology::ToString(effect.effect)},
                      {"values", effect.values},
                      {"next_hops", effect.next_hops}});
  }
  const probe::HashQuality& quality = report.quality;
  return {{"destination", table.destination},
          {"destination_address", table.destination_address.ToString()},
          {"hop_index", hop.hop_index},
          {"address", hop.address.ToString()},
          {"node", hop.node},
          {"next_hop_count", hop.next_hop_count},
          {"mode", topology::ToString(hop.mode)},
          {"mode_probes", hop.mode_probes},
          {"mode_reason", report.mode.reason},
          {"note", report.note},
          {"fields", fields},
          {"evenness", probe::ToString(quality.evenness)},
          {"flows", quality.flow_count},
          {"fullest", quality.fullest},
          {"emptiest", quality.emptiest},
          {"chance", quality.probability},
          {"steering", probe::SteeringText(report)}};
}

Json ToJson(const probe::LinearPortsResult& linear) {
  Json paths = Json::array();
  for (const topology::Path& path : linear.table.paths) {
    std::vector<std::string> hops;
    for (const topology::Hop& hop : path.hops) hops.push_back(hop.address.ToString());
    paths.push_back({{"hops", hops}, {"computed_udp_src_ports", path.computed_udp_src_ports}});
  }
  return {{"destination", linear.table.destination},
          {"destination_address", linear.table.destination_address.ToString()},
          {"verified", linear.verified},
          {"reason", linear.reason},
          {"learnt_ports", linear.learnt_ports},
          {"verified_ports", linear.verified_ports},
          {"probes_sent", linear.probes_sent},
          {"probes_by_search", linear.probes_by_search},
          {"paths", paths}};
}

void PrintJson(std::span<const HopsOfPair> pairs) {
  Json hops = Json::array();
  Json linear = Json::array();
  std::vector<topology::Finding> findings;
  uint64_t probes_sent = 0;
  for (const HopsOfPair& pair : pairs) {
    const PathTable& table = pair.hops.table;
    for (const probe::HopReport& report : pair.hops.hops) hops.push_back(ToJson(report, table));
    if (pair.linear) linear.push_back(ToJson(*pair.linear));
    findings.insert(findings.end(), table.findings.begin(), table.findings.end());
    probes_sent += pair.hops.probes_sent + (pair.linear ? pair.linear->probes_sent : 0);
  }
  command::PrintJson({{"hops", hops},
                      {"linear", linear},
                      {"probes_sent", probes_sent},
                      {"findings", FindingsJson(findings)}});
}

void PrintCsv(std::span<const HopsOfPair> pairs) {
  std::printf(
      "destination_address,hop_index,address,node,next_hop_count,mode,mode_probes,field,effect,"
      "values,next_hops\n");
  for (const HopsOfPair& pair : pairs) {
    for (const probe::HopReport& report : pair.hops.hops) {
      const HopBehaviour& hop = report.behaviour;
      const std::string begin =
          absl::StrCat(pair.hops.table.destination_address.ToString(), ",", hop.hop_index, ",",
                       hop.address.ToString(), ",", CsvField(hop.node), ",", hop.next_hop_count,
                       ",", topology::ToString(hop.mode), ",", hop.mode_probes);
      if (hop.fields.empty()) std::printf("%s,,,,\n", begin.c_str());
      for (const topology::FieldEffect& effect : hop.fields) {
        std::printf("%s,%s,%s,%u,%u\n", begin.c_str(), topology::ToString(effect.field),
                    topology::ToString(effect.effect), effect.values, effect.next_hops);
      }
    }
  }
}

}  // namespace

void PrintHops(std::span<const HopsOfPair> pairs, Format format) {
  switch (format) {
    case Format::kJson:
      return PrintJson(pairs);
    case Format::kCsv:
      return PrintCsv(pairs);
    default:
      return PrintText(pairs);
  }
}

}  // namespace weft::command
