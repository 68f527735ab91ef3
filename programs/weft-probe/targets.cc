// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-probe/targets.h"

#include <algorithm>
#include <optional>

#include "probe/respond/target_server.h"
#include "programs/command/output.h"

namespace weft::command {

absl::StatusOr<Targets> Targets::Read(const std::string& command,
                                      const std::vector<std::string>& paths, bool* partial) {
  auto records = ReadRecordFiles<topology::Target>(command, paths, partial);
  if (!records.ok()) return records.status();
  Targets targets;
  targets.targets_ = *std::move(records);
  return targets;
}

absl::StatusOr<topology::Target> Targets::Find(const std::string& destination,
                                               uint16_t tcp_port) const {
  const std::optional<wire::IpAddress> address = wire::IpAddress::Parse(destination);
  if (address) return Find("", *address, tcp_port);
  return Find(destination, wire::IpAddress(), tcp_port);
}

absl::StatusOr<topology::Target> Targets::Find(const std::string& name,
                                               const wire::IpAddress& address,
                                               uint16_t tcp_port) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(), [&](const auto& target) {
    return address.empty() ? target.name == name : target.address == address;
  });
  if (found != targets_.end()) return *found;
  if (!address.empty()) return probe::FetchTarget(address, {.tcp_port = tcp_port});
  return absl::NotFoundError("\"" + name + "\": expected an IP address, or a name in a file of " +
                             (targets_.empty() ? "targets (--targets FILE)" : "--targets"));
}

}  // namespace weft::command
