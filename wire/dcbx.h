// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/byte_writer.h"
#include "wire/lldp.h"

// How a port shares its bandwidth, which priorities it pauses, and which traffic gets which
// priority: DCBX, in organisation TLVs of LLDP. IEEE 802.1Q, annex D.2.8 to D.2.11 (OUI 00-80-C2),
// and the older CEE form (DCB Capability Exchange Protocol Base Specification, revision 1.01; OUI
// 00-1B-21, subtype 2).
namespace weft::wire {

inline constexpr size_t kDcbxPriorities = 8;

// Enhanced transmission selection.
struct EtsTable {
  bool is_willing = false;  // would take what the other end says
  bool has_credit_based_shaper = false;
  uint8_t max_traffic_classes = 0;  // 0: 8
  // The traffic class (CEE: the priority group; 15: strict) of each priority.
  std::array<uint8_t, kDcbxPriorities> traffic_class{};
  std::array<uint8_t, kDcbxPriorities> bandwidth_percent{};  // by traffic class
  std::array<uint8_t, kDcbxPriorities> algorithm{};  // by class: 0 strict, 1 shaper, 2 ETS; CEE: 2
  bool operator==(const EtsTable&) const = default;
};

struct PfcSettings {
  bool is_willing = false;
  bool bypasses_macsec = false;
  uint8_t max_classes = 0;         // how many classes can be lossless at once
  uint8_t enabled_priorities = 0;  // bit n: priority n is paused and lossless
  bool operator==(const PfcSettings&) const = default;

  bool Enables(size_t priority) const { return (enabled_priorities >> priority & 1) != 0; }
};

enum class DcbxSelector : uint8_t {
  kReserved,
  kEthertype,
  kTcpPort,
  kUdpPort,
  kAnyPort,  // TCP or UDP
  kDscp,
};

struct DcbxApplication {
  DcbxSelector selector = DcbxSelector::kReserved;
  uint16_t protocol = 0;   // ethertype, port or DSCP
  uint8_t priorities = 0;  // bit n: priority n
  bool operator==(const DcbxApplication&) const = default;
};

struct Dcbx {
  bool is_cee = false;  // of the older form; where both are there, the IEEE one counts
  std::optional<EtsTable> ets{};
  std::optional<EtsTable> ets_recommendation{};  // IEEE; is_willing is not said
  std::optional<PfcSettings> pfc{};
  std::vector<DcbxApplication> applications{};
  bool is_malformed = false;  // a TLV was shorter than it has to be, and was passed over
  bool operator==(const Dcbx&) const = default;
};

// nullopt: no such TLV.
std::optional<Dcbx> ParseDcbx(const Lldp& lldp);

// The organisation TLVs of the IEEE form, to stand in front of an LLDPDU's end.
void WriteDcbx(const Dcbx& dcbx, ByteWriter& writer);

}  // namespace weft::wire
