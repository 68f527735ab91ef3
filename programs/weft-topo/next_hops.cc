// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <functional>

#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/node_text.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/route/route.h"

namespace weft::topo {
namespace {

using command::Json;
using topology::Direction;
using topology::Fabric;
using topology::LinkIndex;
using topology::NodeIndex;

constexpr const char* kName = "weft-topo next-hops";

// What routing knows to be gone.
struct Down {
  std::vector<LinkIndex> links;
  std::vector<bool> nodes;
};

// One switch's group towards one host.
struct Group {
  const topology::Node& node;
  const topology::Node& host;
  std::span<const Direction> next_hops;  // empty: no way
};
using Visitor = std::function<void(const Group&)>;

// Adds what one --without names: NODE or NODE:INTERFACE.
absl::Status TakeOut(const Fabric& fabric, const std::string& text, Down* down) {
  if (const auto node = fabric.FindNode(text)) {
    down->nodes[*node] = true;
    for (const topology::Adjacency& adjacency : fabric.adjacencies(*node)) {
      down->links.push_back(adjacency.direction.link);
    }
    return absl::OkStatus();
  }
  for (size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    const auto node = fabric.FindNode(text.substr(0, colon));
    if (!node) continue;
    const auto port = fabric.FindPort(*node, text.substr(colon + 1));
    if (!port) {
      return absl::InvalidArgumentError("--without \"" + text + "\": node \"" +
                                        fabric.node(*node).name + "\" has no link at interface \"" +
                                        text.substr(colon + 1) + "\"");
    }
    down->links.push_back(port->direction.link);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("--without \"" + text +
                                    "\": there is no such node: expected NODE or NODE:INTERFACE");
}

// Switches in the fabric's order, for each the hosts in theirs; without what is down itself.
void ForEachGroup(const topology::Router& router, const Down& down, const Visitor& visit) {
  const Fabric& fabric = router.fabric();
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (fabric.node(node).kind == topology::NodeKind::kHost || down.nodes[node]) continue;
    for (NodeIndex host = 0; host < fabric.nodes().size(); ++host) {
      if (fabric.node(host).kind != topology::NodeKind::kHost || down.nodes[host]) continue;
      visit({fabric.node(node), fabric.node(host), router.NextHops(node, host)});
    }
  }
}

struct Row {
  std::string interface;
  std::string node;
  std::string address;   // empty: the link is unnumbered
  std::string loopback;  // empty: the next hop has none
};

Row Describe(const Fabric& fabric, Direction direction) {
  const topology::DirectedLink link = fabric.Describe(direction);
  const topology::Interface* far = fabric.FindInterface(fabric.To(direction), link.to.interface);
  const topology::Node& node = fabric.node(fabric.To(direction));
  return {link.from.interface, link.to.node, far->address.ToString(),
          node.addresses.empty() ? "" : node.addresses.front().ToString()};
}

void PrintText(const topology::Router& router, const Down& down) {
  std::vector<std::vector<std::string>> rows = {{"node", "destination", "address", "next hops"}};
  ForEachGroup(router, down, [&](const Group& group) {
    std::string next_hops;
    for (Direction direction : group.next_hops) {
      const Row row = Describe(router.fabric(), direction);
      next_hops += (next_hops.empty() ? "" : ", ") + row.interface;
    }
    rows.push_back({group.node.name, group.host.name, FirstAddress(group.host),
                    next_hops.empty() ? "none" : next_hops});
  });
  std::fputs(command::FormatTable(rows).c_str(), stdout);
}

void PrintCsv(const topology::Router& router, const Down& down) {
  std::printf(
      "node,destination,destination_address,interface,next_hop_node,next_hop_address,"
      "next_hop_loopback\n");
  ForEachGroup(router, down, [&](const Group& group) {
    const std::string prefix = command::CsvField(group.node.name) + "," +
                               command::CsvField(group.host.name) + "," + FirstAddress(group.host);
    for (Direction direction : group.next_hops) {
      const Row row = Describe(router.fabric(), direction);
      std::printf("%s,%s,%s,%s,%s\n", prefix.c_str(), command::CsvField(row.interface).c_str(),
                  command::CsvField(row.node).c_str(), row.address.c_str(), row.loopback.c_str());
    }
  });
}

// One object, but written row by row: a large fabric has many.
void PrintJson(const topology::Router& router, const Down& down) {
  std::printf("{\"next_hops\":[");
  const char* separator = "";
  ForEachGroup(router, down, [&](const Group& group) {
    for (Direction direction : group.next_hops) {
      const Row row = Describe(router.fabric(), direction);
      const Json json = {{"node", group.node.name},
                         {"destination", group.host.name},
                         {"destination_address", FirstAddress(group.host)},
                         {"interface", row.interface},
                         {"next_hop_node", row.node},
                         {"next_hop_address", row.address},
                         {"next_hop_loopback", row.loopback}};
      std::printf("%s\n%s", separator, command::JsonText(json).c_str());
      separator = ",";
    }
  });
  std::printf("\n]}\n");
}

// Warns of pairs without a way; they are left out of the rows.
command::ExitCode ReportUnreachable(const topology::Router& router, const Down& down) {
  size_t count = 0;
  std::string first;
  ForEachGroup(router, down, [&](const Group& group) {
    if (!group.next_hops.empty()) return;
    if (count++ == 0) first = group.node.name + " has no way to " + group.host.name;
  });
  if (count == 0) return command::ExitCode::kOk;
  command::PrintWarning(
      kName, first + (count > 1 ? " (and " + std::to_string(count - 1) + " more such pairs)" : ""));
  return command::ExitCode::kPartial;
}

}  // namespace

command::ExitCode NextHops(const std::vector<std::string>& arguments) {
  std::string path;
  std::vector<std::string> without;
  command::Format format = command::Format::kAuto;
  command::Options options(
      kName,
      "The next hops of every switch to every host, along shortest paths; several rows for one "
      "destination are an ECMP group. Exit code 4: some hosts cannot be reached from everywhere.");
  options.app().add_option("FABRIC", path, "Fabric records")->required()->type_name("");
  options.app()
      .add_option("--without", without,
                  "Leave out a NODE, or the link at NODE:INTERFACE (repeatable)")
      ->allow_extra_args(false)
      ->type_name("WHAT");
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const auto fabric = command::ReadFabric(kName, path, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  Down down{{}, std::vector<bool>(fabric->nodes().size())};
  for (const std::string& text : without) {
    const absl::Status status = TakeOut(*fabric, text, &down);
    if (!status.ok()) return command::UsageError(kName, std::string(status.message()));
  }

  const topology::Router router(&*fabric, std::vector<topology::HashModel>(fabric->nodes().size()),
                                down.links);
  switch (command::Resolve(format)) {
    case command::Format::kText:
      PrintText(router, down);
      break;
    case command::Format::kCsv:
      PrintCsv(router, down);
      break;
    default:
      PrintJson(router, down);
  }
  return command::Worse(ReportUnreachable(router, down),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::topo
