// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/packet.h"

#include "wire/bth.h"
#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/ipv4.h"
#include "wire/roce.h"

namespace weft::probe {

bool SimulatedPacket::ReadHeaders() {
  const std::optional<wire::IpHeader> header = wire::ParseIp(span());
  if (!header) return false;
  ip = *header;
  destination.reset();
  outer.reset();
  link_count = 0;
  routed = {.source = ip.source,
            .destination = ip.destination,
            .protocol = ip.protocol,
            .udp_src_port = 0,
            .udp_dst_port = 0,
            .flow_label = ip.flow_label,
            .traffic_class = ip.traffic_class};
  if (ip.protocol != wire::kIpProtocolUdp) return true;
  wire::ByteReader reader(span().subspan(ip.header_bytes));
  const wire::UdpHeader udp = wire::ReadUdp(reader);
  if (!reader.ok()) return true;
  routed.udp_src_port = udp.source_port;
  routed.udp_dst_port = udp.destination_port;
  if (udp.destination_port != wire::kRoceUdpPort) return true;
  const wire::Bth bth = wire::ReadBth(reader);
  if (!reader.ok()) return true;
  routed.dest_qpn = bth.dest_qpn;
  routed.bth_opcode = bth.opcode;
  return true;
}

void SimulatedPacket::Sync() {
  wire::ByteWriter writer(span());
  wire::WriteIp(ip, writer);  // its options, which we never write, would be lost
}

uint32_t PacketPool::New() {
  if (free_.empty()) {
    packets_.push_back(std::make_unique<SimulatedPacket>());
    free_.reserve(packets_.capacity());
    return static_cast<uint32_t>(packets_.size() - 1);
  }
  const uint32_t packet = free_.back();
  free_.pop_back();
  return packet;
}

}  // namespace weft::probe
