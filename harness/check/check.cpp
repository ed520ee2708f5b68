#include "check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "check/googletest.hpp"
#include "report/run/console.hpp"

namespace warpmark {
namespace {

std::vector<SuiteCount> count_suites(const std::vector<CaseWork>& work) {
  std::vector<SuiteCount> suites;
  std::map<std::string, size_t> index;
  for (const CaseWork& item : work) {
    const std::string& name = item.which.suite->name;
    const auto [at, added] = index.emplace(name, suites.size());
    if (added) suites.push_back({name, 0});
    ++suites[at->second].cases;
  }
  return suites;
}

// "0 to 2, 5": trials in ascending order.
std::string trials_text(const std::vector<uint64_t>& trials) {
  std::string text;
  for (size_t first = 0; first < trials.size();) {
    size_t last = first;
    while (last + 1 < trials.size() && trials[last + 1] == trials[last] + 1) ++last;
    text += fmt::format("{}{}", first > 0 ? ", " : "", trials[first]);
    if (last > first) text += fmt::format(" to {}", trials[last]);
    first = last + 1;
  }
  return text;
}

// The trials of a case. Its outcome is that of the worst trial, with the notices of all: the first
// trial that fails decides. One that is skipped does not, since another's inputs may be of other
// sizes, and memory that is short may be there the next time.
class Trials {
 public:
  Trials(const CaseWork& work, const RunContext& context)
      : context_(context),
        only_(work.trial),
        planned_(work.which.skip || work.trial ? 1 : context.trials) {}

  /// True if there is another trial; its number is next().
  bool more() const {
    const bool decided =
        count_ > 0 && outcome_.verdict != Verdict::passed && outcome_.verdict != Verdict::skipped;
    return !decided && count_ < planned_;
  }
  uint64_t next() const { return only_.value_or(context_.first_trial) + count_; }

  /// Adds the outcome of the next trial.
  void add(Outcome outcome) {
    const uint64_t trial = next();
    const bool ran = outcome.failure != FailureKind::load;
    if ((context_.trials_given || only_.value_or(0) > 0) && outcome.verdict == Verdict::failed &&
        ran)
      outcome.trial = trial;
    seconds_ += outcome.seconds;
    coverage_.add(outcome.coverage);
    for (std::string& notice : outcome.notices) {
      if (std::ranges::find(notices_, notice) == notices_.end()) {
        notices_.push_back(std::move(notice));
      }
    }
    ++count_;
    const bool skipped = outcome.verdict == Verdict::skipped;
    if (skipped) skipped_.push_back(trial);
    // A skip is worse than a pass; the first one has the reason.
    if (count_ > 1 && outcome_.verdict == Verdict::skipped) {
      if (outcome.verdict == Verdict::passed || skipped) return;
      skip_ = outcome_.reason;
    }
    outcome_ = std::move(outcome);
  }

  Outcome whole() && {
    outcome_.seconds = seconds_;
    outcome_.coverage = std::move(coverage_);
    outcome_.notices = std::move(notices_);
    if (skipped_.empty() || planned_ == 1) return std::move(outcome_);
    const std::string which = fmt::format("skipped in {} of {} trials ({})", skipped_.size(),
                                          planned_, trials_text(skipped_));
    if (outcome_.verdict == Verdict::skipped) {
      outcome_.reason = which + ": " + outcome_.reason;
    } else {
      outcome_.notices.push_back(which + ": " + skip_);
    }
    return std::move(outcome_);
  }

 private:
  const RunContext& context_;
  std::optional<uint64_t> only_;
  uint64_t planned_;
  Outcome outcome_;
  std::string skip_;
  std::vector<uint64_t> skipped_;
  std::vector<std::string> notices_;
  uint64_t count_ = 0;
  double seconds_ = 0;
  Coverage coverage_;  ///< of all trials
};

class CaseTest : public testing::Test {
 public:
  CaseTest(const CaseWork& work, CaseRun& run, CaseRunner& runner, const RunContext& context)
      : work_(work), run_(run), runner_(runner), context_(context) {}

  void TestBody() override {
    std::optional<CaseRun::Attempt> ran;
    try {
      if (run_.begin(work_)) {
        Trials trials(work_, context_);
        while (trials.more()) trials.add(runner_.verify(work_, trials.next()));
        ran = CaseRun::Attempt{std::move(trials).whole(), {}};
      }
    } catch (...) {
      run_.stop(std::current_exception());
    }
    CaseRun::Result result = run_.end(std::move(ran));
    report_result({std::move(result.failure), std::move(result.skip), result.where});
  }

 private:
  const CaseWork& work_;
  CaseRun& run_;
  CaseRunner& runner_;
  const RunContext& context_;
};

RegisteredTest test_of(const CaseWork& item, CaseRun& run, CaseRunner& runner,
                       const RunContext& context) {
  const Suite& suite = *item.which.suite;
  RegisteredTest test;
  test.suite = suite.name;
  test.name = item.which.id.substr(suite.name.size() + 1);
  test.where = suite.where;
  test.where.file = display_path(suite.file);
  test.make = [&item, &run, &runner, &context] { return new CaseTest(item, run, runner, context); };
  return test;
}

}  // namespace

ExitCode run_check(const std::vector<CaseWork>& work, CaseRunner& runner, const RunContext& context,
                   const RunOptions& options, std::ostream& out) {
  if (work.empty()) {
    throw usage_error("there is no case to check", {}, "`warpmark list` shows the cases");
  }
  std::error_code gone;
  if (std::filesystem::current_path(gone).empty()) {  // then GoogleTest ends the process
    throw environment_error("the working directory cannot be found: " + gone.message(),
                            "change to a folder that exists");
  }
  const auto make_console = [&] {
    return std::make_unique<ConsoleReport>(out, options.style, count_suites(work), context);
  };
  CaseRun run([&runner] { runner.interrupt(); }, work.size(), context, options, make_console, out);
  std::vector<RegisteredTest> tests;
  for (const CaseWork& item : work) {
    if (!item.which.id.starts_with(item.which.suite->name + ".")) {
      throw internal_error("the case id " + item.which.id + " does not start with its suite");
    }
    tests.push_back(test_of(item, run, runner, context));
  }
  register_tests(tests);
  // The verdicts are ours: GoogleTest's own sum of them is not asked for.
  [[maybe_unused]] const int result = RUN_ALL_TESTS();
  const ExitCode code = run.finish({[&runner] { runner.close(); }, {}});
  run.rethrow();
  return code;
}

}  // namespace warpmark
