// SPDX-License-Identifier: Apache-2.0
#include "topology/route/linear_map.h"

#include <bit>
#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

constexpr uint32_t kPorts = 1U << kLinearPortBits;
constexpr uint16_t kFirstPort = 0xc000;

}  // namespace

LinearMapLearner::LinearMapLearner(uint16_t base_port, std::function<bool(uint16_t)> usable)
    : base_port_(base_port), refused_(kPorts) {
  assert(base_port >= kFirstPort);
  for (uint32_t offset = 0; usable && offset < kPorts; ++offset) {
    refused_[offset] = !usable(static_cast<uint16_t>(base_port_ ^ offset));
  }
  FindNext();
}

void LinearMapLearner::Learn(const std::string& choice) {
  assert(next_);
  const uint32_t offset = Offset(*next_);
  measured_.push_back({*next_, choice});
  seen_.emplace(same_.Reduce(offset), measured_count() - 1);
  const auto [first, fresh] = first_with_.emplace(choice, offset);
  if (!fresh) Merge(first->second ^ offset);
  if (contradiction_.empty() && first_with_.size() > kMaxLinearChoices) {
    contradiction_ = absl::StrCat("more than ", kMaxLinearChoices, " choices");
  }
  FindNext();
}

void LinearMapLearner::Skip() {
  assert(next_);
  refused_[Offset(*next_)] = true;
  FindNext();
}

// Two ports that differ by this lead alike, so all that do must.
void LinearMapLearner::Merge(uint32_t difference) {
  if (!same_.Add(difference)) return;
  seen_.clear();
  for (uint32_t i = 0; i < measured_count(); ++i) {
    const uint32_t coset = same_.Reduce(Offset(measured_[i].udp_src_port));
    const auto [other, fresh] = seen_.emplace(coset, i);
    const PortChoice& a = measured_[other->second];
    const PortChoice& b = measured_[i];
    if (fresh || a.choice == b.choice) continue;
    contradiction_ =
        absl::StrCat("of ", measured_count(), " ports that led to ", first_with_.size(),
                     " choices, ports ", a.udp_src_port, " and ", b.udp_src_port,
                     " must lead alike if the hash is linear, and lead to \"", a.choice,
                     "\" and \"", b.choice, "\"");
    return;
  }
}

// A port whose choice does not follow from those that are known: the base, a bit, a combination.
void LinearMapLearner::FindNext() {
  next_.reset();
  if (!contradiction_.empty()) return;
  // All choices that there are were seen; with 14 bits the shift is safe.
  if (seen_.size() == (size_t{1} << (kLinearPortBits - same_.rank()))) return;
  const auto ask = [&](uint32_t offset) {
    if (refused_[offset] || seen_.contains(same_.Reduce(offset))) return false;
    next_ = static_cast<uint16_t>(base_port_ ^ offset);
    return true;
  };
  if (ask(0)) return;
  for (uint32_t bit = 0; bit < kLinearPortBits; ++bit) {
    if (ask(1U << bit)) return;
  }
  for (uint32_t offset = 1; offset < kPorts; ++offset) {
    if (ask(offset)) return;
  }
}

std::optional<LinearMap> LinearMap::From(const LinearMapLearner& learner) {
  if (learner.next_ || !learner.contradiction_.empty()) return std::nullopt;
  const Gf2Basis& same = learner.same_;
  LinearMap map;
  map.base_port_ = learner.base_port_;
  map.rank_ = kLinearPortBits - same.rank();
  // Were there one more difference that changes nothing, two seen cosets would be one choice as
  // soon as more than half of all are seen.
  if (learner.seen_.size() <= (size_t{1} << map.rank_) / 2) return std::nullopt;
  // The bits of a reduced offset that can be set, moved together.
  uint32_t pivots = 0;
  for (uint32_t vector : same.vectors()) pivots |= std::bit_floor(vector);
  const auto code = [&](uint32_t reduced) {
    uint32_t packed = 0;
    for (uint32_t bit = 0, at = 0; bit < kLinearPortBits; ++bit) {
      if ((pivots >> bit & 1) == 0) packed |= (reduced >> bit & 1) << at++;
    }
    return packed;
  };
  for (uint32_t bit = 0; bit < kLinearPortBits; ++bit) {
    map.columns_.push_back(code(same.Reduce(1U << bit)));
  }
  map.choices_.resize(size_t{1} << map.rank_);
  for (const auto& [reduced, index] : learner.seen_) {
    const std::string& choice = learner.measured_[index].choice;
    map.choices_[code(reduced)] = choice;
    map.codes_.emplace(choice, code(reduced));
  }
  return map;
}

std::vector<uint16_t> PortsOf(const Gf2Solutions& solutions, size_t limit, uint16_t from_port,
                              const std::function<bool(uint16_t)>& usable) {
  assert(from_port >= kFirstPort);
  std::vector<uint16_t> ports;
  const uint32_t start = solutions.CountBelow(from_port & (kPorts - 1));
  for (uint32_t i = 0; i < solutions.size() && ports.size() < limit; ++i) {
    const uint32_t low_bits = solutions.At((start + i) % solutions.size());
    const auto port = static_cast<uint16_t>(kFirstPort | low_bits);
    if (!usable || usable(port)) ports.push_back(port);
  }
  return ports;
}

uint32_t LinearMap::Code(uint16_t udp_src_port) const {
  const uint32_t offset = udp_src_port ^ base_port_;
  uint32_t code = 0;
  for (uint32_t bit = 0; bit < kLinearPortBits; ++bit) {
    if ((offset >> bit & 1) != 0) code ^= columns_[bit];
  }
  return code;
}

const std::string& LinearMap::Predict(uint16_t udp_src_port) const {
  assert(udp_src_port >= kFirstPort);
  return choices_[Code(udp_src_port)];
}

std::vector<uint16_t> LinearMap::PortsFor(const std::string& choice, size_t limit,
                                          uint16_t from_port,
                                          const std::function<bool(uint16_t)>& usable) const {
  const auto found = codes_.find(choice);
  if (found == codes_.end()) return {};
  // Of the port itself: its code is that of its 14 bits, apart by the code of the base's.
  const uint32_t wanted = found->second ^ Code(kFirstPort);
  std::vector<Gf2Solutions::Equation> equations(rank_);
  for (uint32_t row = 0; row < rank_; ++row) {
    equations[row].value = (wanted >> row & 1) != 0;
    for (uint32_t bit = 0; bit < kLinearPortBits; ++bit) {
      equations[row].mask |= (columns_[bit] >> row & 1) << bit;
    }
  }
  const auto solutions = Gf2Solutions::Solve(kLinearPortBits, equations);
  assert(solutions);  // the columns span all codes
  return PortsOf(*solutions, limit, from_port, usable);
}

std::vector<std::string> LinearMap::choices() const {
  std::vector<std::string> seen;
  for (const std::string& choice : choices_) {
    if (!choice.empty()) seen.push_back(choice);
  }
  return seen;
}

}  // namespace weft::topology
