// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/import/lldp_document.h"
#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"

// Who is plugged into what, as neighbours told each other by LLDP (IEEE 802.1AB): a given sign of
// which addresses belong to one switch, and of which cables there are.
namespace weft::topology {

// What lldpctl printed on one node.
struct LldpFile {
  std::string path;       // what messages call it
  std::string_view text;  // bounded by the caller
  std::string node;       // of the host or switch it was run on
};

struct LldpCounts {
  uint64_t neighbours = 0;  // entries that were read
  uint64_t both_sides = 0;  // links that both ends told of
  uint64_t one_side = 0;    // links that one end told of
  uint64_t nic_firmware = 0;
  uint64_t damaged = 0;
  std::array<uint64_t, kPortNameKinds> named_by = {};  // far ends of links told by one side
};

struct LldpResult {
  std::vector<FabricRecord> records;  // nodes by name, then links; what Fabric::FromRecords takes
  std::vector<Finding>
      findings;  // port-name-twice, several-neighbours, address-twice, cable-contradicted,
                 // damaged-entry (warning), nic-firmware (info)
  LldpCounts counts;
};

// Every neighbour is a node by its system name; without one, by the only name that its chassis ID
// goes by, else by the chassis ID. A NIC whose firmware answers by itself is none. The far end of a
// cable is named as the far node's own file names it; without such a file by what it advertised:
// its interface name, alias, description, local name or MAC, the first there is. A name that
// several cables share is made different by their near ends, and never joins them. What the files
// do not say (kind, tier, addresses of interfaces) stays unknown.
// InvalidArgument: one is no JSON of lldpctl's, or two are of one node.
absl::StatusOr<LldpResult> ImportLldp(std::span<const LldpFile> files);

}  // namespace weft::topology
