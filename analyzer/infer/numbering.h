// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/infer/mate.h"
#include "wire/ip_address.h"

// Internal to analyzer/infer: how addresses are given out. Addresses of links and addresses of
// nodes come from blocks of their own, so the ones next to an address tell of which kind it is.
namespace weft::analyzer {

// Addresses whose first bits differ before this many from the end are not near each other.
inline constexpr uint32_t kNearBits = 8;

// The leading bits that two addresses share; nullopt: of two families, or not near each other.
std::optional<uint32_t> SharedBits(const wire::IpAddress& a, const wire::IpAddress& b);

// Addresses of which it is known whether they stand at the end of a numbered link.
class NumberingEvidence {
 public:
  void Add(const wire::IpAddress& address, bool of_link) { known_.push_back({address, of_link}); }
  void Sort();

  // After Sort(): the smallest block around `address` that holds at least kEnough of the known ones
  // has links' ends only. False where there is no such block near.
  bool SaysLink(const wire::IpAddress& address) const;

 private:
  static constexpr size_t kEnough = 2;
  struct Known {
    wire::IpAddress address;
    bool of_link = false;
    auto operator<=>(const Known&) const = default;
  };
  std::vector<Known> known_;
};

}  // namespace weft::analyzer
