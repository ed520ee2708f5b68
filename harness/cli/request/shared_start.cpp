#include "cli/request/shared_start.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/own_program.hpp"
#include "base/spawn.hpp"
#include "cli/request/shared_results.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The time that a batch may go on after the result of the test that started it.
constexpr std::chrono::seconds kGrace(5);

void require_sharable(const JobRequest& request) {
  const bool one = request.paths.size() == 1 && request.choice.ids.size() == 1 &&
                   request.choice.select_text.empty() && !request.last_failed;
  if (!one) throw usage_error("--share is for one case of one suite file: --case ID");
  const bool more = !request.journal.empty() || !request.junit.empty() || !request.keep.empty() ||
                    request.json || request.trials_given || request.checks_given ||
                    !request.sanitize.empty() || !request.session.counters.empty() ||
                    request.session.in_process || request.fail_on.skipped ||
                    request.fail_on.notices || !request.fail_on.warnings.empty() ||
                    request.max_failures > 0 || request.durations;
  if (more) {
    throw usage_error(
        "--share goes with --case, -a, --device, --seed, --timeout-s and "
        "--skip-without-device only",
        {}, "leave it out to run the case by itself");
  }
}

// The words of the command line without --case and --share.
std::vector<std::string> common_arguments() {
  std::vector<std::string> arguments;
  const std::vector<std::string> own = own_arguments();
  for (size_t i = 1; i < own.size(); ++i) {
    if (own[i] == "--case" || own[i] == "--share") {
      ++i;
    } else if (!own[i].starts_with("--case=") && !own[i].starts_with("--share=")) {
      arguments.push_back(own[i]);
    }
  }
  return arguments;
}

// The inputs of results besides files: how and where the program was called, and the whole
// environment except for ctest's variables for single tests.
std::vector<std::string> sharing_key() {
  std::vector<std::string> key = common_arguments();
  key.push_back(own_program().file);
  key.push_back(fs::current_path().string());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("CTEST_RESOURCE_GROUP_")) {
      key.emplace_back(*variable);
    }
  }
  return key;
}

pid_t start_batch(const SharedResults& results, const std::string& id) {
  std::vector<std::string> arguments = common_arguments();
  for (const std::string& word :
       {std::string("--case"), id, std::string("--share-batch"), results.folder().string()}) {
    arguments.push_back(word);
  }
  const std::string log = (results.folder() / ("log." + std::to_string(::getpid()))).string();
  SpawnOptions options;
  options.descriptors = {
      {STDOUT_FILENO},
      {STDERR_FILENO, -1, log, O_CREAT | O_RDWR | O_APPEND | O_TRUNC, S_IRUSR | S_IWUSR}};
  return spawn_own("a batch of tests", own_arguments().front(), arguments, options);
}

// Waits until the batch has ended. A batch that goes on for long after the result hangs in another
// case, whose own test reports that.
void await_batch(pid_t process, const SharedResults& results, const std::string& id) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> deadline;
  for (;;) {
    const pid_t ended = ::waitpid(process, nullptr, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR)) return;
    if (!deadline && results.has(id)) deadline = Clock::now() + kGrace;
    if (deadline && Clock::now() > *deadline) break;
    ::usleep(2000);
  }
  ::kill(process, SIGKILL);
  await_exit(process);
}

std::optional<SharedResult> shared_result(const JobRequest& request) {
  const std::string& id = request.choice.ids.front();
  const auto results = SharedResults::of_ctest(request.share, sharing_key());
  if (!results || results->given_up()) return {};
  if (auto result = results->take(id)) return result;
  std::optional<UniqueFd> claimed = results->claim(id);
  if (!claimed) {
    results->wait_for(id);
    return results->take(id);
  }
  if (results->is_first()) return {};
  const pid_t process = start_batch(*results, id);
  await_batch(process, *results, id);
  auto result = results->take(id);
  if (!result) results->give_up();  // an obstacle to one batch holds for others, too
  return result;
}

}  // namespace

std::optional<ExitCode> share_start(const JobRequest& request, Output& out) {
  require_sharable(request);
  std::optional<SharedResult> result;
  try {
    result = shared_result(request);
  } catch (const Error&) {  // sharing only saves time, so that its errors do not fail the test
    return {};
  } catch (const std::system_error&) {
    return {};
  }
  if (!result) return {};
  std::fwrite(result->err.data(), 1, result->err.size(), stderr);
  out.write(result->out);
  return static_cast<ExitCode>(result->exit_code);
}

}  // namespace warpmark
