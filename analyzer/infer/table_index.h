// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// The table of each pair: the latest measured, the last given among equals. Keeps pointers to the
// tables and the fabric, which must outlive it.
class TableIndex {
 public:
  TableIndex(const topology::Fabric& fabric, std::span<const topology::PathTable> tables);

  const topology::PathTable* Find(const topology::Flow& flow) const;  // nullptr: none
  // One table a pair, in the order in which the pairs were first given.
  const std::vector<const topology::PathTable*>& tables() const { return tables_; }

 private:
  using Pair = std::pair<std::string, std::string>;

  const topology::Fabric& fabric_;
  std::vector<const topology::PathTable*> tables_;
  absl::flat_hash_map<Pair, size_t> by_address_;
  absl::flat_hash_map<Pair, size_t> by_name_;  // as the fabric names the ends
};

}  // namespace weft::analyzer
