// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/flows/capture_analysis.h"
#include "analyzer/flows/tally.h"
#include "topology/records/finding.h"

namespace weft::analyzer {

// "10.0.0.1 -> 10.0.0.2 QP 17 (0x11)"
std::string NameOf(const FlowKey& key);
std::string PortText(uint16_t udp_src_port);  // "49152 (0xc000)"
double Share(uint64_t part, uint64_t whole);  // in percent; 0 of nothing
inline double Milliseconds(int64_t ns) { return static_cast<double>(ns) / 1e6; }
inline double Microseconds(int64_t ns) { return static_cast<double>(ns) / 1e3; }

// A finding in the making, with what ranks it among those of its severity: about how many packets
// it concerns.
class FindingDraft {
 public:
  FindingDraft(std::string_view code, topology::Severity severity, std::string subject,
               double weight);

  FindingDraft& Count(std::string_view what, uint64_t count, std::string_view unit = "packets");
  FindingDraft& Number(std::string_view what, double value, std::string_view unit);
  FindingDraft& Fact(std::string what);
  // The count, and the numbers of the first packets; nothing where the count is 0.
  FindingDraft& Packets(std::string_view what, const Tally& tally);
  FindingDraft& Explain(std::string explanation, std::string what_to_do);

  const topology::Finding& finding() const { return finding_; }
  double weight() const { return weight_; }

 private:
  topology::Finding finding_;
  double weight_;
};

// Worst first: severity, weight, code, subject. Of a code and severity only the eight weightiest
// stay; one more then counts the rest.
std::vector<topology::Finding> Ranked(std::vector<FindingDraft> drafts);

}  // namespace weft::analyzer
