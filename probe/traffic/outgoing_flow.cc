// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/outgoing_flow.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace weft::probe {
namespace {

constexpr int64_t kSilenceNs = 900'000'000;  // more than four heartbeats
const uint32_t kLeastPayloadBytes =
    static_cast<uint32_t>(wire::TrafficMessageBytes(wire::TrafficType::kData));

uint32_t Count(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

double Seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

absl::Status Validate(const SenderOptions& options, uint32_t packet_payload_bytes) {
  if (options.duration_ns <= options.warmup_ns + kWindowTailNs) {
    return absl::InvalidArgumentError(absl::StrCat(
        "duration ", Seconds(options.duration_ns), " s: expected more than the warm-up (",
        Seconds(options.warmup_ns), " s) and ", Seconds(kWindowTailNs), " s"));
  }
  if (packet_payload_bytes < kLeastPayloadBytes || packet_payload_bytes > 4096) {
    return absl::InvalidArgumentError(absl::StrCat(
        "packets of ", packet_payload_bytes, " bytes: expected ", kLeastPayloadBytes, " to 4096"));
  }
  const uint32_t last = options.message_bytes % packet_payload_bytes;
  if (options.message_bytes < kLeastPayloadBytes || (last != 0 && last < kLeastPayloadBytes)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "messages of ", options.message_bytes, " bytes in packets of ", packet_payload_bytes,
        ": expected a last packet of at least ", kLeastPayloadBytes, " bytes"));
  }
  return absl::OkStatus();
}

MessagePacket PacketAt(uint32_t offset, uint32_t message_bytes, uint32_t packet_payload_bytes) {
  const bool first = offset == 0;
  const bool last = message_bytes - offset <= packet_payload_bytes;
  MessagePacket packet;
  packet.payload_bytes = std::min(message_bytes - offset, packet_payload_bytes);
  packet.opcode = first && last ? wire::BthOpcode::kUcSendOnly
                  : first       ? wire::BthOpcode::kUcSendFirst
                  : last        ? wire::BthOpcode::kUcSendLast
                                : wire::BthOpcode::kUcSendMiddle;
  return packet;
}

int64_t OutgoingFlow::SilentAt() const {
  // A slow flow has heartbeats only as often as packets.
  const double packet_ns = packet_payload_bytes * 8e9 / flow.rate_bps;
  return last_heard_ns + kSilenceNs + static_cast<int64_t>(2 * packet_ns);
}

topology::FlowReport OutgoingFlow::Report(const SenderOptions& options) const {
  topology::FlowReport result;
  result.flow = flow;
  result.flow.dest_qpn = dest_qpn != 0 ? dest_qpn : flow.dest_qpn;
  result.started_at = started_at;
  result.window_start_s = Seconds(options.warmup_ns);
  const int64_t window_end_ns = std::min(options.duration_ns - kWindowTailNs, end_ns - start_ns);
  result.window_seconds = Seconds(std::max<int64_t>(window_end_ns - options.warmup_ns, 0));
  result.sent_bytes = static_cast<double>(window_bytes);
  result.sent_packets = Count(sent_packets);
  if (pacer) result.dropped_debt_bytes = pacer->dropped_debt_bytes();
  result.stopped_because = stopped_because;
  result.report_received = report.has_value();
  if (report) {
    result.received_bytes = static_cast<double>(report->window_bytes);
    result.received_packets = Count(report->received_packets);
    result.lost_packets = Count(report->lost_packets);
    result.reordered_packets = Count(report->reordered_packets);
    result.duplicate_packets = Count(report->duplicate_packets);
  }
  return result;
}

}  // namespace weft::probe
