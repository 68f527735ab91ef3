// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/records/fabric_records.h"

namespace weft::topology {

// Out ports that are no way: 255 in the tables of switches (InfiniBand 1.7, section 14.2.5.6).
inline constexpr uint8_t kNoOutPort = 255;

// The linear forwarding table of one InfiniBand switch.
struct ForwardingTable {
  std::string node;
  Guid guid = kNoGuid;             // of the switch
  std::vector<uint8_t> out_ports;  // by LID, from 0, up to its last way; 0: the switch itself
  // The switch may take another port of a group instead. Absent: not known.
  std::optional<bool> adaptive{};

  uint8_t OutPort(uint32_t lid) const {
    return lid < out_ports.size() ? out_ports[lid] : kNoOutPort;
  }
  bool operator==(const ForwardingTable&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<ForwardingTable> = {"forwarding-table", 1};

}  // namespace weft::topology
