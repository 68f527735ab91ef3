// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "topology/records/assignment.h"
#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/forwarding_table.h"
#include "topology/records/path_table.h"
#include "topology/records/port_counters.h"
#include "topology/records/probe_record.h"
#include "topology/records/target.h"

namespace weft::topology {

// Random records in which every field differs from its default, so that a codec that forgets one is
// found out.
class RandomRecords {
 public:
  explicit RandomRecords(uint32_t seed) : random_(seed) {}

  void Fill(FabricRecord& record);
  void Fill(ForwardingTable& table);
  void Fill(PortCounters& port);
  void Fill(PathTable& table);
  void Fill(Target& target);
  void Fill(ProbeRecord& probe);
  void Fill(Demand& demand);
  void Fill(Flow& flow);
  void Fill(FlowReport& report);
  void Fill(LinkLoad& load);
  void Fill(Assignment& assignment);
  void Fill(Finding& finding);

 private:
  uint32_t UpTo(uint32_t max);  // 1 to max
  double Real();                // above 0
  std::string Text();           // with all that JSON must escape, and some UTF-8
  wire::IpAddress Address();    // IPv4 or IPv6
  Guid AnyGuid();
  PortRef Port();

  template <typename T>
  T Some(T last) {  // of an enum: from its second value to `last`
    return static_cast<T>(UpTo(static_cast<uint32_t>(last)));
  }
  // One to three.
  template <typename T, typename Make>
  void Several(std::vector<T>& out, Make make) {
    for (uint32_t i = UpTo(3); i > 0; --i) out.push_back(make());
  }

  std::mt19937 random_;
};

}  // namespace weft::topology
