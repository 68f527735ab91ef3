// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/hop_vertex.h"

#include <algorithm>
#include <limits>

namespace weft::probe {
namespace {

using topology::Path;
using topology::PathTable;

wire::IpAddress AddressAt(const Path& path, uint32_t hop_index) {
  for (const topology::Hop& hop : path.hops) {
    if (hop.hop_index == hop_index) return hop.address;
  }
  return {};
}

uint32_t LastHop(const Path& path) { return path.hops.empty() ? 0 : path.hops.back().hop_index; }

// The next hop that a path's hop leads to; nullptr: nothing that is known.
NextHop* AddNextHop(HopVertex& vertex, const Path& path) {
  const wire::IpAddress address = AddressAt(path, vertex.hop_index + 1);
  const bool ends_here = LastHop(path) == vertex.hop_index;
  if (ends_here && !path.reaches_destination) return nullptr;
  const auto same = std::ranges::find_if(vertex.next_hops, [&](const NextHop& next) {
    return next.address == address && next.is_destination == ends_here;
  });
  if (same != vertex.next_hops.end()) return &*same;
  vertex.next_hops.push_back({.address = address, .is_destination = ends_here, .ports = {}});
  return &vertex.next_hops.back();
}

void AddPath(std::vector<HopVertex>& vertices, const Path& path) {
  for (const topology::Hop& hop : path.hops) {
    auto vertex = std::ranges::find_if(vertices, [&](const HopVertex& v) {
      return v.hop_index == hop.hop_index && v.address == hop.address;
    });
    if (vertex == vertices.end()) {
      vertices.push_back(
          {.hop_index = hop.hop_index, .address = hop.address, .node = hop.node, .next_hops = {}});
      vertex = vertices.end() - 1;
      vertex->before = AddressAt(path, hop.hop_index - 1);
    }
    if (vertex->before != AddressAt(path, hop.hop_index - 1)) vertex->before = {};
    NextHop* next = AddNextHop(*vertex, path);
    if (next == nullptr) continue;
    next->ports.insert(next->ports.end(), path.udp_src_ports.begin(), path.udp_src_ports.end());
  }
}

void CompareWithOthers(std::vector<HopVertex>& vertices) {
  for (HopVertex& vertex : vertices) {
    for (const HopVertex& other : vertices) {
      if (&other == &vertex || other.hop_index != vertex.hop_index) continue;
      vertex.is_only_at_hop = false;
      for (NextHop& next : vertex.next_hops) {
        const bool is_shared = next.is_destination
                                   ? std::ranges::any_of(other.next_hops, &NextHop::is_destination)
                                   : next.address.empty() || other.HasNextHop(next.address);
        if (is_shared) next.is_only_from_here = false;
      }
    }
  }
}

}  // namespace

bool HopVertex::HasNextHop(const wire::IpAddress& next) const {
  return !next.empty() && std::ranges::find(next_hops, next, &NextHop::address) != next_hops.end();
}

std::vector<uint16_t> HopVertex::PortsInTurn() const {
  std::vector<uint16_t> ports;
  for (size_t turn = 0;; ++turn) {
    bool any_left = false;
    for (const NextHop& next : next_hops) {
      if (turn >= next.ports.size()) continue;
      ports.push_back(next.ports[turn]);
      any_left = true;
    }
    if (!any_left) return ports;
  }
}

HopQuestion QuestionAfter(const HopVertex& vertex, const HopFlow& flow) {
  return {.flow = flow,
          .ttl = static_cast<uint8_t>(vertex.hop_index + 1),
          .before = vertex.all_pass() ? vertex.address : wire::IpAddress(),
          .expected = {}};
}

bool IsAt(const HopVertex& vertex, const SeenPlace& answer) {
  return answer.kind == SeenPlace::Kind::kSwitch && answer.address == vertex.address;
}

std::vector<HopVertex> VerticesOf(const PathTable& table) {
  std::vector<HopVertex> vertices;
  uint32_t farthest = std::numeric_limits<uint32_t>::max();
  for (const Path& path : table.paths) {
    AddPath(vertices, path);
    farthest = std::min(farthest, LastHop(path));
  }
  CompareWithOthers(vertices);
  std::erase_if(vertices,
                [](const HopVertex& v) { return v.address.empty() && !v.is_only_at_hop; });
  for (HopVertex& vertex : vertices) vertex.farthest_switch_ttl = farthest;
  std::ranges::sort(vertices, [](const HopVertex& a, const HopVertex& b) {
    return a.hop_index != b.hop_index ? a.hop_index < b.hop_index : a.address < b.address;
  });
  return vertices;
}

}  // namespace weft::probe
