// SPDX-License-Identifier: Apache-2.0
// Whether a fabric that went through another tool's words is the one that it was.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/record_codec.h"

namespace weft::topology {

// All records as text, in an order that does not depend on the fabric's; of a link, the smaller end
// comes first.
inline std::vector<std::string> SortedRecords(const Fabric& fabric) {
  std::vector<std::string> texts;
  for (FabricRecord record : fabric.ToRecords()) {
    if (Link* link = std::get_if<Link>(&record)) {
      if (link->b < link->a) std::swap(link->a, link->b);
    } else {
      std::vector<Interface>& interfaces = std::get<Node>(record).interfaces;
      std::sort(interfaces.begin(), interfaces.end(),
                [](const Interface& a, const Interface& b) { return a.name < b.name; });
    }
    texts.push_back(RecordCodec<FabricRecord>::ToJson(record));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline void ExpectSameFabric(const Fabric& actual, const Fabric& expected) {
  const std::vector<std::string> a = SortedRecords(actual);
  const std::vector<std::string> b = SortedRecords(expected);
  EXPECT_EQ(a.size(), b.size());
  size_t shown = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && shown < 5; ++i) {
    if (a[i] != b[i]) ++shown;
    EXPECT_EQ(a[i], b[i]);
    if (shown == 5) break;
  }
}

}  // namespace weft::topology
