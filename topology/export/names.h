// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Names as other formats can hold them.
namespace weft::topology {

// Order in which a person counts: runs of digits compare as numbers, "leaf2" before "leaf10".
bool NaturalLess(std::string_view a, std::string_view b);

// Names as Slurm writes lists of them: "node[001-032,040],login". Sorted; each once.
std::string HostList(std::vector<std::string> names);

// Gives each name one that a format allows. Names that it allows anyway keep theirs; characters
// that it does not are replaced by '_', and what then equals another gets a number: two names never
// become one.
class NameTable {
 public:
  NameTable(std::span<const std::string> names, const std::function<bool(char)>& allowed,
            size_t max_bytes);
  // Of a name that was given to the constructor.
  const std::string& Of(const std::string& name) const;
  // A name like `wish` that is not taken; it is taken now.
  std::string Invent(const std::string& wish);
  // What had to be replaced and by what, in order.
  const std::vector<std::pair<std::string, std::string>>& replaced() const { return replaced_; }

 private:
  size_t max_bytes_;
  std::map<std::string, std::string> names_;
  std::map<std::string, bool> taken_;
  std::vector<std::pair<std::string, std::string>> replaced_;
};

// A field of a CSV file, quoted where RFC 4180 asks for it, or where a reader may take it for a
// comment or cut blanks off its ends.
std::string CsvText(std::string_view text);

// The text with everything that is not printable made visible: "a\nb" with a backslash; bytes that
// are not UTF-8 become "\xff". Backslashes stay single.
std::string Visible(std::string_view text);

// "400G", "2.5G", "25M"; bits per second.
std::string ShortRate(double bps);

// "1 host", "3 hosts", "2 switches"
std::string Count(size_t count, std::string_view one, std::string_view several);

}  // namespace weft::topology
