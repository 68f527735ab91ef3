// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/flows/connection.h"
#include "analyzer/flows/flow_state.h"

namespace weft::analyzer {

struct VantageVerdict {
  Vantage vantage = Vantage::kUnknown;
  std::string reason;  // with its numbers
};

// Where the capture was taken, seen from `requester`, whose streams have ended. A short way from
// the capture to an end shows as quick reactions of that end, and as losses that all lie on the
// other side of the capture. kUnknown where these are few or disagree.
VantageVerdict JudgeVantage(const Flow& requester);

}  // namespace weft::analyzer
