// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/traffic_packet.h"

#include <array>

namespace weft::probe {

size_t BuildControl(const wire::RoceEndpoints& endpoints, uint32_t dest_qpn, const wire::Deth& deth,
                    const wire::TrafficMessage& message, std::span<std::byte> out) {
  std::array<std::byte, kMaxControlBytes> payload;
  const size_t size = wire::WriteTrafficMessage(message, payload);
  wire::Bth bth;
  bth.opcode = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly);
  bth.dest_qpn = dest_qpn;
  return wire::BuildRoceDatagram(endpoints, bth, deth, std::span(payload).first(size), out);
}

std::optional<ControlPacket> ParseControl(const wire::RoceDatagram& datagram) {
  if (datagram.bth.opcode != static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly) || !datagram.deth) {
    return std::nullopt;
  }
  std::optional<wire::TrafficMessage> message = wire::ParseTrafficMessage(datagram.payload);
  if (!message || wire::TypeOf(*message) == wire::TrafficType::kData) return std::nullopt;
  return ControlPacket{.message = *message,
                       .dest_qpn = datagram.bth.dest_qpn,
                       .source_qpn = datagram.deth->source_qpn,
                       .q_key = datagram.deth->q_key};
}

bool IsUcSend(uint8_t opcode) {
  switch (static_cast<wire::BthOpcode>(opcode)) {
    case wire::BthOpcode::kUcSendFirst:
    case wire::BthOpcode::kUcSendMiddle:
    case wire::BthOpcode::kUcSendLast:
    case wire::BthOpcode::kUcSendOnly:
      return true;
    default:
      return false;
  }
}

std::optional<DataPacket> ParseData(const wire::RoceDatagram& datagram) {
  if (!IsUcSend(datagram.bth.opcode)) return std::nullopt;
  const std::optional<wire::TrafficMessage> message = wire::ParseTrafficMessage(datagram.payload);
  if (!message) return std::nullopt;
  const auto* data = std::get_if<wire::TrafficData>(&message->body);
  if (data == nullptr) return std::nullopt;
  return DataPacket{.token = message->token,
                    .sent_ns = data->sent_ns,
                    .dest_qpn = datagram.bth.dest_qpn,
                    .psn = datagram.bth.psn,
                    .payload_bytes = static_cast<uint32_t>(datagram.payload.size())};
}

}  // namespace weft::probe
