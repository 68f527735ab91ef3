// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/endpoint.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "wire/bth.h"

namespace weft::probe {
namespace {

absl::Status ProbeError(const Probe& probe, const std::string& problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("probe to \"", probe.destination.ToString(), "\": ", problem));
}

}  // namespace

absl::Status CheckProbe(const Probe& probe) {
  constexpr uint32_t kLargestFlowLabel = (1U << 20) - 1;
  constexpr auto kUdSendOnly = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly);
  if (probe.destination.empty()) return ProbeError(probe, "expected a destination");
  if (!probe.source.empty() && probe.source.family() != probe.destination.family()) {
    return ProbeError(probe, absl::StrCat("source ", probe.source.ToString(),
                                          ": expected one of the destination's family"));
  }
  if (probe.flow_label > kLargestFlowLabel) {
    return ProbeError(probe, absl::StrFormat("flow label 0x%x: expected at most 0x%x",
                                             probe.flow_label, kLargestFlowLabel));
  }
  if (probe.wears_live_header && probe.ttl >= kLiveHeaderTtl) {
    return ProbeError(probe, absl::StrFormat("it wears a live header and has TTL %d: expected one "
                                             "below %d",
                                             int{probe.ttl}, int{kLiveHeaderTtl}));
  }
  if (!probe.wears_live_header && probe.bth_opcode != kUdSendOnly) {
    return ProbeError(probe, absl::StrFormat("opcode 0x%02x: expected 0x%02x unless it wears a "
                                             "live header",
                                             int{probe.bth_opcode}, int{kUdSendOnly}));
  }
  return absl::OkStatus();
}

}  // namespace weft::probe
