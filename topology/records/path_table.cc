// SPDX-License-Identifier: Apache-2.0
#include "topology/records/path_table.h"

#include <algorithm>

#include "topology/records/message_codec.h"
#include "topology/records/shared_codec.h"

namespace weft::topology {

const char* ToString(PathState state) {
  switch (state) {
    case PathState::kAlive:
      return "alive";
    case PathState::kLossy:
      return "lossy";
    case PathState::kDead:
      return "dead";
    case PathState::kUnknown:
      break;
  }
  return "unknown";
}

namespace {

records::Path PathToRecord(const Path& path) {
  records::Path record;
  for (const Hop& hop : path.hops) {
    records::Hop* out = record.add_hops();
    out->set_hop_index(hop.hop_index);
    out->set_address(hop.address.ToString());
    out->set_node(hop.node);
  }
  record.set_reaches_destination(path.reaches_destination);
  for (uint16_t port : path.udp_src_ports) record.add_udp_src_ports(port);
  record.set_state(static_cast<records::Path::State>(path.state));
  record.set_probes_sent(path.probes_sent);
  record.set_probes_answered(path.probes_answered);
  for (uint16_t port : path.computed_udp_src_ports) record.add_computed_udp_src_ports(port);
  return record;
}

absl::Status PathFromRecord(const records::Path& record, Path* path) {
  for (const records::Hop& from : record.hops()) {
    Hop hop{from.hop_index(), {}, from.node()};
    if (hop.hop_index == 0 || hop.hop_index > 255) {
      return absl::InvalidArgumentError(
          absl::StrCat("paths.hops.hop_index ", hop.hop_index, ": expected 1 to 255"));
    }
    WEFT_RECORD_CHECK(ParseAddress(from.address(), "paths.hops.address", &hop.address));
    path->hops.push_back(std::move(hop));
  }
  path->reaches_destination = record.reaches_destination();
  for (uint32_t port : record.udp_src_ports()) {
    WEFT_RECORD_CHECK(
        ParseUnsigned(port, 0xffff, "paths.udp_src_ports", &path->udp_src_ports.emplace_back()));
  }
  if (record.probes_answered() > record.probes_sent()) {
    return absl::InvalidArgumentError(absl::StrCat("paths.probes_answered ",
                                                   record.probes_answered(), ": expected at most ",
                                                   record.probes_sent(), ", what was sent"));
  }
  WEFT_RECORD_CHECK(
      ParseUnsigned(static_cast<uint32_t>(record.state()), 3, "paths.state", &path->state));
  path->probes_sent = record.probes_sent();
  path->probes_answered = record.probes_answered();
  for (uint32_t port : record.computed_udp_src_ports()) {
    WEFT_RECORD_CHECK(ParseUnsigned(port, 0xffff, "paths.computed_udp_src_ports",
                                    &path->computed_udp_src_ports.emplace_back()));
  }
  return absl::OkStatus();
}

records::HopBehaviour BehaviourToRecord(const HopBehaviour& behaviour) {
  records::HopBehaviour record;
  record.set_hop_index(behaviour.hop_index);
  record.set_address(behaviour.address.ToString());
  record.set_node(behaviour.node);
  record.set_next_hop_count(behaviour.next_hop_count);
  record.set_mode(static_cast<records::HopBehaviour::Mode>(behaviour.mode));
  record.set_mode_probes(behaviour.mode_probes);
  for (const FieldEffect& field : behaviour.fields) {
    records::FieldEffect* out = record.add_fields();
    out->set_field(static_cast<records::FieldEffect::Field>(field.field));
    out->set_effect(static_cast<records::FieldEffect::Effect>(field.effect));
    out->set_values(field.values);
    out->set_next_hops(field.next_hops);
  }
  return record;
}

absl::Status BehaviourFromRecord(const records::HopBehaviour& record, HopBehaviour* behaviour) {
  behaviour->hop_index = record.hop_index();
  WEFT_RECORD_CHECK(ParseAddress(record.address(), "hop_behaviours.address", &behaviour->address));
  behaviour->node = record.node();
  behaviour->next_hop_count = record.next_hop_count();
  WEFT_RECORD_CHECK(ParseUnsigned(static_cast<uint32_t>(record.mode()), 4, "hop_behaviours.mode",
                                  &behaviour->mode));
  behaviour->mode_probes = record.mode_probes();
  for (const records::FieldEffect& from : record.fields()) {
    FieldEffect& field = behaviour->fields.emplace_back();
    WEFT_RECORD_CHECK(ParseUnsigned(static_cast<uint32_t>(from.field()), 7,
                                    "hop_behaviours.fields.field", &field.field));
    WEFT_RECORD_CHECK(ParseUnsigned(static_cast<uint32_t>(from.effect()), 2,
                                    "hop_behaviours.fields.effect", &field.effect));
    field.values = from.values();
    field.next_hops = from.next_hops();
  }
  return absl::OkStatus();
}

}  // namespace

records::PathTable ToRecord(const PathTable& table) {
  records::PathTable record;
  record.set_source(table.source);
  record.set_source_address(table.source_address.ToString());
  record.set_destination(table.destination);
  record.set_destination_address(table.destination_address.ToString());
  record.mutable_headers()->set_udp_dst_port(table.headers.udp_dst_port);
  record.mutable_headers()->set_bth_opcode(table.headers.bth_opcode);
  record.mutable_headers()->set_dest_qpn(table.headers.dest_qpn);
  record.mutable_headers()->set_traffic_class(table.headers.traffic_class);
  record.mutable_headers()->set_flow_label(table.headers.flow_label);
  record.set_measured_at(table.measured_at);
  record.set_confidence(table.confidence);
  record.set_probes_sent(table.probes_sent);
  record.set_probes_asked(table.probes_asked);
  for (const Path& path : table.paths) *record.add_paths() = PathToRecord(path);
  record.set_void_reason(table.void_reason);
  for (const HopBehaviour& behaviour : table.hop_behaviours) {
    *record.add_hop_behaviours() = BehaviourToRecord(behaviour);
  }
  record.set_hidden_reason(table.hidden_reason);
  for (const Finding& finding : table.findings) *record.add_findings() = ToRecord(finding);
  return record;
}

absl::Status FromRecord(const records::PathTable& record, PathTable* table) {
  table->source = record.source();
  table->destination = record.destination();
  WEFT_RECORD_CHECK(
      ParseAddress(record.source_address(), "source_address", &table->source_address));
  WEFT_RECORD_CHECK(ParseAddress(record.destination_address(), "destination_address",
                                 &table->destination_address));
  const records::ProbeHeaders& headers = record.headers();
  WEFT_RECORD_CHECK(ParseUnsigned(headers.udp_dst_port(), 0xffff, "headers.udp_dst_port",
                                  &table->headers.udp_dst_port));
  WEFT_RECORD_CHECK(
      ParseUnsigned(headers.bth_opcode(), 0xff, "headers.bth_opcode", &table->headers.bth_opcode));
  WEFT_RECORD_CHECK(
      ParseUnsigned(headers.dest_qpn(), 0xffffff, "headers.dest_qpn", &table->headers.dest_qpn));
  WEFT_RECORD_CHECK(ParseUnsigned(headers.traffic_class(), 0xff, "headers.traffic_class",
                                  &table->headers.traffic_class));
  WEFT_RECORD_CHECK(ParseUnsigned(headers.flow_label(), 0xfffff, "headers.flow_label",
                                  &table->headers.flow_label));
  table->measured_at = record.measured_at();
  WEFT_RECORD_CHECK(ParseNonNegative(record.confidence(), "confidence", &table->confidence));
  if (table->confidence > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("confidence ", table->confidence, ": expected 0 to 1"));
  }
  table->probes_sent = record.probes_sent();
  table->probes_asked = record.probes_asked();
  for (const records::Path& path : record.paths()) {
    WEFT_RECORD_CHECK(PathFromRecord(path, &table->paths.emplace_back()));
  }
  table->void_reason = record.void_reason();
  for (const records::HopBehaviour& behaviour : record.hop_behaviours()) {
    WEFT_RECORD_CHECK(BehaviourFromRecord(behaviour, &table->hop_behaviours.emplace_back()));
  }
  table->hidden_reason = record.hidden_reason();
  for (const records::Finding& finding : record.findings()) {
    WEFT_RECORD_CHECK(FromRecord(finding, &table->findings.emplace_back()));
  }
  return absl::OkStatus();
}

template <>
struct MessageOf<PathTable> {
  using type = records::PathTable;
};
template struct RecordCodec<PathTable>;

}  // namespace weft::topology
