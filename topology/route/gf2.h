// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// Linear algebra over GF(2) on vectors of up to 32 bits, each in one word.
namespace weft::topology {

// A subspace by its reduced basis: each vector's highest bit (its pivot) is in no other one.
class Gf2Basis {
 public:
  // Takes a vector into the span. false: it was in it.
  bool Add(uint32_t vector);
  // The representative of the vector's coset: it has no pivot bit. 0: the vector is in the span.
  uint32_t Reduce(uint32_t vector) const;
  uint32_t rank() const { return static_cast<uint32_t>(vectors_.size()); }
  // By rising pivot.
  std::span<const uint32_t> vectors() const { return vectors_; }

 private:
  std::vector<uint32_t> vectors_;
};

// offset + span(directions): what a set of linear equations leaves. Its elements are numbered in
// rising order.
class Gf2Solutions {
 public:
  // parity(mask & x) == value.
  struct Equation {
    uint32_t mask = 0;
    bool value = false;
  };
  // All x of `bits` (at most 31) bits that satisfy every equation; nullopt: there are none.
  static std::optional<Gf2Solutions> Solve(uint32_t bits, std::span<const Equation> equations);

  uint32_t size() const { return 1U << directions_.rank(); }
  uint32_t At(uint32_t index) const;
  // The number of elements below x.
  uint32_t CountBelow(uint32_t x) const;

 private:
  uint32_t offset_ = 0;  // without pivot bits: the least element
  Gf2Basis directions_;
};

}  // namespace weft::topology
