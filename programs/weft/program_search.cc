// SPDX-License-Identifier: Apache-2.0
#include "programs/weft/program_search.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

namespace weft::front {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "weft-";

// In the order in which they are searched.
std::vector<fs::path> Folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(self.parent_path());
  const char* path = std::getenv("PATH");
  std::istringstream parts(path == nullptr ? "" : path);
  for (std::string part; std::getline(parts, part, ':');) {
    if (!part.empty()) folders.emplace_back(part);
  }
  return folders;
}

bool IsExecutable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return "";
  for (const fs::path& folder : Folders()) {
    const fs::path candidate = folder / (kPrefix + name);
    if (IsExecutable(candidate)) return candidate.string();
  }
  return "";
}

std::vector<std::string> ListPrograms() {
  std::set<std::string> names;
  for (const fs::path& folder : Folders()) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string file = entry->path().filename().string();
      if (file.starts_with(kPrefix) && IsExecutable(entry->path())) {
        names.insert(file.substr(std::string(kPrefix).size()));
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace weft::front
