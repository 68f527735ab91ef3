// SPDX-License-Identifier: Apache-2.0
#include "topology/export/slurm.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topology/export/names.h"
#include "topology/export/slurm_tree.h"

namespace weft::topology {
namespace {

constexpr uint32_t kMaxBlockRatio = 1U << 15;

absl::Status CheckBlockSizes(const std::vector<uint32_t>& sizes) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    const uint32_t ratio = sizes[0] == 0 ? 0 : sizes[i] / sizes[0];
    const bool power = ratio != 0 && (ratio & (ratio - 1)) == 0 && ratio <= kMaxBlockRatio;
    if (!power || sizes[i] % sizes[0] != 0 || (i > 0 && sizes[i] <= sizes[i - 1])) {
      return absl::InvalidArgumentError(
          absl::StrCat("block size ", sizes[i],
                       ": expected sizes in ascending order, each the first one times a power of "
                       "two (up to 32768)"));
    }
  }
  return absl::OkStatus();
}

std::string ChildList(const SlurmTree& tree, const TreeSwitch& node) {
  std::vector<std::string> names;
  for (uint32_t child : node.children) names.push_back(tree.switches[child].name);
  return HostList(std::move(names));
}

// Top down, so that a reader meets the root first: the tree's switches below `root`, depth first.
void CollectBelow(const SlurmTree& tree, uint32_t root, std::vector<const TreeSwitch*>& order) {
  std::vector<uint32_t> pending = {root};
  while (!pending.empty()) {
    const TreeSwitch& node = tree.switches[pending.back()];
    pending.pop_back();
    order.push_back(&node);
    pending.insert(pending.end(), node.children.rbegin(), node.children.rend());
  }
}

// The switches in the order of printing, and which of them begin a part.
struct Listing {
  const TreeSwitch* node = nullptr;
  size_t part = 0;  // from 1, at a root; 0 elsewhere
};

std::vector<Listing> List(const SlurmTree& tree) {
  std::vector<Listing> listing;
  for (size_t part = 0; part < tree.roots.size(); ++part) {
    std::vector<const TreeSwitch*> order;
    CollectBelow(tree, tree.roots[part], order);
    for (const TreeSwitch* node : order) listing.push_back({node, node == order[0] ? part + 1 : 0});
  }
  return listing;
}

void AppendHead(const SlurmTree& tree, std::string& text) {
  text += "# Written by weft-topo export.";
  if (tree.roots.size() > 1) {
    absl::StrAppend(&text, " The fabric is in ", tree.roots.size(),
                    " parts; each has a root of its own, and no job spans two.");
  }
  text += '\n';
  for (const std::string& comment : tree.comments) text += "# " + comment + "\n";
}

// Slurm refuses a block with fewer nodes than the smallest size.
void CheckBlocks(const SlurmTree& tree, const SlurmOptions& options,
                 std::vector<Finding>& findings) {
  Loss small("block-too-small", "blocks with fewer machines than the smallest block size",
             "Slurm may refuse the file: give a smaller first --block-size, or add the machines");
  for (const TreeSwitch& node : tree.switches) {
    if (node.machines.empty() || node.machines.size() >= options.block_sizes.front()) continue;
    small.Add(absl::StrCat(node.name, " with ", node.machines.size()));
  }
  small.Report("Slurm topology", findings);
}

std::string BlockSizes(const SlurmOptions& options, const char* separator) {
  std::string text;
  for (uint32_t size : options.block_sizes) {
    absl::StrAppend(&text, text.empty() ? "" : separator, size);
  }
  return text;
}

// A name that YAML reads as text, not as a number or a truth.
std::string YamlText(const std::string& text) {
  constexpr std::array kWords = {"y",  "yes", "n",    "no",   "true", "false",
                                 "on", "off", "null", ".inf", ".nan"};
  std::string lower = text;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool letter = !lower.empty() && lower.front() >= 'a' && lower.front() <= 'z';
  const bool word = std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
  return letter && !word ? text : '"' + text + '"';
}

}  // namespace

absl::StatusOr<Exported> ExportSlurmConf(const Fabric& fabric, const SlurmOptions& options) {
  absl::Status checked = CheckBlockSizes(options.block_sizes);
  if (!checked.ok()) return checked;
  SlurmTree tree = BuildSlurmTree(fabric);
  const bool blocks = !options.block_sizes.empty();
  Exported out{"", std::move(tree.findings)};
  AppendHead(tree, out.text);
  for (const auto& [node, part] : List(tree)) {
    if (blocks && node->machines.empty()) continue;
    if (part != 0 && tree.roots.size() > 1) absl::StrAppend(&out.text, "\n# part ", part, "\n");
    if (!node->why.empty()) absl::StrAppend(&out.text, "# ", node->name, ": ", node->why, "\n");
    absl::StrAppend(&out.text, blocks ? "BlockName=" : "SwitchName=", node->name);
    if (node->children.empty()) {
      absl::StrAppend(&out.text, " Nodes=", HostList(node->machines), "\n");
    } else {
      absl::StrAppend(&out.text, " Switches=", ChildList(tree, *node), "\n");
    }
  }
  if (blocks) {
    absl::StrAppend(&out.text, "BlockSizes=", BlockSizes(options, ","), "\n");
    CheckBlocks(tree, options, out.findings);
  }
  return out;
}

absl::StatusOr<Exported> ExportSlurmYaml(const Fabric& fabric, const SlurmOptions& options) {
  absl::Status checked = CheckBlockSizes(options.block_sizes);
  if (!checked.ok()) return checked;
  SlurmTree tree = BuildSlurmTree(fabric);
  const bool blocks = !options.block_sizes.empty();
  Exported out{"", std::move(tree.findings)};
  AppendHead(tree, out.text);
  absl::StrAppend(&out.text, "- topology: default\n  cluster_default: true\n");
  if (blocks) {
    absl::StrAppend(&out.text, "  block:\n    block_sizes:\n      - ",
                    BlockSizes(options, "\n      - "), "\n    blocks:\n");
    CheckBlocks(tree, options, out.findings);
  } else {
    absl::StrAppend(&out.text, "  tree:\n    switches:\n");
  }
  for (const auto& [node, part] : List(tree)) {
    if (blocks && node->machines.empty()) continue;
    if (part != 0 && tree.roots.size() > 1) absl::StrAppend(&out.text, "      # part ", part, "\n");
    if (!node->why.empty()) {
      absl::StrAppend(&out.text, "      # ", node->name, ": ", node->why, "\n");
    }
    absl::StrAppend(&out.text, "      - ", blocks ? "block: " : "switch: ", YamlText(node->name));
    if (node->children.empty()) {
      absl::StrAppend(&out.text, "\n        nodes: ", YamlText(HostList(node->machines)), "\n");
    } else {
      absl::StrAppend(&out.text, "\n        children: ", YamlText(ChildList(tree, *node)), "\n");
    }
  }
  return out;
}

}  // namespace weft::topology
