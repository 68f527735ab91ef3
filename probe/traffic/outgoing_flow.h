// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "probe/endpoint/udp/port_sockets.h"
#include "probe/traffic/pacer.h"
#include "topology/records/flow.h"
#include "topology/records/target.h"
#include "wire/bth.h"
#include "wire/traffic.h"

namespace weft::probe {

struct SenderOptions {
  int64_t duration_ns = 5'000'000'000;
  int64_t warmup_ns = 1'000'000'000;  // the counted window begins then
  uint32_t message_bytes = 1 << 20;
  uint32_t packet_payload_bytes = 0;  // 0: each target's path MTU
  uint64_t seed = 1;                  // of first PSNs and control ports
};

inline constexpr int64_t kWindowTailNs = 500'000'000;  // the window ends so long before the flow

// InvalidArgument when the window would be empty, or a message's last packet too small for our
// header.
absl::Status Validate(const SenderOptions& options, uint32_t packet_payload_bytes);

// What stands in the BTH of a message's packets, and how long each is, from the message's size.
struct MessagePacket {
  wire::BthOpcode opcode = wire::BthOpcode::kUcSendOnly;
  uint32_t payload_bytes = 0;
};
MessagePacket PacketAt(uint32_t offset, uint32_t message_bytes, uint32_t packet_payload_bytes);

// One flow on its way: offered, sent, drained, asked about, ended. A record of its state without
// I/O: Sender does that.
struct OutgoingFlow {
  enum class State : uint8_t { kOffering, kSending, kDraining, kAsking, kEnded };

  topology::Flow flow;
  topology::Target target;
  PortSockets::Socket* socket = nullptr;  // of the flow's source port
  uint16_t control_port = 0;              // where its responder answers
  uint64_t token = 0;
  uint32_t packet_payload_bytes = 0;
  uint32_t first_psn = 0;

  State state = State::kOffering;
  int64_t state_end_ns = 0;     // kOffering, kDraining, kAsking: given up or over then
  int64_t next_control_ns = 0;  // the next offer or question
  int64_t last_heard_ns = 0;    // from the responder
  int64_t start_ns = 0;         // of the data
  int64_t end_ns = 0;
  int64_t retry_ns = 0;  // the kernel had no room for a packet: not before then again
  std::optional<Pacer> pacer;
  uint32_t dest_qpn = 0;  // that the responder accepted
  uint64_t sent_packets = 0;
  uint32_t message_offset = 0;
  uint64_t window_bytes = 0;
  std::string started_at;
  std::string stopped_because;
  std::optional<wire::TrafficReport> report;

  // When the responder has been silent for too long.
  int64_t SilentAt() const;
  topology::FlowReport Report(const SenderOptions& options) const;
};

}  // namespace weft::probe
