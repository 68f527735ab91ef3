// SPDX-License-Identifier: Apache-2.0
#include "topology/check/check.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "topology/check/coverage.h"
#include "topology/check/findings.h"

namespace weft::topology {
namespace {

// Fills a CheckResult step by step, from what was matched.
class Checker {
 public:
  Checker(const Fabric& blueprint, const Fabric& actual, const CheckOptions& options)
      : blueprint_(blueprint),
        actual_(actual),
        options_(options),
        nodes_(MatchNodes(blueprint, actual)),
        links_(MatchLinks(blueprint, actual, nodes_)),
        differences_(blueprint, actual, nodes_, links_),
        coverage_(Covered()) {}

  CheckResult Check() {
    CompareBlueprintNodes();
    CompareActualNodes();
    CompareLinks();
    AppendParts();
    std::stable_sort(result_.findings.begin(), result_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    result_.agrees =
        std::none_of(result_.findings.begin(), result_.findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::kError; });
    result_.identical =
        result_.agrees && result_.not_measured_nodes.empty() && result_.not_measured_links.empty();
    return std::move(result_);
  }

 private:
  Coverage Covered() const {
    if (!options_.from_traces) {
      return {std::vector<bool>(blueprint_.nodes().size(), true),
              std::vector<bool>(blueprint_.links().size(), true)};
    }
    std::vector<NodeIndex> seen;
    for (NodeIndex node = 0; node < blueprint_.nodes().size(); ++node) {
      const bool host = blueprint_.node(node).kind == NodeKind::kHost;
      if (host && !nodes_.actual_nodes[node].empty()) seen.push_back(node);
    }
    return CoveredByTraces(blueprint_, seen, options_);
  }

  void CompareBlueprintNodes() {
    for (NodeIndex node = 0; node < blueprint_.nodes().size(); ++node) {
      const std::string& name = blueprint_.node(node).name;
      const std::vector<NodeIndex>& seen = nodes_.actual_nodes[node];
      for (NodeIndex actual : seen) {
        result_.matches.push_back({name, actual_.node(actual).name, nodes_.how[actual]});
      }
      if (seen.size() > 1) result_.findings.push_back(differences_.SplitNode(node));
      if (!seen.empty()) continue;
      if (!coverage_.nodes[node]) {
        result_.not_measured_nodes.push_back(name);
      } else {
        result_.missing_nodes.push_back(name);
        result_.findings.push_back(differences_.MissingNode(node));
      }
    }
  }

  void CompareActualNodes() {
    for (NodeIndex node = 0; node < actual_.nodes().size(); ++node) {
      if (!nodes_.blueprint_of[node]) {
        result_.extra_nodes.push_back(actual_.node(node).name);
        result_.findings.push_back(differences_.ExtraNode(node));
        continue;
      }
      if (nodes_.blueprint_nodes[node].size() > 1) {
        result_.findings.push_back(differences_.MergedNode(node));
      }
      differences_.AppendNodeDifferences(node, result_.findings);
    }
  }

  // The links of a missing or extra node are listed, but the node's finding speaks for them.
  void CompareLinks() {
    for (LinkIndex link = 0; link < blueprint_.links().size(); ++link) {
      if (links_.actual_of[link]) {
        CompareCapacity(link, *links_.actual_of[link]);
      } else if (!coverage_.links[link]) {
        result_.not_measured_links.push_back(blueprint_.link(link));
      } else {
        result_.missing_links.push_back(blueprint_.link(link));
        const bool ends_seen = !nodes_.actual_nodes[blueprint_.From({link, false})].empty() &&
                               !nodes_.actual_nodes[blueprint_.From({link, true})].empty();
        if (ends_seen) result_.findings.push_back(differences_.MissingLink(link));
      }
    }
    for (LinkIndex link = 0; link < actual_.links().size(); ++link) {
      if (links_.blueprint_of[link]) continue;
      result_.extra_links.push_back(actual_.link(link));
      const bool ends_known = nodes_.blueprint_of[actual_.From({link, false})] &&
                              nodes_.blueprint_of[actual_.From({link, true})];
      if (ends_known) result_.findings.push_back(differences_.ExtraLink(link));
    }
    for (LinkIndex link : links_.by_nodes_only) {
      result_.findings.push_back(differences_.ByNodesOnly(link));
    }
    AppendNotToldApart();
  }

  // One by one while they are few, for whoever is to look at the ports.
  void AppendNotToldApart() {
    constexpr size_t kFew = 8;
    const std::span<const LinkMatching::NotToldApart> links = links_.not_told_apart;
    result_.not_told_apart_links = static_cast<uint32_t>(links.size());
    if (links.size() > kFew) {
      result_.findings.push_back(differences_.NotToldApart(links));
      return;
    }
    for (size_t i = 0; i < links.size(); ++i) {
      result_.findings.push_back(differences_.NotToldApart(links.subspan(i, 1)));
    }
  }

  // The capacity of one or more cables is not that of each.
  void CompareCapacity(LinkIndex blueprint, LinkIndex actual) {
    if (blueprint_.link(blueprint).one_or_more || actual_.link(actual).one_or_more) return;
    const std::optional<double> expected = blueprint_.link(blueprint).capacity_bps;
    const std::optional<double> seen = actual_.link(actual).capacity_bps;
    if (!expected || !seen || std::abs(*expected - *seen) <= 1e-9 * *expected) return;
    result_.findings.push_back(differences_.OtherCapacity(blueprint, actual));
  }

  // Where part of the blueprint was not measured, that part may be what joins the others.
  void AppendParts() {
    const bool explained = !result_.not_measured_links.empty();
    auto finding = differences_.InParts(explained ? Severity::kWarning : Severity::kError);
    if (finding) result_.findings.push_back(*std::move(finding));
  }

  const Fabric& blueprint_;
  const Fabric& actual_;
  const CheckOptions& options_;
  const NodeMatching nodes_;
  const LinkMatching links_;
  const DifferenceWriter differences_;
  const Coverage coverage_;
  CheckResult result_;
};

}  // namespace

const char* ToString(MatchedBy how) {
  switch (how) {
    case MatchedBy::kAddress:
      return "address";
    case MatchedBy::kName:
      return "name";
    case MatchedBy::kPlace:
      break;
  }
  return "place";
}

CheckResult Check(const Fabric& blueprint, const Fabric& actual, const CheckOptions& options) {
  return Checker(blueprint, actual, options).Check();
}

}  // namespace weft::topology
