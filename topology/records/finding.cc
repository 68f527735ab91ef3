// SPDX-License-Identifier: Apache-2.0
#include "topology/records/finding.h"

#include "topology/records/message_codec.h"
#include "topology/records/shared_codec.h"

namespace weft::topology {

const char* ToString(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
    case Severity::kUnknown:
      break;
  }
  return "unknown";
}

records::Finding ToRecord(const Finding& finding) {
  records::Finding record;
  record.set_code(finding.code);
  record.set_severity(static_cast<records::Finding::Severity>(finding.severity));
  record.set_subject(finding.subject);
  for (const Evidence& evidence : finding.evidence) {
    records::Evidence* out = record.add_evidence();
    out->set_what(evidence.what);
    if (evidence.value) out->set_value(*evidence.value);
    out->set_unit(evidence.unit);
    out->set_origin(evidence.origin);
  }
  record.set_explanation(finding.explanation);
  record.set_what_to_do(finding.what_to_do);
  return record;
}

absl::Status FromRecord(const records::Finding& record, Finding* finding) {
  finding->code = record.code();
  if (finding->code.empty()) {
    return absl::InvalidArgumentError("code \"\": expected the finding's code");
  }
  WEFT_RECORD_CHECK(
      ParseUnsigned(static_cast<uint32_t>(record.severity()), 3, "severity", &finding->severity));
  finding->subject = record.subject();
  for (const records::Evidence& from : record.evidence()) {
    Evidence evidence{from.what(), std::nullopt, from.unit(), from.origin()};
    if (from.has_value()) {
      WEFT_RECORD_CHECK(ParseFinite(from.value(), "evidence.value", &evidence.value.emplace()));
    }
    finding->evidence.push_back(std::move(evidence));
  }
  finding->explanation = record.explanation();
  finding->what_to_do = record.what_to_do();
  return absl::OkStatus();
}

template <>
struct MessageOf<Finding> {
  using type = records::Finding;
};
template struct RecordCodec<Finding>;

}  // namespace weft::topology
