// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "topology/import/import.h"

// Samples of what other tools write, and what was made of them as text.
namespace weft::topology {

inline ImportResult Import(TraceFormat format, const std::string& text) {
  absl::StatusOr<ImportResult> result = ImportTraces(format, text, "sample");
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : ImportResult{};
}

inline ImportResult Scamper(const std::string& text) { return Import(TraceFormat::kScamper, text); }

// "10.0.0.1 * 10.0.0.3 !": addresses, silence, and ! where the destination answered.
inline std::string Text(const Path& path) {
  std::string text;
  for (size_t i = 0; i < path.hops.size(); ++i) {
    EXPECT_EQ(path.hops[i].hop_index, i + 1) << "hops have no gaps";
    const std::string address = path.hops[i].address.ToString();
    text += (text.empty() ? "" : " ") + (address.empty() ? "*" : address);
  }
  return text + (path.reaches_destination ? " !" : "");
}

inline std::vector<std::string> Texts(const PathTable& table) {
  std::vector<std::string> texts;
  for (const Path& path : table.paths) texts.push_back(Text(path));
  return texts;
}

inline std::vector<std::string> Codes(const std::vector<Finding>& findings) {
  std::vector<std::string> codes;
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.evidence.empty()) << finding.code << " without evidence";
    codes.push_back(finding.code);
  }
  return codes;
}

// A trace from 10.1.1.2 to 10.2.2.2 with these hops ("1:10.0.0.1").
inline std::string Trace(const std::string& method_and_ports, const std::vector<std::string>& hops,
                         int hop_count, const std::string& more = "") {
  std::string text = R"({"type":"trace","version":"0.1","userid":0,)" + method_and_ports +
                     R"(,"src":"10.1.1.2","dst":"10.2.2.2",)" + more +
                     R"("start":{"sec":1567900908,"usec":1,"ftime":"x"},"hop_count":)" +
                     std::to_string(hop_count) + R"(,"probe_count":9,"tos":104,"hops":[)";
  for (size_t i = 0; i < hops.size(); ++i) {
    const size_t colon = hops[i].find(':');
    text += std::string(i == 0 ? "" : ",") + R"({"addr":")" + hops[i].substr(colon + 1) +
            R"(","probe_ttl":)" + hops[i].substr(0, colon) +
            R"(,"rtt":0.1,"icmp_type":11,"icmp_code":0})";
  }
  return text + "]}\n";
}

inline std::string Paris(int source_port) {
  return R"("method":"udp-paris","sport":)" + std::to_string(source_port) + R"(,"dport":33435)";
}

}  // namespace weft::topology
