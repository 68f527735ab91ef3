// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/records/fabric_records.h"

namespace weft::topology {

// Named as Linux names them under /sys/class/infiniband ("symbol_error", "port_xmit_data", which
// counts 4-byte words), per priority as `ethtool -S` does ("rx_prio3_pause"), lower case.
struct Counter {
  std::string name;
  double value = 0;  // in the unit that its name stands for; whole numbers are exact up to 2^53
  bool at_least = false;  // it stands at its maximum, and may have missed some
  bool operator==(const Counter&) const = default;
};

// One reading of one port.
struct PortCounters {
  std::string node;
  std::string interface;
  Guid guid = kNoGuid;              // of the node
  std::string read_at{};            // RFC 3339, UTC; empty: not known
  std::optional<double> seconds{};  // for which they have counted: since reset, or between readings
  std::vector<Counter> counters{};

  // nullptr: not read.
  const Counter* Find(std::string_view name) const;
  bool operator==(const PortCounters&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<PortCounters> = {"port-counters", 1};

}  // namespace weft::topology
