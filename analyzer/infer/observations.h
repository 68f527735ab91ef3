// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/infer/infer.h"

// Internal to analyzer/infer: path tables brought into one form that does not depend on their
// order.
namespace weft::analyzer {

// A sequence of addresses that was seen, once however many tables and ports showed it.
struct ObservedPath {
  wire::IpAddress source;
  wire::IpAddress destination;
  std::vector<wire::IpAddress> hops;  // none: silent. No address twice
  bool reaches_destination = false;
  bool whole = true;  // false: a part of a path whose other hops are not to be believed
  auto operator<=>(const ObservedPath&) const = default;
};

struct ObservedHost {
  std::set<std::string> names;
  std::set<wire::IpAddress> first_hops;  // what answered at TTL 1
};

struct Observations {
  std::vector<ObservedPath> paths;  // sorted
  std::map<wire::IpAddress, ObservedHost> hosts;
  std::map<wire::IpAddress, std::set<std::string>> hops;  // answering address -> resolved names
  std::vector<topology::Finding> findings;                // hops that cannot be taken at face value
  InferCounts counts;
};

absl::StatusOr<Observations> Observe(std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
