// SPDX-License-Identifier: Apache-2.0
// Internal to topology/records: the only header that sees Protocol Buffers, included by .cc files
// only.
#pragma once

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/records/record_codec.h"
#include "topology/records/records.pb.h"
#include "wire/ip_address.h"

// Each struct's .cc declares, before `template struct RecordCodec<T>;`, in namespace
// weft::topology:
//   records::M ToRecord(const T&);
//   absl::Status FromRecord(const records::M&, T* out);
// and names M:  template <> struct MessageOf<T> { using type = records::M; };
namespace weft::topology {

template <typename T>
struct MessageOf;

template <typename T>
std::string RecordCodec<T>::ToJson(const T& record) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  // Fails only for messages that JSON cannot hold (Any, bad UTF-8); ours have neither by
  // construction.
  (void)google::protobuf::util::MessageToJsonString(ToRecord(record), &json, options);
  return json;
}

template <typename T>
absl::StatusOr<T> RecordCodec<T>::FromJson(std::string_view json) {
  typename MessageOf<T>::type message;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &message);
  if (!status.ok()) return absl::InvalidArgumentError(status.message().ToString());
  T record;
  absl::Status converted = FromRecord(message, &record);
  if (!converted.ok()) return converted;
  return record;
}

template <typename T>
std::string RecordCodec<T>::ToBinary(const T& record) {
  return ToRecord(record).SerializeAsString();
}

template <typename T>
absl::StatusOr<T> RecordCodec<T>::FromBinary(std::string_view bytes) {
  // The status says what is wrong; Protocol Buffers would print some of it as well.
  google::protobuf::LogSilencer silencer;
  typename MessageOf<T>::type message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(absl::StrCat("not a ", message.GetDescriptor()->name(),
                                                   " message (", bytes.size(), " bytes)"));
  }
  T record;
  absl::Status converted = FromRecord(message, &record);
  if (!converted.ok()) return converted;
  return record;
}

inline absl::Status ParseAddress(const std::string& text, std::string_view field,
                                 wire::IpAddress* out) {
  if (text.empty()) {
    *out = wire::IpAddress();
    return absl::OkStatus();
  }
  const auto address = wire::IpAddress::Parse(text);
  if (!address) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(field), " \"", text, "\": expected an IPv4 or IPv6 address"));
  }
  *out = *address;
  return absl::OkStatus();
}

// A UDP port or another field that the schema holds in 32 bits and the wire in fewer.
template <typename Out>
absl::Status ParseUnsigned(uint32_t value, uint32_t max, std::string_view field, Out* out) {
  if (value > max) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(field), " ", value, ": expected at most ", max));
  }
  *out = static_cast<Out>(value);
  return absl::OkStatus();
}

inline absl::Status ParseFinite(double value, std::string_view field, double* out) {
  if (!(std::abs(value) <= 1e300)) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(field), " ", value, ": expected a finite number"));
  }
  *out = value;
  return absl::OkStatus();
}

// A rate, share or time; rejects what no measurement can be.
inline absl::Status ParseNonNegative(double value, std::string_view field, double* out) {
  if (!(value >= 0) || value > 1e300) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(field), " ", value, ": expected a finite number of at least 0"));
  }
  *out = value;
  return absl::OkStatus();
}

}  // namespace weft::topology

// Inside FromRecord: returns the first error.
#define WEFT_RECORD_CHECK(expression)              \
  do {                                             \
    absl::Status record_status = (expression);     \
    if (!record_status.ok()) return record_status; \
  } while (false)
