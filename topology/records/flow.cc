// SPDX-License-Identifier: Apache-2.0
#include "topology/records/flow.h"

#include "topology/records/message_codec.h"
#include "topology/records/shared_codec.h"

namespace weft::topology {

records::Demand ToRecord(const Demand& demand) {
  records::Demand record;
  record.set_source(demand.source);
  record.set_destination(demand.destination);
  record.set_rate_bps(demand.rate_bps);
  record.set_flow_count(demand.flow_count);
  return record;
}

absl::Status FromRecord(const records::Demand& record, Demand* demand) {
  demand->source = record.source();
  demand->destination = record.destination();
  WEFT_RECORD_CHECK(ParseNonNegative(record.rate_bps(), "rate_bps", &demand->rate_bps));
  demand->flow_count = record.flow_count();
  return absl::OkStatus();
}

records::Flow ToRecord(const Flow& flow) {
  records::Flow record;
  record.set_id(flow.id);
  record.set_source(flow.source);
  record.set_source_address(flow.source_address.ToString());
  record.set_destination(flow.destination);
  record.set_destination_address(flow.destination_address.ToString());
  record.set_rate_bps(flow.rate_bps);
  record.set_source_qpn(flow.source_qpn);
  record.set_dest_qpn(flow.dest_qpn);
  record.set_udp_src_port(flow.udp_src_port);
  record.set_flow_label(flow.flow_label);
  for (const std::string& node : flow.path) record.add_path(node);
  return record;
}

absl::Status FromRecord(const records::Flow& record, Flow* flow) {
  flow->id = record.id();
  if (flow->id.empty()) return absl::InvalidArgumentError("id \"\": expected a name for the flow");
  flow->source = record.source();
  flow->destination = record.destination();
  WEFT_RECORD_CHECK(ParseAddress(record.source_address(), "source_address", &flow->source_address));
  WEFT_RECORD_CHECK(ParseAddress(record.destination_address(), "destination_address",
                                 &flow->destination_address));
  WEFT_RECORD_CHECK(ParseNonNegative(record.rate_bps(), "rate_bps", &flow->rate_bps));
  WEFT_RECORD_CHECK(ParseUnsigned(record.source_qpn(), 0xffffff, "source_qpn", &flow->source_qpn));
  WEFT_RECORD_CHECK(ParseUnsigned(record.dest_qpn(), 0xffffff, "dest_qpn", &flow->dest_qpn));
  WEFT_RECORD_CHECK(
      ParseUnsigned(record.udp_src_port(), 0xffff, "udp_src_port", &flow->udp_src_port));
  WEFT_RECORD_CHECK(ParseUnsigned(record.flow_label(), 0xfffff, "flow_label", &flow->flow_label));
  flow->path.assign(record.path().begin(), record.path().end());
  return absl::OkStatus();
}

records::FlowReport ToRecord(const FlowReport& report) {
  records::FlowReport record;
  *record.mutable_flow() = ToRecord(report.flow);
  record.set_started_at(report.started_at);
  record.set_window_start_s(report.window_start_s);
  record.set_window_seconds(report.window_seconds);
  record.set_sent_bytes(report.sent_bytes);
  record.set_received_bytes(report.received_bytes);
  record.set_sent_packets(report.sent_packets);
  record.set_received_packets(report.received_packets);
  record.set_lost_packets(report.lost_packets);
  record.set_reordered_packets(report.reordered_packets);
  record.set_duplicate_packets(report.duplicate_packets);
  record.set_dropped_debt_bytes(report.dropped_debt_bytes);
  record.set_stopped_because(report.stopped_because);
  record.set_report_received(report.report_received);
  return record;
}

absl::Status FromRecord(const records::FlowReport& record, FlowReport* report) {
  WEFT_RECORD_CHECK(FromRecord(record.flow(), &report->flow));
  report->started_at = record.started_at();
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.window_start_s(), "window_start_s", &report->window_start_s));
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.window_seconds(), "window_seconds", &report->window_seconds));
  WEFT_RECORD_CHECK(ParseNonNegative(record.sent_bytes(), "sent_bytes", &report->sent_bytes));
  WEFT_RECORD_CHECK(
      ParseNonNegative(record.received_bytes(), "received_bytes", &report->received_bytes));
  report->sent_packets = record.sent_packets();
  report->received_packets = record.received_packets();
  report->lost_packets = record.lost_packets();
  report->reordered_packets = record.reordered_packets();
  report->duplicate_packets = record.duplicate_packets();
  WEFT_RECORD_CHECK(ParseNonNegative(record.dropped_debt_bytes(), "dropped_debt_bytes",
                                     &report->dropped_debt_bytes));
  report->stopped_because = record.stopped_because();
  report->report_received = record.report_received();
  return absl::OkStatus();
}

template <>
struct MessageOf<Demand> {
  using type = records::Demand;
};
template <>
struct MessageOf<Flow> {
  using type = records::Flow;
};
template <>
struct MessageOf<FlowReport> {
  using type = records::FlowReport;
};
template struct RecordCodec<Demand>;
template struct RecordCodec<Flow>;
template struct RecordCodec<FlowReport>;

}  // namespace weft::topology
