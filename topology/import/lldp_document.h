// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/records/fabric_records.h"
#include "wire/ip_address.h"

// Internal to topology/import: what one lldpctl printed.
namespace weft::topology {

// What a neighbour calls its port, the most useful first.
enum class PortNameKind : uint8_t { kInterface, kAlias, kDescription, kLocal, kMac };
inline constexpr size_t kPortNameKinds = 5;
const char* ToString(PortNameKind kind);  // "ifname", "alias", "description", "local", "MAC"

struct LldpChassis {
  std::string name;  // empty: not advertised
  std::string id;    // of any type; empty: none
  NodeKind kind = NodeKind::kUnknown;
  std::vector<wire::IpAddress> addresses;  // management
  bool bridges = false;                    // a bridge or router is switched on

  // A NIC that answers by itself: without a name, under a MAC of Mellanox's, and no bridge.
  bool IsNicFirmware() const;
};

struct LldpNeighbour {
  std::string interface;  // ours, never empty
  LldpChassis chassis;
  std::array<std::string, kPortNameKinds> port_names;  // by PortNameKind; empty: not advertised
};

struct LldpDocument {
  LldpChassis own;  // empty where lldpctl did not print it
  std::vector<LldpNeighbour> neighbours;
  uint64_t damaged = 0;  // entries without an interface, a chassis or a port
};

// Either JSON of lldpctl: -f json, in which what is alone stands without a list and names are keys,
// and -f json0, in which everything is a list. InvalidArgument: it is no such thing; says what to
// run where it is lldpctl's output in another format.
absl::StatusOr<LldpDocument> ReadLldp(std::string_view text);

}  // namespace weft::topology
