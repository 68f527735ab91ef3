// SPDX-License-Identifier: Apache-2.0
// The dissector of whole frames, its straight and its general way. An input is two bytes of link
// type, one of what was on the wire beyond it, and the frame.
#include <vector>

#include "tests/fuzz/expect.h"
#include "tests/wire/same_view.h"
#include "wire/byte_reader.h"
#include "wire/frame.h"
#include "wire/frame_paths.h"

namespace weft::wire {
namespace {

bool LiesIn(std::span<const std::byte> part, std::span<const std::byte> frame) {
  return part.empty() ||
         (part.data() >= frame.data() && part.data() + part.size() <= frame.data() + frame.size());
}

void ExpectSound(FrameClass frame_class, const FrameView& view, std::span<const std::byte> frame) {
  fuzz::Expect(static_cast<size_t>(frame_class) < kFrameClasses, "a class that there is");
  fuzz::Expect(frame_class == view.frame_class, "the view has the class that is returned");
  fuzz::Expect(view.tunnel_count <= kMaxTunnels, "no more tunnels than the view holds");
  if (frame_class == FrameClass::kLldp) fuzz::Expect(LiesIn(view.lldp, frame), "LLDP in it");
  if (!IsRdma(frame_class)) {
    fuzz::Expect(view.icrc == IcrcState::kCut, "only RDMA has an ICRC");
    return;
  }
  const RdmaPacket& rdma = view.rdma;
  fuzz::Expect(!view.source.empty() && !view.destination.empty(), "RDMA has addresses");
  fuzz::Expect(frame_class != FrameClass::kRoceV2 || view.udp_dst_port == 4791,
               "RoCEv2 is known by its destination port");
  fuzz::Expect(rdma.bth.tver == 0, "a sane BTH");
  fuzz::Expect((rdma.headers & ~rdma.info().headers) == 0, "no header that was not asked for");
  fuzz::Expect(rdma.payload.size() <= rdma.payload_bytes, "no more payload than was sent");
  fuzz::Expect(LiesIn(rdma.payload, frame), "the payload lies in the frame");
  fuzz::Expect(view.icrc == IcrcState::kCut || rdma.payload.size() == rdma.payload_bytes,
               "an ICRC is checked of whole packets only");
}

// One byte less is the same class, or cut; TCP may hide that it is iWARP.
void ExpectCutIsSeen(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes,
                     FrameClass whole) {
  if (frame.empty()) return;
  FrameView view;
  const FrameClass cut =
      DissectFrame(link_type, frame.first(frame.size() - 1), wire_bytes, {}, view);
  fuzz::Expect(cut == whole || cut == FrameClass::kCut ||
                   (whole == FrameClass::kIwarp && cut == FrameClass::kTcp),
               "a cut frame is the same or cut");
}

void FuzzFrame(std::span<const std::byte> input) {
  ByteReader reader(input);
  const auto link_type = static_cast<LinkType>(reader.U16());
  const size_t beyond = reader.U8();
  if (!reader.ok()) return;
  const std::span<const std::byte> frame = reader.Rest();
  const size_t wire_bytes = frame.size() + beyond;

  FrameView view;
  const FrameClass frame_class = DissectFrame(link_type, frame, wire_bytes, {}, view);
  ExpectSound(frame_class, view, frame);
  ExpectCutIsSeen(link_type, frame, wire_bytes, frame_class);

  FrameView straight;
  if (!DissectPlainRoce(frame, {}, straight)) {
    fuzz::Expect(SameView(straight, FrameView{}), "what is not plain changes nothing");
    return;
  }
  FrameView general;
  DissectAnyFrame(LinkType::kEthernet, frame, wire_bytes, {}, general);
  fuzz::Expect(SameView(straight, general), "both ways see the same");
}

}  // namespace
}  // namespace weft::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::wire::FuzzFrame(weft::fuzz::AsBytes(data, size));
  return 0;
}
