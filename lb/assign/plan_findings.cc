// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/plan_findings.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace weft::lb {
namespace {

using topology::Evidence;
using topology::Finding;
using topology::HopMode;
using topology::Severity;

constexpr size_t kNamed = 4;  // things that a list names before it says how many more there are

Evidence Count(std::string what, size_t count, std::string unit, std::string origin) {
  if (count == 1 && unit.ends_with("s")) unit.pop_back();
  return {std::move(what), static_cast<double>(count), std::move(unit), std::move(origin)};
}

// Why no port chooses there, in words.
Evidence Reason(const topology::HopBehaviour& behaviour) {
  const bool by_mode = behaviour.mode == HopMode::kPerPacket ||
                       behaviour.mode == HopMode::kFlowlet || behaviour.mode == HopMode::kAdaptive;
  if (by_mode) {
    return Count(absl::StrCat("its mode is ", topology::ToString(behaviour.mode),
                              "; repeated probes of unchanged flows"),
                 behaviour.mode_probes, "probes", "path tables");
  }
  uint32_t values = 0;
  for (const topology::FieldEffect& field : behaviour.fields) {
    if (field.field == topology::HashedField::kUdpSrcPort) values = field.values;
  }
  return Count("it ignores the source port; ports tried alone", values, "ports", "path tables");
}

}  // namespace

Finding SteeringNoEffect(const std::string& node, const topology::HopBehaviour& behaviour,
                         size_t ways, size_t flow_count) {
  return {
      "steering-no-effect",
      Severity::kInfo,
      node,
      {Reason(behaviour),
       Count("next hops seen there", behaviour.next_hop_count, "next hops", "path tables"),
       Count("links that count as one", ways, "links", "path tables"),
       Count("flows that meet it", flow_count, "flows", "plan")},
      "No source port chooses the way from this switch. Its ways to a leaf, and what follows "
      "them, count as one shared link of their summed capacity; flows that have no other choice "
      "keep their ports.",
      ""};
}

Finding CablesNotToldApart(const std::vector<CableBundle>& bundles) {
  Finding finding = {"cables-not-told-apart", Severity::kInfo, "", {}, "", ""};
  finding.subject = bundles.front().link;
  if (bundles.size() > 1) absl::StrAppend(&finding.subject, " and ", bundles.size() - 1, " more");
  for (size_t i = 0; i < std::min(bundles.size(), kNamed); ++i) {
    finding.evidence.push_back(Count(bundles[i].link, bundles[i].cables,
                                     bundles[i].or_more ? "cable or more" : "cables", "fabric"));
  }
  finding.evidence.push_back(Count("directed links of this kind", bundles.size(), "", "fabric"));
  finding.explanation =
      "These switches answer with the same address whatever cable a probe came by. The cables from "
      "one to the other count as one link of the summed capacity that the fabric states.";
  return finding;
}

Finding ComputedPorts(const std::vector<std::string>& flows, size_t planned) {
  std::string names;
  for (size_t i = 0; i < std::min(flows.size(), kNamed); ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ", flows[i]);
  }
  if (flows.size() > kNamed) absl::StrAppend(&names, " and ", flows.size() - kNamed, " more");
  return {"computed-ports",
          Severity::kInfo,
          names,
          {Count("flows on a computed port", flows.size(), "flows", "plan"),
           Count("flows planned", planned, "flows", "plan")},
          "The measured ports of their paths ran out. These ports were not measured one by one: "
          "they come from a hash that was learnt and verified.",
          "Trace these pairs with more source ports to have measured ones."};
}

}  // namespace weft::lb
