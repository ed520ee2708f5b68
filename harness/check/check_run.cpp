#include "check/check_run.hpp"

#include "base/exception.hpp"
#include "base/file.hpp"
#include "report/case_text.hpp"
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

}  // namespace

CheckRun::CheckRun(CaseRunner& runner, const std::vector<CheckWork>& work,
                   const RunContext& context, const CheckOptions& options, std::ostream& out)
    : runner_(runner),
      context_(context),
      single_case_(options.single_case),
      journal_(options.journal ? std::make_optional<Journal>(*options.journal, context, work.size())
                               : std::nullopt),
      console_(out, options.style, count_suites(work), context),
      interrupt_([&runner] { runner.interrupt(); }) {}

CheckRun::Result CheckRun::run(const CheckWork& work) noexcept {
  Result result;
  try {
    const std::string reproduce =
        reproduce_command(work.which.suite->file, work.which.id, context_);
    console_.start_case(work.which.id);
    const bool ended_before = error_ != nullptr;
    result.outcome = verify(work);
    if (journal_) {
      try {
        journal_->append(result.outcome, reproduce);
      } catch (...) {
        stop(std::current_exception());
      }
    }
    console_.end_case(result.outcome, reproduce);
    if (result.outcome.verdict == Verdict::failed) {
      result.failure = failure_text(result.outcome, reproduce);
    } else if (error_ != nullptr && !ended_before) {
      // A JUnit file that holds skips only would read as a good run.
      result.failure = error_message_;
    } else if (result.outcome.verdict == Verdict::skipped) {
      result.skip = result.outcome.reason.empty() ? "skipped" : result.outcome.reason;
    } else if (result.outcome.verdict == Verdict::interrupted) {
      result.skip = result.outcome.reason;
    }
  } catch (...) {
    stop(std::current_exception());
    result.failure = error_message_;
  }
  return result;
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
  try {
    outcome = runner_.verify(work.which, work.planned);
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
  const Totals& totals = console_.totals();
  if (error_ != nullptr) return error_code_;
  if (totals.interrupted > 0) return ExitCode::interrupted;
  if (totals.failed > 0) return ExitCode::verdict;
  if (single_case_ && totals.cases() == 1 && totals.skipped == 1) return ExitCode::skipped;
  return ExitCode::success;
}

ExitCode CheckRun::finish() {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  console_.finish(seconds);
  if (journal_) {
    try {
      journal_->finish(console_.totals(), seconds, static_cast<int>(exit_code()), error_message_);
    } catch (...) {
      stop(std::current_exception());
    }
  }
  return exit_code();
}

void CheckRun::rethrow() const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace warpmark
