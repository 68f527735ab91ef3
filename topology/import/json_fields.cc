// SPDX-License-Identifier: Apache-2.0
#include "topology/import/json_fields.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace weft::topology {

const Json* Field(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json* ObjectField(const Json& object, const char* key) {
  const Json* field = Field(object, key);
  return field != nullptr && field->is_object() ? field : nullptr;
}

const Json* ArrayField(const Json& object, const char* key) {
  const Json* field = Field(object, key);
  return field != nullptr && field->is_array() ? field : nullptr;
}

std::optional<std::string> TextField(const Json& object, const char* key) {
  const Json* field = Field(object, key);
  if (field == nullptr || !field->is_string()) return std::nullopt;
  return field->get<std::string>();
}

std::optional<uint64_t> NumberField(const Json& object, const char* key, uint64_t max) {
  const Json* field = Field(object, key);
  if (field == nullptr || !field->is_number_unsigned()) return std::nullopt;
  const auto value = field->get<uint64_t>();
  if (value > max) return std::nullopt;
  return value;
}

bool FlagField(const Json& object, const char* key) {
  const Json* field = Field(object, key);
  if (field == nullptr) return false;
  if (field->is_boolean()) return field->get<bool>();
  return field->is_number() && field->get<double>() != 0;
}

std::optional<wire::IpAddress> AddressField(const Json& object, const char* key) {
  const std::optional<std::string> text = TextField(object, key);
  if (!text.has_value()) return std::nullopt;
  return wire::IpAddress::Parse(*text);
}

absl::StatusOr<Json> ParseJson(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON at byte ", error.byte));
  } catch (const Json::exception&) {  // a number beyond all ranges
    return absl::InvalidArgumentError("not JSON: a number that nothing can hold");
  }
}

std::string TimeText(std::optional<uint64_t> seconds) {
  if (!seconds.has_value()) return "";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                          absl::FromUnixSeconds(static_cast<int64_t>(*seconds)),
                          absl::UTCTimeZone());
}

}  // namespace weft::topology
