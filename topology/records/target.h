// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

namespace weft::topology {

// A destination of probes and elephants, as its responder describes itself.
struct Target {
  std::string name;
  wire::IpAddress address;
  uint32_t dest_qpn = 0;  // 24 bits
  uint32_t q_key = 0;
  uint32_t path_mtu = 0;  // payload bytes of the largest packet it takes
  std::string clock;      // what stamps the responder's times: "kernel" or "host"
  uint16_t tcp_port = 0;  // where this record is served; 0: nowhere
  bool operator==(const Target&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<Target> = {"target", 1};

}  // namespace weft::topology
