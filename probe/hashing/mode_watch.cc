// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/mode_watch.h"

#include <algorithm>
#include <vector>

namespace weft::probe {
namespace {

// After so many rounds a hop that spreads packets is known beyond doubt.
constexpr uint32_t kRoundsToKnowPerPacket = 6;
constexpr uint32_t kFewestBursts = 2;
constexpr uint32_t kBurstVariants = 3;
constexpr int64_t kBetweenBurstsNs = 300'000;
// A load on one flow may move others too, for some time.
constexpr int64_t kCalmNs = 20'000'000;

class ModeWatch {
 public:
  ModeWatch(HopAsker& asker, const HopVertex& vertex, std::span<const HopFlow> flows,
            const ModeWatchOptions& options)
      : asker_(asker), vertex_(vertex), flows_(flows), options_(options), loaded_(flows.size()) {}

  absl::StatusOr<ModeVerdict> Run() {
    ModeVerdict verdict;
    int64_t pause_ns = options_.shortest_pause_ns;
    for (uint32_t round = 0; round < options_.rounds + options_.more_rounds; ++round) {
      if (round >= options_.rounds && !verdict.undecided) break;
      absl::Status status = Round(pause_ns);
      if (status.ok() && round % 3 == 2 && round / 3 < options_.load_rounds) status = LoadRound();
      if (!status.ok()) return status;
      pause_ns *= 4;
      if (pause_ns > options_.longest_pause_ns) pause_ns = options_.shortest_pause_ns;
      verdict = JudgeMode(sightings_);
      const bool is_known =
          verdict.mode == topology::HopMode::kPerPacket && round + 1 >= kRoundsToKnowPerPacket;
      if (is_known || asker_.stopped()) break;
    }
    return verdict;
  }

 private:
  absl::Status Round(int64_t pause_ns) {
    for (size_t flow = 0; flow < flows_.size(); ++flow) {
      absl::Status status = asker_.Pause(options_.between_ns);
      if (status.ok()) status = Sight(flow);
      if (status.ok()) status = Sight(flow);
      if (status.ok()) status = asker_.Pause(pause_ns);
      if (status.ok()) status = Sight(flow);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status LoadRound() {
    for (size_t flow = 0; flow < flows_.size(); ++flow) {
      absl::Status status = asker_.Pause(options_.between_ns);
      if (status.ok()) status = Sight(flow);
      if (status.ok()) status = LoadFor(flow);
      loaded_.assign(flows_.size(), true);
      if (status.ok()) status = Sight(flow);
      if (status.ok()) status = asker_.Pause(kCalmNs);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Over some time, since switches look at what the last interval brought; and not always equally
  // long, since a flow that is moved twice may be back.
  absl::Status LoadFor(size_t flow) {
    const uint32_t bursts = kFewestBursts + load_count_++ % kBurstVariants;
    absl::Status status;
    for (uint32_t burst = 0; burst < bursts && status.ok(); ++burst) {
      if (burst > 0) status = asker_.Pause(kBetweenBurstsNs);
      if (status.ok()) status = asker_.Load(flows_[flow], options_.load_packets);
    }
    return status;
  }

  absl::Status Sight(size_t flow) {
    SeenPlace answer;
    const absl::Status status = asker_.AskOnce({.flow = flows_[flow],
                                                .ttl = static_cast<uint8_t>(vertex_.hop_index + 1),
                                                .before = vertex_.address,
                                                .expected = ExpectedOf(flow)},
                                               answer);
    if (!status.ok()) return status;
    sightings_.push_back({.flow = static_cast<uint32_t>(flow),
                          .next_hop = NumberOf(answer),
                          .sent_ns = answer.sent_ns,
                          .known_ns = answer.known_ns,
                          .after_load = loaded_[flow]});
    loaded_[flow] = false;
    return absl::OkStatus();
  }

  // Who answered this flow last.
  wire::IpAddress ExpectedOf(size_t flow) const {
    for (auto i = sightings_.rbegin(); i != sightings_.rend(); ++i) {
      if (i->flow == flow && i->next_hop != Sighting::kNowhere) {
        return places_[i->next_hop].address;
      }
    }
    return {};
  }

  // What follows another hop too says nothing of this one, nor does what was never seen to follow
  // it where other hops may have led there.
  uint32_t NumberOf(const SeenPlace& answer) {
    if (answer.kind == SeenPlace::Kind::kNone) return Sighting::kNowhere;
    const auto next = std::ranges::find_if(vertex_.next_hops, [&](const NextHop& n) {
      return answer.kind == SeenPlace::Kind::kDestination ? n.is_destination
                                                          : n.address == answer.address;
    });
    const bool is_known = next != vertex_.next_hops.end() && next->is_only_from_here;
    if (!vertex_.is_only_at_hop && !is_known) return Sighting::kNowhere;
    const auto same = std::ranges::find_if(
        places_, [&](const SeenPlace& place) { return place.SamePlace(answer); });
    if (same != places_.end()) return static_cast<uint32_t>(same - places_.begin());
    places_.push_back(answer);
    return static_cast<uint32_t>(places_.size() - 1);
  }

  HopAsker& asker_;
  const HopVertex& vertex_;
  std::span<const HopFlow> flows_;
  const ModeWatchOptions& options_;
  std::vector<bool> loaded_;  // by flow: a load was put since its last sighting
  uint32_t load_count_ = 0;
  std::vector<SeenPlace> places_;
  std::vector<Sighting> sightings_;
};

}  // namespace

absl::StatusOr<ModeVerdict> WatchMode(HopAsker& asker, const HopVertex& vertex,
                                      std::span<const HopFlow> flows,
                                      const ModeWatchOptions& options) {
  return ModeWatch(asker, vertex, flows, options).Run();
}

}  // namespace weft::probe
