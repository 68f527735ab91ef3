// SPDX-License-Identifier: Apache-2.0
#include "programs/command/json.h"

#include <cstdio>

namespace weft::command {

Json FindingsJson(std::span<const topology::Finding> findings) {
  Json array = Json::array();
  for (const topology::Finding& finding : findings) {
    array.push_back(Json::parse(topology::RecordCodec<topology::Finding>::ToJson(finding)));
  }
  return array;
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void PrintJson(const Json& json) { std::printf("%s\n", JsonText(json).c_str()); }

}  // namespace weft::command
