// SPDX-License-Identifier: Apache-2.0
#include "topology/records/hop_behaviour.h"

#include <array>

namespace weft::topology {

const char* ToString(HopMode mode) {
  constexpr std::array kNames = {"unknown", "hashed", "per-packet", "flowlet", "adaptive"};
  return kNames[static_cast<size_t>(mode)];
}

const char* ToString(HashedField field) {
  constexpr std::array kNames = {
      "none",           "source port", "source address", "destination address",
      "destination QP", "opcode",      "flow label",     "DSCP"};
  return kNames[static_cast<size_t>(field)];
}

const char* ToString(FieldUse use) {
  constexpr std::array kNames = {"unknown", "ignored", "hashed"};
  return kNames[static_cast<size_t>(use)];
}

}  // namespace weft::topology
