// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "programs/command/exit_code.h"
#include "topology/records/finding.h"
#include "topology/records/record_file.h"

namespace weft::command {

enum class Format { kAuto, kText, kJson, kCsv };

// kAuto becomes text on a terminal and JSON in a pipe or file.
Format Resolve(Format format);

// Prints "NAME: message" on stderr; the exit code that the status calls for.
ExitCode PrintError(const std::string& name, const absl::Status& status);
void PrintWarning(const std::string& name, const std::string& message);

// Findings for a person: code and subject, evidence under it, what to do.
void PrintFindings(std::span<const topology::Finding> findings);
// kFindings when one is of severity error.
ExitCode ExitCodeOf(std::span<const topology::Finding> findings);

// A line on stderr that says what is going on: rewritten in place on a terminal, not printed at all
// elsewhere. Done() clears it.
class Progress {
 public:
  Progress();
  ~Progress();
  void Update(const std::string& text);
  void Done();

 private:
  bool on_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

// Ctrl-C or SIGTERM sets Interrupted(); a second one ends the process at once.
void CatchInterrupts();
bool Interrupted();

// Numbers for people: "15.9 Mbit/s", "1.25 ms".
std::string FormatRate(double bps);
std::string FormatSeconds(double seconds);
// A rate or time as AddRate and AddDuration take it; empty: not one.
std::optional<double> ParseRate(const std::string& text);
std::optional<double> ParseDuration(const std::string& text);

// The whole of a file, or of stdout for "-". "PATH: cannot write: reason".
absl::Status WriteText(const std::string& path, const std::string& text);

// A CSV field, quoted where RFC 4180 asks for it.
std::string CsvField(const std::string& text);

// Rows of cells with columns aligned; numbers (cells that begin with a digit) to the right.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows);

// All records of several files. A file that ends inside a record is named in a warning and sets
// `partial`; the records before the cut are kept.
template <typename T>
absl::StatusOr<std::vector<T>> ReadRecordFiles(const std::string& name,
                                               const std::vector<std::string>& paths,
                                               bool* partial) {
  std::vector<T> all;
  for (const std::string& path : paths) {
    auto file = topology::ReadRecords<T>(path);
    if (!file.ok()) return file.status();
    if (file->cut) {
      PrintWarning(name, path + ": ends inside a record; " + std::to_string(file->records.size()) +
                             " whole records were read");
      *partial = true;
    }
    for (T& record : file->records) all.push_back(std::move(record));
  }
  return all;
}

}  // namespace weft::command
