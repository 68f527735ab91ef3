// SPDX-License-Identifier: Apache-2.0
#include "topology/export/names.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <tuple>

namespace weft::topology {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The digits at the start of the text.
std::string_view LeadingDigits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return text.substr(0, count);
}

std::string_view WithoutZeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// A name as Slurm's lists see it: what stands before its last digits, and these.
struct Numbered {
  std::string prefix;
  std::string digits;  // none: the name does not end in a number of at most 9 digits
  uint32_t number = 0;
};

Numbered Split(const std::string& name) {
  constexpr size_t kMaxDigits = 9;
  size_t digits = 0;
  while (digits < name.size() && IsDigit(name[name.size() - 1 - digits])) ++digits;
  if (digits == 0 || digits > kMaxDigits) return {name, "", 0};
  Numbered split{name.substr(0, name.size() - digits), name.substr(name.size() - digits), 0};
  for (const char c : split.digits)
    split.number = split.number * 10 + static_cast<uint32_t>(c - '0');
  return split;
}

// Counting up from `a` by one, in its width, gives `b`.
bool Follows(const Numbered& a, const Numbered& b) {
  if (b.number != a.number + 1) return false;
  return b.digits.size() == a.digits.size() || (a.digits.front() != '0' && b.digits.front() != '0');
}

// The length of the UTF-8 sequence at the start of the text; 0: it is not one.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80             ? 1
                        : (byte(0) & 0xe0) == 0xc0 ? 2
                        : (byte(0) & 0xf0) == 0xe0 ? 3
                        : (byte(0) & 0xf8) == 0xf0 ? 4
                                                   : 0;
  if (length == 0 || length > text.size()) return 0;
  uint32_t code = length == 1 ? byte(0) : byte(0) & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return length;
}

// C0, DEL, C1, and what turns the direction of the text around it.
bool IsControl(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  const auto second = static_cast<unsigned char>(sequence[1]);
  if (sequence.size() == 2) return first == 0xc2 && second < 0xa0;
  const auto third = static_cast<unsigned char>(sequence[2]);
  return sequence.size() == 3 && first == 0xe2 &&
         ((second == 0x80 && third >= 0xa8 && third <= 0xae) ||
          (second == 0x81 && third >= 0xa6 && third <= 0xa9));
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    const std::string_view digits_a = LeadingDigits(a);
    const std::string_view digits_b = LeadingDigits(b);
    if (digits_a.empty() || digits_b.empty()) {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
      continue;
    }
    const std::string_view number_a = WithoutZeros(digits_a);
    const std::string_view number_b = WithoutZeros(digits_b);
    if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
    if (number_a != number_b) return number_a < number_b;
    a.remove_prefix(digits_a.size());
    b.remove_prefix(digits_b.size());
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::string HostList(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Numbered> split;
  for (const std::string& name : names) split.push_back(Split(name));
  std::sort(split.begin(), split.end(), [](const Numbered& a, const Numbered& b) {
    if (a.prefix != b.prefix) return NaturalLess(a.prefix, b.prefix);
    return std::make_tuple(a.number, a.digits.size()) < std::make_tuple(b.number, b.digits.size());
  });
  std::string text;
  for (size_t i = 0; i < split.size();) {
    size_t end = i + 1;  // of the names with this prefix
    while (end < split.size() && split[end].prefix == split[i].prefix &&
           !split[end].digits.empty() && !split[i].digits.empty()) {
      ++end;
    }
    text += (text.empty() ? "" : ",") + split[i].prefix;
    if (end - i == 1) {
      text += split[i].digits;
      i = end;
      continue;
    }
    text += '[';
    for (size_t first = i; first < end;) {
      size_t last = first;
      while (last + 1 < end && Follows(split[last], split[last + 1])) ++last;
      text += (first > i ? "," : "") + split[first].digits;
      if (last > first) text += '-' + split[last].digits;
      first = last + 1;
    }
    text += ']';
    i = end;
  }
  return text;
}

NameTable::NameTable(std::span<const std::string> names, const std::function<bool(char)>& allowed,
                     size_t max_bytes)
    : max_bytes_(max_bytes) {
  const auto fits = [&](const std::string& name) {
    return !name.empty() && name.size() <= max_bytes &&
           std::all_of(name.begin(), name.end(), allowed);
  };
  for (const std::string& name : names) {
    if (fits(name)) taken_[names_[name] = name] = true;
  }
  for (const std::string& name : names) {
    if (names_.contains(name)) continue;
    std::string wish;
    for (const char c : name) {
      const bool continues =
          (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // of a UTF-8 character
      if (allowed(c)) {
        wish += c;
      } else if (!continues) {
        wish += '_';
      }
    }
    const std::string& invented = names_[name] = Invent(wish.empty() ? "_" : wish);
    replaced_.emplace_back(name, invented);
  }
}

const std::string& NameTable::Of(const std::string& name) const {
  const auto found = names_.find(name);
  assert(found != names_.end());
  return found->second;
}

std::string NameTable::Invent(const std::string& wish) {
  std::string name = wish.substr(0, max_bytes_);
  for (size_t number = 2; taken_.contains(name); ++number) {
    const std::string ending = "_" + std::to_string(number);
    name = wish.substr(0, max_bytes_ - ending.size()) + ending;
  }
  taken_[name] = true;
  return name;
}

std::string CsvText(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos;
  // Readers take what begins with "#" for a comment, and cut blanks off.
  const bool edges =
      !text.empty() && (text.front() == '#' || text.front() == ' ' || text.front() == '\t' ||
                        text.back() == ' ' || text.back() == '\t');
  if (plain && !edges) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string Visible(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
    if (text.front() == '\n') {
      visible += "\\n";
    } else if (text.front() == '\t') {
      visible += "\\t";
    } else if (length == 0 || IsControl(sequence)) {
      for (const char c : sequence) {
        std::array<char, 8> hex{};
        std::snprintf(hex.data(), hex.size(), "\\x%02x", static_cast<unsigned char>(c));
        visible += hex.data();
      }
    } else {
      visible += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return visible;
}

std::string ShortRate(double bps) {
  struct Unit {
    double factor;
    const char* suffix;
  };
  constexpr std::array<Unit, 4> kUnits = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  std::array<char, 40> text{};
  for (const Unit& unit : kUnits) {
    if (bps < unit.factor) continue;
    std::snprintf(text.data(), text.size(), "%.4g%s", bps / unit.factor, unit.suffix);
    return text.data();
  }
  std::snprintf(text.data(), text.size(), "%.4g bit/s", bps);
  return text.data();
}

std::string Count(size_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

}  // namespace weft::topology
