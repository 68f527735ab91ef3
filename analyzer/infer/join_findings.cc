// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/join_findings.h"

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using topology::Finding;
using topology::Severity;
using wire::IpAddress;

std::string Subject(const InterfaceJoin& join) {
  return absl::StrCat(join.seen.ToString(), " and ", join.mate.ToString());
}

std::string PathWords(const ObservedPath& path, const InterfaceSets::Conflict& conflict) {
  return absl::StrCat("the path from ", path.source.ToString(), " to ", path.destination.ToString(),
                      " has one at TTL ", conflict.ttl_a, " and the other at TTL ", conflict.ttl_b);
}

std::string Origin(JoinSign sign) {
  switch (sign) {
    case JoinSign::kIpId:
      return "IP IDs";
    case JoinSign::kName:
      return "names";
    case JoinSign::kGiven:
      return "given fabric";
    case JoinSign::kSubnetMate:
    case JoinSign::kCommonAnswer:
      break;
  }
  return "path tables";
}

}  // namespace

std::string PrefixText(const IpAddress& address, LinkPrefix prefix) {
  return absl::StrCat("/", static_cast<int>(prefix) + (address.IsV6() ? 96 : 0));
}

std::string MateWords(const InterfaceJoin& join) {
  return absl::StrCat(join.ingress.ToString(), " came right behind ", join.seen.ToString(), " on ",
                      join.path_count, join.path_count == 1 ? " path, and " : " paths, and ",
                      join.mate.ToString(), " is its ", PrefixText(join.ingress, join.prefix),
                      " mate");
}

Finding JoinRefused(const InterfaceJoin& join, const ObservedPath& path,
                    const InterfaceSets::Conflict& conflict) {
  Finding finding{"join-refused", Severity::kWarning, Subject(join), {}, "", ""};
  finding.evidence.push_back(
      {join.reason, join.path_count > 0 ? std::optional<double>(join.path_count) : std::nullopt,
       join.path_count > 0 ? "paths" : "", "path tables"});
  finding.evidence.push_back({"but " + PathWords(path, conflict), std::nullopt, "", "path tables"});
  finding.explanation =
      "One switch cannot stand at two places of one path, so one of the two answers did not come "
      "from the interface on which the probe came in, or the link is not numbered as a /31 or "
      "/30. The addresses stay apart.";
  finding.what_to_do =
      "Give a blueprint, or look at how this switch chooses the source of its "
      "ICMP errors.";
  return finding;
}

Finding JoinContradicted(const InterfaceJoin& join, const ObservedPath* path,
                         const InterfaceSets::Conflict& conflict) {
  Finding finding{"join-contradicted", Severity::kWarning, Subject(join), {}, "", ""};
  finding.evidence.push_back({absl::StrCat("for it, by ", ToString(join.sign), ": ", join.reason),
                              std::nullopt, "", Origin(join.sign)});
  const bool held_apart = conflict.kind == InterfaceSets::Conflict::Kind::kHeldApart;
  finding.evidence.push_back(
      {"against it: " + (path != nullptr ? PathWords(*path, conflict) : conflict.words),
       std::nullopt, "",
       path != nullptr ? "path tables"
       : held_apart    ? "IP IDs"
                       : "names and given files"});
  finding.explanation =
      "Signs contradict each other, so the two addresses stay apart: a wrong join is worse than "
      "none.";
  finding.what_to_do = "Look at the files that were given, and whether they are of this fabric.";
  return finding;
}

Finding HostLinkNotNumbered(const IpAddress& host, const IpAddress& seen) {
  return {
      "host-link-not-numbered",
      Severity::kInfo,
      host.ToString(),
      {{absl::StrCat("the hop next to it is ", seen.ToString(),
                     ", which is not known to be the other end of a numbered link"),
        std::nullopt, "", "path tables"}},
      "The host was attached to the switch that answered next to it; the switch's interface has "
      "no address that is known.",
      ""};
}

}  // namespace weft::analyzer
