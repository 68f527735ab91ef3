// SPDX-License-Identifier: Apache-2.0
#include "topology/export/dot.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topology/export/dot_labels.h"
#include "topology/export/names.h"

namespace weft::topology {
namespace {

constexpr uint32_t kNone = Structure::kNone;
constexpr const char* kRed = "#c62828";
constexpr const char* kOrange = "#e65100";
constexpr const char* kGrey = "#607d8b";

// Inside a quoted string of Graphviz, whose labels also know backslash sequences and entities.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
    if (c == '&') escaped += "amp;";
  }
  return escaped;
}

// Lines as a label, each ended by `end`: "\n" centred, "\l" to the left.
std::string Label(const Lines& lines, const char* end) {
  std::string label;
  for (size_t i = 0; i < lines.size(); ++i) {
    label += Escaped(lines[i]);
    if (i + 1 < lines.size() || end[1] == 'l') label += end;
  }
  return label;
}

const char* FillOf(int64_t place) {
  constexpr std::array kTiers = {"#cfe3f7", "#d5ecd4", "#fbe6c2", "#ead9f2"};
  if (place < 0) return place == Usual::kHost ? "#eceff1" : "#ffffff";
  return kTiers[std::min<size_t>(static_cast<size_t>(place), kTiers.size() - 1)];
}

class Writer {
 public:
  Writer(const Fabric& fabric, Picture picture) : fabric_(fabric), picture_(std::move(picture)) {}
  std::string Write();

 private:
  void WriteBox(uint32_t index, const std::string& indent);
  void WriteClusters(uint32_t parent, const std::string& indent);
  void WriteRanks();
  void WriteBundle(const Bundle& bundle);
  Lines Legend();

  const Fabric& fabric_;
  Picture picture_;
  bool red_ = false;
  bool orange_ = false;
  bool dotted_ = false;
  bool dashed_ = false;
  std::string text_;
};

void Writer::WriteBox(uint32_t index, const std::string& indent) {
  const Box& box = picture_.boxes[index];
  BoxLabel label = LabelOf(fabric_, picture_, box);
  const bool slow = std::any_of(box.host_links.begin(), box.host_links.end(), [&](LinkIndex link) {
    return picture_.usual.state[link] == CableState::kSlower ||
           picture_.usual.state[link] == CableState::kNarrower;
  });
  const int64_t place = picture_.usual.place[box.members.front()];
  absl::StrAppend(&text_, indent, "b", index, " [fillcolor=\"", FillOf(place), "\"");
  if (fabric_.node(box.members.front()).kind == NodeKind::kUnknown) {
    text_ += " style=\"filled,dashed\"";
  }
  if (box.members.size() > 1) text_ += " peripheries=2";
  if (!label.problems.empty()) {
    absl::StrAppend(&text_, " color=\"", slow ? kRed : kOrange, "\" penwidth=2.5");
    (slow ? red_ : orange_) = true;
  }
  label.lines.insert(label.lines.end(), label.problems.begin(), label.problems.end());
  absl::StrAppend(&text_, " label=\"", Label(label.lines, "\\n"), "\"];\n");
}

void Writer::WriteClusters(uint32_t parent, const std::string& indent) {
  for (uint32_t cluster = 0; cluster < picture_.clusters.size(); ++cluster) {
    if (picture_.clusters[cluster].parent != parent) continue;
    absl::StrAppend(&text_, indent, "subgraph cluster_", cluster, " {\n", indent, "  label=\"",
                    Escaped(picture_.clusters[cluster].label), "\"; labelloc=b;\n");
    for (uint32_t box = 0; box < picture_.boxes.size(); ++box) {
      if (picture_.boxes[box].cluster == cluster) WriteBox(box, indent + "  ");
    }
    WriteClusters(cluster, indent + "  ");
    absl::StrAppend(&text_, indent, "}\n");
  }
}

// A tier a rank, its boxes in order and frame by frame; the lines that keep the order are not
// drawn.
void Writer::WriteRanks() {
  const auto frame = [&](uint32_t box) {
    const uint32_t inner = picture_.boxes[box].cluster;
    const uint32_t outer = inner == kNone ? kNone : picture_.clusters[inner].parent;
    return std::make_tuple(outer == kNone ? inner : outer, inner, box);
  };
  std::map<int64_t, std::vector<uint32_t>> ranks;
  for (uint32_t box = 0; box < picture_.boxes.size(); ++box) {
    const int64_t place = picture_.usual.place[picture_.boxes[box].members.front()];
    if (place != Usual::kOther) ranks[place].push_back(box);
  }
  for (auto& [place, boxes] : ranks) {
    std::sort(boxes.begin(), boxes.end(),
              [&](uint32_t one, uint32_t other) { return frame(one) < frame(other); });
    text_ += "  { rank=same; edge [style=invis]; ";
    for (size_t i = 0; i < boxes.size(); ++i)
      absl::StrAppend(&text_, i > 0 ? " -- b" : "b", boxes[i]);
    text_ += "; }\n";
  }
}

void Writer::WriteBundle(const Bundle& bundle) {
  BundleLabel label = LabelOf(fabric_, picture_, bundle);
  const bool problem = !label.problems.empty();
  absl::StrAppend(&text_, "  b", bundle.a, " -- b", bundle.b, " [tooltip=\"",
                  Label(CablesOf(fabric_, bundle), "\\n"), "\"");
  const auto place = [&](uint32_t box) {
    return picture_.usual.place[picture_.boxes[box].members.front()];
  };
  if (place(bundle.a) == place(bundle.b)) text_ += " constraint=false";
  if (problem) {
    absl::StrAppend(&text_, " color=\"", kRed, "\" fontcolor=\"", kRed, "\"");
    red_ = true;
  } else if (label.rate_unknown) {
    absl::StrAppend(&text_, " color=\"", kGrey, "\"");
  }
  if (label.rate_unknown) {
    text_ += " style=dotted";
    dotted_ = true;
  } else if (label.one_or_more) {
    text_ += " style=dashed";
    dashed_ = true;
  }
  const size_t count = bundle.links.size();
  const double width = count >= 64 ? 3 : count >= 16 ? 2.5 : count >= 2 || problem ? 2 : 1;
  if (width > 1) absl::StrAppend(&text_, " penwidth=", width);
  label.lines.insert(label.lines.end(), label.problems.begin(), label.problems.end());
  if (!label.lines.empty()) {
    absl::StrAppend(&text_, " label=\"", Label(label.lines, "\\n"), "\"");
  }
  text_ += "];\n";
}

Lines Writer::Legend() {
  Lines lines = TitleOf(fabric_, picture_);
  if (red_) lines.push_back("red: slower or narrower than most cables between the same tiers");
  if (orange_) lines.push_back("orange: fewer cables than most switches of the tier");
  if (dotted_) lines.push_back("dotted: rate not known");
  if (dashed_) lines.push_back("dashed: at least this many cables");
  return lines;
}

std::string Writer::Write() {
  for (uint32_t box = 0; box < picture_.boxes.size(); ++box) {
    if (picture_.boxes[box].cluster == kNone) WriteBox(box, "  ");
  }
  WriteClusters(kNone, "  ");
  WriteRanks();
  for (const Bundle& bundle : picture_.bundles) WriteBundle(bundle);
  return absl::StrCat(
      "// Written by weft-topo export.\n"
      "graph fabric {\n"
      "  graph [newrank=true ranksep=1.1 nodesep=0.3 splines=line outputorder=edgesfirst\n"
      "         fontname=\"Helvetica\" fontsize=13 labelloc=t labeljust=l bgcolor=white\n"
      "         style=\"rounded\" color=\"#90a4ae\" label=\"",
      Label(Legend(), "\\l"),
      "\"];\n"
      "  node [shape=box style=\"rounded,filled\" fontname=\"Helvetica\" fontsize=11 height=0.3\n"
      "        margin=\"0.12,0.06\" color=\"#455a64\"];\n"
      "  edge [fontname=\"Helvetica\" fontsize=10 color=\"#455a64\"];\n",
      text_, "}\n");
}

}  // namespace

Exported ExportDot(const Fabric& fabric, Detail detail) {
  return {Writer(fabric, DrawPicture(fabric, detail)).Write(), {}};
}

}  // namespace weft::topology
