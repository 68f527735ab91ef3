// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "probe/trace/icmp_budget.h"
#include "probe/trace/pair_trace.h"
#include "probe/trace/probe_runner.h"
#include "probe/trace/tracer.h"
#include "topology/records/probe_record.h"
#include "wire/ip_address.h"

// Internal to probe/trace: what a trace makes of its pairs once all is asked.
namespace weft::probe {

// What a pair's result depends on beside the pair.
struct ResultInput {
  const TraceOptions* options = nullptr;
  const TraceDestination* destination = nullptr;
  std::string source_name;
  bool stopped = false;
  bool tells_unseen_quotes = false;  // TraceOptions::quotes_unseen_reason goes into this table
  int64_t begin_ns = 0;              // when the run began, on the endpoint's clock
};
TraceResult ResultOf(const PairTrace& pair, const IcmpBudget& budget, const ResultInput& input);

// What one probe asked.
struct ProbeQuestion {
  std::string source;
  wire::IpAddress source_address;
  std::string destination;
  wire::IpAddress destination_address;
  uint16_t udp_src_port = 0;
  uint8_t ttl = 0;
  int64_t begin_ns = 0;  // as ResultInput's
};
// The last try, and its answer.
topology::ProbeRecord ProbeRecordOf(const ProbeOutcome& outcome, const ProbeQuestion& question);

// Paths on which something was lost, or nothing came back, are asked end to end with several of
// `answer_ports`, together with the pair's other paths. It takes a responder. `results` are those
// of `pairs`.
absl::Status TellLiveness(ProbeRunner& runner, std::span<const PairTrace* const> pairs,
                          std::span<const uint16_t> answer_ports, const TraceOptions& options,
                          std::span<TraceResult* const> results);

}  // namespace weft::probe
