// SPDX-License-Identifier: Apache-2.0
#include "topology/route/gf2.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace weft::topology {

bool Gf2Basis::Add(uint32_t vector) {
  vector = Reduce(vector);
  if (vector == 0) return false;
  const uint32_t pivot = std::bit_floor(vector);
  for (uint32_t& other : vectors_) {
    if ((other & pivot) != 0) other ^= vector;
  }
  vectors_.insert(std::upper_bound(vectors_.begin(), vectors_.end(), vector), vector);
  return true;
}

uint32_t Gf2Basis::Reduce(uint32_t vector) const {
  for (uint32_t basis : vectors_) {
    if ((vector & std::bit_floor(basis)) != 0) vector ^= basis;
  }
  return vector;
}

std::optional<Gf2Solutions> Gf2Solutions::Solve(uint32_t bits,
                                                std::span<const Equation> equations) {
  assert(bits <= 31);
  // The equations as vectors whose lowest bit is the value: reduced, each has its pivot bit alone,
  // so x with these bits set as the values say, and all others 0, is a solution.
  Gf2Basis system;
  for (const Equation& equation : equations) {
    system.Add(equation.mask << 1 | (equation.value ? 1U : 0U));
  }
  Gf2Solutions solutions;
  uint32_t pivots = 0;
  for (uint32_t row : system.vectors()) {
    if (row == 1) return std::nullopt;  // 0 == 1
    pivots |= std::bit_floor(row) >> 1;
    if ((row & 1) != 0) solutions.offset_ |= std::bit_floor(row) >> 1;
  }
  // One direction for each free bit: it, and the pivot bits of the equations that have it.
  for (uint32_t bit = 0; bit < bits; ++bit) {
    const uint32_t free = 1U << bit;
    if ((pivots & free) != 0) continue;
    uint32_t direction = free;
    for (uint32_t row : system.vectors()) {
      if ((row >> 1 & free) != 0) direction |= std::bit_floor(row) >> 1;
    }
    solutions.directions_.Add(direction);
  }
  solutions.offset_ = solutions.directions_.Reduce(solutions.offset_);
  return solutions;
}

// Two elements differ most significantly in a pivot bit, which is set exactly where the pivot's
// vector was added; so adding vectors by the bits of the index keeps the order.
uint32_t Gf2Solutions::At(uint32_t index) const {
  assert(index < size());
  uint32_t x = offset_;
  for (size_t i = 0; i < directions_.rank(); ++i) {
    if ((index >> i & 1) != 0) x ^= directions_.vectors()[i];
  }
  return x;
}

uint32_t Gf2Solutions::CountBelow(uint32_t x) const {
  uint32_t begin = 0;
  uint32_t end = size();
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    (At(middle) < x ? begin : end) = At(middle) < x ? middle + 1 : middle;
  }
  return begin;
}

}  // namespace weft::topology
