// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/records/hop_behaviour.h"
#include "wire/ip_address.h"

// Which values of a header field to try at a hop, and how far it is chance when all of them lead
// one way.
namespace weft::probe {

// A field's bits, the lowest in [0].
using FieldBits = std::array<uint64_t, 2>;
FieldBits BitsOf(uint64_t value);
FieldBits BitsOf(const wire::IpAddress& address);

// How many of the field's bits FieldValues() varies; addresses: all they have.
uint32_t FieldWidth(topology::HashedField field);

// At most `count` different values of a destination QP, opcode, flow label or DSCP, in an order
// that the seed gives, without `base`. Opcodes are those that the transports define. DSCPs of
// network control (48 and above) are left out.
std::vector<uint32_t> FieldValues(topology::HashedField field, uint32_t base, size_t count,
                                  uint64_t seed);

// The dimension of the smallest affine space over GF(2) that holds the values.
uint32_t AffineRank(std::span<const FieldBits> values);

// The probability that all of these values, different from each other, lead to one of
// `next_hop_count` (at least 2) next hops although the hop hashes the field evenly. A hash that is
// linear (CRC, XOR) maps what lies in a small space to few choices, so it is not the number of
// values that counts but their rank, unless they span the whole field: then a linear hash that
// shows nothing has nothing to show.
double SameByChance(std::span<const FieldBits> values, uint32_t width, uint32_t next_hop_count);

// How many values of full rank it takes until SameByChance() is at most `alpha`, 0 < alpha < 1.
uint32_t ValuesNeeded(uint32_t next_hop_count, double alpha);

}  // namespace weft::probe
