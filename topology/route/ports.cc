// SPDX-License-Identifier: Apache-2.0
#include "topology/route/ports.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "topology/route/linear_map.h"

namespace weft::topology {
namespace {

constexpr uint16_t kFirstPort = 0xc000;

// A hop where there is a choice, and which member of the group the path takes.
struct Fork {
  HashModel model;
  uint32_t count = 0;
  uint32_t member = 0;

  bool linear() const {
    return model.function == HashModel::Function::kCrc32 && std::has_single_bit(count);
  }
};

// nullopt: the path is none of the router's.
std::optional<std::vector<Fork>> ForksOf(const Router& router, const HashedHeaders& headers,
                                         std::span<const Direction> path) {
  const Fabric& fabric = router.fabric();
  const std::optional<NodeIndex> source = fabric.FindAddress(headers.source);
  const std::optional<NodeIndex> host = fabric.FindAddress(headers.destination);
  if (!source || !host || path.empty() || fabric.From(path.front()) != *source ||
      fabric.To(path.back()) != *host) {
    return std::nullopt;
  }
  std::vector<Fork> forks;
  for (size_t i = 0; i < path.size(); ++i) {
    const NodeIndex node = fabric.From(path[i]);
    if (i > 0 && fabric.To(path[i - 1]) != node) return std::nullopt;
    const std::span<const Direction> group = router.NextHops(node, *host);
    const auto member = std::find(group.begin(), group.end(), path[i]);
    if (member == group.end()) return std::nullopt;
    if (group.size() == 1) continue;
    forks.push_back({router.hash(node), static_cast<uint32_t>(group.size()),
                     static_cast<uint32_t>(member - group.begin())});
  }
  return forks;
}

// One equation in the port's low bits for each bit of the member's number.
void AppendEquations(const Fork& fork, HashedHeaders headers,
                     std::vector<Gf2Solutions::Equation>* equations) {
  headers.udp_src_port = kFirstPort;
  const uint32_t base = ChooseMember(fork.model, headers, fork.count);
  const auto rows = static_cast<uint32_t>(std::countr_zero(fork.count));
  const size_t first = equations->size();
  for (uint32_t row = 0; row < rows; ++row) {
    equations->push_back({0, ((base ^ fork.member) >> row & 1) != 0});
  }
  for (uint32_t bit = 0; bit < kLinearPortBits; ++bit) {
    headers.udp_src_port = static_cast<uint16_t>(kFirstPort | 1U << bit);
    const uint32_t changed = ChooseMember(fork.model, headers, fork.count) ^ base;
    for (uint32_t row = 0; row < rows; ++row) {
      (*equations)[first + row].mask |= (changed >> row & 1) << bit;
    }
  }
}

}  // namespace

std::vector<uint16_t> PortsFor(const Router& router, const HashedHeaders& headers,
                               std::span<const Direction> path, const PortsForOptions& options) {
  const std::optional<std::vector<Fork>> forks = ForksOf(router, headers, path);
  if (!forks) return {};
  std::vector<Gf2Solutions::Equation> equations;
  std::vector<Fork> searched;
  for (const Fork& fork : *forks) {
    if (fork.linear()) {
      AppendEquations(fork, headers, &equations);
    } else {
      searched.push_back(fork);
    }
  }
  const auto solutions = Gf2Solutions::Solve(kLinearPortBits, equations);
  if (!solutions) return {};
  HashedHeaders tried = headers;
  return PortsOf(*solutions, options.limit, options.from_port, [&](uint16_t port) {
    if (options.usable && !options.usable(port)) return false;
    tried.udp_src_port = port;
    return std::all_of(searched.begin(), searched.end(), [&](const Fork& fork) {
      return ChooseMember(fork.model, tried, fork.count) == fork.member;
    });
  });
}

}  // namespace weft::topology
