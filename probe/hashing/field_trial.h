// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/hashing/field_values.h"
#include "probe/hashing/hop_asker.h"
#include "probe/hashing/hop_vertex.h"
#include "topology/records/hop_behaviour.h"

namespace weft::probe {

// A flow with one field changed.
struct FieldVariant {
  HopFlow flow;
  FieldBits value{};
};

// Whether a hop's choice depends on one field: all else is held still.
struct FieldTrial {
  topology::HashedField field = topology::HashedField::kNone;
  uint32_t width = 0;           // of the field, bits that vary
  uint32_t next_hop_count = 2;  // that an even hash would choose among, at least 2
  double alpha = 0.01;          // the probability with which "ignored" may be wrong
  // Flows that pass the hop, each with itself changed; the first whose next hop answers is used.
  struct Base {
    FieldVariant flow;
    std::vector<FieldVariant> variants;
  };
  std::vector<Base> bases;
};

struct FieldFinding {
  topology::FieldEffect effect;
  // kIgnored: that all values led one way although the field is hashed. kUnknown: the same, too
  // high to say it.
  double same_by_chance = 1;
  std::string reason;             // in words
  std::vector<SeenPlace> places;  // different next hops seen
  bool is_unstable = false;       // the same flow did not always go the same way
};

// Asks at the TTL after `vertex` (and at its own, where others share it, whether a changed flow
// still passes it).
absl::StatusOr<FieldFinding> TryField(HopAsker& asker, const HopVertex& vertex,
                                      const FieldTrial& trial);

}  // namespace weft::probe
