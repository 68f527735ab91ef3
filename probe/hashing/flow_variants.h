// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "probe/hashing/field_trial.h"
#include "probe/hashing/hop_experiment.h"
#include "probe/trace/port_source.h"

namespace weft::probe {

// Makes the flows by which hops of one pair are tried. Keeps references to what it is given.
class FlowVariants {
 public:
  FlowVariants(const HopsInput& input, const HopsOptions& options);

  HopFlow Plain(uint16_t udp_src_port) const;
  // Flows that are known to pass the hop, at most `count`, on different next hops first.
  std::vector<HopFlow> FlowsThrough(const HopVertex& vertex, size_t count);
  // At most so many flows on new random source ports, otherwise plain.
  std::vector<HopFlow> Fresh(size_t count);
  // The same with every other header changed too, as far as it may be: source address, flow label,
  // DSCP, and where `may_wear_live` destination address, destination QP and opcode.
  std::vector<HopFlow> AllChanged(size_t count, bool may_wear_live);

  // Fields that can be varied for this pair.
  std::vector<topology::HashedField> Fields() const;
  // The trial of one field at a hop, without next_hop_count and alpha; each base gets at most
  // `count` variants.
  FieldTrial TrialOf(topology::HashedField field, const HopVertex& vertex, size_t count);

  // Fields whose other values may be those of somebody's traffic.
  static bool WearsLive(topology::HashedField field);
  // Whether a probe with this TTL may wear a live header: it ends in a switch on every known path.
  static bool MayWearLive(const HopVertex& vertex, uint32_t ttl);

 private:
  uint64_t NextSeed() { return seed_ += 0x9e3779b97f4a7c15; }
  FieldBits ValueOf(topology::HashedField field, const HopFlow& flow) const;
  void AddVariants(topology::HashedField field, const HopVertex& vertex, const HopFlow& base,
                   size_t count, std::vector<FieldVariant>& variants);

  const HopsInput& input_;
  const HopsOptions& options_;
  PortSource ports_;
  uint64_t seed_;
};

}  // namespace weft::probe
