// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "tests/fuzz/expect.h"
#include "wire/dissect.h"
#include "wire/ethernet.h"
#include "wire/ip.h"
#include "wire/roce.h"

namespace weft::wire {
namespace {

bool SameButPayloadAndIcrc(const RoceView& a, const RoceView& b) {
  return a.source == b.source && a.destination == b.destination &&
         a.udp_src_port == b.udp_src_port && a.udp_dst_port == b.udp_dst_port && a.ttl == b.ttl &&
         a.traffic_class == b.traffic_class && a.flow_label == b.flow_label &&
         a.vlan_priority == b.vlan_priority && a.bth == b.bth && a.deth == b.deth &&
         a.payload_bytes == b.payload_bytes;
}

void ExpectSound(const RoceView& view, std::span<const std::byte> frame) {
  fuzz::Expect(view.udp_dst_port == kRoceUdpPort, "RoCE is known by its destination port");
  fuzz::Expect(view.bth.tver == 0, "RoCE has a BTH of version 0");
  fuzz::Expect(view.deth.has_value() == HasDeth(view.bth.opcode), "UD opcodes have a DETH");
  fuzz::Expect(view.payload.size() <= view.payload_bytes, "no more payload than was sent");
  fuzz::Expect(view.icrc == IcrcState::kCut || view.payload.size() == view.payload_bytes,
               "the payload of a packet that is not cut is whole");
  fuzz::Expect(view.payload.empty() ||
                   (view.payload.data() >= frame.data() &&
                    view.payload.data() + view.payload.size() <= frame.data() + frame.size()),
               "the payload lies in the frame");
}

// One byte less: the same headers and a cut ICRC, or a class that does not look at the end. Bytes
// of a link's padding may be missing without a change.
void ExpectCutIsSeen(const RoceView& view, std::span<const std::byte> frame) {
  RoceView cut;
  const PacketClass cut_class = DissectEthernet(frame.first(frame.size() - 1), cut);
  if (cut_class != PacketClass::kRoce) {
    fuzz::Expect(cut_class == PacketClass::kCut, "a cut frame is nothing else than cut");
    return;
  }
  fuzz::Expect(SameButPayloadAndIcrc(view, cut), "a cut frame shows the same headers");
  fuzz::Expect(cut.icrc == view.icrc || cut.icrc == IcrcState::kCut, "a cut ICRC is not bad");
}

// What the view shows, built anew, is seen as the same, and its ICRC is right.
void ExpectRebuilds(const RoceView& view) {
  if (view.payload.size() != view.payload_bytes) return;
  std::vector<std::byte> frame(kEthernetHeaderBytes + kIpv6HeaderBytes + 0xffff);
  ByteWriter writer(frame);
  WriteEthernet({.ethertype = view.source.IsV4() ? kEthertypeIpv4 : kEthertypeIpv6}, writer);
  const size_t headers_bytes = kEthernetHeaderBytes + IpHeaderBytes(view.source) + kUdpHeaderBytes;
  const size_t datagram_bytes =
      BuildRoceDatagram({view.source, view.destination, view.udp_src_port, view.udp_dst_port},
                        view.bth, view.deth, view.payload, std::span(frame).subspan(headers_bytes));
  if (datagram_bytes == 0) return;  // padding made it too long for IP
  const auto udp_bytes = static_cast<uint16_t>(kUdpHeaderBytes + datagram_bytes);
  fuzz::Expect(WriteIp({.source = view.source,
                        .destination = view.destination,
                        .traffic_class = view.traffic_class,
                        .flow_label = view.flow_label,
                        .ttl = view.ttl,
                        .protocol = kIpProtocolUdp,
                        .payload_bytes = udp_bytes},
                       writer),
               "what was seen has addresses of one family");
  WriteUdp({view.udp_src_port, view.udp_dst_port, udp_bytes, 0}, writer);
  frame.resize(headers_bytes + datagram_bytes);

  RoceView again;
  fuzz::Expect(DissectEthernet(frame, again) == PacketClass::kRoce, "what was built is RoCE");
  again.vlan_priority = view.vlan_priority;  // the tags were left out
  again.bth.pad = view.bth.pad;              // a sender may have padded by more than it had to
  fuzz::Expect(SameButPayloadAndIcrc(view, again), "what was built shows the same");
  fuzz::Expect(std::ranges::equal(view.payload, again.payload), "with the same payload");
  fuzz::Expect(again.icrc == IcrcState::kOk, "with a right ICRC");
}

void FuzzDissect(std::span<const std::byte> frame) {
  RoceView view;
  if (DissectEthernet(frame, view) != PacketClass::kRoce) {
    fuzz::Expect(SameButPayloadAndIcrc(view, RoceView{}), "a view is written for RoCE only");
    return;
  }
  ExpectSound(view, frame);
  ExpectCutIsSeen(view, frame);
  ExpectRebuilds(view);
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzDissect(weft::fuzz::AsBytes(data, size));
  return 0;
}
