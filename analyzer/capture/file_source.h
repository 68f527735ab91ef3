// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/capture/byte_source.h"

namespace weft::analyzer {

// The bytes of a file as they are, by plain read() calls; "-": standard input, which stays open.
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path);

}  // namespace weft::analyzer
