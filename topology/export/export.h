// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/records/finding.h"

namespace weft::topology {

// A fabric in the words of another tool. Each finding (of severity warning) is a sort of thing that
// the format cannot hold, or holds in other words, with how often and where first; nothing is left
// out without one. The same fabric gives the same bytes.
struct Exported {
  std::string text;
  std::vector<Finding> findings;
};

// Counts one sort of thing that a format cannot hold.
class Loss {
 public:
  // `code` of the finding; `what` with its number before it: "12 addresses".
  Loss(std::string code, std::string what, std::string explanation);

  void Add(const std::string& subject);
  uint64_t count() const { return count_; }
  // Adds the finding to the list where anything was counted; `origin` names the format.
  void Report(const char* origin, std::vector<Finding>& findings) const;

 private:
  std::string code_;
  std::string what_;
  std::string explanation_;
  uint64_t count_ = 0;
  std::string first_;  // subject
};

}  // namespace weft::topology
