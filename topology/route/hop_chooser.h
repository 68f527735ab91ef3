// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "topology/records/hop_behaviour.h"
#include "topology/route/hash.h"
#include "topology/route/route.h"

namespace weft::topology {

// How one switch chooses among the members of an ECMP group.
struct HopModel {
  HashModel hash{};
  HopMode mode = HopMode::kHashed;  // kUnknown counts as kHashed
  // kFlowlet: after a pause of at least this the flow is placed anew. kAdaptive: so often flows may
  // be moved. Above 0.
  int64_t period_ns = 500'000;
  // kAdaptive: a flow leaves a member that took more than this many packets in one period, for the
  // one that took fewest, and otherwise stays.
  uint32_t adaptive_packets = 64;
  bool operator==(const HopModel&) const = default;
};

// Which way a packet takes at a switch, whatever the switch's mode: hashed ones as the Router says,
// per-packet ones at random, the others with a memory of the flows that they have seen (a flow is
// what the model's fields tell apart, and the destination). A new flow goes to a random member
// where there are flowlets, and to the hash's where placement is adaptive. All chance comes from
// one seed: the same calls give the same answers. Keeps a pointer to the router; not for several
// threads. Memory is bounded: past kMaxFlowsPerSwitch the flow that has been quiet longest is
// forgotten.
class HopChooser {
 public:
  static constexpr size_t kMaxFlowsPerSwitch = 65'536;

  // One model per node of the router's fabric; their `hash` must be what the router was given.
  HopChooser(const Router* router, std::vector<HopModel> models, uint64_t seed);
  ~HopChooser();
  HopChooser(HopChooser&&) noexcept;
  HopChooser& operator=(HopChooser&&) noexcept;

  // Takes another router of the same fabric (after links went down); flows keep their members where
  // these are still in the group.
  void SetRouter(const Router* router) { router_ = router; }

  // nullopt: no way, or `node` is the destination. `now_ns`, from 0, never goes back.
  std::optional<Direction> NextHop(NodeIndex node, const HashedHeaders& headers, int64_t now_ns);

  const HopModel& model(NodeIndex node) const { return models_[node]; }

 private:
  struct Memory;

  Memory& MemoryOf(NodeIndex node);
  Direction RandomMember(std::span<const Direction> group);
  Direction PlaceFlowlet(NodeIndex node, const HashedHeaders& headers,
                         std::span<const Direction> group, int64_t now_ns);
  Direction PlaceAdaptive(NodeIndex node, const HashedHeaders& headers,
                          std::span<const Direction> group, int64_t now_ns);

  const Router* router_;
  std::vector<HopModel> models_;
  std::vector<std::unique_ptr<Memory>> memories_;  // by node; made when first needed
  uint64_t random_state_;
};

}  // namespace weft::topology
