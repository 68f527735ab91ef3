// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/observations.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using topology::Finding;
using topology::HopMode;
using topology::PathTable;
using topology::Severity;
using wire::IpAddress;

std::string NameOf(const PathTable& table) {
  const std::string source = table.source.empty() ? table.source_address.ToString() : table.source;
  const std::string destination =
      table.destination.empty() ? table.destination_address.ToString() : table.destination;
  return absl::StrCat("path table ", source, " -> ", destination);
}

absl::Status CheckAddress(const PathTable& table, const char* what, const IpAddress& address) {
  if (!address.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(NameOf(table), ": no ", what, " address: expected an IPv4 or IPv6 address"));
}

absl::Status CheckTable(const PathTable& table) {
  absl::Status status = CheckAddress(table, "source", table.source_address);
  if (!status.ok()) return status;
  return CheckAddress(table, "destination", table.destination_address);
}

bool HasFinding(const PathTable& table, std::string_view code) {
  return std::any_of(table.findings.begin(), table.findings.end(),
                     [code](const Finding& finding) { return finding.code == code; });
}

// The first hop (TTL) at which one flow may take several ways: what answers behind it may be of
// several paths. 0: none.
uint32_t FirstUnsteadyHop(const PathTable& table) {
  uint32_t first = 0;
  for (const topology::HopBehaviour& hop : table.hop_behaviours) {
    if (hop.mode == HopMode::kUnknown || hop.mode == HopMode::kHashed) continue;
    if (first == 0 || hop.hop_index < first) first = hop.hop_index;
  }
  return first;
}

// An address that answers at two TTLs of one path was not where one of the answers says.
Finding RepeatedHop(const ObservedPath& path, size_t first, size_t again) {
  const bool in_a_row = again == first + 1;
  return {in_a_row ? "hop-repeated" : "path-loops",
          in_a_row ? Severity::kWarning : Severity::kError,
          path.hops[first].ToString(),
          {{"first at TTL", static_cast<double>(first + 1), "hops", "path tables"},
           {"again at TTL", static_cast<double>(again + 1), "hops", "path tables"},
           {absl::StrCat("from ", path.source.ToString(), " to ", path.destination.ToString()),
            std::nullopt, "", "path tables"}},
          in_a_row
              ? "A switch that forwards a packet whose TTL is 0, or counts TTL wrongly, answers "
                "twice in a row. What lies behind it on this path was not used."
              : "The packet came back to a switch it had left. What lies behind the repetition "
                "was not used.",
          "Trace this pair again; if it stays, look at the switch's TTL handling and routes."};
}

class Observer {
 public:
  void Add(const PathTable& table) {
    ++observations_.counts.tables;
    AddHost(table.source, table.source_address);
    AddHost(table.destination, table.destination_address);
    if (!table.void_reason.empty()) {
      ++observations_.counts.void_tables;
      return;
    }
    if (!table.hidden_reason.empty()) Hide(table);
    const bool loops = HasFinding(table, "routing-loop");
    if (table.hidden_reason == topology::kOwnOverlayReason) return;
    for (const topology::Path& path : table.paths) {
      if (!loops || path.reaches_destination) AddPath(table, path);
    }
  }

  Observations Finish() {
    DropHostsAmongHops();
    std::set<ObservedPath> kept;
    for (const ObservedPath& path : paths_) kept.insert(CutAtRepetition(path));
    observations_.paths.assign(kept.begin(), kept.end());
    for (const ObservedPath& path : observations_.paths) {
      if (!path.hops.empty() && !path.hops[0].empty()) {
        observations_.hosts[path.source].first_hops.insert(path.hops[0]);
      }
      if (!path.whole) continue;
      ++observations_.counts.paths;
      observations_.counts.silent_hops +=
          static_cast<uint32_t>(std::count(path.hops.begin(), path.hops.end(), IpAddress()));
    }
    DropUnusedHops();
    observations_.counts.paths += unsteady_paths_;
    SayHidden();
    observations_.counts.addresses = static_cast<uint32_t>(observations_.hops.size());
    return std::move(observations_);
  }

 private:
  // What answered only on paths, or behind places of paths, that are not used.
  void DropUnusedHops() {
    std::set<IpAddress> used;
    for (const ObservedPath& path : observations_.paths) {
      used.insert(path.hops.begin(), path.hops.end());
    }
    std::erase_if(observations_.hops, [&](const auto& hop) { return !used.contains(hop.first); });
  }

  void AddHost(const std::string& name, const IpAddress& address) {
    ObservedHost& host = observations_.hosts[address];
    if (!name.empty()) host.names.insert(name);
  }

  void AddPath(const PathTable& table, const topology::Path& path) {
    ObservedPath observed{
        table.source_address, table.destination_address, {}, path.reaches_destination};
    for (const topology::Hop& hop : path.hops) {
      // hop_index 0: not filled in; hops then stand in order.
      const size_t place = hop.hop_index > 0 ? hop.hop_index - 1 : observed.hops.size();
      if (place >= kMaxHops) continue;
      if (observed.hops.size() <= place) observed.hops.resize(place + 1);
      observed.hops[place] = hop.address;
      if (hop.address.empty()) continue;
      std::set<std::string>& names = observations_.hops[hop.address];
      if (!hop.node.empty()) names.insert(hop.node);
    }
    if (!observed.reaches_destination) {
      while (!observed.hops.empty() && observed.hops.back().empty()) observed.hops.pop_back();
    }
    if (!table.hidden_reason.empty()) {
      KeepFirstHop(std::move(observed));
    } else if (const uint32_t unsteady = FirstUnsteadyHop(table); unsteady > 0) {
      KeepSteady(observed, unsteady);
    } else {
      paths_.insert(std::move(observed));
    }
  }

  // Behind an overlay's tunnel the hops are not next to each other: only who answers first is sure.
  void KeepFirstHop(ObservedPath path) {
    if (path.hops.empty()) return;
    path.hops.resize(1);
    path.reaches_destination = false;
    path.whole = false;
    paths_.insert(std::move(path));
  }

  // Up to the hop behind the unsteady one the path is one packet's; from there on each answer
  // stands for itself. The last is next to the destination whatever the way.
  void KeepSteady(const ObservedPath& path, uint32_t unsteady_hop) {
    ++unsteady_paths_;
    const size_t steady = std::min<size_t>(path.hops.size(), unsteady_hop + 1);
    ObservedPath part = path;
    part.whole = false;
    part.hops.resize(steady);
    part.reaches_destination = path.reaches_destination && steady == path.hops.size();
    paths_.insert(part);
    for (size_t i = steady; i < path.hops.size(); ++i) {
      part.hops.assign(i + 1, IpAddress());
      part.hops[i] = path.hops[i];
      part.reaches_destination = path.reaches_destination && i + 1 == path.hops.size();
      paths_.insert(part);
    }
  }

  void Hide(const PathTable& table) {
    ++observations_.counts.hidden_tables;
    hidden_.emplace(NameOf(table), table.hidden_reason);
  }

  void SayHidden() {
    if (hidden_.empty()) return;
    constexpr size_t kMaxNamed = 10;
    Finding finding{
        "overlay-paths-hidden",
        Severity::kWarning,
        absl::StrCat(observations_.counts.hidden_tables,
                     observations_.counts.hidden_tables == 1 ? " table" : " tables"),
        {{"tables whose paths an overlay hides",
          static_cast<double>(observations_.counts.hidden_tables), "tables", "path tables"}},
        "Between the tunnel's ends no switch shows itself, so these tables tell only "
        "which switch is next to their source. They made no link between switches.",
        "Trace the underlay by itself: between the addresses of the tunnel's ends."};
    for (const auto& [name, reason] : hidden_) {
      if (finding.evidence.size() > kMaxNamed) break;
      finding.evidence.push_back({name + ": " + reason, std::nullopt, "", "path tables"});
    }
    observations_.findings.push_back(std::move(finding));
  }

  // A host's address among the hops (a host that forwards, or two machines with one address) says
  // nothing about switches: the hop counts as silent.
  void DropHostsAmongHops() {
    std::set<IpAddress> dropped;
    for (const auto& [address, host] : observations_.hosts) {
      if (observations_.hops.erase(address) > 0) dropped.insert(address);
    }
    if (dropped.empty()) return;
    std::set<ObservedPath> kept;
    for (ObservedPath path : paths_) {
      for (IpAddress& hop : path.hops) {
        if (dropped.contains(hop)) hop = IpAddress();
      }
      kept.insert(std::move(path));
    }
    paths_ = std::move(kept);
    for (const IpAddress& address : dropped) {
      observations_.findings.push_back(
          {"host-among-hops",
           Severity::kWarning,
           address.ToString(),
           {{"a host's address answered as a switch", std::nullopt, "", "path tables"}},
           "A host that forwards packets, or an address given twice. The hop was taken as silent.",
           "Look for a second owner of this address, and for IP forwarding on the host."});
    }
  }

  ObservedPath CutAtRepetition(ObservedPath path) {
    for (size_t again = 1; again < path.hops.size(); ++again) {
      if (path.hops[again].empty()) continue;
      const auto end = path.hops.begin() + static_cast<std::ptrdiff_t>(again);
      const auto first = std::find(path.hops.begin(), end, path.hops[again]);
      if (first == end) continue;
      if (reported_.insert(path.hops[again]).second) {
        observations_.findings.push_back(
            RepeatedHop(path, static_cast<size_t>(first - path.hops.begin()), again));
      }
      path.hops.resize(again);
      path.reaches_destination = false;
      break;
    }
    return path;
  }

  static constexpr size_t kMaxHops = 255;  // the TTL field has 8 bits

  Observations observations_;
  std::set<ObservedPath> paths_;
  std::set<IpAddress> reported_;
  std::set<std::pair<std::string, std::string>> hidden_;  // table, reason
  uint32_t unsteady_paths_ = 0;
};

}  // namespace

absl::StatusOr<Observations> Observe(std::span<const PathTable> tables) {
  if (tables.empty()) return absl::NotFoundError("no path tables: expected at least one");
  Observer observer;
  for (const PathTable& table : tables) {
    absl::Status status = CheckTable(table);
    if (!status.ok()) return status;
    observer.Add(table);
  }
  return observer.Finish();
}

}  // namespace weft::analyzer
