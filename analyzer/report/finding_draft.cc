// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/finding_draft.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

constexpr size_t kMaxOfACode = 8;
constexpr const char* kOrigin = "capture";

}  // namespace

std::string NameOf(const FlowKey& key) {
  return absl::StrCat(key.source.ToString(), " -> ", key.destination.ToString(), " QP ",
                      key.dest_qpn, " (0x", absl::Hex(key.dest_qpn), ")");
}

std::string PortText(uint16_t udp_src_port) {
  return absl::StrCat(udp_src_port, " (0x", absl::Hex(udp_src_port), ")");
}

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

FindingDraft::FindingDraft(std::string_view code, topology::Severity severity, std::string subject,
                           double weight)
    : weight_(weight) {
  finding_.code = code;
  finding_.severity = severity;
  finding_.subject = std::move(subject);
}

FindingDraft& FindingDraft::Number(std::string_view what, double value, std::string_view unit) {
  finding_.evidence.push_back({std::string(what), value, std::string(unit), kOrigin});
  return *this;
}

FindingDraft& FindingDraft::Count(std::string_view what, uint64_t count, std::string_view unit) {
  return Number(what, static_cast<double>(count), unit);
}

FindingDraft& FindingDraft::Fact(std::string what) {
  finding_.evidence.push_back({std::move(what), std::nullopt, "", kOrigin});
  return *this;
}

FindingDraft& FindingDraft::Packets(std::string_view what, const Tally& tally) {
  if (tally.count == 0) return *this;
  std::string text(what);
  const char* separator = tally.count == 1 ? ": packet " : ": packets ";
  for (size_t i = 0; i < tally.packets.size() && tally.packets[i] != 0; ++i) {
    absl::StrAppend(&text, separator, tally.packets[i]);
    separator = ", ";
  }
  if (tally.count > tally.packets.size()) text += ", ...";
  return Count(text, tally.count);
}

FindingDraft& FindingDraft::Explain(std::string explanation, std::string what_to_do) {
  finding_.explanation = std::move(explanation);
  finding_.what_to_do = std::move(what_to_do);
  return *this;
}

std::vector<topology::Finding> Ranked(std::vector<FindingDraft> drafts) {
  std::ranges::stable_sort(drafts, [](const FindingDraft& a, const FindingDraft& b) {
    return std::tuple(b.finding().severity, b.weight(), std::string_view(a.finding().code),
                      std::string_view(a.finding().subject)) <
           std::tuple(a.finding().severity, a.weight(), std::string_view(b.finding().code),
                      std::string_view(b.finding().subject));
  });
  struct Rest {
    size_t said = 0;
    uint64_t left = 0;
    double weight = 0;
    size_t last = 0;  // of those said, in `findings`
  };
  std::map<std::pair<topology::Severity, std::string>, Rest> rests;
  std::vector<topology::Finding> findings;
  for (const FindingDraft& draft : drafts) {
    Rest& rest = rests[{draft.finding().severity, draft.finding().code}];
    if (rest.said < kMaxOfACode) {
      ++rest.said;
      rest.last = findings.size();
      findings.push_back(draft.finding());
      continue;
    }
    ++rest.left;
    rest.weight += draft.weight();
  }
  for (const auto& [key, rest] : rests) {
    if (rest.left == 0) continue;
    findings[rest.last].evidence.push_back({"the same of others that are not listed",
                                            static_cast<double>(rest.left), "findings", kOrigin});
  }
  return findings;
}

}  // namespace weft::analyzer
