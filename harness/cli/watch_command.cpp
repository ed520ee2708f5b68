// `warpmark watch`: checks suites, and again those whose files change.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/own_program.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/request/job_options.hpp"
#include "cli/request/suites.hpp"
#include "cli/watch/folder_watch.hpp"
#include "cli/watch/watched_suites.hpp"
#include "jobs/program_process.hpp"
#include "ranks/ranks.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct WatchState {
  std::vector<fs::path> paths;
  JobArguments arguments;
  bool once = false;              ///< the process that checks
  std::vector<fs::path> touched;  ///< for that process: the suites; empty for all
};

// Editors write a file in several steps, and several files: changes close together are one change.
constexpr int kQuietMs = 100;
// The longest wait for a build that keeps writing.
constexpr std::chrono::seconds kLongestBurst{2};

// Lets poll() notice a signal that came between two calls.
class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!fd_) {
      throw environment_error(fmt::format("cannot wait: eventfd: {}", std::strerror(errno)));
    }
  }
  // Async-signal-safe.
  void raise() const noexcept {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
  }
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::localtime_r(&now, &parts);
  return fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

class Watcher {
 public:
  Watcher(std::vector<fs::path> paths, bool json, Output& out)
      : paths_(std::move(paths)), json_(json), out_(out) {}

  ExitCode run() {
    const InterruptGuard* handle = nullptr;
    const InterruptGuard guard([this, &handle] {
      if (handle != nullptr) process_.pass_on(handle->signal());
      wake_.raise();
    });
    handle = &guard;
    guard_ = &guard;
    look();
    check({});
    size_t files = 0;
    for (const auto& [file, suite] : known_.suites) files += suite.inputs.size();
    if (!guard.interrupted()) {
      say(fmt::format("watching {} with {}; Ctrl-C ends", counted(known_.suites.size(), "suite"),
                      counted(files, "file")));
    }
    std::set<fs::path> written;
    while (!guard.interrupted() && wait(written)) {
      const WatchedSuites before = known_;
      look();
      const SuiteChanges changes = changes_between(before, known_, written);
      written.clear();
      if (changes.texts.empty()) continue;
      print(changes);
      if (!changes.suites.empty()) check(changes.suites);
    }
    return guard.exit_code();
  }

 private:
  // Watches all known folders before it looks at them, so that no change in between is missed.
  void look() {
    do {
      known_ = look_at_suites(paths_, known_);
    } while (folders_.watch(known_.folders));
  }

  // Returns false if there is nothing more to wait for.
  bool wait(std::set<fs::path>& written) {
    std::optional<Clock::time_point> begin;
    for (;;) {
      pollfd fds[] = {{folders_.fd(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
      const int count = ::poll(fds, std::size(fds), begin ? kQuietMs : -1);
      if (count < 0 && errno != EINTR) {
        throw environment_error(fmt::format("cannot wait: poll: {}", std::strerror(errno)));
      }
      if (guard_->interrupted()) return false;
      if (count == 0) return true;
      if (count < 0) continue;
      if ((fds[2].revents & (POLLERR | POLLHUP)) != 0) return false;  // the reader has left
      if (take(written) && !begin) begin = Clock::now();
      if (begin && Clock::now() - *begin > kLongestBurst) return true;
    }
  }

  // Returns true if the changes may matter.
  bool take(std::set<fs::path>& written) {
    FolderWatch::Happened happened = folders_.take();
    bool matters = happened.anything;
    for (const fs::path& path : happened.moved) matters = matters || known_.concerns(path, false);
    for (const fs::path& path : happened.written) {
      if (!known_.concerns(path, true)) continue;
      matters = true;
      written.insert(path);
    }
    return matters;
  }

  void print(const SuiteChanges& changes) {
    constexpr size_t kMost = 3;
    std::vector<std::string> texts = changes.texts;
    if (texts.size() > kMost) {
      const size_t more = texts.size() - kMost;
      texts.resize(kMost);
      texts.push_back(fmt::format("and {} more", more));
    }
    say(fmt::format("\n{} changed: {}{}", time_of_day(), join(texts, ", "),
                    changes.suites.empty() ? "; no suite is left to check" : ""));
  }

  // Prints to the standard error if the standard output is for JSON.
  void say(const std::string& line) {
    if (json_) return print_error(out_, line);
    out_.print("{}\n", line);
    out_.flush();
  }

  // Checks all suites, or these, in a separate process, which prints all output.
  void check(const std::vector<fs::path>& touched) {
    std::vector<std::string> arguments = own_arguments();
    std::vector<std::string> more = {"--once"};
    if (touched.size() < known_.suites.size()) {
      for (const fs::path& file : touched) more.push_back("--touched=" + file.string());
    }
    // The words go right after the command, because `--` may come later.
    arguments.insert(arguments.begin() + std::min<size_t>(arguments.size(), 2), more.begin(),
                     more.end());
    process_.run(arguments, *guard_);
  }

  const std::vector<fs::path> paths_;
  const bool json_;
  Output& out_;
  WakeUp wake_;
  FolderWatch folders_;
  ProgramProcess process_;
  const InterruptGuard* guard_ = nullptr;
  WatchedSuites known_;
};

ExitCode watch(const WatchState& state, Output& out) {
  JobRequest request;
  request.paths = state.paths;
  if (state.once) {
    return annotating(
        out, [&] { return wants_annotations(request.annotations, request.json); },
        [&] {
          state.arguments.apply(request);
          request.touched = state.touched;
          return run_job(request, out);
        });
  }
  // A mistake in the command line is reported here, since it would recur each time.
  state.arguments.apply(request);
  for (const fs::path& path : state.paths) {
    require_path(path, "PATHS are suite files and folders; cases are chosen with --case");
  }
  (void)suite_files(state.paths);
  std::vector<fs::path> paths = state.paths;
  if (paths.empty()) paths.emplace_back("suites");
  return Watcher(std::move(paths), request.json, out).run();
}

}  // namespace

Command watch_command(const ArgumentParser& program) {
  const auto state = std::make_shared<WatchState>();
  const ArgumentParser app = program.add_subcommand(
      "watch", "Check, and check again when a suite, kernel, header or plugin changes");
  app.add_option("PATHS", state->paths, "Suite files and folders; else the folder `suites`")
      .value_name("");
  state->arguments.add_to(app, JobKind::check);
  app.add_flag("--once", state->once).hide();
  app.add_option("--touched", state->touched).one_value_each_time().hide();
  return {app, [state](Output& out) {
            refuse_ranks("`warpmark watch` is for", "`warpmark check` runs on several");
            return watch(*state, out);
          }};
}

}  // namespace warpmark
