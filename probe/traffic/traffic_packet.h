// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/roce.h"
#include "wire/traffic.h"

// The packets of elephants (docs/wire-traffic.md), from the BTH to the ICRC.
namespace weft::probe {

inline constexpr size_t kMaxControlBytes = 128;

// A UD SEND Only with a control message. Returns the bytes written; kMaxControlBytes always do.
size_t BuildControl(const wire::RoceEndpoints& endpoints, uint32_t dest_qpn, const wire::Deth& deth,
                    const wire::TrafficMessage& message, std::span<std::byte> out);

struct ControlPacket {
  wire::TrafficMessage message;
  uint32_t dest_qpn = 0;
  uint32_t source_qpn = 0;
  uint32_t q_key = 0;
};

// nullopt: not a UD SEND Only with a control message. Does not look at the ICRC.
std::optional<ControlPacket> ParseControl(const wire::RoceDatagram& datagram);

struct DataPacket {
  uint64_t token = 0;
  uint64_t sent_ns = 0;
  uint32_t dest_qpn = 0;
  uint32_t psn = 0;
  uint32_t payload_bytes = 0;
};

bool IsUcSend(uint8_t opcode);

// nullopt: not a UC SEND of ours. Does not look at the ICRC.
std::optional<DataPacket> ParseData(const wire::RoceDatagram& datagram);

}  // namespace weft::probe
