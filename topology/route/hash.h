// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "topology/records/hop_behaviour.h"

namespace weft::topology {

struct HashedHeaders;

// A set of HashedField.
class HashedFields {
 public:
  constexpr HashedFields() = default;
  static constexpr HashedFields FiveTuple() {
    return HashedFields()
        .With(HashedField::kUdpSrcPort)
        .With(HashedField::kSourceAddress)
        .With(HashedField::kDestinationAddress);
  }
  constexpr HashedFields With(HashedField field) const { return HashedFields(bits_ | Bit(field)); }
  constexpr HashedFields Without(HashedField field) const {
    return HashedFields(bits_ & ~Bit(field));
  }
  constexpr bool Has(HashedField field) const { return (bits_ & Bit(field)) != 0; }
  bool operator==(const HashedFields&) const = default;

 private:
  explicit constexpr HashedFields(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t Bit(HashedField field) { return 1U << static_cast<uint32_t>(field); }
  uint32_t bits_ = 0;
};

// How a switch turns headers into a number, and the number into a member of a group. A value.
// CRC-32 is linear: two seeds give hashes that differ by one constant for all headers, so in groups
// of 2, 4, 8.. a seed renames the members and does not spread anew what another switch has already
// spread (polarisation).
struct HashModel {
  enum class Function : uint8_t {
    kCrc32,  // CRC-32 over the fields, after the seed's four bytes
    kMixed,  // the same, then mixed so that it is not linear (as a keyed hash is not)
  };
  enum class Choice : uint8_t {
    kScaled,  // the high bits scaled to the group's size
    kModulo,  // the remainder
  };
  Function function = Function::kCrc32;
  uint32_t seed = 0;
  Choice choice = Choice::kScaled;
  // Protocol and destination port are always hashed too: our probes have one of each.
  HashedFields fields = HashedFields::FiveTuple();
  bool operator==(const HashModel&) const = default;
};

// In this order, each only where the model has the field: seed, source and destination address,
// protocol, source and destination port, destination QP, opcode, flow label, DSCP.
uint32_t Hash(const HashModel& model, const HashedHeaders& headers);

// The member of a group of `count` (at least 1) that a hash picks: the high bits scaled, as
// switches without a power-of-two table do. Stable for one hash and count.
uint32_t Bucket(uint32_t hash, uint32_t count);

// The member of a group of `count` (at least 1) that these headers take under a model.
uint32_t ChooseMember(const HashModel& model, const HashedHeaders& headers, uint32_t count);

}  // namespace weft::topology
