// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "topology/route/gf2.h"

// Switches that hash by CRC or XOR and choose among 2, 4, 8.. next hops by some of the hash's bits
// are affine over GF(2) in each header field: choice(p ^ d) = choice(p) ^ choice(d) ^ choice(0)
// (RePaC, Zhang et al., USENIX ATC 2021). So a few measured source ports tell where all others
// lead, and for a wanted choice the ports are solved for, not searched.
//
// Choices come without numbers, as next hops do. What is learnt is which differences between ports
// change nothing: two ports of one choice differ by such a one. They are a subspace of the 14 bits,
// and its cosets are the choices. A whole path of several such hops is one choice, too.
namespace weft::topology {

// The low bits of a source port that are varied; the high two stay 1 (0xC000 to 0xFFFF).
inline constexpr uint32_t kLinearPortBits = 14;
// A map of more choices is not learnt: it takes about as many probes as it has choices.
inline constexpr uint32_t kMaxLinearChoices = 256;

// Where one source port was seen to lead: the caller's name of the choice (a next hop, or a whole
// path), in words that are equal for equal choices.
struct PortChoice {
  uint16_t udp_src_port = 0;
  std::string choice;
  bool operator==(const PortChoice&) const = default;
};

// Learns the map, one port after the other: ask NextPort(), tell where it led, until it has none.
// First the base and each bit alone, then combinations until each choice that there should be was
// seen. Every port tells something new (a choice, or a difference that changes nothing), so a map
// of 2^r choices takes 14 - r + 2^r ports: 15 for 2, 16 for 4, 19 for 8, 26 for 16, 72 for 64.
class LinearMapLearner {
 public:
  // `base_port`, 0xC000 or above, is the first one asked. `usable` says whether a port may be used
  // (it may be taken); others are gone round where possible. May be empty.
  explicit LinearMapLearner(uint16_t base_port, std::function<bool(uint16_t)> usable = {});

  // The next port to measure; nullopt: nothing more can be learnt, or there is a contradiction.
  std::optional<uint16_t> NextPort() const { return next_; }
  // Where NextPort() led.
  void Learn(const std::string& choice);
  // NextPort() cannot be measured (taken, no answer): another one is asked in its place.
  void Skip();

  uint32_t measured_count() const { return static_cast<uint32_t>(measured_.size()); }
  const std::vector<PortChoice>& measured() const { return measured_; }
  // What was seen contradicts every affine map (a number of choices that is no power of two, two
  // ports that must agree and do not), or is one of too many choices: why, in words; empty: nothing
  // does yet.
  const std::string& contradiction() const { return contradiction_; }

 private:
  friend class LinearMap;

  uint32_t Offset(uint16_t port) const { return (port ^ base_port_) & 0x3fff; }
  void Merge(uint32_t difference);
  void FindNext();

  uint16_t base_port_;
  std::vector<bool> refused_;  // by offset from the base
  std::vector<PortChoice> measured_;
  std::unordered_map<std::string, uint32_t> first_with_;  // choice -> offset of its first port
  Gf2Basis same_;                                         // differences that change nothing
  std::unordered_map<uint32_t, uint32_t> seen_;           // reduced offset -> index in measured_
  std::optional<uint16_t> next_;
  std::string contradiction_;
};

// At most `limit` source ports whose low bits are solutions, ascending from `from_port` and round.
std::vector<uint16_t> PortsOf(const Gf2Solutions& solutions, size_t limit, uint16_t from_port,
                              const std::function<bool(uint16_t)>& usable);

// A learnt map. A value. It says of every port where it leads if the switches are linear; whether
// they are, the caller finds out by measuring some more ports and comparing them with Predict().
class LinearMap {
 public:
  // nullopt: the learner is not done, found a contradiction, or was refused so many ports that it
  // could not tell the choices.
  static std::optional<LinearMap> From(const LinearMapLearner& learner);

  // Where a port of 0xC000 to 0xFFFF leads. Empty: to a choice that no measured port led to.
  const std::string& Predict(uint16_t udp_src_port) const;
  // At most `limit` ports that lead to `choice`, ascending from `from_port` and round; those that
  // `usable` (may be empty) refuses are left out. Empty for a choice that it does not know.
  std::vector<uint16_t> PortsFor(const std::string& choice, size_t limit,
                                 uint16_t from_port = 0xc000,
                                 const std::function<bool(uint16_t)>& usable = {}) const;
  // Choices that a measured port led to.
  std::vector<std::string> choices() const;
  size_t choice_count() const { return codes_.size(); }
  // 2^rank is how many choices there are.
  uint32_t rank() const { return rank_; }

 private:
  uint32_t Code(uint16_t udp_src_port) const;

  uint16_t base_port_ = 0;
  std::vector<uint32_t> columns_;     // per port bit: its code
  std::vector<std::string> choices_;  // by code; empty: not seen
  std::unordered_map<std::string, uint32_t> codes_;
  uint32_t rank_ = 0;
};

}  // namespace weft::topology
