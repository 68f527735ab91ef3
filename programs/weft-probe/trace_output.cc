// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-probe/trace_output.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "programs/command/json.h"

namespace weft::command {
namespace {

using topology::Path;
using topology::PathTable;

constexpr size_t kShownPorts = 4;

std::string HopText(const topology::Hop& hop) {
  return hop.address.empty() ? "*" : hop.address.ToString();
}

std::string PortsText(const Path& path) {
  const size_t shown = std::min(kShownPorts, path.udp_src_ports.size());
  const std::vector<uint16_t> first(
      path.udp_src_ports.begin(), path.udp_src_ports.begin() + static_cast<std::ptrdiff_t>(shown));
  return absl::StrCat(path.udp_src_ports.size(),
                      path.udp_src_ports.size() == 1 ? " port: " : " ports: ",
                      absl::StrJoin(first, " "), shown < path.udp_src_ports.size() ? " .." : "");
}

std::string StateText(const Path& path) {
  return absl::StrCat(topology::ToString(path.state), " ", path.probes_answered, "/",
                      path.probes_sent);
}

// The end of a path, from where no other shares it.
std::string RestText(const Path& rest) {
  if (rest.hops.empty()) return rest.reaches_destination ? "(destination)" : "(no answer)";
  return rest.reaches_destination ? HopsText(rest) : HopsText(rest) + " > (no further answer)";
}

// Rows of the tree: a hop that several paths share stands once, above them; from where a path is
// alone its hops stand in one line.
void AddTree(std::span<const Path> paths, size_t depth,
             std::vector<std::vector<std::string>>& rows) {
  for (size_t begin = 0; begin < paths.size();) {
    const std::vector<topology::Hop>& hops = paths[begin].hops;
    size_t end = begin + 1;
    while (depth < hops.size() && end < paths.size() && depth < paths[end].hops.size() &&
           paths[end].hops[depth].address == hops[depth].address) {
      ++end;
    }
    const std::string indent(2 * depth + 2, ' ');
    if (end - begin > 1) {
      rows.push_back({absl::StrCat(indent, HopText(hops[depth]))});
      AddTree(paths.subspan(begin, end - begin), depth + 1, rows);
    } else {
      Path rest = paths[begin];
      rest.hops.erase(rest.hops.begin(), rest.hops.begin() + static_cast<std::ptrdiff_t>(depth));
      rows.push_back({absl::StrCat(indent, RestText(rest)), StateText(rest), PortsText(rest)});
    }
    begin = end;
  }
}

void PrintTree(const PathTable& table) {
  std::vector<std::vector<std::string>> rows;
  AddTree(table.paths, 0, rows);
  size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[0].size());
  for (const auto& row : rows) {
    if (row.size() == 1) {
      std::printf("%s\n", row[0].c_str());
    } else {
      std::printf("%-*s   %-12s  %s\n", static_cast<int>(width), row[0].c_str(), row[1].c_str(),
                  row[2].c_str());
    }
  }
}

// What steering needs to know of the hops, and what was odd.
void PrintOddities(const PathTable& table) {
  if (!table.hidden_reason.empty()) std::printf("  %s\n", table.hidden_reason.c_str());
  if (!table.void_reason.empty()) std::printf("  void: %s\n", table.void_reason.c_str());
  for (const topology::HopBehaviour& hop : table.hop_behaviours) {
    if (hop.mode == topology::HopMode::kHashed) continue;
    std::printf("  hop %u (%s): %s among %u next hops, by %u repeated probes\n", hop.hop_index,
                hop.address.empty() ? "*" : hop.address.ToString().c_str(),
                topology::ToString(hop.mode), hop.next_hop_count, hop.mode_probes);
  }
  PrintFindings(table.findings);
}

void PrintText(const TraceRun& run) {
  uint64_t sent = 0;
  uint64_t asked = 0;
  bool sure = true;
  bool all_seen = true;
  for (const probe::TraceResult& result : run.results) {
    const PathTable& table = result.table;
    size_t ports = 0;
    for (const Path& path : table.paths) ports += path.udp_src_ports.size();
    const size_t paths = table.paths.size();
    std::printf("%s -> %s: %zu path%s, %zu ports, %u probes (%.2f x the %u of MDA)\n",
                NameAndAddress(table.source, table.source_address).c_str(),
                NameAndAddress(table.destination, table.destination_address).c_str(), paths,
                paths == 1 ? "" : "s", ports, table.probes_sent,
                static_cast<double>(table.probes_sent) / std::max(1U, table.probes_asked),
                table.probes_asked);
    PrintTree(table);
    PrintOddities(table);
    const bool hidden = !table.hidden_reason.empty();
    if (paths == 1 && result.reached && !hidden) std::printf("  single path: nothing to balance\n");
    if (!result.problem.empty()) std::printf("  %s\n", result.problem.c_str());
    if (!result.unplaced_ports.empty()) {
      std::printf("  ports whose path is not known: %s\n",
                  absl::StrJoin(result.unplaced_ports, " ").c_str());
    }
    sent += table.probes_sent;
    asked += table.probes_asked;
    sure = sure && table.confidence > 0;
    all_seen = all_seen && !hidden && std::ranges::all_of(table.paths, &Path::reaches_destination);
  }
  std::printf("%zu pair%s, %s probes (%.2f x MDA) in %s; ", run.results.size(),
              run.results.size() == 1 ? "" : "s", absl::StrCat(sent).c_str(),
              static_cast<double>(sent) / static_cast<double>(std::max<uint64_t>(1, asked)),
              FormatSeconds(run.seconds).c_str());
  if (sure) {
    std::printf("with confidence %g %% no path %sis missing\n", run.confidence * 100,
                all_seen ? "" : "that answers ");
  } else {
    std::printf("paths may be missing: not every stopping rule was met\n");
  }
}

command::Json ToJson(const probe::TraceResult& result) {
  const PathTable& table = result.table;
  command::Json paths = command::Json::array();
  for (const Path& path : table.paths) {
    std::vector<std::string> hops;
    for (const topology::Hop& hop : path.hops) hops.push_back(hop.address.ToString());
    paths.push_back({{"hops", hops},
                     {"reaches_destination", path.reaches_destination},
                     {"udp_src_ports", path.udp_src_ports},
                     {"state", topology::ToString(path.state)},
                     {"probes_sent", path.probes_sent},
                     {"probes_answered", path.probes_answered}});
  }
  command::Json behaviours = command::Json::array();
  for (const topology::HopBehaviour& hop : table.hop_behaviours) {
    behaviours.push_back({{"hop_index", hop.hop_index},
                          {"address", hop.address.ToString()},
                          {"next_hop_count", hop.next_hop_count},
                          {"mode", topology::ToString(hop.mode)},
                          {"mode_probes", hop.mode_probes}});
  }
  return {{"source", table.source},
          {"source_address", table.source_address.ToString()},
          {"destination", table.destination},
          {"destination_address", table.destination_address.ToString()},
          {"reached", result.reached},
          {"problem", result.problem},
          {"unplaced_ports", result.unplaced_ports},
          {"confidence", table.confidence},
          {"probes_sent", table.probes_sent},
          {"probes_asked", table.probes_asked},
          {"void_reason", table.void_reason},
          {"hidden_reason", table.hidden_reason},
          {"hop_behaviours", behaviours},
          {"findings", command::FindingsJson(table.findings)},
          {"paths", paths}};
}

void PrintJson(const TraceRun& run) {
  command::Json pairs = command::Json::array();
  uint64_t sent = 0;
  uint64_t asked = 0;
  for (const probe::TraceResult& result : run.results) {
    pairs.push_back(ToJson(result));
    sent += result.table.probes_sent;
    asked += result.table.probes_asked;
  }
  const command::Json json = {{"confidence", run.confidence},
                              {"seconds", run.seconds},
                              {"probes_sent", sent},
                              {"probes_asked", asked},
                              {"pairs", pairs}};
  command::PrintJson(json);
}

void PrintCsv(const TraceRun& run) {
  std::printf("source_address,destination_address,hops,reaches_destination,state,udp_src_ports\n");
  for (const probe::TraceResult& result : run.results) {
    for (const Path& path : result.table.paths) {
      std::printf("%s,%s,%s,%d,%s,%s\n", result.table.source_address.ToString().c_str(),
                  result.table.destination_address.ToString().c_str(), HopsText(path).c_str(),
                  path.reaches_destination ? 1 : 0, topology::ToString(path.state),
                  absl::StrJoin(path.udp_src_ports, " ").c_str());
    }
  }
}

}  // namespace

std::string NameAndAddress(const std::string& name, const wire::IpAddress& address) {
  if (name.empty()) return address.ToString();
  return address.empty() ? name : absl::StrCat(name, " (", address.ToString(), ")");
}

std::string HopsText(const Path& path) {
  if (path.hops.empty()) return "(none between)";
  std::vector<std::string> hops;
  for (const topology::Hop& hop : path.hops) hops.push_back(HopText(hop));
  return absl::StrJoin(hops, " > ");
}

void PrintTrace(const TraceRun& run, Format format) {
  switch (format) {
    case Format::kJson:
      return PrintJson(run);
    case Format::kCsv:
      return PrintCsv(run);
    default:
      return PrintText(run);
  }
}

}  // namespace weft::command
