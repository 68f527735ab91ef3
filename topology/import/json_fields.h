// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "wire/ip_address.h"

// Fields of JSON that somebody else wrote: absent and of another type are the same.
namespace weft::topology {

using Json = nlohmann::json;

// nullopt for what is no object, has no such field, or another type there.
const Json* Field(const Json& object, const char* key);
const Json* ObjectField(const Json& object, const char* key);
const Json* ArrayField(const Json& object, const char* key);
std::optional<std::string> TextField(const Json& object, const char* key);
// A whole number from 0 to `max`.
std::optional<uint64_t> NumberField(const Json& object, const char* key, uint64_t max);
bool FlagField(const Json& object, const char* key);  // true, or a number other than 0
std::optional<wire::IpAddress> AddressField(const Json& object, const char* key);

// InvalidArgument: not JSON; says where, in bytes from the start.
absl::StatusOr<Json> ParseJson(std::string_view text);

// Seconds since 1970 as a record has them, "2019-09-07T22:01:48Z"; empty for none.
std::string TimeText(std::optional<uint64_t> seconds);

}  // namespace weft::topology
