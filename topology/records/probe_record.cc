// SPDX-License-Identifier: Apache-2.0
#include "topology/records/probe_record.h"

#include "topology/records/message_codec.h"

namespace weft::topology {

records::ProbeRecord ToRecord(const ProbeRecord& probe) {
  records::ProbeRecord record;
  record.set_source(probe.source);
  record.set_source_address(probe.source_address.ToString());
  record.set_destination(probe.destination);
  record.set_destination_address(probe.destination_address.ToString());
  record.set_sequence(probe.sequence);
  record.set_udp_src_port(probe.udp_src_port);
  record.set_reply_udp_src_port(probe.reply_udp_src_port);
  record.set_ttl(probe.ttl);
  record.set_outcome(static_cast<records::ProbeRecord::Outcome>(probe.outcome));
  record.set_hop_address(probe.hop_address.ToString());
  if (probe.rtt_us) record.set_rtt_us(*probe.rtt_us);
  if (probe.responder_delay_us) record.set_responder_delay_us(*probe.responder_delay_us);
  if (probe.hop_ip_id) record.set_hop_ip_id(*probe.hop_ip_id);
  record.set_time_s(probe.time_s);
  return record;
}

absl::Status FromRecord(const records::ProbeRecord& record, ProbeRecord* probe) {
  probe->source = record.source();
  probe->destination = record.destination();
  WEFT_RECORD_CHECK(
      ParseAddress(record.source_address(), "source_address", &probe->source_address));
  WEFT_RECORD_CHECK(ParseAddress(record.destination_address(), "destination_address",
                                 &probe->destination_address));
  probe->sequence = record.sequence();
  WEFT_RECORD_CHECK(
      ParseUnsigned(record.udp_src_port(), 0xffff, "udp_src_port", &probe->udp_src_port));
  WEFT_RECORD_CHECK(ParseUnsigned(record.reply_udp_src_port(), 0xffff, "reply_udp_src_port",
                                  &probe->reply_udp_src_port));
  WEFT_RECORD_CHECK(ParseUnsigned(record.ttl(), 0xff, "ttl", &probe->ttl));
  WEFT_RECORD_CHECK(
      ParseUnsigned(static_cast<uint32_t>(record.outcome()), 3, "outcome", &probe->outcome));
  WEFT_RECORD_CHECK(ParseAddress(record.hop_address(), "hop_address", &probe->hop_address));
  if (record.has_rtt_us()) {
    WEFT_RECORD_CHECK(ParseFinite(record.rtt_us(), "rtt_us", &probe->rtt_us.emplace()));
  }
  if (record.has_responder_delay_us()) {
    WEFT_RECORD_CHECK(ParseFinite(record.responder_delay_us(), "responder_delay_us",
                                  &probe->responder_delay_us.emplace()));
  }
  if (record.has_hop_ip_id()) {
    WEFT_RECORD_CHECK(
        ParseUnsigned(record.hop_ip_id(), 0xffff, "hop_ip_id", &probe->hop_ip_id.emplace()));
  }
  WEFT_RECORD_CHECK(ParseFinite(record.time_s(), "time_s", &probe->time_s));
  return absl::OkStatus();
}

template <>
struct MessageOf<ProbeRecord> {
  using type = records::ProbeRecord;
};
template struct RecordCodec<ProbeRecord>;

}  // namespace weft::topology
