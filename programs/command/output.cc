// SPDX-License-Identifier: Apache-2.0
#include "programs/command/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace weft::command {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void OnInterrupt(int) { interrupted = 1; }

struct Unit {
  const char* suffix;
  double factor;
};

std::optional<double> ParseWithUnit(const std::string& text, std::span<const Unit> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  const std::string suffix(end, text.data() + text.size());
  for (const Unit& unit : units) {
    if (suffix == unit.suffix) return value * unit.factor;
  }
  return std::nullopt;
}

std::string FormatNumber(double value, const char* unit) {
  std::array<char, 64> text{};
  const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, unit);
  return text.data();
}

// Columns a UTF-8 string takes on a terminal, for the characters that we print.
size_t Columns(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

Format Resolve(Format format) {
  if (format != Format::kAuto) return format;
  return isatty(STDOUT_FILENO) == 1 ? Format::kText : Format::kJson;
}

ExitCode PrintError(const std::string& name, const absl::Status& status) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(status.message()).c_str());
  return status.code() == absl::StatusCode::kFailedPrecondition ? ExitCode::kFindings
                                                                : ExitCode::kInput;
}

void PrintWarning(const std::string& name, const std::string& message) {
  std::fprintf(stderr, "%s: warning: %s\n", name.c_str(), message.c_str());
}

void PrintFindings(std::span<const topology::Finding> findings) {
  for (const topology::Finding& finding : findings) {
    std::printf("%s: %s: %s\n", topology::ToString(finding.severity), finding.code.c_str(),
                finding.subject.c_str());
    if (!finding.explanation.empty()) std::printf("    %s\n", finding.explanation.c_str());
    for (const topology::Evidence& evidence : finding.evidence) {
      std::printf("    - %s", evidence.what.c_str());
      if (evidence.value) std::printf(": %.6g %s", *evidence.value, evidence.unit.c_str());
      if (!evidence.origin.empty()) std::printf(" (%s)", evidence.origin.c_str());
      std::printf("\n");
    }
    if (!finding.what_to_do.empty()) std::printf("    do: %s\n", finding.what_to_do.c_str());
  }
}

ExitCode ExitCodeOf(std::span<const topology::Finding> findings) {
  const bool error = std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.severity == topology::Severity::kError;
  });
  return error ? ExitCode::kFindings : ExitCode::kOk;
}

ExitCode Worse(ExitCode a, ExitCode b) {
  constexpr std::array kOrder = {ExitCode::kOk, ExitCode::kPartial, ExitCode::kFindings,
                                 ExitCode::kInput, ExitCode::kUsage};
  const auto rank = [&](ExitCode code) { return std::find(kOrder.begin(), kOrder.end(), code); };
  return rank(a) < rank(b) ? b : a;
}

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1) {}
Progress::~Progress() { Done(); }

void Progress::Update(const std::string& text) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
}

void Progress::Done() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends at once
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool Interrupted() { return interrupted != 0; }

std::string FormatRate(double bps) {
  if (bps >= 1e9) return FormatNumber(bps / 1e9, "Gbit/s");
  if (bps >= 1e6) return FormatNumber(bps / 1e6, "Mbit/s");
  if (bps >= 1e3) return FormatNumber(bps / 1e3, "kbit/s");
  return FormatNumber(bps, "bit/s");
}

std::string FormatSeconds(double seconds) {
  if (std::abs(seconds) >= 1) return FormatNumber(seconds, "s");
  if (std::abs(seconds) >= 1e-3) return FormatNumber(seconds * 1e3, "ms");
  return FormatNumber(seconds * 1e6, "us");
}

std::optional<double> ParseRate(const std::string& text) {
  static constexpr std::array<Unit, 10> kUnits = {{{"", 1},
                                                   {"bit/s", 1},
                                                   {"k", 1e3},
                                                   {"K", 1e3},
                                                   {"kbit/s", 1e3},
                                                   {"M", 1e6},
                                                   {"Mbit/s", 1e6},
                                                   {"G", 1e9},
                                                   {"Gbit/s", 1e9},
                                                   {"T", 1e12}}};
  return ParseWithUnit(text, kUnits);
}

std::optional<double> ParseDuration(const std::string& text) {
  static constexpr std::array<Unit, 5> kUnits = {
      {{"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}}};
  return ParseWithUnit(text, kUnits);
}

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  bool ok = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
            std::fflush(file) == 0;
  const int error = errno;
  if (file != nullptr && file != stdout && std::fclose(file) != 0 && ok) {
    return absl::NotFoundError(path + ": cannot write: " + std::strerror(errno));
  }
  if (ok) return absl::OkStatus();
  return absl::NotFoundError(path + ": cannot write: " + std::strerror(error));
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Columns(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - Columns(row[i]), ' ');
      const bool number =
          !row[i].empty() && std::isdigit(static_cast<unsigned char>(row[i].front())) != 0;
      if (i > 0) line += "  ";
      line += number ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace weft::command
