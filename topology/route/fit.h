// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/route/hash.h"
#include "topology/route/route.h"

// Which hash a switch has, from where packets were seen to go. A model that explains the packets of
// some pairs tells where those of all others go, and what becomes of them when links fail.
namespace weft::topology {

// One packet at one switch, and the next hop that it took, in words that are equal for equal ones.
struct HashSample {
  HashedHeaders headers;
  std::string next_hop;
};

struct FitOptions {
  // Of the group, where it is known; 0: as many as next hops were seen.
  uint32_t members = 0;
  // Seeds that are tried where another seed is another hash. CRC-32 in a group of 2, 4, 8.. needs
  // none: there a seed only renames the members, and their names are learnt anyway.
  std::vector<uint32_t> seeds = {0};
};

// Vectors of all bits of all headers that a switch may hash.
inline constexpr size_t kHeaderBits = 128 + 128 + 16 + 20 + 6 + 24 + 8;
using HeaderBits = std::bitset<kHeaderBits>;

// What was fitted. A value.
class FittedHash {
 public:
  enum class Kind : uint8_t {
    kNone,        // nothing explains all samples, or they are too few to tell
    kKnownModel,  // one of our models
    kAffine,      // no known model, but an affine map over GF(2) of the header bits that varied
  };
  Kind kind() const { return kind_; }
  // kKnownModel: function, choice and fields; the seed counts only where FitOptions says so. Fields
  // that did not vary are as in HashedFields::FiveTuple(): nothing is known of them.
  const HashModel& model() const { return model_; }
  // kKnownModel: so many other models explain the samples as well (fields that varied together).
  uint32_t alternatives() const { return alternatives_; }
  // kNone: why, in words.
  const std::string& reason() const { return reason_; }

  // The next hop that these headers take; empty: the samples do not tell (a field that did not vary
  // has another value, or no sample took the member).
  std::string Predict(const HashedHeaders& headers) const;

 private:
  friend class HashFitter;

  Kind kind_ = Kind::kNone;
  HashModel model_;
  uint32_t alternatives_ = 0;
  std::string reason_;
  uint32_t members_ = 0;
  std::map<uint32_t, std::string> next_hop_of_member_;
  HeaderBits base_;    // the first sample's
  HeaderBits varied_;  // bits that differed from it in some sample
  // kAffine: differences between samples (spanned_), and those of them that change nothing (same_),
  // each in echelon form: (pivot, vector), by rising pivot.
  using Basis = std::vector<std::pair<size_t, HeaderBits>>;
  Basis spanned_;
  Basis same_;
  std::vector<std::pair<HeaderBits, std::string>> next_hop_of_coset_;
};

// A wrong model passes by chance with a probability of about 2^-20 at most; with fewer samples than
// that takes nothing is claimed. Tries the known models first.
FittedHash FitHash(std::span<const HashSample> samples, const FitOptions& options = {});

}  // namespace weft::topology
