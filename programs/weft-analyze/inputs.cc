// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/inputs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_split.h"
#include "analyzer/infer/infer.h"
#include "programs/command/fabric_input.h"
#include "programs/command/output.h"

namespace weft::analyze {
namespace {

constexpr size_t kMaxShown = 80;  // characters of a bad line

}  // namespace

absl::StatusOr<std::vector<topology::PathTable>> ReadTables(const std::string& name,
                                                            const std::vector<std::string>& paths,
                                                            bool* partial) {
  auto tables = command::ReadRecordFiles<topology::PathTable>(name, paths, partial);
  if (!tables.ok() || !tables->empty()) return tables;
  std::string files;
  for (const std::string& path : paths) files += (files.empty() ? "" : ", ") + path;
  return absl::NotFoundError(files + ": no path tables: expected at least one");
}

absl::StatusOr<topology::Fabric> ReadOrInferFabric(const std::string& name, const std::string& path,
                                                   std::span<const topology::PathTable> tables,
                                                   bool* partial) {
  if (!path.empty()) return command::ReadFabric(name, path, partial);
  absl::StatusOr<analyzer::InferredFabric> inferred = analyzer::InferFabric(tables);
  if (!inferred.ok()) return inferred.status();
  return std::move(inferred->fabric);
}

absl::StatusOr<std::map<wire::IpAddress, std::string>> ParseNames(const std::string& path,
                                                                  std::string_view text) {
  std::map<wire::IpAddress, std::string> names;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::vector<std::string> words = absl::StrSplit(
        absl::string_view(line.data(), line.size()), absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    const std::optional<wire::IpAddress> address = wire::IpAddress::Parse(words[0]);
    if (!address || words.size() < 2) {
      return absl::InvalidArgumentError(path + ":" + std::to_string(number) + ": \"" +
                                        std::string(line.substr(0, kMaxShown)) +
                                        "\": expected an address and a name");
    }
    const auto [entry, added] = names.emplace(*address, words[1]);
    if (!added && entry->second != words[1]) {
      return absl::InvalidArgumentError(path + ":" + std::to_string(number) + ": " + words[0] +
                                        " is \"" + words[1] + "\" here and \"" + entry->second +
                                        "\" before: expected one name an address");
    }
  }
  return names;
}

absl::StatusOr<std::map<wire::IpAddress, std::string>> ReadNames(const std::string& path) {
  if (path.empty()) return std::map<wire::IpAddress, std::string>();
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(path + ": cannot be read: expected a file of addresses and names");
  }
  return ParseNames(path, text);
}

}  // namespace weft::analyze
