#include "cli/jobs/shared_start.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/own_program.hpp"
#include "base/places.hpp"
#include "cli/jobs/check_lanes.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/planned_work.hpp"
#include "results/outcome_record.hpp"
#include "worker/device_facts_json.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The seconds after which no further case is started. A start takes 0.4 s, so that it is at most a
// sixth of what tests of long cases take together; and a test that waits for this gets its result
// soon enough for any timeout of ctest that it may have.
constexpr double kBatchS = 2;
// The seconds for one of these cases. One that takes longer hangs, which its own test reports.
constexpr double kGraceS = 5;
// Granularity of file times: they are those of the last tick of the kernel's clock, at most 10 ms
// ago.
constexpr int64_t kTickNs = 20'000'000;

int64_t wall_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void require_sharable(const JobRequest& request) {
  const bool one = request.paths.size() == 1 && request.choice.ids.size() == 1 &&
                   request.choice.select_text.empty() && !request.last_failed;
  if (!one) throw usage_error("--share is for one case of one suite file: --case ID");
  const bool more =
      !request.journal.empty() || request.formats.any_file() || !request.suppressions.empty() ||
      !request.gen_suppressions.empty() || !request.keep.empty() || request.json ||
      request.trials_given || request.checks_given || !request.sanitize.empty() ||
      !request.session.counters.empty() || request.session.coverage || request.session.in_process ||
      request.fail_on.skipped || request.fail_on.notices || !request.fail_on.warnings.empty() ||
      request.max_failures > 0 || request.durations || request.shown != 1;
  if (more) {
    throw usage_error(
        "--share goes with --case, -a, --device, --seed, --timeout-s and "
        "--skip-without-device only",
        {}, "leave it out to run the case by itself");
  }
}

// The inputs of results besides files: how and where the program was called, without the case, and
// the whole environment except for ctest's variables for single tests.
std::vector<std::string> sharing_key() {
  std::vector<std::string> key;
  const std::vector<std::string> own = own_arguments();
  for (size_t i = 1; i < own.size(); ++i) {
    if (own[i] == "--case" || own[i] == "--share") {
      ++i;
    } else if (!own[i].starts_with("--case=") && !own[i].starts_with("--share=")) {
      key.push_back(own[i]);
    }
  }
  key.push_back(own_program().file);
  key.push_back(fs::current_path().string());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("CTEST_RESOURCE_GROUP_")) {
      key.emplace_back(*variable);
    }
  }
  return key;
}

// Stamps of the files that the cases are made of, as they were at `begin_ns`; nothing if one
// changed since, and may have been read before or after.
std::vector<FileStamp> stamps_since(int64_t begin_ns, const std::vector<CaseWork>& work) {
  std::vector<fs::path> files = input_files(work);
  // The running file is stamped, even if its path leads to another one by now; a reader of the
  // stamp does the same.
  files.emplace_back(own_program().file);
  files.emplace_back(own_program().worker);
  for (const fs::path& folder : library_search_path()) {  // plugins and devices
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".so") files.push_back(entry->path());
    }
  }
  std::vector<FileStamp> stamps;
  for (const fs::path& file : files) {
    const auto stamp = FileStamp::of(file);
    if (!stamp) continue;  // the name of a plugin, or a file that its own case reports as missing
    if (std::max(stamp->modified_ns, stamp->changed_ns) > begin_ns - kTickNs) return {};
    stamps.push_back(*stamp);
  }
  return stamps;
}

// A file in memory for the output of a lane and its worker.
class LaneLog {
 public:
  LaneLog() : file_(::memfd_create("log", MFD_CLOEXEC)) {
    if (!file_ || ::fcntl(file_.get(), F_SETFL, O_APPEND) != 0)
      throw environment_error("cannot make a file in memory");
  }
  int fd() const { return file_.get(); }

  /// The output since the last call.
  std::string rest() {
    struct stat now = {};
    if (::fstat(file_.get(), &now) != 0 || now.st_size <= read_) return "";
    std::string text(static_cast<size_t>(now.st_size - read_), '\0');
    const ssize_t count = ::pread(file_.get(), text.data(), text.size(), read_);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    read_ += static_cast<off_t>(text.size());
    return text;
  }

 private:
  UniqueFd file_;
  off_t read_ = 0;
};

void print_log(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

class LeftResult : public CaseRunner {
 public:
  explicit LeftResult(const nlohmann::json& result)
      : outcome_(outcome_from(result.at("outcome"))), log_(result.at("log").get<std::string>()) {}
  Outcome verify(const CaseWork& /*work*/, uint64_t /*trial*/) override {
    print_log(log_);
    return outcome_;
  }
  void interrupt() noexcept override {}

 private:
  Outcome outcome_;
  std::string log_;
};

// Runs the test's own case, and others at the end.
class SharingRunner : public CaseRunner {
 public:
  SharingRunner(std::vector<CaseWork> work, std::vector<FileStamp> inputs,
                const SharedResults& results, const RunContext& context, LazyPython& python,
                const SessionOptions& options)
      : work_(std::move(work)),
        inputs_(std::move(inputs)),
        results_(results),
        context_(context),
        lanes_(work_, context, python, options, 1, {options.device}, log_.fd()) {}

  DeviceFacts require() {
    device_ = lanes_.require();
    print_log(log_.rest());
    return device_;
  }
  Outcome verify(const CaseWork& work, uint64_t trial) override {
    whole_ = false;
    Outcome outcome = lanes_.verify(work, trial);
    print_log(log_.rest());
    whole_ = true;
    return outcome;
  }
  void close() override {
    try {
      if (whole_) run_others();
    } catch (const Error&) {  // each other case is run by its own test
    } catch (const std::system_error&) {
    }
    lanes_.close();
  }
  void interrupt() noexcept override { lanes_.interrupt(); }

 private:
  void run_others() {
    lanes_.limit_cases(kGraceS);
    for (const CaseWork& one : work_) {
      if (seconds_since(start_) > kBatchS) return;
      if (one.error || one.which.skip) continue;
      std::optional<SharedCase> file = results_.try_hold(one.which.id);
      if (!file || !file->is_new()) continue;
      const Outcome outcome = lanes_.verify(one, context_.first_trial);
      const std::string log = log_.rest();
      // The case's own test reports everything else better: no plan, an interrupt.
      const bool judged =
          outcome.verdict == Verdict::passed || outcome.verdict == Verdict::skipped ||
          (outcome.verdict == Verdict::failed && outcome.failure != FailureKind::load);
      if (!judged) continue;
      file->put({{"device", json_of<nlohmann::json>(device_)},
                 {"log", log},
                 {"outcome", outcome_json(outcome)}},
                inputs_);
    }
  }

  std::vector<CaseWork> work_;
  std::vector<FileStamp> inputs_;
  const SharedResults& results_;
  const RunContext& context_;
  LaneLog log_;
  CheckLanes lanes_;
  DeviceFacts device_;
  Clock::time_point start_ = Clock::now();
  bool whole_ = false;
};

}  // namespace

SharedStart::SharedStart(const JobRequest& request) : begin_ns_(wall_clock_ns()) {
  require_sharable(request);
  try {
    results_ = SharedResults::of_ctest(request.share, sharing_key());
    if (!results_) return;
    own_ = results_->await(request.choice.ids.front());
    if (!own_->is_new()) result_ = own_->take();
  } catch (const Error&) {
    own_.reset();
  } catch (const std::system_error&) {
    own_.reset();
  }
}

std::optional<SharedStart::Start> SharedStart::start(const JobRequest& request,
                                                     const RunContext& context, LazyPython& python,
                                                     const SessionOptions& options) {
  if (result_) {
    try {
      auto runner = std::make_unique<LeftResult>(*result_);
      return Start{std::move(runner), object_from<DeviceFacts>(result_->at("device"))};
    } catch (const nlohmann::json::exception&) {
      return std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  if (!own_ || !own_->is_new() || results_->is_first()) return std::nullopt;
  CaseChoice choice = request.choice;
  choice.ids.clear();
  ChosenCases chosen = choose_cases(request.paths, choice, python.list_evaluator());
  std::vector<CaseWork> work = plan_all(chosen, request.choice.axes);
  std::vector<FileStamp> inputs = stamps_since(begin_ns_, work);
  const auto own = std::ranges::find(work, request.choice.ids.front(),
                                     [](const CaseWork& one) { return one.which.id; });
  if (own == work.end() || own->error || inputs.empty()) return std::nullopt;
  auto runner = std::make_unique<SharingRunner>(std::move(work), std::move(inputs), *results_,
                                                context, python, options);
  DeviceFacts device = runner->require();
  return Start{std::move(runner), std::move(device)};
}

}  // namespace warpmark
