// SPDX-License-Identifier: Apache-2.0
#include "topology/export/dot_labels.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "topology/export/names.h"

namespace weft::topology {
namespace {

constexpr size_t kMaxNameBytes = 40;
constexpr size_t kMaxCables = 16;

// "A09-LEAF-01" of "MF0;A09-LEAF-01:MQM9701/U1", as Mellanox's switches describe themselves; what a
// chassis adds for its boards stays: "core1/S01/U1".
std::string ShortName(const std::string& name) {
  constexpr std::string_view kPrefix = "MF0;";
  const size_t colon = name.rfind(':');
  if (!name.starts_with(kPrefix) || colon == std::string::npos || colon <= kPrefix.size())
    return name;
  const size_t slash = name.find('/', colon);
  if (slash == std::string::npos) return name;
  const std::string board = name.substr(slash);
  return name.substr(kPrefix.size(), colon - kPrefix.size()) + (board == "/U1" ? "" : board);
}

std::string NamesOf(const Fabric& fabric, const std::vector<NodeIndex>& members) {
  std::vector<std::string> names;
  for (NodeIndex node : members) names.push_back(Visible(ShortName(fabric.node(node).name)));
  std::string list = HostList(names);
  if (names.size() == 1 || list.size() <= kMaxNameBytes) return list;
  const auto [first, last] = std::minmax_element(names.begin(), names.end(), NaturalLess);
  return *first + " .. " + *last;
}

// The value that all have; nullopt: they differ.
std::optional<size_t> Uniform(const std::map<NodeIndex, size_t>& counts, size_t members) {
  if (counts.empty() || counts.size() != members) return std::nullopt;
  const size_t first = counts.begin()->second;
  for (const auto& [node, count] : counts) {
    if (count != first) return std::nullopt;
  }
  return first;
}

// "32 hosts each", "511 hosts"
std::string HostText(const Fabric& fabric, const Box& box) {
  std::map<NodeIndex, std::set<NodeIndex>> hosts;  // per member
  std::set<NodeIndex> all;
  for (LinkIndex link : box.host_links) {
    NodeIndex host = fabric.From({link, false});
    NodeIndex other = fabric.From({link, true});
    if (fabric.node(host).kind != NodeKind::kHost) std::swap(host, other);
    if (IsAggregationNode(fabric.node(host))) continue;
    hosts[other].insert(host);
    all.insert(host);
  }
  if (all.empty()) return "";
  std::map<NodeIndex, size_t> counts;
  for (const auto& [node, on_node] : hosts) counts[node] = on_node.size();
  const std::optional<size_t> each = Uniform(counts, box.members.size());
  if (box.members.size() == 1 || !each) return Count(all.size(), "host", "hosts");
  return Count(*each, "host", "hosts") + " each";
}

// "400G", "4x HDR"
std::string LookText(const Link& link) {
  std::string text = link.capacity_bps ? ShortRate(*link.capacity_bps) : "";
  if (!link.speed.empty() || link.width) {
    const std::string lanes = (link.width ? std::to_string(*link.width) + "x" : "?x") + link.speed;
    text += text.empty() ? lanes : " (" + lanes + ")";
  }
  return text.empty() ? "rate unknown" : text;
}

// "3 of 16 slower: 100G"
void AddProblems(const Fabric& fabric, const Picture& picture, const std::vector<LinkIndex>& links,
                 const std::string& what, Lines& problems) {
  std::map<std::string, size_t> looks;
  for (LinkIndex link : links) {
    const CableState state = picture.usual.state[link];
    if (state != CableState::kSlower && state != CableState::kNarrower) continue;
    const char* how = state == CableState::kSlower ? "slower: " : "narrower: ";
    ++looks[how + LookText(fabric.link(link))];
  }
  for (const auto& [look, count] : looks) {
    const std::string part = links.size() == 1 ? ""
                                               : std::to_string(count) + " of " +
                                                     std::to_string(links.size()) + what + " ";
    problems.push_back(part + look);
  }
}

// "400G" where all have this rate; empty: they differ, or it is not known.
std::string CommonRate(const Fabric& fabric, const std::vector<LinkIndex>& links) {
  std::set<std::string> rates;
  for (LinkIndex link : links) {
    const std::optional<double>& bps = fabric.link(link).capacity_bps;
    rates.insert(bps ? ShortRate(*bps) : "");
  }
  return rates.size() == 1 ? *rates.begin() : "";
}

// "48 x 400G", "3 cables"
std::string CableText(const Fabric& fabric, const std::vector<LinkIndex>& links, bool more) {
  const std::string rate = CommonRate(fabric, links);
  const std::string count = std::to_string(links.size()) + (more ? " or more" : "");
  if (!rate.empty()) return count + " x " + rate;
  return count + (links.size() == 1 && !more ? " cable" : " cables");
}

// The cables of a box by the tier that they lead up to.
std::map<int64_t, std::vector<LinkIndex>> CablesUp(const Picture& picture, const Box& box) {
  std::map<int64_t, std::vector<LinkIndex>> cables;
  for (uint32_t bundle : box.up) {
    const Box& upper = picture.boxes[picture.bundles[bundle].a];
    const std::vector<LinkIndex>& links = picture.bundles[bundle].links;
    std::vector<LinkIndex>& all = cables[picture.usual.place[upper.members.front()]];
    all.insert(all.end(), links.begin(), links.end());
  }
  return cables;
}

bool AnyOneOrMore(const Fabric& fabric, const std::vector<LinkIndex>& links) {
  return std::any_of(links.begin(), links.end(),
                     [&](LinkIndex link) { return fabric.link(link).one_or_more; });
}

// "192 x 400G to spines, 12 each", where a box stands for several switches.
void AddCablesUp(const Fabric& fabric, const Picture& picture, const Box& box, Lines& lines) {
  for (const auto& [place, links] : CablesUp(picture, box)) {
    std::map<NodeIndex, size_t> counts;
    for (LinkIndex link : links) {
      for (const bool reversed : {false, true}) {
        const NodeIndex node = fabric.From({link, reversed});
        if (std::binary_search(box.members.begin(), box.members.end(), node)) ++counts[node];
      }
    }
    const std::optional<size_t> each = Uniform(counts, box.members.size());
    lines.push_back(CableText(fabric, links, AnyOneOrMore(fabric, links)) + " to " +
                    PlaceName(place, true) +
                    (each && box.members.size() > 1 ? ", " + std::to_string(*each) + " each" : ""));
  }
}

// What a frame would say.
void AddFrames(const Node& node, Lines& lines) {
  if (node.plane) lines.push_back("plane " + std::to_string(*node.plane));
  if (node.rail) lines.push_back("rail " + std::to_string(*node.rail));
}

// Whether a box of the lower end has other cables to the same tier, so that the line must say how
// many are its own.
bool SharesTier(const Picture& picture, const Bundle& bundle) {
  const auto place = [&](uint32_t box) {
    return picture.usual.place[picture.boxes[box].members.front()];
  };
  const std::vector<uint32_t>& up = picture.boxes[bundle.b].up;
  return bundle.a == bundle.b || std::count_if(up.begin(), up.end(), [&](uint32_t other) {
                                   return place(picture.bundles[other].a) == place(bundle.a);
                                 }) > 1;
}

}  // namespace

BoxLabel LabelOf(const Fabric& fabric, const Picture& picture, const Box& box) {
  BoxLabel label;
  const int64_t place = picture.usual.place[box.members.front()];
  label.lines.push_back(NamesOf(fabric, box.members));
  if (box.members.size() > 1) {
    label.lines.push_back(std::to_string(box.members.size()) + " " + PlaceName(place, true));
  }
  if (place == Usual::kHost && picture.detail != Detail::kAll &&
      fabric.adjacencies(box.members.front()).empty()) {
    label.lines.push_back("no cable");
  }
  const std::string hosts = HostText(fabric, box);
  if (!hosts.empty()) label.lines.push_back(hosts);
  if (picture.detail == Detail::kShape) AddFrames(fabric.node(box.members.front()), label.lines);
  if (picture.detail >= Detail::kPods) AddCablesUp(fabric, picture, box, label.lines);
  AddProblems(fabric, picture, box.host_links, " host cables", label.problems);
  std::set<std::string> missing;
  for (NodeIndex node : box.members) {
    if (!picture.usual.missing[node].empty()) missing.insert(picture.usual.missing[node]);
  }
  label.problems.insert(label.problems.end(), missing.begin(), missing.end());
  return label;
}

BundleLabel LabelOf(const Fabric& fabric, const Picture& picture, const Bundle& bundle) {
  BundleLabel label;
  label.one_or_more = AnyOneOrMore(fabric, bundle.links);
  label.rate_unknown = std::any_of(bundle.links.begin(), bundle.links.end(), [&](LinkIndex link) {
    return picture.usual.state[link] == CableState::kUnknownRate;
  });
  if (picture.detail >= Detail::kPods) {
    if (SharesTier(picture, bundle)) {
      label.lines.push_back(CableText(fabric, bundle.links, label.one_or_more));
    }
  } else if (bundle.links.size() > 1 || label.one_or_more) {
    label.lines.push_back(std::to_string(bundle.links.size()) +
                          (label.one_or_more ? " or more" : " x"));
  }
  AddProblems(fabric, picture, bundle.links, "", label.problems);
  return label;
}

Lines TitleOf(const Fabric& fabric, const Picture& picture) {
  std::map<int64_t, size_t> places;
  for (const int64_t place : picture.usual.place) ++places[place];
  std::string counts;
  for (auto at = places.rbegin(); at != places.rend(); ++at) {
    counts += (counts.empty() ? "" : ", ") + std::to_string(at->second) + " " +
              PlaceName(at->first, at->second != 1);
  }
  Lines lines = {counts + "; " + Count(fabric.links().size(), "cable", "cables")};
  std::string rates;
  for (auto at = picture.usual.bps.rbegin(); at != picture.usual.bps.rend(); ++at) {
    rates += (rates.empty() ? "usual rates: " : ", ") + PlaceName(at->first.second, false) + " - " +
             PlaceName(at->first.first, false) + " " + ShortRate(at->second);
  }
  if (!rates.empty()) lines.push_back(rates);
  if (picture.detail >= Detail::kPods) {
    lines.push_back(std::string("switches that look alike ") +
                    (picture.detail == Detail::kPods ? "within a pod, rail or network " : "") +
                    "are one box");
  }
  return lines;
}

Lines CablesOf(const Fabric& fabric, const Bundle& bundle) {
  Lines lines;
  for (size_t i = 0; i < std::min(kMaxCables, bundle.links.size()); ++i) {
    const Link& link = fabric.link(bundle.links[i]);
    lines.push_back(Visible(ToString(link.a) + " - " + ToString(link.b)) + "  " + LookText(link) +
                    (link.cable.empty() ? "" : "  " + Visible(link.cable)));
  }
  if (bundle.links.size() > kMaxCables) {
    lines.push_back("and " + std::to_string(bundle.links.size() - kMaxCables) + " more");
  }
  return lines;
}

}  // namespace weft::topology
