// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/capture_input.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/printing.h"
#include "wire/ip_address.h"

namespace weft::analyze {
namespace {

using analyzer::CapturedPacket;

constexpr size_t kBatch = 512;
constexpr uint32_t kMaxQpn = 0xffffff;

absl::Status Wrong(const std::string& option, const std::string& value,
                   const std::string& expected) {
  return absl::InvalidArgumentError(option + " \"" + value + "\": expected " + expected);
}

std::optional<uint32_t> ParseQpn(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  uint32_t qpn = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), qpn, is_hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || qpn > kMaxQpn)
    return std::nullopt;
  return qpn;
}

// An IP address, or a GID or LID as our own output writes them; an IPv6 address may be either.
std::vector<wire::NetworkAddress> ParseHost(const std::string& text) {
  constexpr std::string_view kLid = "lid ";
  uint32_t lid = 0;
  if (text.starts_with(kLid) && absl::SimpleAtoi(text.substr(kLid.size()), &lid) && lid <= 0xffff) {
    return {wire::NetworkAddress::Lid(static_cast<uint16_t>(lid))};
  }
  const auto ip = wire::IpAddress::Parse(text);
  if (!ip) return {};
  const auto address = wire::NetworkAddress::Of(*ip);
  if (ip->IsV4()) return {address};
  return {address, wire::NetworkAddress::Gid(address.high(), address.low())};
}

std::optional<TimeBound> ParseBound(const std::string& text) {
  if (const auto seconds = command::ParseDuration(text)) {
    return TimeBound{.is_relative = true, .ns = std::llround(*seconds * 1e9)};
  }
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, &error)) return std::nullopt;
  return TimeBound{.is_relative = false, .ns = absl::ToUnixNanos(time)};
}

absl::Status ParseTimes(const std::string& text, PacketChoice& choice) {
  constexpr std::string_view kBetween = "..";
  const std::string expected =
      "FROM..UNTIL, each a time since the first packet (\"1.5s\", \"20ms\"), a date and time as "
      "RFC "
      "3339 writes it, or nothing";
  const size_t at = text.find(kBetween);
  if (at == std::string::npos) return Wrong("--time", text, expected);
  const std::string from = text.substr(0, at);
  const std::string until = text.substr(at + kBetween.size());
  choice.from = ParseBound(from);
  choice.until = ParseBound(until);
  const bool is_wrong = (!from.empty() && !choice.from) || (!until.empty() && !choice.until);
  return is_wrong ? Wrong("--time", text, expected) : absl::OkStatus();
}

std::string ProgressText(const analyzer::CaptureProgress& progress, uint64_t packets,
                         double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(progress.bytes_read) / seconds : 0;
  std::string text = Grouped(packets) + " packets, " + FormatBytes(progress.bytes_read);
  if (progress.bytes_total > 0) {
    const double share =
        static_cast<double>(progress.bytes_read) / static_cast<double>(progress.bytes_total);
    text += " of " + FormatBytes(progress.bytes_total) + " (" + Percent(share) + ")";
  }
  if (rate > 0) text += ", " + FormatBytes(static_cast<uint64_t>(rate)) + "/s";
  if (rate > 0 && progress.bytes_total > progress.bytes_read) {
    const double left = static_cast<double>(progress.bytes_total - progress.bytes_read) / rate;
    text += ", " + command::FormatSeconds(left) + " left";
  }
  return text;
}

}  // namespace

void CaptureInput::AddTo(command::Options& options) {
  CLI::App& app = options.app();
  app.add_option("FILE", files,
                 "Captures: pcap or pcapng, also in gzip or zstd; -: standard input. Several are "
                 "taken in time order")
      ->type_name("");
  app.add_option("--interface", interface, "Capture from this interface instead")->type_name("IF");
  options.AddDuration("--duration", &duration_s, "Of a live capture; without it, until Ctrl-C");
  app.add_option("--qp", qps, "Only connections with this QPN at either end (decimal or 0x...)")
      ->type_name("QPN");
  app.add_option("--host", hosts, "Only packets from or to this address")->type_name("ADDRESS");
  app.add_option("--time", time,
                 "Only packets of this time: FROM..UNTIL since the first one (1.5s..2s), or dates "
                 "and times (RFC 3339)")
      ->type_name("RANGE");
  app.add_option("--filter", filter,
                 "Only packets that match this expression, as tcpdump takes it; \"udp port 4791\" "
                 "misses frames with a VLAN tag: see --roce")
      ->type_name("BPF");
  app.add_flag("--roce", rdma_only,
               "Only RDMA: RoCEv2, RoCEv1 and InfiniBand, with VLAN tags or in tunnels too");
  app.add_flag("--no-icrc", skip_icrc, "Do not check ICRCs (faster on whole packets)");
}

analyzer::AnalysisOptions PacketChoice::OptionsFrom(int64_t first_ns) const {
  const auto absolute = [&](const std::optional<TimeBound>& bound) -> std::optional<int64_t> {
    if (!bound) return std::nullopt;
    return bound->is_relative ? first_ns + bound->ns : bound->ns;
  };
  analyzer::AnalysisOptions options;
  options.qpns = qpns;
  options.hosts = hosts;
  options.from_ns = absolute(from);
  options.until_ns = absolute(until);
  options.rdma_only = rdma_only;
  options.check_icrc = check_icrc;
  return options;
}

absl::StatusOr<PacketChoice> ParseChoice(const CaptureInput& input) {
  PacketChoice choice{.qpns = {}, .hosts = {}, .from = {}, .until = {}};
  choice.rdma_only = input.rdma_only;
  choice.check_icrc = !input.skip_icrc;
  for (const std::string& text : input.qps) {
    const auto qpn = ParseQpn(text);
    if (!qpn) return Wrong("--qp", text, "a number below 16777216, decimal or 0x...");
    choice.qpns.push_back(*qpn);
  }
  for (const std::string& text : input.hosts) {
    const auto addresses = ParseHost(text);
    if (addresses.empty()) return Wrong("--host", text, "an IP address, a GID or \"lid NUMBER\"");
    choice.hosts.insert(choice.hosts.end(), addresses.begin(), addresses.end());
  }
  if (!input.time.empty()) {
    if (const absl::Status status = ParseTimes(input.time, choice); !status.ok()) return status;
  }
  if (!input.filter.empty()) {
    const auto compiled = analyzer::PacketFilter::Compile(input.filter);
    if (!compiled.ok()) return compiled.status();
  }
  if (input.files.empty() == input.interface.empty()) {
    return absl::InvalidArgumentError("expected capture files, or --interface, and not both");
  }
  return choice;
}

PacketReader::PacketReader(std::unique_ptr<analyzer::CaptureSource> source,
                           std::optional<analyzer::PacketFilter> filter, const CaptureInput& input)
    : source_(std::move(source)), filter_(std::move(filter)), duration_s_(input.duration_s) {}

absl::StatusOr<std::unique_ptr<PacketReader>> PacketReader::Open(const CaptureInput& input) {
  std::optional<analyzer::PacketFilter> filter;
  if (!input.filter.empty()) {
    auto compiled = analyzer::PacketFilter::Compile(input.filter);
    if (!compiled.ok()) return compiled.status();
    filter.emplace(*std::move(compiled));
  }
  auto source = input.interface.empty()
                    ? analyzer::OpenCaptures(input.files)
                    : analyzer::OpenLive(analyzer::LiveOptions{.interface = input.interface});
  if (!source.ok()) return source.status();
  return std::unique_ptr<PacketReader>(
      new PacketReader(*std::move(source), std::move(filter), input));
}

bool PacketReader::IsOver(double seconds) {
  was_interrupted_ = command::Interrupted();
  return was_interrupted_ || (duration_s_ > 0 && seconds >= duration_s_);
}

absl::Status PacketReader::ForEachBatch(const Use& use) {
  command::Progress progress;
  std::vector<CapturedPacket> batch(kBatch);
  const auto start = std::chrono::steady_clock::now();
  uint64_t packets = 0;
  uint32_t batches = 0;
  while (!source_->finished()) {
    const size_t count = source_->Read(batch);
    auto end = batch.begin() + static_cast<ptrdiff_t>(count);
    if (filter_) {
      end = std::remove_if(batch.begin(), end,
                           [&](const CapturedPacket& p) { return !filter_->Matches(p); });
    }
    absl::Status status = use({batch.begin(), end});
    if (!status.ok()) return status;
    packets += count;
    // A look at the clock after every batch would cost more than a packet.
    constexpr uint32_t kBatchesPerLook = 16;
    if (count == kBatch && ++batches % kBatchesPerLook != 0) continue;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (IsOver(seconds)) break;
    progress.Update(ProgressText(source_->progress(), packets, seconds));
  }
  progress.Done();
  return absl::OkStatus();
}

bool CanBeReadAgain(const CaptureInput& input) {
  return !input.files.empty() && std::ranges::all_of(input.files, [](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
  });
}

void WarnOfProblems(const std::string& name,
                    const std::vector<analyzer::CaptureProblem>& problems) {
  for (const analyzer::CaptureProblem& problem : problems) {
    command::PrintWarning(
        name, problem.file + ": at byte " + std::to_string(problem.offset) + ": " + problem.what);
  }
}

}  // namespace weft::analyze
