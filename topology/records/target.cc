// SPDX-License-Identifier: Apache-2.0
#include "topology/records/target.h"

#include "topology/records/message_codec.h"

namespace weft::topology {

records::Target ToRecord(const Target& target) {
  records::Target record;
  record.set_name(target.name);
  record.set_address(target.address.ToString());
  record.set_dest_qpn(target.dest_qpn);
  record.set_q_key(target.q_key);
  record.set_path_mtu(target.path_mtu);
  record.set_clock(target.clock);
  record.set_tcp_port(target.tcp_port);
  return record;
}

absl::Status FromRecord(const records::Target& record, Target* target) {
  target->name = record.name();
  WEFT_RECORD_CHECK(ParseAddress(record.address(), "address", &target->address));
  if (target->address.empty()) {
    return absl::InvalidArgumentError("address \"\": expected an IPv4 or IPv6 address");
  }
  WEFT_RECORD_CHECK(ParseUnsigned(record.dest_qpn(), 0xffffff, "dest_qpn", &target->dest_qpn));
  target->q_key = record.q_key();
  WEFT_RECORD_CHECK(ParseUnsigned(record.path_mtu(), 1 << 20, "path_mtu", &target->path_mtu));
  target->clock = record.clock();
  WEFT_RECORD_CHECK(ParseUnsigned(record.tcp_port(), 0xffff, "tcp_port", &target->tcp_port));
  return absl::OkStatus();
}

template <>
struct MessageOf<Target> {
  using type = records::Target;
};
template struct RecordCodec<Target>;

}  // namespace weft::topology
