// SPDX-License-Identifier: Apache-2.0
#include "topology/records/port_counters.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "topology/records/message_codec.h"

namespace weft::topology {

const Counter* PortCounters::Find(std::string_view name) const {
  const auto found = std::find_if(counters.begin(), counters.end(),
                                  [&](const Counter& counter) { return counter.name == name; });
  return found == counters.end() ? nullptr : &*found;
}

records::PortCounters ToRecord(const PortCounters& port) {
  records::PortCounters record;
  record.set_node(port.node);
  record.set_interface(port.interface);
  if (port.guid != kNoGuid) record.set_guid(GuidText(port.guid));
  if (!port.read_at.empty()) record.set_read_at(port.read_at);
  if (port.seconds) record.set_seconds(*port.seconds);
  for (const Counter& counter : port.counters) {
    records::Counter* out = record.add_counters();
    out->set_name(counter.name);
    out->set_value(counter.value);
    out->set_at_least(counter.at_least);
  }
  return record;
}

absl::Status FromRecord(const records::PortCounters& record, PortCounters* port) {
  port->node = record.node();
  port->interface = record.interface();
  if (record.has_guid()) {
    const auto guid = ParseGuid(record.guid());
    if (!guid) {
      return absl::InvalidArgumentError(
          absl::StrCat("guid \"", record.guid(), "\": expected up to 16 hex digits"));
    }
    port->guid = *guid;
  }
  port->read_at = record.read_at();
  if (record.has_seconds()) {
    double seconds = 0;
    WEFT_RECORD_CHECK(ParseNonNegative(record.seconds(), "seconds", &seconds));
    port->seconds = seconds;
  }
  for (const records::Counter& from : record.counters()) {
    Counter& counter = port->counters.emplace_back();
    counter.name = from.name();
    WEFT_RECORD_CHECK(ParseNonNegative(from.value(), "counters.value", &counter.value));
    counter.at_least = from.at_least();
  }
  return absl::OkStatus();
}

template <>
struct MessageOf<PortCounters> {
  using type = records::PortCounters;
};
template struct RecordCodec<PortCounters>;

}  // namespace weft::topology
