#include "cli/watch/watcher.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>
#include <set>
#include <string>

#include "base/clock.hpp"
#include "base/own_program.hpp"
#include "base/text.hpp"
#include "base/wake_up.hpp"
#include "cli/watch/folder_watch.hpp"
#include "cli/watch/watched_suites.hpp"
#include "jobs/program_process.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// Editors write a file in several steps, and several files: changes close together are one change.
constexpr int kQuietMs = 100;
// The longest wait for a build that keeps writing.
constexpr std::chrono::seconds kLongestBurst{2};

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
    look();
    check({});
    size_t files = 0;
    for (const auto& [file, suite] : known_.suites) files += suite.inputs.size();
    if (!process_.guard().interrupted()) {
      say(fmt::format("watching {} with {}; Ctrl-C ends", counted(known_.suites.size(), "suite"),
                      counted(files, "file")));
    }
    std::set<fs::path> written;
    while (!process_.guard().interrupted() && wait(written)) {
      const WatchedSuites before = known_;
      look();
      const SuiteChanges changes = changes_between(before, known_, written);
      written.clear();
      if (changes.texts.empty()) continue;
      print(changes);
      if (!changes.suites.empty()) check(changes.suites);
    }
    return process_.guard().exit_code();
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
      if (process_.guard().interrupted()) return false;
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
    process_.run(arguments);
  }

  const std::vector<fs::path> paths_;
  const bool json_;
  Output& out_;
  WakeUp wake_;
  FolderWatch folders_;
  ProgramProcess process_{[this] { wake_.raise(); }};
  WatchedSuites known_;
};

}  // namespace

ExitCode watch_suites(std::vector<fs::path> paths, bool json, Output& out) {
  return Watcher(std::move(paths), json, out).run();
}

}  // namespace warpmark
