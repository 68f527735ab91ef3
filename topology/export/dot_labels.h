// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "topology/export/picture.h"
#include "topology/fabric/fabric.h"

// What is written on a picture: lines of text, not yet escaped.
namespace weft::topology {

using Lines = std::vector<std::string>;

struct BoxLabel {
  Lines lines;
  Lines problems;
};
BoxLabel LabelOf(const Fabric& fabric, const Picture& picture, const Box& box);

struct BundleLabel {
  Lines lines;
  Lines problems;
  bool rate_unknown = false;  // of at least one cable, where others tell
  bool one_or_more = false;   // at least one line stands for an unknown number of cables
};
BundleLabel LabelOf(const Fabric& fabric, const Picture& picture, const Bundle& bundle);

// What the whole shows, and what is usual in it.
Lines TitleOf(const Fabric& fabric, const Picture& picture);

// "leaf1:spine1 - spine1:leaf1" a line, the first of them.
Lines CablesOf(const Fabric& fabric, const Bundle& bundle);

}  // namespace weft::topology
