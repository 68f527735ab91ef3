// SPDX-License-Identifier: Apache-2.0
#include "topology/export/path_list.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topology/export/names.h"
#include "topology/export/structure.h"
#include "topology/route/route.h"

namespace weft::topology {
namespace {

constexpr const char* kOrigin = "path list";
constexpr const char* kJoin = " > ";

void AppendPath(const Fabric& fabric, const std::vector<Direction>& path, std::string& text) {
  std::string switches;
  std::string ports;
  for (size_t i = 0; i < path.size(); ++i) {
    const DirectedLink link = fabric.Describe(path[i]);
    if (i > 0) absl::StrAppend(&switches, i > 1 ? kJoin : "", link.from.node);
    absl::StrAppend(&ports, i > 0 ? kJoin : "", link.from.interface);
  }
  absl::StrAppend(&text, path.size() - 1, ",", CsvText(switches), ",", CsvText(ports), "\n");
}

// The hosts that packets come from and go to.
std::vector<NodeIndex> EndHosts(const Fabric& fabric) {
  std::vector<NodeIndex> hosts;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    const Node& record = fabric.node(node);
    if (record.kind == NodeKind::kHost && !IsAggregationNode(record)) hosts.push_back(node);
  }
  return hosts;
}

}  // namespace

Exported ExportPaths(const Fabric& fabric, const PathListOptions& options) {
  Exported out;
  out.text = "Source,Destination,Path,Paths,Hops,Switches,Ports\n";
  const Router router(&fabric, std::vector<HashModel>(fabric.nodes().size()), {});
  Loss cut("paths-cut-off", "pairs with more paths than are listed", "--limit lists more");
  Loss none("no-path", "pairs without a path", "no links and switches join the two hosts");
  const std::vector<NodeIndex> hosts = EndHosts(fabric);
  size_t pairs = 0;
  for (size_t i = 0; i < hosts.size() && pairs < options.pairs; ++i) {
    for (size_t j = i + 1; j < hosts.size() && pairs < options.pairs; ++j, ++pairs) {
      const std::string& from = fabric.node(hosts[i]).name;
      const std::string& to = fabric.node(hosts[j]).name;
      const std::string pair = CsvText(from) + "," + CsvText(to) + ",";
      std::vector<std::vector<Direction>> paths =
          router.AllPaths(hosts[i], hosts[j], options.limit + 1);
      const bool more = paths.size() > options.limit;
      if (more) {
        paths.pop_back();
        cut.Add(from + " to " + to);
      }
      if (paths.empty()) {
        absl::StrAppend(&out.text, pair, ",0,,,\n");
        none.Add(from + " to " + to);
      }
      for (size_t path = 0; path < paths.size(); ++path) {
        absl::StrAppend(&out.text, pair, path + 1, ",", paths.size(), more ? "+," : ",");
        AppendPath(fabric, paths[path], out.text);
      }
    }
  }
  const size_t all = hosts.size() < 2 ? 0 : hosts.size() * (hosts.size() - 1) / 2;
  if (pairs < all) {
    out.findings.push_back({"pairs-cut-off",
                            Severity::kWarning,
                            fabric.node(hosts.front()).name,
                            {{"pairs listed", static_cast<double>(pairs), "", kOrigin},
                             {"pairs of hosts", static_cast<double>(all), "", kOrigin}},
                            "--pairs lists more",
                            ""});
  }
  cut.Report(kOrigin, out.findings);
  none.Report(kOrigin, out.findings);
  return out;
}

}  // namespace weft::topology
