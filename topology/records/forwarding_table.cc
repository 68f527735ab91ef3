// SPDX-License-Identifier: Apache-2.0
#include "topology/records/forwarding_table.h"

#include "absl/strings/str_cat.h"
#include "topology/records/message_codec.h"

namespace weft::topology {

records::ForwardingTable ToRecord(const ForwardingTable& table) {
  records::ForwardingTable record;
  record.set_node(table.node);
  if (table.guid != kNoGuid) record.set_guid(GuidText(table.guid));
  record.mutable_out_ports()->Add(table.out_ports.begin(), table.out_ports.end());
  if (table.adaptive) record.set_adaptive(*table.adaptive);
  return record;
}

absl::Status FromRecord(const records::ForwardingTable& record, ForwardingTable* table) {
  table->node = record.node();
  if (record.has_guid()) {
    const auto guid = ParseGuid(record.guid());
    if (!guid) {
      return absl::InvalidArgumentError(
          absl::StrCat("guid \"", record.guid(), "\": expected up to 16 hex digits"));
    }
    table->guid = *guid;
  }
  if (record.out_ports_size() > static_cast<int>(kMaxLid) + 1) {
    return absl::InvalidArgumentError(absl::StrCat("out_ports: ", record.out_ports_size(),
                                                   " entries, expected at most ", kMaxLid + 1));
  }
  table->out_ports.reserve(static_cast<size_t>(record.out_ports_size()));
  for (const uint32_t port : record.out_ports()) {
    WEFT_RECORD_CHECK(
        ParseUnsigned(port, kNoOutPort, "out_ports", &table->out_ports.emplace_back()));
  }
  if (record.has_adaptive()) table->adaptive = record.adaptive();
  return absl::OkStatus();
}

template <>
struct MessageOf<ForwardingTable> {
  using type = records::ForwardingTable;
};
template struct RecordCodec<ForwardingTable>;

}  // namespace weft::topology
