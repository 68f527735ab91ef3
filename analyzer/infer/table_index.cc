// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/table_index.h"

#include "analyzer/infer/path_links.h"

namespace weft::analyzer {

using topology::PathTable;

TableIndex::TableIndex(const topology::Fabric& fabric, std::span<const PathTable> tables)
    : fabric_(fabric) {
  for (const PathTable& table : tables) {
    const Pair addresses = {table.source_address.ToString(), table.destination_address.ToString()};
    const Pair names = {EndName(fabric, table.source, table.source_address),
                        EndName(fabric, table.destination, table.destination_address)};
    const bool addressed = !addresses.first.empty() && !addresses.second.empty();
    auto& index = addressed ? by_address_ : by_name_;
    const auto [entry, added] = index.emplace(addressed ? addresses : names, tables_.size());
    if (added) {
      tables_.push_back(&table);
      if (addressed) by_name_.emplace(names, entry->second);
    } else if (table.measured_at >= tables_[entry->second]->measured_at) {
      tables_[entry->second] = &table;
    }
  }
}

const PathTable* TableIndex::Find(const topology::Flow& flow) const {
  const auto by_address =
      by_address_.find(Pair{flow.source_address.ToString(), flow.destination_address.ToString()});
  if (by_address != by_address_.end()) return tables_[by_address->second];
  const auto by_name =
      by_name_.find(Pair{EndName(fabric_, flow.source, flow.source_address),
                         EndName(fabric_, flow.destination, flow.destination_address)});
  return by_name == by_name_.end() ? nullptr : tables_[by_name->second];
}

}  // namespace weft::analyzer
