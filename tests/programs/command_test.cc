// SPDX-License-Identifier: Apache-2.0
// What every program shares: numbers with units, tables, exit codes, option spellings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <optional>

#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/command/program.h"

namespace weft::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

struct NumberText {
  const char* text;
  std::optional<double> value;
};

TEST(ParseRate, TakesAUnitOrPlainBitsPerSecond) {
  const std::array<NumberText, 16> kRows = {{{"16M", 16e6},
                                             {"2.5G", 2.5e9},
                                             {"100", 100.0},
                                             {"0", 0.0},
                                             {"1e3k", 1e6},
                                             {"16 M", std::nullopt},
                                             {"16Mbit/s", 16e6},
                                             {"1.6T", 1.6e12},
                                             {"", std::nullopt},
                                             {"M", std::nullopt},
                                             {"-1M", std::nullopt},
                                             {"16MB", std::nullopt},
                                             {"16M ", std::nullopt},
                                             {"nan", std::nullopt},
                                             {"inf", std::nullopt},
                                             {"1e999", std::nullopt}}};
  for (const NumberText& row : kRows) {
    EXPECT_EQ(ParseRate(row.text), row.value) << "\"" << row.text << "\"";
  }
}

TEST(ParseDuration, TakesAUnitOrPlainSeconds) {
  const std::array<NumberText, 9> kRows = {{{"5s", 5.0},
                                            {"200ms", 0.2},
                                            {"50us", 50e-6},
                                            {"2m", 120.0},
                                            {"1.5", 1.5},
                                            {"5h", std::nullopt},
                                            {"-5s", std::nullopt},
                                            {"", std::nullopt},
                                            {"soon", std::nullopt}}};
  for (const NumberText& row : kRows) {
    const std::optional<double> seconds = ParseDuration(row.text);
    ASSERT_EQ(seconds.has_value(), row.value.has_value()) << "\"" << row.text << "\"";
    if (!seconds) continue;
    EXPECT_DOUBLE_EQ(*seconds, *row.value) << "\"" << row.text << "\"";
  }
}

TEST(FormatRate, HasThreeFiguresAndAUnit) {
  EXPECT_EQ(FormatRate(0), "0.00 bit/s");
  EXPECT_EQ(FormatRate(999), "999 bit/s");
  EXPECT_EQ(FormatRate(15.94e6), "15.9 Mbit/s");
  EXPECT_EQ(FormatRate(20e6), "20.0 Mbit/s");
  EXPECT_EQ(FormatRate(400e9), "400 Gbit/s");
  EXPECT_EQ(FormatRate(1500), "1.50 kbit/s");
}

TEST(FormatSeconds, HasThreeFiguresAndAUnit) {
  EXPECT_EQ(FormatSeconds(1.25e-3), "1.25 ms");
  EXPECT_EQ(FormatSeconds(42e-6), "42.0 us");
  EXPECT_EQ(FormatSeconds(61), "61.0 s");
  EXPECT_EQ(FormatSeconds(-0.5), "-500 ms");
  EXPECT_EQ(FormatSeconds(0), "0.00 us");
}

TEST(FormatTable, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(FormatTable({{"name", "count", "note"}, {"a", "7", "x"}, {"longer", "1234567", ""}}),
            "name    count    note\n"
            "a             7  x\n"
            "longer  1234567\n");
}

TEST(FormatTable, CountsColumnsNotBytes) {
  EXPECT_EQ(FormatTable({{"\xc3\xa9", "b"}, {"ab", "c"}}), "\xc3\xa9   b\nab  c\n");
}

TEST(FormatTable, RowsMayDifferInLength) {
  EXPECT_EQ(FormatTable({{"a"}, {"bb", "c"}, {}}), "a\nbb  c\n\n");
  EXPECT_EQ(FormatTable({}), "");
}

TEST(Worse, UsageAndInputComeBeforeFindingsBeforePartialBeforeOk) {
  constexpr std::array kOrder = {ExitCode::kOk, ExitCode::kPartial, ExitCode::kFindings,
                                 ExitCode::kInput, ExitCode::kUsage};
  for (size_t i = 0; i < kOrder.size(); ++i) {
    for (size_t j = 0; j < kOrder.size(); ++j) {
      EXPECT_EQ(Worse(kOrder[i], kOrder[j]), kOrder[std::max(i, j)]);
    }
  }
}

TEST(ExitCode, HasTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::kOk), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kFindings), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kInput), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kPartial), 4);
}

TEST(ExitCodeOf, OnlyAnErrorIsAFinding) {
  topology::Finding finding{"code", topology::Severity::kWarning, "subject", {}, "", ""};
  EXPECT_EQ(ExitCodeOf({}), ExitCode::kOk);
  EXPECT_EQ(ExitCodeOf(std::array{finding}), ExitCode::kOk);
  topology::Finding error = finding;
  error.severity = topology::Severity::kError;
  EXPECT_EQ(ExitCodeOf(std::array{finding, error}), ExitCode::kFindings);
}

TEST(PrintError, AFailedPreconditionIsAFindingAllElseIsInput) {
  CaptureStderr();
  EXPECT_EQ(PrintError("p", absl::FailedPreconditionError("no path")), ExitCode::kFindings);
  EXPECT_EQ(PrintError("p", absl::NotFoundError("f: cannot open")), ExitCode::kInput);
  EXPECT_EQ(GetCapturedStderr(), "p: no path\np: f: cannot open\n");
}

TEST(PrintFindings, ShowsEvidenceWithUnitAndOriginAndWhatToDo) {
  const topology::Finding finding{
      "dead-path",
      topology::Severity::kError,
      "leaf1 -> spine2",
      {{"probes lost", 12, "probes", "trace"}, {"in words", {}, "", ""}},
      "Nothing comes through.",
      "Replace it."};
  CaptureStdout();
  PrintFindings(std::array{finding});
  EXPECT_EQ(GetCapturedStdout(),
            "error: dead-path: leaf1 -> spine2\n"
            "    Nothing comes through.\n"
            "    - probes lost: 12 probes (trace)\n"
            "    - in words\n"
            "    do: Replace it.\n");
}

TEST(Resolve, OnlyAutoIsResolved) {
  EXPECT_EQ(Resolve(Format::kText), Format::kText);
  EXPECT_EQ(Resolve(Format::kJson), Format::kJson);
  EXPECT_EQ(Resolve(Format::kCsv), Format::kCsv);
}

struct Parsed {
  std::optional<ExitCode> exit;
  Format format = Format::kAuto;
  std::string output;
  double rate_bps = 20e6;
  double seconds = 0;
  std::string out;
  std::string err;
};

Parsed Parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  Options options("weft-x do", "Does it.");
  options.AddFormat(&parsed.format);
  options.AddOutput(&parsed.output);
  options.AddRate("--rate", &parsed.rate_bps, "A rate");
  options.AddDuration("--time", &parsed.seconds, "A time");
  CaptureStdout();
  CaptureStderr();
  parsed.exit = options.Parse(arguments);
  parsed.out = GetCapturedStdout();
  parsed.err = GetCapturedStderr();
  return parsed;
}

TEST(Options, AreReadInTheSharedSpelling) {
  const Parsed parsed =
      Parse({"--format", "csv", "-o", "f.jsonl", "--rate=2.5G", "--time", "200ms"});
  EXPECT_EQ(parsed.exit, std::nullopt) << parsed.err;
  EXPECT_EQ(parsed.format, Format::kCsv);
  EXPECT_EQ(parsed.output, "f.jsonl");
  EXPECT_EQ(parsed.rate_bps, 2.5e9);
  EXPECT_DOUBLE_EQ(parsed.seconds, 0.2);
}

TEST(Options, KeepTheirDefaults) {
  const Parsed parsed = Parse({});
  EXPECT_EQ(parsed.exit, std::nullopt);
  EXPECT_EQ(parsed.format, Format::kAuto);
  EXPECT_EQ(parsed.rate_bps, 20e6);
}

TEST(Options, HelpGoesToStdoutAndIsOk) {
  const Parsed parsed = Parse({"--help"});
  EXPECT_EQ(parsed.exit, ExitCode::kOk);
  EXPECT_THAT(parsed.out, AllOf(HasSubstr("Does it."), HasSubstr("weft-x do [OPTIONS]"),
                                HasSubstr("--format"), HasSubstr("20.0 Mbit/s")));
  EXPECT_EQ(parsed.err, "");
}

TEST(Options, AWrongOneIsNamedWithItsValueAndIsUsage) {
  struct Row {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::array<Row, 5> kRows = {
      {{{"--rate", "fast"}, "\"fast\" is not a rate: expected a number and k, M or G"},
       {{"--time", "soon"}, "\"soon\" is not a time: expected a number and us, ms, s or m"},
       {{"--format", "xml"}, "xml not in {text,json,csv}"},
       {{"--colour"}, "--colour"},
       {{"stray"}, "stray"}}};
  for (const Row& row : kRows) {
    const Parsed parsed = Parse(row.arguments);
    EXPECT_EQ(parsed.exit, ExitCode::kUsage);
    EXPECT_THAT(parsed.err, AllOf(HasSubstr("weft-x do: "), HasSubstr(row.message),
                                  HasSubstr("Try 'weft-x do --help'.")));
    EXPECT_EQ(parsed.out, "");
  }
}

ExitCode Echo(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) std::printf("[%s]", argument.c_str());
  return ExitCode::kPartial;
}

struct Ran {
  int exit = 0;
  std::string out;
  std::string err;
};

Ran RunWith(std::vector<std::string> arguments) {
  constexpr std::array<Subcommand, 1> kSubcommands = {{{"echo", "prints its arguments", Echo}}};
  arguments.insert(arguments.begin(), "weft-x");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  CaptureStdout();
  CaptureStderr();
  Ran ran;
  ran.exit =
      RunProgram("weft-x", "a program", kSubcommands, static_cast<int>(argv.size()), argv.data());
  ran.out = GetCapturedStdout();
  ran.err = GetCapturedStderr();
  return ran;
}

TEST(RunProgram, HandsOverTheArgumentsAndTheExitCode) {
  const Ran ran = RunWith({"echo", "a", "--help"});
  EXPECT_EQ(ran.exit, 4);
  EXPECT_EQ(ran.out, "[a][--help]");
}

TEST(RunProgram, AnswersHelpAndVersionItself) {
  for (const char* flag : {"--help", "-h", "help"}) {
    const Ran ran = RunWith({flag});
    EXPECT_EQ(ran.exit, 0);
    EXPECT_THAT(ran.out, HasSubstr("prints its arguments"));
  }
  const Ran ran = RunWith({"--version"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_THAT(ran.out, ::testing::MatchesRegex("weft-x [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(RunProgram, NoneOrAnUnknownSubcommandIsUsage) {
  EXPECT_EQ(RunWith({}).exit, 2);
  const Ran ran = RunWith({"ecco"});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("\"ecco\": no such subcommand"), HasSubstr("  echo ")));
}

// Raises real signals, so it comes in a process of its own.
TEST(InterruptsDeathTest, TheFirstIsNotedAndTheSecondEndsTheProcess) {
  const auto interrupt_twice = [] {
    CatchInterrupts();
    if (Interrupted()) std::exit(10);
    std::raise(SIGINT);
    if (!Interrupted()) std::exit(11);
    std::raise(SIGINT);
    std::exit(12);
  };
  EXPECT_EXIT(interrupt_twice(), ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace weft::command
