// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"
#include "wire/ip_address.h"

namespace weft::analyze {

// At least one table. NotFound: there is none in all the files.
absl::StatusOr<std::vector<topology::PathTable>> ReadTables(const std::string& name,
                                                            const std::vector<std::string>& paths,
                                                            bool* partial);

// The fabric of `path`; without one, what the tables show of it.
absl::StatusOr<topology::Fabric> ReadOrInferFabric(const std::string& name, const std::string& path,
                                                   std::span<const topology::PathTable> tables,
                                                   bool* partial);

// A file as /etc/hosts is: an address and a name a line (further names are not read), "#" begins a
// comment. Empty path: none. InvalidArgument names the line that is no such thing, or gives an
// address a second name.
absl::StatusOr<std::map<wire::IpAddress, std::string>> ReadNames(const std::string& path);
absl::StatusOr<std::map<wire::IpAddress, std::string>> ParseNames(const std::string& path,
                                                                  std::string_view text);

}  // namespace weft::analyze
