// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "probe/hashing/hop_experiment.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {

// How many of `all` seeds are tried: what sanitizers look for does not hang on chance, and they are
// slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_TEST_SANITIZED 1
#endif
#endif
#ifdef WEFT_TEST_SANITIZED
constexpr uint64_t Seeds(uint64_t all) { return (all + 9) / 10; }
#else
constexpr uint64_t Seeds(uint64_t all) { return all; }
#endif

// A simulated fabric of which one pair is traced and its hops are examined.
class ExaminedFabric {
 public:
  template <typename Clos>
  ExaminedFabric(const Clos& clos, std::string to, const SimulatedNetworkOptions& options = {})
      : fabric(clos, options), endpoint(fabric.Open("host1-1")), to_(std::move(to)) {
    hops.seed = options.seed;
  }

  TraceResult Traced() {
    const TraceDestination destination = fabric.Destination(to_);
    TraceOptions options;
    options.seed = hops.seed;
    auto results = Trace(*endpoint, {&destination, 1}, options);
    EXPECT_TRUE(results.ok()) << results.status();
    return (*results)[0];
  }

  HopsResult Examined() { return Examined(Traced()); }
  HopsResult Examined(const TraceResult& traced) {
    IcmpBudget budget;
    HopsInput input = {.table = traced.table,
                       .target = fabric.Destination(to_).target,
                       .answers = traced.reached,
                       .others = others};
    input.table.findings.clear();  // the tracer's own are not looked at here
    auto result = ExamineHops(*endpoint, budget, input, hops);
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  // A node's model; all its headers are those of the switch's hash.
  topology::HopModel& hop(const std::string& name) {
    return fabric.network().hop(fabric.node(name));
  }

  SimulatedFabric fabric;
  std::unique_ptr<Endpoint> endpoint;
  HopsOptions hops;
  std::vector<wire::IpAddress> others;

 private:
  std::string to_;
};

// The report of the switch that has this address; the first one where several reports are its.
inline const HopReport* ReportOf(const HopsResult& result, const SimulatedFabric& fabric,
                                 const std::string& name) {
  for (const HopReport& report : result.hops) {
    const auto node = fabric.fabric().FindAddress(report.behaviour.address);
    if (node && *node == fabric.node(name)) return &report;
  }
  return nullptr;
}

inline topology::FieldUse UseOf(const HopReport& report, topology::HashedField field) {
  for (const topology::FieldEffect& effect : report.behaviour.fields) {
    if (effect.field == field) return effect.effect;
  }
  return topology::FieldUse::kUnknown;
}

inline std::vector<std::string> CodesOf(const HopsResult& result) {
  std::vector<std::string> codes;
  for (const topology::Finding& finding : result.table.findings) codes.push_back(finding.code);
  std::ranges::sort(codes);
  return codes;
}

}  // namespace weft::probe
