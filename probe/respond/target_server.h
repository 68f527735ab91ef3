// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topology/records/target.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Gives whoever connects to a TCP port the target record, as a JSON record file, and hangs up.
// Never blocks: a client that does not read costs nothing.
class TargetServer {
 public:
  // Listens on tcp_port of `address` (none: of all IPv4 addresses; ::, of all IPv6 ones; each
  // client is told the address that it connected to). AlreadyExists: another program holds the
  // port.
  static absl::StatusOr<TargetServer> Listen(const wire::IpAddress& address, uint16_t tcp_port);
  TargetServer() = default;  // listens nowhere
  TargetServer(TargetServer&& other) noexcept { *this = std::move(other); }
  TargetServer& operator=(TargetServer&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~TargetServer();

  int fd() const { return fd_; }  // readable when somebody waits; -1: listens nowhere
  uint16_t tcp_port() const;

  // Serves the clients that wait, at most a few. Returns how many.
  int Serve(const topology::Target& target) const;

 private:
  int fd_ = -1;
};

struct FetchOptions {
  uint16_t tcp_port = 4791;
  int64_t tries_ns = 3'000'000'000;  // in all
  int64_t one_try_ns = 400'000'000;  // then with a new connection, which may take another path
};

// Asks the responder at `address` for its record. A port that refuses ends it at once. Unavailable:
// the message says what was tried and what to do. Blocks up to tries_ns.
absl::StatusOr<topology::Target> FetchTarget(const wire::IpAddress& address,
                                             const FetchOptions& options = {});

}  // namespace weft::probe
