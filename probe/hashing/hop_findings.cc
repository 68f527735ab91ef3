// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/hop_findings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace weft::probe {
namespace {

using topology::FieldUse;
using topology::Finding;
using topology::HashedField;
using topology::HopMode;
using topology::Severity;

std::string OriginOf(const HopReport& report) {
  return absl::StrCat("probes at TTL ", report.behaviour.hop_index + 1);
}

std::vector<std::string> FieldsWith(const HopReport& report, FieldUse use) {
  std::vector<std::string> names;
  for (const FieldFinding& field : report.fields) {
    if (field.effect.effect == use) names.emplace_back(topology::ToString(field.effect.field));
  }
  return names;
}

const FieldFinding* FindField(const HopReport& report, HashedField field) {
  const auto found = std::ranges::find_if(
      report.fields, [&](const FieldFinding& f) { return f.effect.field == field; });
  return found == report.fields.end() ? nullptr : &*found;
}

bool HasEffect(const HopReport& report, HashedField field, FieldUse use) {
  const FieldFinding* finding = FindField(report, field);
  return finding != nullptr && finding->effect.effect == use;
}

std::string QualityText(const HashQuality& q) {
  const std::string counts = absl::StrCat(q.flow_count, " flows over ", q.member_count,
                                          " next hops, ", q.emptiest, " to ", q.fullest, " each");
  switch (q.evenness) {
    case Evenness::kEven:
      return absl::StrFormat("spreads evenly: %s (p = %.2g)", counts, q.probability);
    case Evenness::kUneven:
      return absl::StrFormat("spreads unevenly: %s (p = %.2g)", counts, q.probability);
    case Evenness::kCollision:
      return absl::StrFormat("%s: too few flows to judge, a plain collision has p = %.2g", counts,
                             q.probability);
    case Evenness::kUnknown:
      break;
  }
  return "";
}

Finding PortIgnored(const HopReport& report, const FieldFinding& port) {
  const std::string origin = OriginOf(report);
  const std::vector<std::string> hashed = FieldsWith(report, FieldUse::kHashed);
  Finding finding = {
      .code = "source-port-ignored",
      .severity = Severity::kWarning,
      .subject = NameOf(report.behaviour),
      .evidence = {{"different source ports", static_cast<double>(port.effect.values), "ports",
                    origin},
                   {"next hops that they led to", static_cast<double>(port.effect.next_hops),
                    "next hops", origin},
                   {"next hops that it has", static_cast<double>(report.behaviour.next_hop_count),
                    "next hops", origin},
                   {"chance of this where the port is hashed", port.same_by_chance, "probability",
                    "an even hash"}},
      .explanation = {},
      .what_to_do = {}};
  finding.explanation =
      "It chooses a next hop, but not by the UDP source port: flows between two hosts share one "
      "way there, however many source ports they have.";
  finding.what_to_do =
      hashed.empty()
          ? "Have the switch hash the UDP source port (layer 4); no other field that was tried "
            "chooses there either."
          : absl::StrCat(
                "Have the switch hash the UDP source port (layer 4), or spread by what it "
                "does hash: ",
                absl::StrJoin(hashed, ", "), ".");
  return finding;
}

Finding UnevenHash(const HopReport& report) {
  const HashQuality& q = report.quality;
  const std::string origin = OriginOf(report);
  return {.code = "uneven-hash",
          .severity = Severity::kWarning,
          .subject = NameOf(report.behaviour),
          .evidence = {{"different flows", static_cast<double>(q.flow_count), "flows", origin},
                       {"next hops", static_cast<double>(q.member_count), "next hops", origin},
                       {"flows of the fullest", static_cast<double>(q.fullest), "flows", origin},
                       {"flows of the emptiest", static_cast<double>(q.emptiest), "flows", origin},
                       {"chance of this with an even hash", q.probability, "probability",
                        "multinomial distribution"}},
          .explanation =
              "Its next hops get shares of the flows that no even hash gives: weights, a "
              "hash that is poor for these headers, or one that a switch before it has "
              "used up (polarisation).",
          .what_to_do =
              "Compare the group's weights and the hash's function, seed and fields with "
              "those of the switches before it."};
}

Finding RouteChanged(const HopReport& report) {
  const ModeVerdict& mode = report.mode;
  const std::string origin = OriginOf(report);
  const auto seconds = static_cast<double>(mode.change->to_ns - mode.change->from_ns) * 1e-9;
  return {.code = "route-changed",
          .severity = Severity::kWarning,
          .subject = NameOf(report.behaviour),
          .evidence = {{"flows that moved, all at one time",
                        static_cast<double>(mode.change->flow_count), "flows", origin},
                       {"length of the time within which they moved", seconds, "s", origin},
                       {"repeats", static_cast<double>(mode.answered_count), "answers", origin}},
          .explanation =
              "Unchanged flows took another way from one moment on, and stayed there: "
              "its group of next hops has changed while it was watched.",
          .what_to_do = "Trace again: ports that were traced before may lead elsewhere now."};
}

}  // namespace

std::string NameOf(const topology::HopBehaviour& hop) {
  if (!hop.node.empty()) return hop.node;
  if (!hop.address.empty()) return hop.address.ToString();
  return absl::StrCat("the silent hop at TTL ", hop.hop_index);
}

std::vector<std::string> Sentences(const HopReport& report) {
  const std::string name = NameOf(report.behaviour);
  std::vector<std::string> sentences;
  const auto say = [&](const std::string& what) {
    sentences.push_back(absl::StrCat(name, " ", what));
  };
  if (report.behaviour.next_hop_count == 1) {
    say(report.is_explored ? "has one next hop, whatever the headers" : "has one next hop");
  } else if (report.behaviour.mode == HopMode::kUnknown) {
    say(absl::StrCat("may choose in any way",
                     report.note.empty() ? "" : absl::StrCat(": ", report.note)));
  } else if (report.behaviour.mode != HopMode::kHashed) {
    say(absl::StrCat("chooses by ",
                     report.behaviour.mode == HopMode::kPerPacket ? "packet"
                     : report.behaviour.mode == HopMode::kFlowlet ? "flowlet"
                                                                  : "load or time",
                     ": ", report.mode.reason));
  }
  for (const FieldFinding& field : report.fields) {
    const std::string what = topology::ToString(field.effect.field);
    if (field.effect.effect == FieldUse::kHashed) {
      say(absl::StrCat("hashes the ", what, ": ", field.reason));
    } else if (field.effect.effect == FieldUse::kIgnored) {
      say(absl::StrCat("ignores the ", what, ": ", field.reason));
    } else {
      say(absl::StrCat("may hash the ", what, " or not: ", field.reason));
    }
  }
  if (report.quality.evenness != Evenness::kUnknown) say(QualityText(report.quality));
  return sentences;
}

std::string SteeringText(const HopReport& report) {
  if (report.behaviour.next_hop_count == 1) return "";
  if (report.behaviour.mode == HopMode::kUnknown) return "not known whether a source port steers";
  if (report.behaviour.mode != HopMode::kHashed) {
    return "no source port chooses a path here: steering has no effect, the group is one shared "
           "link";
  }
  if (HasEffect(report, HashedField::kUdpSrcPort, FieldUse::kHashed)) {
    // What else it hashes must be as in the traffic for a table of ports to hold.
    std::vector<std::string> others;
    for (const HashedField field : {HashedField::kDestQpn, HashedField::kBthOpcode,
                                    HashedField::kFlowLabel, HashedField::kDscp}) {
      if (HasEffect(report, field, FieldUse::kHashed)) {
        others.emplace_back(topology::ToString(field));
      }
    }
    if (others.empty()) return "source ports steer here";
    return absl::StrCat("source ports steer here, but only for one ",
                        absl::StrJoin(others, " and "),
                        ": ports traced with another do not hold for the traffic");
  }
  if (HasEffect(report, HashedField::kUdpSrcPort, FieldUse::kIgnored)) {
    const std::vector<std::string> hashed = FieldsWith(report, FieldUse::kHashed);
    return absl::StrCat("source ports do not steer here",
                        hashed.empty() ? "" : "; what does: ", absl::StrJoin(hashed, ", "));
  }
  return "not known whether a source port steers";
}

void AddFindings(std::span<const HopReport> reports, std::vector<Finding>& findings) {
  for (const HopReport& report : reports) {
    const FieldFinding* port = FindField(report, HashedField::kUdpSrcPort);
    if (port != nullptr && port->effect.effect == FieldUse::kIgnored) {
      findings.push_back(PortIgnored(report, *port));
    }
    if (report.quality.evenness == Evenness::kUneven) findings.push_back(UnevenHash(report));
    if (report.mode.change) findings.push_back(RouteChanged(report));
  }
}

}  // namespace weft::probe
