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

bool Contains(const std::vector<uint16_t>& ports, uint16_t port) {
  return std::find(ports.begin(), ports.end(), port) != ports.end();
}

void AddPorts(const std::vector<uint16_t>& more, std::vector<uint16_t>* ports) {
  ports->insert(ports->end(), more.begin(), more.end());
  std::sort(ports->begin(), ports->end());
}

void MergePaths(const PathTable& table, PairTable* merged) {
  if (merged->paths.empty()) {
    merged->paths = table.paths;
    return;
  }
  for (const Path& path : table.paths) {
    for (Path& known : merged->paths) {
      for (auto* ports : {&known.udp_src_ports, &known.computed_udp_src_ports}) {
        std::erase_if(*ports, [&](uint16_t port) {
          return Contains(path.udp_src_ports, port) || Contains(path.computed_udp_src_ports, port);
        });
      }
    }
    const auto same = std::find_if(merged->paths.begin(), merged->paths.end(),
                                   [&](const Path& known) { return SameHops(known, path); });
    if (same == merged->paths.end()) {
      merged->paths.push_back(path);
      continue;
    }
    same->state = path.state;
    AddPorts(path.udp_src_ports, &same->udp_src_ports);
    AddPorts(path.computed_udp_src_ports, &same->computed_udp_src_ports);
  }
}

void MergeBehaviours(const PathTable& table, PairTable* merged) {
  for (const topology::HopBehaviour& behaviour : table.hop_behaviours) {
    std::erase_if(merged->behaviours, [&](const SeenBehaviour& known) {
      return known.behaviour.hop_index == behaviour.hop_index &&
             known.behaviour.address == behaviour.address && known.behaviour.node == behaviour.node;
    });
    merged->behaviours.push_back({behaviour, table.measured_at});
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
      if (!table->void_reason.empty()) {
        pair = {{}, table->void_reason, "", {}};
      } else {
        pair.void_reason.clear();
        pair.hidden_reason = table->hidden_reason;
        MergePaths(*table, &pair);
        MergeBehaviours(*table, &pair);
      }
    }
  }
  return merged;
}

}  // namespace weft::lb
