// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/pair_findings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace weft::lb {
namespace {

using topology::Evidence;
using topology::Finding;
using topology::Severity;

Evidence Count(std::string what, size_t count, std::string unit) {
  return {std::move(what), static_cast<double>(count), std::move(unit), "path tables"};
}

Evidence Fact(std::string what, std::string origin) {
  return {std::move(what), std::nullopt, "", std::move(origin)};
}

std::string TraceAgain(const FlowPair& pair) {
  return absl::StrCat("Run weft-probe trace from ", pair.source, " to ", pair.destination,
                      ", then plan again.");
}

}  // namespace

std::string SubjectOf(const FlowPair& pair) {
  return absl::StrCat(pair.source, " -> ", pair.destination);
}

std::string PathText(const std::vector<std::string>& switches) {
  return absl::StrJoin(switches, " ");
}

Finding NotInFabric(const FlowPair& pair, const wire::IpAddress& address) {
  const std::string text = address.empty() ? "no address" : address.ToString();
  return {"not-in-fabric",
          Severity::kError,
          SubjectOf(pair),
          {Fact(absl::StrCat(text, " is not on a linked host interface"), "fabric")},
          "The flows of this pair were left on their ports: nobody knows which links they cross.",
          "Give the fabric that holds both hosts, or mend the flow's addresses."};
}

Finding NoPath(const FlowPair& pair, const PairTable* table) {
  Finding finding = {"not-measured", Severity::kError, SubjectOf(pair), {}, "", TraceAgain(pair)};
  finding.explanation = "The flows of this pair were left on their ports.";
  if (table == nullptr) {
    finding.evidence.push_back(Fact("no path table for this direction", "path tables"));
    return finding;
  }
  if (!table->void_reason.empty()) {
    finding.evidence.push_back(
        Fact(absl::StrCat("its table is void: ", table->void_reason), "path tables"));
    return finding;
  }
  finding.code = "no-path";
  const auto dead = std::count_if(table->paths.begin(), table->paths.end(), [](const auto& path) {
    return path.state == topology::PathState::kDead;
  });
  finding.evidence.push_back(Count("paths measured", table->paths.size(), "paths"));
  finding.evidence.push_back(Count("of these dead", static_cast<size_t>(dead), "paths"));
  finding.explanation =
      "No path of this pair can be used: one that is known to live, has a measured port and lies "
      "in "
      "the fabric. The flows of this pair were left on their ports.";
  finding.what_to_do = "Repair a path between the two hosts. " + TraceAgain(pair);
  return finding;
}

Finding InDifferentParts(const FlowPair& pair) {
  return {
      "no-path",
      Severity::kError,
      SubjectOf(pair),
      {Fact("the two hosts are in different parts of the fabric", "fabric")},
      "No path can lead from one to the other. The flows of this pair were left on their ports.",
      "Link the parts of the fabric, or give the fabric with all its links."};
}

Finding PathsHidden(const FlowPair& pair, const std::string& reason) {
  return {"paths-hidden",
          Severity::kWarning,
          SubjectOf(pair),
          {Fact(reason, "path tables")},
          "Nobody knows which links this pair crosses, so no plan is made for it. Its flows were "
          "left on their ports.",
          "Trace between the ends of the tunnel, and plan the tunnel's own flows."};
}

Finding PathNotInFabric(const FlowPair& pair, const std::string& reason) {
  return {"path-not-in-fabric",
          Severity::kWarning,
          SubjectOf(pair),
          {Fact(reason, "path tables against the fabric")},
          "A living path does not lie in the fabric, so its links are not known. It is not used.",
          "Plan with the fabric that the paths were measured in."};
}

Finding OnlyLossyPaths(const FlowPair& pair, size_t path_count) {
  return {"lossy-path",
          Severity::kWarning,
          SubjectOf(pair),
          {Count("lossy paths", path_count, "paths"), Count("paths without loss", 0, "paths")},
          "Every path that still answers loses packets; the flows of this pair were planned on "
          "them.",
          "Find the link that loses packets and take it out of service."};
}

Finding SinglePath(const FlowPair& pair, const std::vector<std::string>& switches) {
  return {"single-path",
          Severity::kInfo,
          SubjectOf(pair),
          {Count("living paths", 1, "path"), Fact(PathText(switches), "path tables")},
          "This pair has one path: nothing to balance.",
          ""};
}

Finding PathWithoutPort(const FlowPair& pair, const std::vector<std::string>& switches) {
  return {"path-without-port",
          Severity::kInfo,
          SubjectOf(pair),
          {Fact(PathText(switches), "path tables of other pairs of these leaves"),
           Count("source ports measured for it", 0, "ports")},
          "The best plan needs this path. It lives, but no measured port of this pair leads there.",
          absl::StrCat("Run weft-probe trace from ", pair.source, " to ", pair.destination,
                       " for more source ports, then plan again.")};
}

}  // namespace weft::lb
