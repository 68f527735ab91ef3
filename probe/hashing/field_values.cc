// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/field_values.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <random>

namespace weft::probe {
namespace {

using topology::HashedField;

constexpr uint32_t kDscpBits = 6;
constexpr uint32_t kOpcodeBits = 8;
constexpr uint32_t kQpnBits = 24;
constexpr uint32_t kFlowLabelBits = 20;
constexpr uint32_t kPortBits = 14;  // the high two of a RoCEv2 source port are 1
constexpr uint32_t kFirstControlDscp = 48;

// RC, UC and UD opcodes and the congestion notification (IBA volume 1, table 38; annex A17). Each
// of the field's eight bits is set in some and clear in others.
std::vector<uint32_t> Opcodes() {
  std::vector<uint32_t> all;
  for (uint32_t opcode = 0x00; opcode <= 0x17; ++opcode) all.push_back(opcode);
  for (uint32_t opcode = 0x20; opcode <= 0x2b; ++opcode) all.push_back(opcode);
  all.insert(all.end(), {0x64, 0x65, 0x81});
  return all;
}

// Fisher and Yates, the same on every standard library.
void Shuffle(std::vector<uint32_t>& values, std::mt19937_64& random) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

std::vector<uint32_t> SmallField(std::vector<uint32_t> all, uint32_t base, size_t count,
                                 std::mt19937_64& random) {
  std::erase(all, base);
  Shuffle(all, random);
  if (all.size() > count) all.resize(count);
  return all;
}

}  // namespace

FieldBits BitsOf(uint64_t value) { return {value, 0}; }

FieldBits BitsOf(const wire::IpAddress& address) {
  if (address.IsV4()) return {address.v4(), 0};
  FieldBits bits{};
  for (size_t i = 0; i < 16; ++i) {
    const uint64_t byte = address.bytes()[15 - i];
    bits[i / 8] |= byte << (8 * (i % 8));
  }
  return bits;
}

uint32_t FieldWidth(HashedField field) {
  switch (field) {
    case HashedField::kUdpSrcPort:
      return kPortBits;
    case HashedField::kDestQpn:
      return kQpnBits;
    case HashedField::kBthOpcode:
      return kOpcodeBits;
    case HashedField::kFlowLabel:
      return kFlowLabelBits;
    case HashedField::kDscp:
      return kDscpBits;
    case HashedField::kSourceAddress:
    case HashedField::kDestinationAddress:
    case HashedField::kNone:
      break;
  }
  return 128;
}

std::vector<uint32_t> FieldValues(HashedField field, uint32_t base, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  if (field == HashedField::kBthOpcode) return SmallField(Opcodes(), base, count, random);
  if (field == HashedField::kDscp) {
    std::vector<uint32_t> all;
    for (uint32_t dscp = 0; dscp < kFirstControlDscp; ++dscp) all.push_back(dscp);
    return SmallField(std::move(all), base, count, random);
  }
  const bool is_wide = field == HashedField::kDestQpn || field == HashedField::kFlowLabel;
  if (!is_wide) return {};
  const uint64_t size = uint64_t{1} << FieldWidth(field);
  const uint32_t first = field == HashedField::kDestQpn ? 2 : 0;  // QPs 0 and 1 are management's
  std::vector<uint32_t> values;
  while (values.size() < std::min<size_t>(count, size / 2)) {
    const auto value = static_cast<uint32_t>(random() % size);
    const bool is_new = std::ranges::find(values, value) == values.end();
    if (value >= first && value != base && is_new) values.push_back(value);
  }
  return values;
}

uint32_t AffineRank(std::span<const FieldBits> values) {
  if (values.empty()) return 0;
  std::vector<FieldBits> basis;  // each with a highest bit that no other has
  const auto highest = [](const FieldBits& bits) {
    return bits[1] != 0 ? 127 - std::countl_zero(bits[1]) : 63 - std::countl_zero(bits[0]);
  };
  for (const FieldBits& value : values.subspan(1)) {
    FieldBits rest = {value[0] ^ values[0][0], value[1] ^ values[0][1]};
    for (const FieldBits& known : basis) {
      const auto bit = static_cast<size_t>(highest(known));
      if (((rest[bit / 64] >> (bit % 64)) & 1) == 0) continue;
      rest = {rest[0] ^ known[0], rest[1] ^ known[1]};
    }
    if (rest != FieldBits{}) basis.push_back(rest);
  }
  return static_cast<uint32_t>(basis.size());
}

double SameByChance(std::span<const FieldBits> values, uint32_t width, uint32_t next_hop_count) {
  assert(next_hop_count >= 2);
  if (values.size() < 2) return 1;
  const uint32_t rank = AffineRank(values);
  const double free_choices = rank >= width ? static_cast<double>(values.size() - 1) : rank;
  return std::pow(1.0 / next_hop_count, free_choices);
}

uint32_t ValuesNeeded(uint32_t next_hop_count, double alpha) {
  assert(next_hop_count >= 2 && alpha > 0 && alpha < 1);
  // The small number takes care of powers that are exact but for rounding.
  const double choices = std::ceil(-std::log(alpha) / std::log(next_hop_count) - 1e-9);
  return 1 + static_cast<uint32_t>(std::max(1.0, choices));
}

}  // namespace weft::probe
