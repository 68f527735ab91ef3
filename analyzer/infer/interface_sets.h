// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer.
namespace weft::analyzer {

// Union-find over interface addresses that never puts two addresses seen at different TTLs of one
// path into one set: a packet does not cross a switch twice on a shortest path.
class InterfaceSets {
 public:
  // Every address that answered, each in a set of its own. Keeps no reference.
  explicit InterfaceSets(std::span<const ObservedPath> paths);

  // Where two sets were seen on one path, at different TTLs (from 1).
  struct Conflict {
    uint32_t path = 0;  // index of the path given to the constructor
    uint32_t ttl_a = 0;
    uint32_t ttl_b = 0;
  };
  // Joins the sets of a and b, adding either where it is new; or says what stands against it and
  // changes nothing.
  std::optional<Conflict> Join(const wire::IpAddress& a, const wire::IpAddress& b);

  bool Contains(const wire::IpAddress& address) const { return index_.contains(address); }
  bool Joined(const wire::IpAddress& a, const wire::IpAddress& b) const;

  // All sets, each sorted, in order of their lowest address.
  std::vector<std::vector<wire::IpAddress>> Sets() const;

 private:
  struct Entry {
    uint32_t parent = 0;
    absl::flat_hash_map<uint32_t, uint32_t> ttl_by_path;  // of the whole set, at its root
  };
  uint32_t IndexOf(const wire::IpAddress& address);
  uint32_t Root(uint32_t index) const;

  absl::flat_hash_map<wire::IpAddress, uint32_t> index_;
  std::vector<wire::IpAddress> addresses_;
  std::vector<Entry> entries_;
};

}  // namespace weft::analyzer
