// SPDX-License-Identifier: Apache-2.0
#include "topology/export/export.h"

#include <utility>

namespace weft::topology {

Loss::Loss(std::string code, std::string what, std::string explanation)
    : code_(std::move(code)), what_(std::move(what)), explanation_(std::move(explanation)) {}

void Loss::Add(const std::string& subject) {
  if (count_++ == 0) first_ = subject;
}

void Loss::Report(const char* origin, std::vector<Finding>& findings) const {
  if (count_ == 0) return;
  findings.push_back({code_,
                      Severity::kWarning,
                      first_,
                      {{what_, static_cast<double>(count_), "", origin}},
                      explanation_,
                      ""});
}

}  // namespace weft::topology
