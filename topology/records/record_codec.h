// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace weft::topology {

// How a plain struct becomes a record and comes back. Defined once, generically, in
// message_codec.h, and instantiated in the struct's own .cc: only there is Protocol Buffers code
// seen.
template <typename T>
struct RecordCodec {
  static std::string ToJson(const T& record);  // one line, the schema's field names
  static absl::StatusOr<T> FromJson(std::string_view json);
  static std::string ToBinary(const T& record);
  static absl::StatusOr<T> FromBinary(std::string_view bytes);
};

// The kind and version that stand in the header of a file of these records, specialised beside each
// struct that has files of its own: {"flow", 1}.
struct RecordKind {
  const char* name;
  uint32_t version;
};
template <typename T>
inline constexpr RecordKind kRecordKind = {nullptr, 0};

}  // namespace weft::topology
