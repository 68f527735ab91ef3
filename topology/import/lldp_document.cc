// SPDX-License-Identifier: Apache-2.0
#include "topology/import/lldp_document.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topology/import/json_fields.h"

namespace weft::topology {
namespace {

constexpr const char* kExpected = "expected the JSON of `lldpctl -f json` or `lldpctl -f json0`";

// IEEE MA-L assignments to Mellanox Technologies that adapters are built with.
constexpr std::array<std::string_view, 20> kMellanox = {
    "00:02:c9", "04:3f:72", "08:c0:eb", "0c:42:a1", "10:70:fd", "1c:34:da", "24:8a:07",
    "50:6b:4b", "58:a2:e1", "7c:fe:90", "94:6d:ae", "98:03:9b", "9c:05:91", "a0:88:c2",
    "b8:3f:d2", "b8:59:9f", "b8:ce:f6", "e4:1d:2d", "ec:0d:9a", "f4:52:14"};

// What stands in a list, or alone.
std::vector<const Json*> Each(const Json* json) {
  std::vector<const Json*> all;
  if (json == nullptr || json->is_null()) return all;
  if (!json->is_array()) return {json};
  for (const Json& element : *json) all.push_back(&element);
  return all;
}

const Json* First(const Json* json) {
  const std::vector<const Json*> all = Each(json);
  return all.empty() ? nullptr : all.front();
}

// "x", {"value": "x"}, or a list that begins with one of them.
std::string Text(const Json* json) {
  json = First(json);
  if (json == nullptr) return "";
  if (json->is_string()) return json->get<std::string>();
  return TextField(*json, "value").value_or("");
}

std::string Text(const Json& object, const char* key) { return Text(Field(object, key)); }

// lldpctl's booleans; some versions print them as text.
bool IsOn(const Json& object, const char* key) {
  return FlagField(object, key) || TextField(object, key) == "on" ||
         TextField(object, key) == "true";
}

bool IsUsableAddress(const wire::IpAddress& address) {
  const std::string text = address.ToString();
  return !text.starts_with("127.") && text != "::1" && !text.starts_with("fe80:") &&
         text != "0.0.0.0" && text != "::";
}

void ReadCapabilities(const Json& body, LldpChassis& chassis) {
  bool station = false;
  for (const Json* capability : Each(Field(body, "capability"))) {
    if (!IsOn(*capability, "enabled")) continue;
    const std::string type = TextField(*capability, "type").value_or("");
    chassis.bridges |= type == "Bridge" || type == "Router";
    station |= type == "Station";
  }
  if (chassis.bridges != station) chassis.kind = station ? NodeKind::kHost : NodeKind::kSwitch;
}

// The chassis itself, or under its name: {"spine1": {"id": .., ..}}.
LldpChassis ReadChassis(const Json* json) {
  LldpChassis chassis;
  const Json* body = First(json);
  if (body == nullptr || !body->is_object()) return chassis;
  if (body->size() == 1 && body->begin()->is_object() && !body->begin()->contains("value")) {
    chassis.name = body->begin().key();
    body = &*body->begin();
  } else {
    chassis.name = Text(*body, "name");
  }
  chassis.id = Text(*body, "id");
  for (const Json* text : Each(Field(*body, "mgmt-ip"))) {
    const auto address = wire::IpAddress::Parse(Text(text));
    if (address && IsUsableAddress(*address)) chassis.addresses.push_back(*address);
  }
  ReadCapabilities(*body, chassis);
  return chassis;
}

void ReadPort(const Json& port, std::array<std::string, kPortNameKinds>& names) {
  const auto put = [&](PortNameKind kind, std::string text) {
    names[static_cast<size_t>(kind)] = std::move(text);
  };
  const Json* id = First(Field(port, "id"));
  if (id != nullptr) {
    const std::string type = TextField(*id, "type").value_or("");
    const PortNameKind kind = type == "ifname"    ? PortNameKind::kInterface
                              : type == "ifalias" ? PortNameKind::kAlias
                              : type == "mac"     ? PortNameKind::kMac
                                                  : PortNameKind::kLocal;
    put(kind, Text(id));
  }
  put(PortNameKind::kDescription, Text(port, "descr"));
}

void AddNeighbour(const std::string& interface, const Json& entry, LldpDocument& document) {
  LldpNeighbour neighbour;
  neighbour.interface = interface;
  neighbour.chassis = ReadChassis(Field(entry, "chassis"));
  const Json* port = First(Field(entry, "port"));
  if (port != nullptr) ReadPort(*port, neighbour.port_names);
  const bool named = std::ranges::any_of(neighbour.port_names,
                                         [](const std::string& name) { return !name.empty(); });
  if (interface.empty() || !named ||
      (neighbour.chassis.name.empty() && neighbour.chassis.id.empty())) {
    ++document.damaged;
    return;
  }
  document.neighbours.push_back(std::move(neighbour));
}

// Formats of lldpctl's that are no JSON.
bool IsOtherFormat(std::string_view text) {
  return text.starts_with("---") || text.starts_with("lldp.") || text.starts_with("<?xml") ||
         text.starts_with("<lldp") || text.find("LLDP neighbors") != std::string_view::npos;
}

}  // namespace

const char* ToString(PortNameKind kind) {
  constexpr std::array<const char*, kPortNameKinds> kNames = {"ifname", "alias", "description",
                                                              "local", "MAC"};
  return kNames[static_cast<size_t>(kind)];
}

bool LldpChassis::IsNicFirmware() const {
  return name.empty() && !bridges &&
         std::ranges::any_of(kMellanox, [&](std::string_view oui) { return id.starts_with(oui); });
}

absl::StatusOr<LldpDocument> ReadLldp(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat("is empty, ", kExpected));
  if (IsOtherFormat(text) && text.front() != '{') {
    return absl::InvalidArgumentError(
        absl::StrCat("is another of lldpctl's formats (text, keyvalue or XML), ", kExpected,
                     "; an lldpctl without JSON prints text instead"));
  }
  const absl::StatusOr<Json> document = ParseJson(text);
  if (!document.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(document.status().message(), ", ", kExpected));
  }
  const Json* lldp = Field(*document, "lldp");
  if (lldp == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("has no \"lldp\", ", kExpected));
  }
  LldpDocument result;
  const Json* own = First(Field(*document, "lldp_loc_chassis"));
  if (own != nullptr) own = First(Field(*own, "local-chassis"));
  if (own != nullptr) result.own = ReadChassis(Field(*own, "chassis"));
  for (const Json* part : Each(lldp)) {
    for (const Json* entry : Each(Field(*part, "interface"))) {
      if (!entry->is_object()) {
        ++result.damaged;
      } else if (TextField(*entry, "name")) {
        AddNeighbour(*TextField(*entry, "name"), *entry, result);
      } else {
        for (const auto& [interface, under] : entry->items()) {
          for (const Json* one : Each(&under)) AddNeighbour(interface, *one, result);
        }
      }
    }
  }
  return result;
}

}  // namespace weft::topology
