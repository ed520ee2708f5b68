#include "report/case_run.hpp"

#include "base/exception.hpp"
#include "report/case_text.hpp"
#include "report/json_lines.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

CaseRun::CaseRun(std::function<void()> interrupt, size_t cases, const RunContext& context,
                 const RunOptions& options, const MakeReport& make_console, std::ostream& out)
    : context_(context),
      single_case_(options.single_case),
      max_failures_(options.max_failures),
      interrupt_(std::move(interrupt)),
      journal_(options.journal ? std::make_optional<Journal>(*options.journal, context, cases)
                               : std::nullopt),
      main_report_(options.json ? std::make_unique<JsonLines>(out, context, cases)
                                : make_console()),
      reports_(options.reports) {
  reports_.push_back(main_report_.get());
}

CaseRun::Result CaseRun::run(const CaseWork& work,
                             const std::function<Attempt()>& attempt) noexcept {
  Result result;
  try {
    for (RunReport* each : reports_) each->start_case(work.which.id);
    const bool ended_before = error_ != nullptr;
    Attempt ran = attempt_or_mark(work, attempt);
    result.outcome = std::move(ran.outcome);
    result.timed = std::move(ran.timed);
    totals_.add(result.outcome.verdict);
    const std::string reproduce = reproduce_command(
        {work.which.suite->file, work.which.id, work.axes, result.outcome.trial}, context_);
    report({result.outcome, reproduce, result.timed ? &*result.timed : nullptr});
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
  return result;
}

void CaseRun::report(const EndedCase& ended) {
  if (journal_) {
    try {
      journal_->append(ended);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  for (RunReport* each : reports_) {
    try {
      each->end_case(ended);
    } catch (...) {
      stop(std::current_exception());
    }
  }
}

CaseRun::Attempt CaseRun::attempt_or_mark(const CaseWork& work,
                                          const std::function<Attempt()>& attempt) {
  Outcome outcome;
  outcome.suite = work.which.suite->name;
  outcome.case_id = work.which.id;
  outcome.verdict = Verdict::interrupted;
  outcome.reason = "interrupted";
  if (interrupt_.interrupted()) return {outcome, {}};
  if (error_ != nullptr) {
    outcome.reason = "not run: " + error_message_;
    return {outcome, {}};
  }
  if (max_failures_ > 0 && totals_.failed >= max_failures_) {
    outcome.verdict = Verdict::not_run;
    outcome.reason = "not run: the run stops after " + count_text(max_failures_, "failure");
    return {outcome, {}};
  }
  try {
    Attempt ran = attempt();
    // Reports are ordered by what was asked for, whatever a runner writes there.
    ran.outcome.suite = outcome.suite;
    ran.outcome.case_id = outcome.case_id;
    if (ran.outcome.verdict == Verdict::interrupted && ran.outcome.reason.empty()) {
      ran.outcome.reason = outcome.reason;
    }
    return ran;
  } catch (...) {
    stop(std::current_exception());
    outcome.reason = "not finished: " + error_message_;
    return {outcome, {}};
  }
}

void CaseRun::stop(std::exception_ptr error) noexcept {
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

ExitCode CaseRun::exit_code() const {
  if (error_ != nullptr) return error_code_;
  if (totals_.interrupted > 0) return ExitCode::interrupted;
  if (totals_.failed > 0) return ExitCode::verdict;
  if (single_case_ && totals_.cases() == 1 && totals_.skipped == 1) return ExitCode::skipped;
  return ExitCode::success;
}

ExitCode CaseRun::finish() {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  RunEnd end;
  for (RunReport* each : reports_) {
    for (std::string& note : each->notes()) end.notes.push_back(std::move(note));
  }
  end.totals = totals_;
  end.seconds = seconds;
  end.exit_code = static_cast<int>(exit_code());
  end.error = error_message_;
  for (RunReport* each : reports_) {
    try {
      each->finish(end);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  if (journal_) {
    try {
      journal_->finish(totals_, seconds, static_cast<int>(exit_code()), error_message_);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  return exit_code();
}

void CaseRun::rethrow() const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace warpmark
