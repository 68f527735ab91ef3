// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/graphviz.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace weft::topo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxSvgBytes = size_t{512} << 20;
constexpr size_t kMaxMessageBytes = 1000;

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// A nameless file in memory: reading and writing it cannot block, as a pipe to a child can.
absl::StatusOr<Descriptor> FileOf(std::string_view text) {
  Descriptor file(memfd_create("weft-topo", MFD_CLOEXEC));
  if (file.number() < 0) return absl::ErrnoToStatus(errno, "cannot make a file in memory");
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(file.number(), text.data() + done, text.size() - done);
    if (written < 0) return absl::ErrnoToStatus(errno, "cannot write a file in memory");
    done += static_cast<size_t>(written);
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // How it ended; nullopt: it still runs at the deadline.
  std::optional<int> Wait(Clock::time_point deadline) {
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      if (Clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

// false: the deadline passed before the other side closed the pipe.
absl::StatusOr<bool> ReadAll(int pipe, Clock::time_point deadline, std::string& text) {
  std::array<char, 65536> piece;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{pipe, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(std::min<long>(left, 60'000))) <= 0) continue;
    const ssize_t count = read(pipe, piece.data(), piece.size());
    if (count == 0) return true;
    if (count < 0) return absl::ErrnoToStatus(errno, "cannot read what Graphviz prints");
    text.append(piece.data(), static_cast<size_t>(count));
    if (text.size() > kMaxSvgBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("Graphviz printed more than ", kMaxSvgBytes >> 20, " MiB"));
    }
  }
}

std::string MessageIn(int file) {
  std::string message(kMaxMessageBytes, '\0');
  const ssize_t count = pread(file, message.data(), message.size(), 0);
  message.resize(count < 0 ? 0 : static_cast<size_t>(count));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message.empty() ? "it said nothing" : message;
}

absl::StatusOr<pid_t> Spawn(const std::string& layout, int in, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  std::string name = layout;
  std::string format = "-Tsvg";
  std::array<char*, 3> arguments = {name.data(), format.data(), nullptr};
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, layout.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) {
    return absl::NotFoundError(
        absl::StrCat("no program \"", layout,
                     "\" in PATH: install Graphviz (Debian: apt-get install graphviz), "
                     "or export --to dot and lay it out elsewhere"));
  }
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("cannot run ", layout));
  return pid;
}

}  // namespace

absl::StatusOr<std::string> LayOutAsSvg(const std::string& layout, const std::string& source,
                                        double seconds) {
  const auto in = FileOf(source);
  if (!in.ok()) return in.status();
  const auto err = FileOf("");
  if (!err.ok()) return err.status();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const absl::StatusOr<pid_t> pid = Spawn(layout, in->number(), to.number(), err->number());
  if (!pid.ok()) return pid.status();
  Child child(*pid);
  to = Descriptor();

  const Clock::time_point deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
  std::string svg;
  const absl::StatusOr<bool> whole = ReadAll(from.number(), deadline, svg);
  if (!whole.ok()) return whole.status();
  const std::optional<int> status = *whole ? child.Wait(deadline) : std::nullopt;
  if (!status) {
    return absl::DeadlineExceededError(
        absl::StrCat(layout, " took longer than ", seconds,
                     " s (--time-limit): show less (--detail pods or shape)"));
  }
  if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    return absl::InternalError(absl::StrCat(layout, " failed: ", MessageIn(err->number())));
  }
  return svg;
}

}  // namespace weft::topo
