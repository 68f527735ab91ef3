// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "programs/command/fabric_input.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/graphviz.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/export/cabling.h"
#include "topology/export/dot.h"
#include "topology/export/ibnetdiscover.h"
#include "topology/export/path_list.h"
#include "topology/export/slurm.h"
#include "topology/records/record_file.h"

namespace weft::topo {
namespace {

using topology::Exported;
using topology::Fabric;

constexpr const char* kName = "weft-topo export";
constexpr size_t kMaxPaths = size_t{1} << 22;  // of a path list, in all

struct ExportOptions {
  std::string fabric;
  std::string to;
  std::string output = "-";
  std::string detail = "auto";
  std::string layout = "dot";
  double time_limit_s = 60;
  topology::SlurmOptions slurm;
  topology::PathListOptions paths;
};

topology::Detail DetailOf(const ExportOptions& options) {
  constexpr std::array kNames = {"auto", "all", "switches", "pods", "shape"};
  size_t index = 0;
  while (index + 1 < kNames.size() && options.detail != kNames[index]) ++index;
  return static_cast<topology::Detail>(index);
}

absl::StatusOr<Exported> Dot(const Fabric& fabric, const ExportOptions& options) {
  return topology::ExportDot(fabric, DetailOf(options));
}

absl::StatusOr<Exported> Svg(const Fabric& fabric, const ExportOptions& options) {
  Exported out = topology::ExportDot(fabric, DetailOf(options));
  absl::StatusOr<std::string> svg = LayOutAsSvg(options.layout, out.text, options.time_limit_s);
  if (!svg.ok()) return svg.status();
  out.text = *std::move(svg);
  return out;
}

absl::StatusOr<Exported> Ibnetdiscover(const Fabric& fabric, const ExportOptions&) {
  return topology::ExportIbnetdiscover(fabric);
}

absl::StatusOr<Exported> SlurmConf(const Fabric& fabric, const ExportOptions& options) {
  return topology::ExportSlurmConf(fabric, options.slurm);
}

absl::StatusOr<Exported> SlurmYaml(const Fabric& fabric, const ExportOptions& options) {
  return topology::ExportSlurmYaml(fabric, options.slurm);
}

absl::StatusOr<Exported> Paths(const Fabric& fabric, const ExportOptions& options) {
  return topology::ExportPaths(fabric, options.paths);
}

absl::StatusOr<Exported> Cabling(const Fabric& fabric, const ExportOptions&) {
  return topology::ExportCabling(fabric, topology::CablingColumns::kAll);
}

absl::StatusOr<Exported> SonicCabling(const Fabric& fabric, const ExportOptions&) {
  return topology::ExportCabling(fabric, topology::CablingColumns::kSonic);
}

absl::StatusOr<Exported> Devices(const Fabric& fabric, const ExportOptions&) {
  return topology::ExportDevices(fabric);
}

struct Kind {
  const char* name;
  const char* what;
  absl::StatusOr<Exported> (*write)(const Fabric& fabric, const ExportOptions& options);
};

constexpr std::array kKinds = {
    Kind{"records", "fabric records, JSON or (FILE.binpb) binary", nullptr},
    Kind{"dot", "Graphviz's language", Dot},
    Kind{"svg", "a picture, laid out by Graphviz", Svg},
    Kind{"ibnetdiscover", "as ibnetdiscover prints; a net file for ibsim", Ibnetdiscover},
    Kind{"slurm-conf", "Slurm's topology.conf", SlurmConf},
    Kind{"slurm-yaml", "Slurm's topology.yaml", SlurmYaml},
    Kind{"paths", "CSV: all shortest paths of each pair of hosts", Paths},
    Kind{"cabling", "CSV: a line per cable, leaf by leaf, with width, speed, role, rail", Cabling},
    Kind{"cabling-sonic", "CSV: the same with SONiC's five columns alone", SonicCabling},
    Kind{"devices", "CSV: Hostname,ManagementIp,HwSku,Type, for beside a cabling list", Devices}};

const Kind* FindKind(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

std::string KindsHelp() {
  std::string help = "What to write:";
  for (const Kind& kind : kKinds) absl::StrAppend(&help, "\n", kind.name, ": ", kind.what);
  return help;
}

void AddKindOptions(CLI::App& app, command::Options& options, ExportOptions* out) {
  app.add_option("--detail", out->detail,
                 "dot, svg: all (every node), switches (hosts counted at their switch), pods "
                 "(switches that look alike within a pod are one box), shape (so are pods that "
                 "look alike), auto (the first that stays readable)")
      ->check(CLI::IsMember({"auto", "all", "switches", "pods", "shape"}))
      ->capture_default_str()
      ->type_name("HOW");
  app.add_option("--layout", out->layout,
                 "svg: Graphviz's program: dot (in tiers) or sfdp (without tiers, for many lines)")
      ->check(CLI::IsMember({"dot", "sfdp"}))
      ->capture_default_str()
      ->type_name("PROGRAM");
  options.AddDuration("--time-limit", &out->time_limit_s, "svg: for Graphviz");
  app.add_option("--block-size", out->slurm.block_sizes,
                 "slurm-conf, slurm-yaml: for topology/block instead of topology/tree, with these "
                 "block sizes (16,32,64)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(uint32_t{1}, uint32_t{1} << 24))
      ->type_name("N,N..");
  app.add_option("--pairs", out->paths.pairs, "paths: list at most this many pairs of hosts")
      ->check(CLI::Range(size_t{1}, kMaxPaths))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--limit", out->paths.limit, "paths: list at most this many paths of each pair")
      ->check(CLI::Range(size_t{1}, kMaxPaths))
      ->capture_default_str()
      ->type_name("N");
}

// Which kinds an option is for; the others refuse it, for it would have no effect.
std::optional<std::string> OptionOfOtherKind(const CLI::App& app, const std::string& to) {
  struct Scope {
    const char* option;
    std::vector<std::string> kinds;
  };
  const std::array scopes = {
      Scope{"--detail", {"dot", "svg"}}, Scope{"--layout", {"svg"}},
      Scope{"--time-limit", {"svg"}},    Scope{"--block-size", {"slurm-conf", "slurm-yaml"}},
      Scope{"--pairs", {"paths"}},       Scope{"--limit", {"paths"}}};
  for (const Scope& scope : scopes) {
    if (app.count(scope.option) == 0) continue;
    if (std::find(scope.kinds.begin(), scope.kinds.end(), to) != scope.kinds.end()) continue;
    std::string expected = scope.kinds.front();
    for (size_t i = 1; i < scope.kinds.size(); ++i) expected += " or " + scope.kinds[i];
    return absl::StrCat(scope.option, " goes with --to ", expected, ", not ", to);
  }
  return std::nullopt;
}

std::optional<command::ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                              ExportOptions* out) {
  command::Options options(
      kName,
      "A fabric in the words of other tools. What a format cannot hold is named on stderr, with "
      "how often.");
  CLI::App& app = options.app();
  app.add_option("FABRIC", out->fabric, "Fabric records")->required()->type_name("");
  app.add_option("--to", out->to, KindsHelp())->required()->type_name("KIND");
  options.AddOutput(&out->output);
  AddKindOptions(app, options, out);
  if (const auto exit = options.Parse(arguments)) return exit;
  if (FindKind(out->to) == nullptr) {
    std::string expected;
    for (const Kind& kind : kKinds)
      absl::StrAppend(&expected, expected.empty() ? "" : ", ", kind.name);
    return command::UsageError(kName, absl::StrCat("--to ", out->to, ": expected ", expected));
  }
  if (const auto problem = OptionOfOtherKind(app, out->to)) {
    return command::UsageError(kName, *problem);
  }
  if (out->paths.pairs > kMaxPaths / out->paths.limit) {
    return command::UsageError(
        kName, absl::StrCat("--pairs times --limit: ", out->paths.pairs, " x ", out->paths.limit,
                            ", expected at most ", kMaxPaths, " paths"));
  }
  return std::nullopt;
}

void PrintFindings(std::span<const topology::Finding> findings) {
  for (const topology::Finding& finding : findings) {
    std::string text = finding.code + ":";
    for (const topology::Evidence& evidence : finding.evidence) {
      absl::StrAppend(&text, &evidence == finding.evidence.data() ? " " : " of ",
                      static_cast<uint64_t>(evidence.value.value_or(0)), " ", evidence.what);
    }
    absl::StrAppend(&text, finding.subject.empty() ? "" : ", the first: ", finding.subject, "; ",
                    finding.explanation);
    command::PrintWarning(kName, text);
  }
}

}  // namespace

command::ExitCode Export(const std::vector<std::string>& arguments) {
  ExportOptions options;
  if (const auto exit = ParseOptions(arguments, &options)) return *exit;
  bool partial = false;
  const auto fabric = command::ReadFabric(kName, options.fabric, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());

  const Kind& kind = *FindKind(options.to);
  std::vector<topology::Finding> findings;
  if (kind.write == nullptr) {
    const std::vector<topology::FabricRecord> records = fabric->ToRecords();
    const absl::Status written =
        topology::WriteRecords<topology::FabricRecord>(options.output, records);
    if (!written.ok()) return command::PrintError(kName, written);
  } else {
    absl::StatusOr<Exported> out = kind.write(*fabric, options);
    if (!out.ok() && absl::IsInvalidArgument(out.status())) {
      return command::UsageError(kName, std::string(out.status().message()));
    }
    if (!out.ok()) return command::PrintError(kName, out.status());
    const absl::Status written = command::WriteText(options.output, out->text);
    if (!written.ok()) return command::PrintError(kName, written);
    findings = std::move(out->findings);
  }
  PrintFindings(findings);
  return command::Worse(command::ExitCodeOf(findings),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::topo
