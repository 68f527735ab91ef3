// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/analyzer/report/finding_world.h"

// What may happen to a healthy world, and the codes of exactly the findings that it must give. A
// table an idea, each in the file of its name.
namespace weft::analyzer {

using Codes = std::multiset<std::string>;
struct Situation {
  std::string name;
  std::function<void(World&)> make;
  Codes expected;
};
inline void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.name; }

const std::vector<Situation>& WholeFile();
const std::vector<Situation>& Paths();
const std::vector<Situation>& Losses();
const std::vector<Situation>& Congestion();
const std::vector<Situation>& Pace();

}  // namespace weft::analyzer
