// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <utility>

#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/identity_summary.h"
#include "programs/weft-topo/node_text.h"
#include "programs/weft-topo/subcommands.h"
#include "programs/weft-topo/summary.h"

namespace weft::topo {
namespace {

using command::Json;
using topology::Fabric;
using topology::NodeIndex;

constexpr const char* kName = "weft-topo show";

std::string RateText(const std::optional<double>& bps) {
  return bps ? command::FormatRate(*bps) : "unknown";
}

std::string PartsProblem(const FabricSummary& summary) {
  return "the fabric is in " + std::to_string(summary.parts) + " parts: no path joins them";
}

Json NodeJson(const Fabric& fabric, const FabricSummary& summary, NodeIndex index) {
  const topology::Node& node = fabric.node(index);
  Json addresses = Json::array();
  for (const topology::Interface& interface : node.interfaces) {
    if (!interface.address.empty()) addresses.push_back(interface.address.ToString());
  }
  Json loopbacks = Json::array();
  for (const wire::IpAddress& address : node.addresses) loopbacks.push_back(address.ToString());
  return {{"name", node.name},
          {"kind", KindName(node.kind)},
          {"tier", node.tier ? Json(*node.tier) : Json(nullptr)},
          {"part", summary.part_of[index]},
          {"links", fabric.adjacencies(index).size()},
          {"addresses", addresses},
          {"loopbacks", loopbacks},
          {"guid", topology::GuidText(node.guid)},
          {"lid", command::OrNull(LidOf(node))},
          {"machine", node.machine},
          {"rail", command::OrNull(node.rail)},
          {"plane", command::OrNull(node.plane)}};
}

Json LinksJson(const LinkSummary& links) {
  return {{"between_switches", links.between_switches},
          {"lower_tier", links.tiers ? Json(links.tiers->first) : Json(nullptr)},
          {"upper_tier", links.tiers ? Json(links.tiers->second) : Json(nullptr)},
          {"capacity_bps", command::OrNull(links.capacity_bps)},
          {"width", command::OrNull(links.width)},
          {"speed", links.speed},
          {"links", links.links},
          {"pairs", links.pairs},
          {"one_or_more", links.one_or_more}};
}

Json MembersJson(const char* key, const std::map<uint32_t, IdentitySummary::Members>& all) {
  Json json = Json::array();
  for (const auto& [number, members] : all) {
    json.push_back({{key, number}, {"switches", members.switches}, {"hosts", members.hosts}});
  }
  return json;
}

Json InfiniBandJson(const IdentitySummary& identity) {
  if (!identity.has_numbers()) return nullptr;
  Json lmcs = Json::array();
  for (const auto& [lmc, ports] : identity.lmcs) lmcs.push_back({{"lmc", lmc}, {"ports", ports}});
  return {{"nodes_with_guid", identity.guids},
          {"systems", identity.systems},
          {"ports_with_lid", identity.lids},
          {"lowest_lid", identity.lids > 0 ? Json(identity.lowest_lid) : Json(nullptr)},
          {"highest_lid", identity.lids > 0 ? Json(identity.highest_lid) : Json(nullptr)},
          {"lmcs", lmcs}};
}

void PrintJson(const Fabric& fabric, const FabricSummary& summary) {
  const IdentitySummary identity = SummariseIdentity(fabric);
  Json json = {{"hosts", summary.hosts},
               {"switches", summary.switches},
               {"unknown_nodes", summary.unknown_nodes},
               {"links", fabric.links().size()},
               {"parts", summary.parts},
               {"tiers", Json::array()},
               {"switches_without_tier", summary.switches_without_tier},
               {"pods", Json::array()},
               {"infiniband", InfiniBandJson(identity)},
               {"machines", identity.machines},
               {"rails", MembersJson("rail", identity.rails)},
               {"planes", MembersJson("plane", identity.planes)},
               {"capacities", Json::array()},
               {"leaves", Json::array()},
               {"nodes", Json::array()}};
  for (const auto& [tier, count] : summary.tiers) {
    json["tiers"].push_back({{"tier", tier}, {"switches", count}});
  }
  for (const auto& [pod, count] : summary.pods) {
    json["pods"].push_back(
        {{"pods", count}, {"leaves", pod.leaves}, {"spines", pod.spines}, {"hosts", pod.hosts}});
  }
  for (const LinkSummary& links : summary.links) json["capacities"].push_back(LinksJson(links));
  for (const LeafSummary& leaf : summary.leaves) {
    json["leaves"].push_back({{"name", leaf.name},
                              {"hosts", leaf.hosts},
                              {"uplinks", leaf.uplinks},
                              {"down_bps", command::OrNull(leaf.down_bps)},
                              {"up_bps", command::OrNull(leaf.up_bps)},
                              {"oversubscription", command::OrNull(leaf.oversubscription)}});
  }
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    json["nodes"].push_back(NodeJson(fabric, summary, node));
  }
  command::PrintJson(json);
}

std::string AddressText(const topology::Node& node) {
  const std::string first = FirstAddress(node);
  const auto count =
      std::count_if(node.interfaces.begin(), node.interfaces.end(),
                    [](const auto& interface) { return !interface.address.empty(); }) +
      static_cast<std::ptrdiff_t>(node.addresses.size());
  if (count < 2) return first.empty() ? "none" : first;
  return first + " +" + std::to_string(count - 1);
}

std::string NumberOr(const std::optional<uint32_t>& number, const char* absent) {
  return number ? std::to_string(*number) : absent;
}

// Columns that nothing of the fabric has are left out.
void PrintNodes(const Fabric& fabric, const FabricSummary& summary,
                const IdentitySummary& identity) {
  std::vector<std::vector<std::string>> rows = {{"node", "kind", "tier", "links", "address"}};
  const auto add = [&rows](bool shown, std::string cell) {
    if (shown) rows.back().push_back(std::move(cell));
  };
  add(identity.guids > 0, "GUID");
  add(identity.lids > 0, "LID");
  add(!identity.rails.empty(), "rail");
  add(!identity.planes.empty(), "plane");
  if (summary.parts > 1) rows.front().push_back("part");
  for (NodeIndex index = 0; index < fabric.nodes().size(); ++index) {
    const topology::Node& node = fabric.node(index);
    rows.push_back({node.name, KindName(node.kind), NumberOr(node.tier, "-"),
                    std::to_string(fabric.adjacencies(index).size()), AddressText(node)});
    const std::string guid = topology::GuidText(node.guid);
    add(identity.guids > 0, guid.empty() ? "-" : guid);
    add(identity.lids > 0, NumberOr(LidOf(node), "-"));
    add(!identity.rails.empty(), NumberOr(node.rail, "-"));
    add(!identity.planes.empty(), NumberOr(node.plane, "-"));
    if (summary.parts > 1) rows.back().push_back(std::to_string(summary.part_of[index] + 1));
  }
  std::fputs(command::FormatTable(rows).c_str(), stdout);
}

std::string Plural(uint32_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

void PrintPods(const FabricSummary& summary) {
  for (const auto& [pod, count] : summary.pods) {
    std::printf("%s%s %s, %s, %s\n", Plural(count, "pod", "pods").c_str(),
                count == 1 ? ":" : ", each:", Plural(pod.leaves, "leaf", "leaves").c_str(),
                Plural(pod.spines, "spine", "spines").c_str(),
                Plural(pod.hosts, "host", "hosts").c_str());
  }
}

// "leaf-spine" where the fabric has more than these two tiers.
std::string LinkSort(const FabricSummary& summary, const LinkSummary& links) {
  constexpr std::array kTiers = {"leaf", "spine", "core"};
  if (!links.between_switches) return summary.unknown_nodes > 0 ? "other" : "host";
  if (!summary.tiers.contains(2) || !links.tiers || links.tiers->second >= kTiers.size()) {
    return "switch-to-switch";
  }
  return std::string(kTiers[links.tiers->first]) + "-" + kTiers[links.tiers->second];
}

void PrintLinks(const FabricSummary& summary) {
  for (const LinkSummary& links : summary.links) {
    std::printf("%s links: %u, capacity %s", LinkSort(summary, links).c_str(), links.links,
                RateText(links.capacity_bps).c_str());
    if (links.width || !links.speed.empty()) {
      std::printf(" (%sx %s)", NumberOr(links.width, "?").c_str(),
                  links.speed.empty() ? "unknown speed" : links.speed.c_str());
    }
    if (links.pairs < links.links) std::printf(", in parallel between %u pairs", links.pairs);
    if (links.one_or_more > 0) {
      std::printf(", %u of them of one or more cables that were not told apart", links.one_or_more);
    }
    std::printf("\n");
  }
}

// Numbers in a row that are alike take one line.
void PrintMembers(const char* what, const std::map<uint32_t, IdentitySummary::Members>& all) {
  for (auto at = all.begin(); at != all.end();) {
    const auto& [first, members] = *at;
    uint32_t last = first;
    for (++at; at != all.end() && at->first == last + 1 && at->second == members; ++at) ++last;
    const std::string counts = Plural(members.switches, "switch", "switches") + ", " +
                               Plural(members.hosts, "host", "hosts");
    if (last == first) {
      std::printf("%s %u: %s\n", what, first, counts.c_str());
    } else {
      std::printf("%ss %u to %u, each: %s\n", what, first, last, counts.c_str());
    }
  }
}

void PrintIdentity(const IdentitySummary& identity) {
  if (identity.nics > 0) {
    std::printf("machines: %u, with %u NICs\n", identity.machines, identity.nics);
  }
  if (identity.has_numbers()) {
    std::printf("InfiniBand: %u nodes with a GUID in %s", identity.guids,
                Plural(identity.systems, "chassis or card", "chassis or cards").c_str());
    if (identity.lids > 0) {
      std::printf(", LIDs %u to %u at %u ports", identity.lowest_lid, identity.highest_lid,
                  identity.lids);
    }
    for (const auto& [lmc, ports] : identity.lmcs) {
      if (lmc > 0) std::printf(", LMC %u at %u", lmc, ports);
    }
    std::printf("\n");
  }
  PrintMembers("rail", identity.rails);
  PrintMembers("plane", identity.planes);
}

void PrintText(const Fabric& fabric, const FabricSummary& summary) {
  const IdentitySummary identity = SummariseIdentity(fabric);
  std::printf("%u hosts, %u switches", summary.hosts, summary.switches);
  if (summary.unknown_nodes > 0) std::printf(", %u nodes of unknown kind", summary.unknown_nodes);
  std::printf(", %zu links, %u %s\n", fabric.links().size(), summary.parts,
              summary.parts == 1 ? "part" : "parts");
  for (const auto& [tier, count] : summary.tiers) {
    const char* name = tier == 0 ? " (leaf)" : tier == 1 ? " (spine)" : tier == 2 ? " (core)" : "";
    std::printf("tier %u%s: %u switches\n", tier, name, count);
  }
  if (summary.switches_without_tier > 0) {
    std::printf("tier unknown: %u switches\n", summary.switches_without_tier);
  }
  PrintPods(summary);
  PrintIdentity(identity);
  PrintLinks(summary);
  if (!summary.leaves.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"leaf", "hosts", "uplinks", "down", "up", "oversubscription"}};
    for (const LeafSummary& leaf : summary.leaves) {
      char ratio[32];
      std::snprintf(ratio, sizeof ratio, "%s", leaf.uplinks == 0 ? "no uplinks" : "unknown");
      if (leaf.oversubscription) std::snprintf(ratio, sizeof ratio, "%.2f", *leaf.oversubscription);
      rows.push_back({leaf.name, std::to_string(leaf.hosts), std::to_string(leaf.uplinks),
                      RateText(leaf.down_bps), RateText(leaf.up_bps), ratio});
    }
    std::printf("\n%s", command::FormatTable(rows).c_str());
  }
  std::printf("\n");
  PrintNodes(fabric, summary, identity);
}

void PrintCsv(const Fabric& fabric, const FabricSummary& summary) {
  std::printf("node,kind,tier,part,links,address,guid,lid,machine,rail,plane\n");
  for (NodeIndex index = 0; index < fabric.nodes().size(); ++index) {
    const topology::Node& node = fabric.node(index);
    std::printf("%s,%s,%s,%u,%zu,%s,%s,%s,%s,%s,%s\n", command::CsvField(node.name).c_str(),
                KindName(node.kind), NumberOr(node.tier, "").c_str(), summary.part_of[index],
                fabric.adjacencies(index).size(), FirstAddress(node).c_str(),
                topology::GuidText(node.guid).c_str(), NumberOr(LidOf(node), "").c_str(),
                command::CsvField(node.machine).c_str(), NumberOr(node.rail, "").c_str(),
                NumberOr(node.plane, "").c_str());
  }
}

}  // namespace

command::ExitCode Show(const std::vector<std::string>& arguments) {
  std::string path;
  command::Format format = command::Format::kAuto;
  command::Options options(kName, "What a fabric consists of: counts, capacities, parts, nodes.");
  options.app().add_option("FABRIC", path, "Fabric records")->required()->type_name("");
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const auto fabric = command::ReadFabric(kName, path, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  const FabricSummary summary = Summarise(*fabric);
  switch (command::Resolve(format)) {
    case command::Format::kText:
      PrintText(*fabric, summary);
      break;
    case command::Format::kCsv:
      PrintCsv(*fabric, summary);
      break;
    default:
      PrintJson(*fabric, summary);
  }
  if (summary.parts > 1) command::PrintWarning(kName, PartsProblem(summary));
  return partial ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::topo
