// SPDX-License-Identifier: Apache-2.0
#include "topology/check/findings.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

constexpr const char* kBlueprint = "blueprint";
constexpr const char* kActual = "actual fabric";

std::string Describe(const Interface& interface) {
  return interface.address.empty()
             ? interface.name
             : absl::StrCat(interface.name, " ", interface.address.ToString());
}

// "loopback 172.16.0.1, spine1, spine2"
std::string Interfaces(const Node& node) {
  constexpr size_t kShown = 4;
  std::string text;
  for (const wire::IpAddress& address : node.addresses) {
    absl::StrAppend(&text, "loopback ", address.ToString(), ", ");
  }
  for (size_t i = 0; i < std::min(kShown, node.interfaces.size()); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "", Describe(node.interfaces[i]));
  }
  if (node.interfaces.empty()) absl::StrAppend(&text, "no interfaces");
  if (node.interfaces.size() > kShown) {
    absl::StrAppend(&text, " and ", node.interfaces.size() - kShown, " more");
  }
  return text;
}

Evidence Fact(std::string what, const char* origin) {
  return {std::move(what), std::nullopt, "", origin};
}

const char* KindName(NodeKind kind) {
  return kind == NodeKind::kHost ? "host" : kind == NodeKind::kSwitch ? "switch" : "unknown";
}

// "leaf1 - spine1"
std::string LinkSubject(const Link& link) {
  return absl::StrCat(ToString(link.a), " - ", ToString(link.b));
}

}  // namespace

std::string DifferenceWriter::Cable(const Fabric& fabric, LinkIndex link) {
  std::array<std::string, 2> ends;
  for (bool reversed : {false, true}) {
    const Direction direction{link, reversed};
    const PortRef port = fabric.Describe(direction).from;
    const Interface* interface = fabric.FindInterface(fabric.From(direction), port.interface);
    ends[reversed ? 1 : 0] =
        interface->address.empty()
            ? ToString(port)
            : absl::StrCat(ToString(port), " (", interface->address.ToString(), ")");
  }
  return absl::StrCat(ends[0], " - ", ends[1]);
}

Finding DifferenceWriter::MissingNode(NodeIndex blueprint) const {
  const Node& node = blueprint_.node(blueprint);
  return {"missing-node",
          Severity::kError,
          node.name,
          {Fact(absl::StrCat("has ", Interfaces(node)), kBlueprint),
           {"links in the blueprint", static_cast<double>(blueprint_.adjacencies(blueprint).size()),
            "links", kBlueprint}},
          "No node of the actual fabric has an address, the name or the place of this one.",
          "See whether it is powered, cabled and answering; if it was taken out, change the "
          "blueprint."};
}

Finding DifferenceWriter::ExtraNode(NodeIndex actual) const {
  const Node& node = actual_.node(actual);
  Finding finding{"extra-node",
                  Severity::kError,
                  node.name,
                  {Fact(absl::StrCat("has ", Interfaces(node)), kActual)},
                  "No node of the blueprint has an address, the name or the place of this one.",
                  "Find out what it is; if it belongs here, add it to the blueprint."};
  for (const Adjacency& adjacency : actual_.adjacencies(actual)) {
    finding.evidence.push_back(
        Fact(absl::StrCat("linked: ", Cable(actual_, adjacency.direction.link)), kActual));
    if (finding.evidence.size() > 4) break;
  }
  return finding;
}

Finding DifferenceWriter::SplitNode(NodeIndex blueprint) const {
  Finding finding{"split-node",
                  Severity::kError,
                  blueprint_.node(blueprint).name,
                  {},
                  "The interfaces of this one node are seen on several: they are several devices, "
                  "or nothing measured shows that they are one.",
                  "Trace more pairs, in both directions, through this node; then look at its "
                  "configuration."};
  for (NodeIndex actual : nodes_.actual_nodes[blueprint]) {
    finding.evidence.push_back(Fact(absl::StrCat("seen as ", actual_.node(actual).name, " with ",
                                                 Interfaces(actual_.node(actual))),
                                    kActual));
  }
  return finding;
}

Finding DifferenceWriter::MergedNode(NodeIndex actual) const {
  Finding finding{"merged-node",
                  Severity::kError,
                  actual_.node(actual).name,
                  {},
                  "The interfaces of several nodes of the blueprint are seen on this one.",
                  "Look for an address that was given to the wrong device."};
  for (NodeIndex blueprint : nodes_.blueprint_nodes[actual]) {
    for (const Interface& interface : actual_.node(actual).interfaces) {
      if (blueprint_.FindAddress(interface.address) != blueprint) continue;
      finding.evidence.push_back(Fact(absl::StrCat("has ", interface.address.ToString(), " of ",
                                                   blueprint_.node(blueprint).name),
                                      kActual));
    }
    for (const wire::IpAddress& address : actual_.node(actual).addresses) {
      if (blueprint_.FindAddress(address) != blueprint) continue;
      finding.evidence.push_back(Fact(absl::StrCat("has loopback ", address.ToString(), " of ",
                                                   blueprint_.node(blueprint).name),
                                      kActual));
    }
  }
  return finding;
}

Finding DifferenceWriter::MissingLink(LinkIndex blueprint) const {
  const Link& link = blueprint_.link(blueprint);
  Finding finding{"missing-link",
                  Severity::kError,
                  LinkSubject(link),
                  {Fact(absl::StrCat("expected ", Cable(blueprint_, blueprint)), kBlueprint)},
                  "This cable was not seen.",
                  "See whether both ends are plugged in and up."};
  for (const PortRef& port : {link.a, link.b}) {
    const auto seen = links_.at_port.find(ToString(port));
    if (seen == links_.at_port.end()) continue;
    finding.evidence.push_back(
        Fact(absl::StrCat(ToString(port), " is plugged: ", Cable(actual_, seen->second)), kActual));
    finding.explanation = "What is plugged in here leads elsewhere.";
    finding.what_to_do = "Re-cable it as the blueprint says, or change the blueprint.";
  }
  return finding;
}

Finding DifferenceWriter::ExtraLink(LinkIndex actual) const {
  return {"extra-link",
          Severity::kError,
          LinkSubject(actual_.link(actual)),
          {Fact(absl::StrCat("seen ", Cable(actual_, actual)), kActual)},
          "The blueprint has no cable between these two ends.",
          "Re-cable it as the blueprint says, or change the blueprint."};
}

Finding DifferenceWriter::ByNodesOnly(LinkIndex actual) const {
  return {"matched-by-place",
          Severity::kInfo,
          LinkSubject(actual_.link(actual)),
          {Fact(absl::StrCat("seen ", Cable(actual_, actual)), kActual)},
          "The blueprint has several cables between these two nodes, and neither an address nor an "
          "interface name tells which this is: an exchange of equals would not be seen.",
          ""};
}

Finding DifferenceWriter::NotToldApart(std::span<const LinkMatching::NotToldApart> links) const {
  const LinkMatching::NotToldApart& first = links.front();
  Finding finding{
      "parallel-not-told-apart",
      Severity::kInfo,
      LinkSubject(actual_.link(first.actual)),
      {{"cables between the two nodes", static_cast<double>(first.blueprint_count), "cables",
        kBlueprint},
       Fact(absl::StrCat("seen, one or more: ", Cable(actual_, first.actual)), kActual)},
      "The ends of these cables have no addresses that tell them apart: at least one of them is "
      "there, the others may be missing or crossed among themselves.",
      "Look at the link state of each of these ports on the switches."};
  if (links.size() == 1) return finding;
  absl::StrAppend(&finding.subject, " and ", links.size() - 1, " more");
  finding.evidence[0].what = "cables between these two nodes";
  double cables = 0;
  for (const auto& [actual, count] : links) cables += count;
  finding.evidence.push_back(
      {"links of one or more cables", static_cast<double>(links.size()), "links", kActual});
  finding.evidence.push_back({"cables that they stand for", cables, "cables", kBlueprint});
  return finding;
}

Finding DifferenceWriter::OtherCapacity(LinkIndex blueprint, LinkIndex actual) const {
  return {"other-capacity",
          Severity::kError,
          LinkSubject(blueprint_.link(blueprint)),
          {{"capacity", *blueprint_.link(blueprint).capacity_bps, "bit/s", kBlueprint},
           {"capacity", *actual_.link(actual).capacity_bps, "bit/s", kActual}},
          "The cable runs at another rate than the blueprint says.",
          "Look at the speed that both ports negotiated, the cable and the transceivers."};
}

void DifferenceWriter::AppendAddressDifferences(NodeIndex actual,
                                                std::vector<Finding>& findings) const {
  const Node& seen = actual_.node(actual);
  const NodeIndex blueprint = *nodes_.blueprint_of[actual];
  for (const Interface& interface : seen.interfaces) {
    const Interface* expected = blueprint_.FindInterface(blueprint, interface.name);
    if (expected == nullptr || expected->address.empty() || interface.address.empty() ||
        expected->address == interface.address || blueprint_.FindAddress(interface.address)) {
      continue;
    }
    findings.push_back({"other-address",
                        Severity::kError,
                        ToString(PortRef{blueprint_.node(blueprint).name, interface.name}),
                        {Fact(expected->address.ToString(), kBlueprint),
                         Fact(interface.address.ToString(), kActual)},
                        "The interface has another address than the blueprint says.",
                        "Correct the interface's address, or the blueprint."});
  }
  const Node& expected = blueprint_.node(blueprint);
  for (const wire::IpAddress& address : seen.addresses) {
    if (expected.addresses.empty() || blueprint_.FindAddress(address)) continue;
    findings.push_back(
        {"other-address",
         Severity::kError,
         expected.name,
         {Fact(absl::StrCat("loopback ", expected.addresses.front().ToString()), kBlueprint),
          Fact(absl::StrCat("loopback ", address.ToString()), kActual)},
         "The node has another loopback address than the blueprint says.",
         "Correct the node's address, or the blueprint."});
  }
}

void DifferenceWriter::AppendNodeDifferences(NodeIndex actual,
                                             std::vector<Finding>& findings) const {
  const Node& seen = actual_.node(actual);
  const Node& expected = blueprint_.node(*nodes_.blueprint_of[actual]);
  AppendAddressDifferences(actual, findings);
  if (seen.kind != expected.kind && seen.kind != NodeKind::kUnknown &&
      expected.kind != NodeKind::kUnknown) {
    findings.push_back(
        {"other-kind",
         Severity::kError,
         expected.name,
         {Fact(KindName(expected.kind), kBlueprint), Fact(KindName(seen.kind), kActual)},
         "The node is of another kind than the blueprint says.",
         "Find out what stands here."});
  }
  if (nodes_.how[actual] != MatchedBy::kPlace) return;
  findings.push_back(
      {"matched-by-place",
       Severity::kInfo,
       expected.name,
       {Fact(absl::StrCat("seen as ", seen.name, " with ", Interfaces(seen)), kActual),
        {"nodes with the same neighbours", static_cast<double>(nodes_.equals[actual]), "nodes",
         kBlueprint}},
       "Matched by its place only, for it has neither address nor name in common with the "
       "blueprint: an exchange of equals would not be seen.",
       ""});
}

std::optional<Finding> DifferenceWriter::InParts(Severity severity) const {
  const auto count = [](const std::vector<uint32_t>& components) {
    return components.empty() ? 0 : *std::max_element(components.begin(), components.end()) + 1;
  };
  const std::vector<uint32_t> parts = actual_.Components();
  const uint32_t expected = count(blueprint_.Components());
  if (count(parts) <= expected) return std::nullopt;
  Finding finding{"fabric-in-parts",
                  severity,
                  "fabric",
                  {{"parts", static_cast<double>(expected), "parts", kBlueprint},
                   {"parts", static_cast<double>(count(parts)), "parts", kActual}},
                  "Nothing that was seen joins these parts.",
                  "See the missing links and nodes."};
  constexpr uint32_t kShown = 4;
  for (uint32_t part = 0; part < std::min(count(parts), kShown); ++part) {
    const auto first = std::find(parts.begin(), parts.end(), part);
    finding.evidence.push_back(
        {absl::StrCat("nodes in the part of ",
                      actual_.node(static_cast<NodeIndex>(first - parts.begin())).name),
         static_cast<double>(std::count(parts.begin(), parts.end(), part)), "nodes", kActual});
  }
  return finding;
}

}  // namespace weft::topology
