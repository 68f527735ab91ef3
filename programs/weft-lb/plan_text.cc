// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-lb/plan_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "lb/assign/problem.h"
#include "programs/command/output.h"

namespace weft::lb {
namespace {

std::string Fixed(double value, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string Percent(double share) { return Fixed(share * 100, 1) + " %"; }

std::string SummaryText(const Plan& plan) {
  const topology::Assignment& assignment = plan.assignment;
  const std::string before =
      plan.fullest_link_before ? Fixed(*plan.fullest_link_before, 2) : "unknown";
  std::string text = "fullest link  " + before + " -> " + Fixed(assignment.fullest_link, 2) +
                     ", lower bound " + Fixed(assignment.lower_bound, 2);
  if (assignment.fullest_link > assignment.lower_bound * (1 + kTolerance)) {
    text += ", gap " + Fixed(assignment.fullest_link - assignment.lower_bound, 2);
  }
  text += " (" + assignment.method + ")\n";
  if (plan.unknown_before > 0) {
    text += "              before: without " + std::to_string(plan.unknown_before) +
            " flows whose present path is not known\n";
  }
  text += "carried       " + Percent(assignment.carried_share) + " of what is offered; at most " +
          Percent(assignment.fits_share) + " fits\n";
  text += "flows moved   " + std::to_string(assignment.flows_moved) + " of " +
          std::to_string(assignment.flows.size()) + "\n";
  if (plan.unplanned > 0) text += "not planned   " + std::to_string(plan.unplanned) + "\n";
  return text;
}

std::string TierName(uint32_t tier) {
  static constexpr std::array<const char*, 3> kNames = {"leaf", "spine", "core"};
  return tier < kNames.size() ? kNames[tier] : "tier " + std::to_string(tier);
}

std::string TiersText(const std::vector<TierLoad>& tiers) {
  std::vector<std::vector<std::string>> rows = {{"tiers", "links", "used", "mean", "fullest"}};
  for (const TierLoad& tier : tiers) {
    rows.push_back({TierName(tier.from_tier) + " -> " + TierName(tier.to_tier),
                    std::to_string(tier.links), std::to_string(tier.crossed),
                    Fixed(tier.mean_load, 2), Fixed(tier.fullest, 2)});
  }
  return command::FormatTable(rows);
}

std::string FlowsText(const std::vector<std::string>& flows) {
  constexpr size_t kNamed = 3;
  std::string text;
  for (size_t i = 0; i < std::min(flows.size(), kNamed); ++i) {
    text += (i == 0 ? "" : ", ") + flows[i];
  }
  if (flows.size() > kNamed) text += " and " + std::to_string(flows.size() - kNamed) + " more";
  return text;
}

// The fullest links between switches, fullest first.
std::string FullestLinksText(const std::vector<topology::LinkLoad>& links) {
  constexpr size_t kShown = 5;
  std::vector<const topology::LinkLoad*> order;
  for (const topology::LinkLoad& link : links) {
    if (link.between_switches && link.load && !link.flows.empty()) order.push_back(&link);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return Less(*b->load, *a->load); });
  if (order.size() > kShown) order.resize(kShown);
  std::vector<std::vector<std::string>> rows = {{"fullest links", "load", "of", "flows"}};
  for (const topology::LinkLoad* link : order) {
    rows.push_back({topology::ToString(link->link), Fixed(*link->load, 2),
                    command::FormatRate(*link->capacity_bps), FlowsText(link->flows)});
  }
  return order.empty() ? "" : command::FormatTable(rows) + "\n";
}

std::string PortText(uint16_t before, uint16_t after) {
  if (before == after) return std::to_string(after);
  return std::to_string(before) + " -> " + std::to_string(after);
}

}  // namespace

std::string PlanText(const Plan& plan) {
  std::vector<std::vector<std::string>> rows = {
      {"flow", "source", "destination", "rate", "port", "path"}};
  for (size_t i = 0; i < plan.assignment.flows.size(); ++i) {
    const topology::Flow& flow = plan.assignment.flows[i];
    std::string path;
    for (const std::string& node : flow.path) path += (path.empty() ? "" : " ") + node;
    if (flow.path.empty()) path = "not planned";
    rows.push_back({flow.id, flow.source, flow.destination, command::FormatRate(flow.rate_bps),
                    PortText(plan.ports_before[i], flow.udp_src_port), path});
  }
  std::string text = SummaryText(plan) + "\n";
  // Up and down between two tiers say no more than the summary does.
  if (plan.tiers.size() > 2) {
    text += TiersText(plan.tiers) + "\n" + FullestLinksText(plan.assignment.links);
  }
  return text + command::FormatTable(rows);
}

}  // namespace weft::lb
