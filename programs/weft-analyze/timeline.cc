// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/timeline.h"

#include "absl/strings/str_cat.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/printing.h"
#include "wire/cm.h"

namespace weft::analyze {
namespace {

using analyzer::FlowEvent;
using Kind = FlowEvent::Kind;

bool IsUsual(Kind kind) { return kind == Kind::kMessage || kind == Kind::kAck; }

std::string Duration(int64_t ns) { return command::FormatSeconds(static_cast<double>(ns) / 1e9); }

std::string Psns(int64_t count) { return Count(static_cast<size_t>(count), "PSN"); }

}  // namespace

const char* EventName(Kind kind) {
  switch (kind) {
    case Kind::kMessage:
      return "message";
    case Kind::kAck:
      return "ack";
    case Kind::kNak:
      return "nak";
    case Kind::kRnrNak:
      return "rnr-nak";
    case Kind::kRetransmission:
      return "retransmission";
    case Kind::kGap:
      return "gap";
    case Kind::kReordered:
      return "reordered";
    case Kind::kDuplicate:
      return "duplicate";
    case Kind::kCnp:
      return "cnp";
    case Kind::kCe:
      return "ecn-ce";
    case Kind::kPortChange:
      return "port-change";
    case Kind::kTtlChange:
      return "ttl-change";
    case Kind::kIdle:
      return "idle";
    case Kind::kBadIcrc:
      return "bad-icrc";
    case Kind::kCm:
      return "cm";
  }
  return "unknown";
}

std::string EventDetail(const FlowEvent& event) {
  const int64_t value = event.value;
  switch (event.kind) {
    case Kind::kMessage:
      return absl::StrCat(wire::InfoOf(event.opcode).name, ", ",
                          FormatBytes(static_cast<uint64_t>(value)));
    case Kind::kAck:
      return absl::StrCat("covers ", Count(static_cast<size_t>(value), "packet"));
    case Kind::kNak:
      return wire::ToString(static_cast<wire::NakCode>(value));
    case Kind::kRnrNak:
      return "receiver not ready, asks to wait " + Duration(value);
    case Kind::kRetransmission:
      return "goes back " + Psns(value);
    case Kind::kGap:
      return Psns(value) + " missing before it";
    case Kind::kReordered:
      return Psns(value) + " late";
    case Kind::kDuplicate:
      return "the same packet twice";
    case Kind::kCnp:
      return "asks the other end to slow down";
    case Kind::kCe:
      return "marked: congestion experienced";
    case Kind::kPortChange:
      return absl::StrCat("UDP source port is now ", value);
    case Kind::kTtlChange:
      return absl::StrCat("TTL is now ", value);
    case Kind::kIdle:
      return "nothing for " + Duration(value);
    case Kind::kBadIcrc:
      return "the ICRC is not that of the packet";
    case Kind::kCm:
      return wire::ToString(static_cast<wire::CmKind>(value));
  }
  return "";
}

Timeline::Timeline(const analyzer::FlowKey& forward, const analyzer::FlowKey* backward,
                   Limits limits)
    : forward_(forward),
      backward_(backward != nullptr ? *backward : analyzer::FlowKey{}),
      has_backward_(backward != nullptr),
      limits_(limits) {}

void Timeline::OnEvent(const FlowEvent& event) {
  const bool is_forward = *event.flow == forward_;
  if (!is_forward && !(has_backward_ && *event.flow == backward_)) return;
  ++counts_[static_cast<size_t>(event.kind)];
  size_t& kept = IsUsual(event.kind) ? usual_ : unusual_;
  if (kept == (IsUsual(event.kind) ? limits_.max_usual : limits_.max_unusual)) {
    ++left_out_;
    return;
  }
  ++kept;
  events_.push_back({.is_forward = is_forward, .event = event});
  events_.back().event.flow = nullptr;
}

}  // namespace weft::analyze
