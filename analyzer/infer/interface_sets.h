// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer.
namespace weft::analyzer {

// Union-find over addresses that never puts two of them into one set that cannot be one switch's:
// seen at different TTLs of one path (a packet does not cross a switch twice on a shortest path),
// given to different switches by one source of names, or held apart by a test.
class InterfaceSets {
 public:
  // Who gives switches their names; each has at most one name for an address.
  enum class Namer : uint8_t { kGiven, kNames, kResolved };
  static constexpr size_t kNamerCount = 3;

  // Every address that answered, each in a set of its own. Keeps no reference.
  explicit InterfaceSets(std::span<const ObservedPath> paths);

  // Before the first Join of this address.
  void SetName(const wire::IpAddress& address, Namer namer, const std::string& name);
  // `why` in words: "their IP IDs come from two counters".
  void HoldApart(const wire::IpAddress& a, const wire::IpAddress& b, std::string why);

  // Why two sets are not of one switch.
  struct Conflict {
    enum class Kind : uint8_t { kPath, kNames, kHeldApart };
    Kind kind = Kind::kPath;
    // kPath: index of the path given to the constructor, and the TTLs (from 1) at which it has one
    // set and the other.
    uint32_t path = 0;
    uint32_t ttl_a = 0;
    uint32_t ttl_b = 0;
    std::string words;  // of the other kinds
  };
  // What stands against a and b being of one switch. An address that is new has nothing.
  std::optional<Conflict> Against(const wire::IpAddress& a, const wire::IpAddress& b) const;
  // Joins the sets of a and b, adding either where it is new; or says what stands against it and
  // changes nothing.
  std::optional<Conflict> Join(const wire::IpAddress& a, const wire::IpAddress& b);

  bool Contains(const wire::IpAddress& address) const { return index_.contains(address); }
  bool Joined(const wire::IpAddress& a, const wire::IpAddress& b) const;
  // A number for the set that holds until the next Join; nullopt: not added yet.
  std::optional<uint32_t> SetOf(const wire::IpAddress& address) const;

  // All sets, each sorted, in order of their lowest address.
  std::vector<std::vector<wire::IpAddress>> Sets() const;

 private:
  struct Entry {
    uint32_t parent = 0;
    // Of the whole set, at its root:
    absl::flat_hash_map<uint32_t, uint32_t> ttl_by_path{};
    std::array<std::string, kNamerCount> names{};
    std::vector<std::pair<uint32_t, std::string>> apart{};  // an entry of the other set, why
  };
  uint32_t IndexOf(const wire::IpAddress& address);
  uint32_t Root(uint32_t index) const;
  std::optional<Conflict> AgainstRoots(uint32_t a, uint32_t b) const;
  std::optional<Conflict> OnOnePath(uint32_t a, uint32_t b) const;

  absl::flat_hash_map<wire::IpAddress, uint32_t> index_;
  std::vector<wire::IpAddress> addresses_;
  std::vector<Entry> entries_;
};

}  // namespace weft::analyzer
