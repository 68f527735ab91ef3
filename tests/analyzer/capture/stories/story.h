// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/wire/frame_builder.h"
#include "wire/cm.h"
#include "wire/pause.h"

// Captures for tests, told packet by packet: what happened, as one who stood at the requester's NIC
// saw it.
namespace weft::analyzer {

// One direction of a connection: what its packets carry in IP and UDP.
struct Way {
  wire::IpAddress source;
  wire::IpAddress destination;
  uint32_t dest_qpn = 0;
  uint16_t udp_src_port = 0xc000;
  uint8_t dscp = 26;
  uint8_t ttl = 63;
};

// A connection of two QPs. PSNs are those of requests.
struct Pair {
  Way forward;
  Way backward;
  uint32_t psn = 100;
  uint32_t msn = 0;
};
// Host `a` (10.0.0.a) asks host `b`; QPNs 0x100 + n and 0x200 + n, ports that differ by n.
Pair PairOf(uint8_t a, uint8_t b, uint32_t n);

class Story {
 public:
  static constexpr int64_t kStartNs = 1'800'000'000'000'000'000;
  static constexpr uint32_t kMtu = 1024;

  void After(int64_t ns) { now_ns_ += ns; }

  // Packets of the last spoken moment, 1 us apart from the one before.
  void Say(const Way& way, const wire::RdmaPacket& packet);
  void Put(const wire::Bytes& frame);
  // What is done to each frame from now on: VLAN tags, tunnels, marks. Null: nothing.
  void Dress(std::function<wire::Bytes(wire::Bytes)> dress) { dress_ = std::move(dress); }
  void Mark(bool is_congested) { ecn_ = is_congested ? 3 : 2; }

  // A WRITE of this many packets of kMtu; those whose index is in `lost` are not seen. Advances
  // psn.
  void Write(Pair& pair, uint32_t packets, const std::vector<uint32_t>& lost = {});
  // The same, where the one with index `late` comes after the one with index `after`.
  void WriteLate(Pair& pair, uint32_t packets, uint32_t late, uint32_t after);
  void WriteFrom(Pair& pair, uint32_t first,
                 uint32_t packets);                         // its packets from `first` on, again
  void Send(Pair& pair, uint32_t bytes);                    // one packet
  void Ack(Pair& pair);                                     // of all before psn
  void Answer(Pair& pair, uint32_t psn, uint8_t syndrome);  // any AETH
  void Cnp(const Way& way);
  void Cm(const Way& way, const wire::CmMessage& message);
  void Pause(const wire::PauseFrame& pause);

  // pcap with nanoseconds; frames cut at `snaplen` where that is not 0.
  wire::Bytes Pcap(uint32_t snaplen = 0, uint32_t link_type = 1) const;

 private:
  struct Frame {
    int64_t time_ns;
    wire::Bytes bytes;
  };

  void WritePacket(const Pair& pair, uint32_t base_psn, uint32_t index, uint32_t packets);

  int64_t now_ns_ = kStartNs;
  uint8_t ecn_ = 2;
  std::function<wire::Bytes(wire::Bytes)> dress_;
  std::vector<Frame> frames_;
};

struct NamedCapture {
  std::string file;  // "go-back-n.pcap"
  wire::Bytes bytes;
};
std::vector<NamedCapture> AllStories();

}  // namespace weft::analyzer
