// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/flows/flow_table.h"

namespace weft::analyze {

inline constexpr size_t kEventKinds = static_cast<size_t>(analyzer::FlowEvent::Kind::kCm) + 1;

// Stable, kebab-case: "rnr-nak".
const char* EventName(analyzer::FlowEvent::Kind kind);
// What the event's value says: "4096 bytes", "PSN sequence error", "asks to wait 655 ms".
std::string EventDetail(const analyzer::FlowEvent& event);

// Keeps the events of the flows of one connection. Messages and their ACKs are many and usual: of
// them only the first max_usual are kept, of what is worth a look the first max_unusual; all count.
class Timeline : public analyzer::FlowObserver {
 public:
  struct Event {
    bool is_forward = true;
    analyzer::FlowEvent event;  // its `flow` is null
  };
  struct Limits {
    size_t max_usual = 0;
    size_t max_unusual = 0;
  };

  Timeline(const analyzer::FlowKey& forward, const analyzer::FlowKey* backward, Limits limits);

  void OnEvent(const analyzer::FlowEvent& event) override;

  const std::vector<Event>& events() const { return events_; }  // in the order of the capture
  const std::array<uint64_t, kEventKinds>& counts() const { return counts_; }
  uint64_t left_out() const { return left_out_; }

 private:
  analyzer::FlowKey forward_;
  analyzer::FlowKey backward_;
  bool has_backward_;
  Limits limits_;
  size_t usual_ = 0;
  size_t unusual_ = 0;
  uint64_t left_out_ = 0;
  std::array<uint64_t, kEventKinds> counts_{};
  std::vector<Event> events_;
};

}  // namespace weft::analyze
