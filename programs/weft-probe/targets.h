// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/records/target.h"
#include "wire/ip_address.h"

namespace weft::command {

// The targets of record files, and those that responders tell.
class Targets {
 public:
  // `command` is what warnings call the program. A file that cannot be read is an error; one that
  // ends inside a record sets *partial.
  static absl::StatusOr<Targets> Read(const std::string& command,
                                      const std::vector<std::string>& paths, bool* partial);

  // `destination`: a name or an address of the files; or any address, whose responder is then asked
  // on `tcp_port` (blocks up to 3 s).
  absl::StatusOr<topology::Target> Find(const std::string& destination, uint16_t tcp_port) const;
  // The same by both: a file's target of this address, or of this name.
  absl::StatusOr<topology::Target> Find(const std::string& name, const wire::IpAddress& address,
                                        uint16_t tcp_port) const;

 private:
  std::vector<topology::Target> targets_;
};

}  // namespace weft::command
