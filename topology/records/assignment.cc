// SPDX-License-Identifier: Apache-2.0
#include "topology/records/assignment.h"

#include "topology/records/message_codec.h"
#include "topology/records/shared_codec.h"

namespace weft::topology {

records::LinkLoad ToRecord(const LinkLoad& load) {
  records::LinkLoad record;
  *record.mutable_link() = ToRecord(load.link);
  if (load.capacity_bps) record.set_capacity_bps(*load.capacity_bps);
  record.set_offered_bps(load.offered_bps);
  if (load.load) record.set_load(*load.load);
  for (const std::string& flow : load.flows) record.add_flows(flow);
  record.set_between_switches(load.between_switches);
  return record;
}

absl::Status FromRecord(const records::LinkLoad& record, LinkLoad* load) {
  load->link = FromRecord(record.link());
  double number = 0;
  if (record.has_capacity_bps()) {
    WEFT_RECORD_CHECK(ParseNonNegative(record.capacity_bps(), "capacity_bps", &number));
    load->capacity_bps = number;
  }
  if (record.has_load()) {
    WEFT_RECORD_CHECK(ParseNonNegative(record.load(), "load", &number));
    load->load = number;
  }
  WEFT_RECORD_CHECK(ParseNonNegative(record.offered_bps(), "offered_bps", &load->offered_bps));
  load->flows.assign(record.flows().begin(), record.flows().end());
  load->between_switches = record.between_switches();
  return absl::OkStatus();
}

records::Assignment ToRecord(const Assignment& assignment) {
  records::Assignment record;
  for (const Flow& flow : assignment.flows) *record.add_flows() = ToRecord(flow);
  record.set_flows_moved(assignment.flows_moved);
  record.set_fullest_link(assignment.fullest_link);
  record.set_lower_bound(assignment.lower_bound);
  record.set_fluid_bound(assignment.fluid_bound);
  record.set_carried_share(assignment.carried_share);
  record.set_fits_share(assignment.fits_share);
  record.set_method(assignment.method);
  for (const LinkLoad& link : assignment.links) *record.add_links() = ToRecord(link);
  for (const Finding& finding : assignment.findings) *record.add_findings() = ToRecord(finding);
  return record;
}

absl::Status FromRecord(const records::Assignment& record, Assignment* assignment) {
  for (const records::Flow& flow : record.flows()) {
    WEFT_RECORD_CHECK(FromRecord(flow, &assignment->flows.emplace_back()));
  }
  assignment->flows_moved = record.flows_moved();
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.fullest_link(), "fullest_link", &assignment->fullest_link));
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.lower_bound(), "lower_bound", &assignment->lower_bound));
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.fluid_bound(), "fluid_bound", &assignment->fluid_bound));
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.carried_share(), "carried_share", &assignment->carried_share));
  WEFT_RECORD_CHECK(ParseNonNegative(record.fits_share(), "fits_share", &assignment->fits_share));
  assignment->method = record.method();
  for (const records::LinkLoad& link : record.links()) {
    WEFT_RECORD_CHECK(FromRecord(link, &assignment->links.emplace_back()));
  }
  for (const records::Finding& finding : record.findings()) {
    WEFT_RECORD_CHECK(FromRecord(finding, &assignment->findings.emplace_back()));
  }
  return absl::OkStatus();
}

template <>
struct MessageOf<LinkLoad> {
  using type = records::LinkLoad;
};
template <>
struct MessageOf<Assignment> {
  using type = records::Assignment;
};
template struct RecordCodec<LinkLoad>;
template struct RecordCodec<Assignment>;

}  // namespace weft::topology
