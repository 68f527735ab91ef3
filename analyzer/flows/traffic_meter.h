// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/capture/captured_packet.h"
#include "analyzer/flows/tally.h"
#include "wire/frame.h"

// What happens over time and on links, whatever the flow.
namespace weft::analyzer {

struct HostSlots;

struct Second {
  int64_t start_ns = 0;  // since 1970, a whole second
  uint64_t packets = 0;  // all
  uint64_t roce_packets = 0;
  uint64_t roce_bytes = 0;  // whole frames
  uint64_t ecn_ce = 0;
  uint64_t cnps = 0;
  uint64_t naks = 0;
  uint64_t rnr_naks = 0;
  uint64_t pause_frames = 0;  // PFC and 802.3x that pause
  bool operator==(const Second&) const = default;
};

// The fullest bin of a destination: many bytes in a short time. Of packets with message data only,
// so that the ACKs of many receivers to one sender are no burst.
struct Microburst {
  wire::NetworkAddress destination{};
  int64_t start_ns = 0;
  int64_t bin_ns = 0;
  uint64_t bytes = 0;     // in the bin
  double mean_bytes = 0;  // of a bin of that destination, over the time in which it got packets
  uint32_t sources = 0;   // that sent to it in the bin; 48 stands for 48 or more
  uint64_t first_packet = 0;
  bool operator==(const Microburst&) const = default;
};

// What a destination got, bin by bin: packets with message data.
struct Receiver {
  wire::NetworkAddress destination{};
  uint64_t packets = 0;
  uint64_t bytes = 0;  // whole frames
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  uint64_t busy_bins = 0;            // that got a packet
  uint64_t shared_bins = 0;          // that got packets of two sources or more
  uint32_t most_sources = 0;         // in one bin; 48 stands for 48 or more
  uint64_t most_sources_packet = 0;  // first packet of that bin
  uint64_t peak_bytes = 0;           // of the fullest bin
  bool operator==(const Receiver&) const = default;
};

// Pause frames of one sender. They are link-local: what is in the capture is about this link alone.
struct PauseLink {
  wire::MacAddress sender{};
  bool is_pfc = false;
  std::array<Tally, wire::kPriorities> xoff{};  // by priority; 802.3x: all in [0]
  std::array<Tally, wire::kPriorities> xon{};
  std::array<uint64_t, wire::kPriorities> quanta{};  // asked for in all
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  // From an XOFF to the XON that ends it, in all; pauses that end by their timer are not in it.
  std::array<int64_t, wire::kPriorities> held_ns{};
  // RoCE senders with this MAC as their source: none, the sender itself or what it forwards for, or
  // several, which only a router has.
  uint32_t hosts_behind = 0;
  wire::NetworkAddress host{};     // the one, where it is one
  bool host_ttl_is_fresh = false;  // and its packets have not passed a router: 64, 128 or 255
  bool operator==(const PauseLink&) const = default;
};

// Who announced itself by LLDP, with what DCBX says about flow control.
struct LldpNeighbour {
  wire::MacAddress sender{};
  std::string chassis{};  // its ID as text
  std::string port{};     // ID as text
  std::string port_description{};
  std::string system_name{};                // empty where not advertised
  std::optional<uint8_t> pfc_classes = {};  // bit mask of priorities with PFC on
  uint64_t packets = 0;
  uint64_t first_packet = 0;
  bool operator==(const LldpNeighbour&) const = default;
};

struct Traffic {
  std::array<uint64_t, wire::kFrameClasses> by_class{};  // packets, by wire::FrameClass
  std::array<uint64_t, 8> by_tunnel{};  // packets with such a tunnel, by wire::Tunnel
  uint64_t packets = 0;
  uint64_t bytes = 0;        // on the wire
  uint64_t cut_packets = 0;  // captured with less than they had
  bool has_times = false;
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  uint64_t backward_steps = 0;  // packets with an earlier time than the one before
  std::vector<Second>
      seconds;  // ascending, those with packets; at most 100,000, later ones summed in the last
  std::vector<Microburst> bursts;   // one of a destination, the fullest first, at most 16
  std::vector<Receiver> receivers;  // most bytes first, at most 256
  int64_t bin_ns = 0;               // of bursts and receivers
  uint64_t unmetered_packets = 0;   // to destinations beyond the first 8,192: not in these two
  std::vector<PauseLink> pauses;    // by sender, at most 1,024
  std::vector<LldpNeighbour> neighbours;  // at most 1,024
  uint64_t naks = 0;                      // without RNR
  uint64_t rnr_naks = 0;
  uint64_t cnps = 0;
  uint64_t ecn_ce = 0;
  uint64_t bad_icrc = 0;
  uint64_t unchecked_icrc = 0;
  uint64_t pause_frames = 0;  // that pause
  std::optional<int64_t> first_ce_ns = {};
  std::optional<int64_t> first_cnp_ns = {};
  std::optional<int64_t> first_pause_ns = {};
};

// Not thread-safe. A few additions for a packet; no allocation for a known second and destination.
class TrafficMeter {
 public:
  struct Options {
    int64_t bin_ns = 1'000'000;  // of microbursts
  };
  explicit TrafficMeter(const Options& options);
  ~TrafficMeter();

  // `slots`: where the packet's hosts stand, of RDMA; looked up and filled in where that is not
  // known. Null: nowhere to keep them.
  void Add(const wire::FrameView& view, const CapturedPacket& packet, HostSlots* slots = nullptr);
  Traffic Finish();

  struct State;  // traffic_state.h: for the steady path
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace weft::analyzer
