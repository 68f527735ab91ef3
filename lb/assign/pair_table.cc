// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/pair_table.h"

#include <algorithm>
#include <tuple>

namespace weft::lb {
namespace {

using topology::Path;
using topology::PathTable;

bool SameHops(const Path& a, const Path& b) {
  return a.reaches_destination == b.reaches_destination && a.hops == b.hops;
}

void Merge(const PathTable& table, PairTable* merged) {
  if (merged->paths.empty()) {
    merged->paths = table.paths;
    return;
  }
  for (const Path& path : table.paths) {
    for (Path& known : merged->paths) {
      std::erase_if(known.udp_src_ports, [&](uint16_t port) {
        return std::find(path.udp_src_ports.begin(), path.udp_src_ports.end(), port) !=
               path.udp_src_ports.end();
      });
    }
    const auto same = std::find_if(merged->paths.begin(), merged->paths.end(),
                                   [&](const Path& known) { return SameHops(known, path); });
    if (same == merged->paths.end()) {
      merged->paths.push_back(path);
      continue;
    }
    same->state = path.state;
    same->udp_src_ports.insert(same->udp_src_ports.end(), path.udp_src_ports.begin(),
                               path.udp_src_ports.end());
    std::sort(same->udp_src_ports.begin(), same->udp_src_ports.end());
  }
}

}  // namespace

std::map<PairKey, PairTable> MergeTables(std::span<const PathTable> tables) {
  std::map<PairKey, std::vector<const PathTable*>> by_pair;
  for (const PathTable& table : tables) {
    by_pair[{table.source_address, table.destination_address}].push_back(&table);
  }
  std::map<PairKey, PairTable> merged;
  for (auto& [key, of_pair] : by_pair) {
    // Between tables of one time: void ones last, the others by what they say.
    const auto order = [](const PathTable* table) {
      return std::tuple<const std::string&, bool>(table->measured_at, !table->void_reason.empty());
    };
    std::sort(of_pair.begin(), of_pair.end(), [&](const PathTable* a, const PathTable* b) {
      if (order(a) != order(b)) return order(a) < order(b);
      return topology::RecordCodec<PathTable>::ToBinary(*a) <
             topology::RecordCodec<PathTable>::ToBinary(*b);
    });
    PairTable& pair = merged[key];
    for (const PathTable* table : of_pair) {
      pair.void_reason = table->void_reason;
      if (!table->void_reason.empty()) {
        pair.paths.clear();
      } else {
        Merge(*table, &pair);
      }
    }
  }
  return merged;
}

}  // namespace weft::lb
