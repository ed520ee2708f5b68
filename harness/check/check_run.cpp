#include "check/check_run.hpp"

#include <fmt/format.h>

#include "base/exception.hpp"
#include "base/file.hpp"
#include "report/case_text.hpp"
#include "report/console.hpp"
#include "report/json_lines.hpp"
#include "results/reproduce.hpp"

namespace warpmark {
namespace {

std::vector<SuiteCount> count_suites(const std::vector<CheckWork>& work) {
  std::vector<SuiteCount> suites;
  std::map<std::string, size_t> index;
  for (const CheckWork& item : work) {
    const std::string& name = item.which.suite->name;
    const auto [at, added] = index.emplace(name, suites.size());
    if (added) suites.push_back({name, 0});
    ++suites[at->second].cases;
  }
  return suites;
}

std::unique_ptr<RunReport> make_main_report(const std::vector<CheckWork>& work,
                                            const RunContext& context, const CheckOptions& options,
                                            std::ostream& out) {
  if (options.json) return std::make_unique<JsonLines>(out, context, work.size());
  return std::make_unique<ConsoleReport>(out, options.style, count_suites(work), context);
}

}  // namespace

CheckRun::CheckRun(CaseRunner& runner, const std::vector<CheckWork>& work,
                   const RunContext& context, const CheckOptions& options, std::ostream& out)
    : runner_(runner),
      context_(context),
      single_case_(options.single_case),
      max_failures_(options.max_failures),
      interrupt_([&runner] { runner.interrupt(); }),
      journal_(options.journal ? std::make_optional<Journal>(*options.journal, context, work.size())
                               : std::nullopt),
      main_report_(make_main_report(work, context, options, out)),
      reports_(options.reports),
      out_(out) {
  reports_.push_back(main_report_.get());
}

CheckRun::Result CheckRun::run(const CheckWork& work) noexcept {
  Result result;
  try {
    for (RunReport* each : reports_) each->start_case(work.which.id);
    const bool ended_before = error_ != nullptr;
    result.outcome = verify(work);
    totals_.add(result.outcome.verdict);
    const std::string reproduce = reproduce_command(
        {work.which.suite->file, work.which.id, work.axes, result.outcome.trial}, context_);
    report(result.outcome, reproduce);
    if (result.outcome.verdict == Verdict::failed) {
      result.failure = failure_text(result.outcome, reproduce);
    } else if (error_ != nullptr && !ended_before) {
      // A JUnit file that holds skips only would read as a good run.
      result.failure = error_message_;
    } else if (result.outcome.verdict == Verdict::skipped) {
      result.skip = result.outcome.reason.empty() ? "skipped" : result.outcome.reason;
    } else if (result.outcome.verdict != Verdict::passed) {
      result.skip = result.outcome.reason;
    }
  } catch (...) {
    stop(std::current_exception());
    result.failure = error_message_;
  }
  if (error_ != nullptr && result.failure == error_message_) junit_tells_ = true;
  return result;
}

void CheckRun::report(const Outcome& outcome, const std::string& reproduce) {
  if (journal_) {
    try {
      journal_->append(outcome, reproduce);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  for (RunReport* each : reports_) {
    try {
      each->end_case(outcome, reproduce);
    } catch (...) {
      stop(std::current_exception());
    }
  }
}

// The first trial that does not pass decides; a skip depends on no inputs.
Outcome CheckRun::run_trials(const CheckWork& work) {
  Outcome outcome;
  double seconds = 0;
  for (uint64_t trial = context_.first_trial; trial < context_.first_trial + context_.trials;
       ++trial) {
    outcome = runner_.verify(work.which, work.planned, trial);
    seconds += outcome.seconds;
    if (context_.trials_given && outcome.verdict == Verdict::failed) outcome.trial = trial;
    if (outcome.verdict != Verdict::passed) break;
  }
  outcome.seconds = seconds;
  return outcome;
}

Outcome CheckRun::verify(const CheckWork& work) {
  Outcome outcome;
  outcome.suite = work.which.suite->name;
  outcome.case_id = work.which.id;
  outcome.verdict = Verdict::interrupted;
  outcome.reason = "interrupted";
  if (interrupt_.interrupted()) return outcome;
  if (error_ != nullptr) {
    outcome.reason = "not run: " + error_message_;
    return outcome;
  }
  if (max_failures_ > 0 && totals_.failed >= max_failures_) {
    outcome.verdict = Verdict::not_run;
    outcome.reason = "not run: the run stops after " + count_text(max_failures_, "failure");
    return outcome;
  }
  try {
    outcome = run_trials(work);
    // Reports are ordered by what was asked for, whatever a runner writes there.
    outcome.suite = work.which.suite->name;
    outcome.case_id = work.which.id;
    if (outcome.verdict == Verdict::interrupted && outcome.reason.empty()) {
      outcome.reason = "interrupted";
    }
  } catch (...) {
    stop(std::current_exception());
    outcome.reason = "not finished: " + error_message_;
  }
  return outcome;
}

void CheckRun::stop(std::exception_ptr error) noexcept {
  if (error_ != nullptr) return;  // the first cause is the one to tell
  error_ = std::move(error);
  try {
    const Error known = to_error(error_);
    error_message_ = known.message();
    error_code_ = known.code();
  } catch (...) {
    error_code_ = ExitCode::environment;  // no memory even for a message
  }
}

ExitCode CheckRun::exit_code() const {
  if (error_ != nullptr) return error_code_;
  if (totals_.interrupted > 0) return ExitCode::interrupted;
  if (totals_.failed > 0) return ExitCode::verdict;
  if (single_case_ && totals_.cases() == 1 && totals_.skipped == 1) return ExitCode::skipped;
  return ExitCode::success;
}

void CheckRun::attempt(const std::function<void()>& step) noexcept {
  try {
    step();
  } catch (...) {
    stop(std::current_exception());
  }
}

// The main report first: what the others write follows it.
void CheckRun::finish_reports(double seconds) {
  RunEnd end;
  for (RunReport* each : reports_) {
    attempt([&] {
      for (std::string& note : each->notes()) end.notes.push_back(std::move(note));
    });
  }
  end.totals = totals_;
  end.seconds = seconds;
  end.exit_code = static_cast<int>(exit_code());
  end.error = error_message_;
  for (auto each = reports_.rbegin(); each != reports_.rend(); ++each) {
    attempt([&] { (*each)->finish(end); });
  }
  out_.flush();
  if (!out_) attempt([] { throw environment_error("standard output cannot be written"); });
}

// What failed after the JUnit file was written is told there as well, as far as that goes.
void CheckRun::correct(const JunitFile* junit) noexcept {
  if (junit == nullptr || error_ == nullptr || junit_tells_) return;
  junit_tells_ = true;
  attempt([&] {
    junit->publish_with(
        fmt::format("exit code {}: {}", static_cast<int>(error_code_), error_message_));
  });
}

ExitCode CheckRun::finish(const JunitFile* junit) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  attempt([&] { runner_.close(); });
  attempt([&] {
    if (junit != nullptr) junit->publish();
  });
  correct(junit);
  finish_reports(seconds);
  correct(junit);
  if (journal_) {
    attempt(
        [&] { journal_->finish(totals_, seconds, static_cast<int>(exit_code()), error_message_); });
    correct(junit);
  }
  return exit_code();
}

void CheckRun::rethrow() const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace warpmark
