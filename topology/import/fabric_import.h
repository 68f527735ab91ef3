// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/forwarding_table.h"
#include "topology/records/port_counters.h"

// What other tools say of a fabric, as our records. A kind is one format that `weft-topo import
// --from KIND` reads; kinds stand in tables, so that the program need not know them.
namespace weft::topology {

// A file that was read whole; messages call it `name`.
struct SourceText {
  std::string name;
  std::string_view text;  // bounded by the caller, who keeps it
};

struct FabricImportOptions {
  // Names of InfiniBand nodes: lines of "0xguid "name"". Its names win over those in the files.
  std::vector<SourceText> name_maps;
};

struct FabricImportCounts {
  uint64_t lines = 0;
  uint64_t damaged = 0;  // lines or objects that could not be read; each of the first has a finding
};

// What several files of one kind say together. A fabric without nodes: the kind tells of tables or
// counters alone.
struct FabricImport {
  Fabric fabric;
  std::vector<ForwardingTable> tables;
  std::vector<PortCounters> counters;
  std::vector<Finding> findings;
  FabricImportCounts counts;
};

// InvalidArgument: nothing in a file is of this kind; says which file, which line and why. What is
// damaged in a file that is, is left out, counted and named by findings (damaged-line).
using FabricImporter = absl::StatusOr<FabricImport> (*)(std::span<const SourceText> files,
                                                        const FabricImportOptions& options);

struct FabricKind {
  const char* name;  // "ibnetdiscover"
  const char* what;  // one line of help
  FabricImporter import;
};

std::span<const FabricKind> InfiniBandKinds();  // import/infiniband
std::span<const FabricKind> EthernetKinds();    // import/ethernet

}  // namespace weft::topology
