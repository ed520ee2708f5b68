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

// The outcome of a case with several trials: that of the worst trial, with the notices of all.
class Trials {
 public:
  void add(Outcome outcome, uint64_t trial) {
    seconds_ += outcome.seconds;
    for (std::string& notice : outcome.notices) {
      if (std::find(notices_.begin(), notices_.end(), notice) == notices_.end()) {
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
  bool decided() const {
    return outcome_.verdict != Verdict::passed && outcome_.verdict != Verdict::skipped;
  }

  Outcome whole(uint64_t planned) && {
    outcome_.seconds = seconds_;
    outcome_.notices = std::move(notices_);
    if (skipped_.empty() || planned == 1) return std::move(outcome_);
    const std::string which = fmt::format("skipped in {} of {} trials ({})", skipped_.size(),
                                          planned, trials_text(skipped_));
    if (outcome_.verdict == Verdict::skipped) {
      outcome_.reason = which + ": " + outcome_.reason;
    } else {
      outcome_.notices.push_back(which + ": " + skip_);
    }
    return std::move(outcome_);
  }

 private:
  Outcome outcome_;
  std::string skip_;
  std::vector<uint64_t> skipped_;
  std::vector<std::string> notices_;
  uint64_t count_ = 0;
  double seconds_ = 0;
};

// The first trial that fails decides. One that is skipped does not: another's inputs may be of
// other sizes, and memory that is short may be there the next time.
Outcome run_trials(const CaseWork& work, CaseRunner& runner, const RunContext& context) {
  Trials trials;
  for (uint64_t trial = context.first_trial; trial < context.first_trial + context.trials;
       ++trial) {
    Outcome outcome = runner.verify(work, trial);
    const bool ran = outcome.failure != FailureKind::load;
    if (context.trials_given && outcome.verdict == Verdict::failed && ran) outcome.trial = trial;
    trials.add(std::move(outcome), trial);
    if (trials.decided() || work.which.skip) break;
  }
  return std::move(trials).whole(work.which.skip ? 1 : context.trials);
}

RegisteredTest test_of(const CaseWork& item, CaseRun& run, CaseRunner& runner,
                       const RunContext& context) {
  const Suite& suite = *item.which.suite;
  RegisteredTest test;
  test.suite = suite.name;
  test.name = item.which.id.substr(suite.name.size() + 1);
  test.where = suite.where;
  test.where.file = display_path(suite.file);
  test.body = [&item, &run, &runner, &context] {
    CaseRun::Result result = run.run(item, [&] {
      return CaseRun::Attempt{run_trials(item, runner, context), {}};
    });
    return TestReport{std::move(result.failure), std::move(result.skip), result.where};
  };
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
  run_googletest(tests);
  const ExitCode code = run.finish({[&runner] { runner.close(); }, {}});
  run.rethrow();
  return code;
}

}  // namespace warpmark
