// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/flows/capture_analysis.h"
#include "analyzer/report/finding_draft.h"

// The rules of CaptureFindings(), by subject. A rule appends what it has to say, or nothing.
namespace weft::analyzer {

using Drafts = std::vector<FindingDraft>;

// One direction with data, and the flow that answers it, if that was seen.
struct Direction {
  const Connection& connection;
  const FlowStats& data;
  const FlowStats* answers = nullptr;

  bool BothSeen() const { return answers != nullptr; }
  int64_t span_ns() const { return data.has_times ? data.last_ns - data.first_ns : 0; }
};

bool IsReliable(const FlowStats& flow);  // RC, XRC
// NAKs that a sender is told of PSNs that did not come.
uint64_t SequenceNaks(const Direction& direction);
// Loss, refusals, congestion: whatever else than its own pace may have slowed a direction.
bool HasTrouble(const Direction& direction);

// The file as a whole.
void FileRules(const CaptureAnalysis& analysis, std::span<const CaptureInterface> interfaces,
               Drafts& drafts);
// Source ports of host pairs.
void PortRules(const CaptureAnalysis& analysis, Drafts& drafts);
// Of every direction.
void PathRules(const Direction& direction, Drafts& drafts);
void LossRules(const Direction& direction, Drafts& drafts);
void RefusalRules(const Direction& direction, Drafts& drafts);
void EcnRules(const Direction& direction, Drafts& drafts);
void PaceRules(const Direction& direction, Drafts& drafts);
void PacketRules(const Direction& direction, Drafts& drafts);
// Of every connection.
void ConnectionRules(const Connection& connection, Drafts& drafts);
// Several senders, links.
void IncastRules(const CaptureAnalysis& analysis, std::span<const Direction> directions,
                 uint64_t line_rate_bps, Drafts& drafts);
void PauseRules(const CaptureAnalysis& analysis, uint64_t line_rate_bps, Drafts& drafts);

}  // namespace weft::analyzer
