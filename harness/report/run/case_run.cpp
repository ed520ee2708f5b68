#include "report/run/case_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/exception.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "report/run/case_text.hpp"
#include "report/run/json_lines.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

namespace {

constexpr const char* kInterrupted = "interrupted";

// A fault, finding or limit of a step repeats without the steps after it; an error in the results
// does not.
bool blames_step(const Outcome& outcome) {
  return outcome.failure == FailureKind::fault || outcome.failure == FailureKind::finding ||
         outcome.failure == FailureKind::limit;
}

// The warnings of a case that fail it.
std::vector<std::string> failing_warnings(const FailOn& fail_on, const Outcome& outcome) {
  std::vector<std::string> failing;
  for (const nlohmann::ordered_json& report : outcome.findings) {
    const auto name = report.find("name");
    if (!report.is_object() || name == report.end() || !name->is_string()) continue;
    if (std::ranges::find(fail_on.warnings, name->get<std::string>()) != fail_on.warnings.end())
      failing.push_back(name->get<std::string>() + ": " + report.value("message", ""));
  }
  return failing;
}

// Where the suite is, as reports name it.
Position place_of(const CaseWork& work) {
  const Suite& suite = *work.which.suite;
  return {display_path(suite.file), suite.where.line, suite.where.column};
}

}  // namespace

CaseRun::CaseRun(std::function<void()> interrupt, size_t cases, const RunContext& context,
                 const RunOptions& options, const MakeReport& make_console, std::ostream& out)
    : context_(context),
      fail_on_(options.fail_on),
      max_failures_(options.max_failures),
      interrupt_(std::move(interrupt)),
      junit_(options.junit
                 ? std::make_optional<JunitFile>(*options.junit, context.shard, options.junit_part)
                 : std::nullopt),
      journal_(options.journal ? std::make_optional<Journal>(*options.journal, context, cases,
                                                             options.append_journal)
                               : std::nullopt),
      main_report_(options.json ? std::make_unique<JsonLines>(out, context, cases)
                                : make_console()),
      reports_(options.reports),
      out_(out) {
  reports_.push_back(main_report_.get());
  if (junit_) junit_->begin();
}

bool CaseRun::begin(const CaseWork& work) noexcept {
  begun_ = {&work, "", error_ != nullptr, {}};
  try {
    if (junit_) begun_.started = utc_date();
    for (RunReport* each : reports_) each->start_case(work.which.id);
    begun_.decided = decided_outcome(work);
  } catch (...) {
    stop(std::current_exception());
    return false;
  }
  return !begun_.decided;
}

CaseRun::Result CaseRun::end(std::optional<Attempt> ran) noexcept {
  const Begun begun = std::exchange(begun_, {});
  const CaseWork& work = *begun.work;
  Result result;
  try {
    if (begun.decided) ran = Attempt{*begun.decided, {}};
    if (!ran)
      ran = Attempt{unfinished(work, Verdict::interrupted, "not finished: " + error_message_), {}};
    result = result_of(begun, std::move(*ran));
  } catch (...) {
    stop(std::current_exception());
    result.failure = error_message_;
  }
  if (error_ != nullptr && result.failure == error_message_) junit_has_error_ = true;
  if (junit_) add_to_junit(work, result, begun.started);
  return result;
}

Outcome CaseRun::unfinished(const CaseWork& work, Verdict verdict, std::string reason) const {
  Outcome outcome;
  outcome.suite = work.which.suite->name;
  outcome.case_id = work.which.id;
  outcome.verdict = verdict;
  outcome.reason = std::move(reason);
  return outcome;
}

// The outcome of a case that is not to be run.
std::optional<Outcome> CaseRun::decided_outcome(const CaseWork& work) const {
  if (interrupt_.interrupted()) return unfinished(work, Verdict::interrupted, kInterrupted);
  if (error_ != nullptr)
    return unfinished(work, Verdict::interrupted, "not run: " + error_message_);
  if (max_failures_ > 0 && totals_.failed >= max_failures_) {
    return unfinished(work, Verdict::not_run,
                      "not run: the run stops after " + count_text(max_failures_, "failure"));
  }
  if (work.error) return load_failure(*work.error);
  return {};
}

// Reports what came of a case, and says what the test framework is to report.
CaseRun::Result CaseRun::result_of(const Begun& begun, Attempt ran) {
  const CaseWork& work = *begun.work;
  if (ran.outcome.failure == FailureKind::load && not_loaded_++ == 0) {
    load_code_ = ran.outcome.error ? ran.outcome.error->code() : ExitCode::usage;
  }
  // Reports are ordered by what was asked for, whatever a runner writes there.
  ran.outcome.suite = work.which.suite->name;
  ran.outcome.case_id = work.which.id;
  if (ran.outcome.verdict == Verdict::interrupted && ran.outcome.reason.empty()) {
    ran.outcome.reason = kInterrupted;
  }
  Result result{std::move(ran.outcome), std::move(ran.timed), "", "", {}};
  const Outcome& outcome = result.outcome;
  result.where = outcome.where.known() ? outcome.where : place_of(work);
  totals_.add(outcome.verdict);
  if (!outcome.notices.empty()) ++noticed_;
  const std::string reproduce =
      reproduce_command({work.which.suite->file, work.which.id, work.axes, outcome.trial,
                         outcome.schedule, blames_step(outcome) ? outcome.step : std::string()},
                        context_);
  report(
      {outcome, reproduce, result.timed ? &*result.timed : nullptr, work.position, result.where});
  if (outcome.verdict == Verdict::failed) {
    result.failure = failure_text(outcome, reproduce);
  } else if (error_ != nullptr && !begun.ended_before) {
    // A JUnit file that holds skips only would read as a good run.
    result.failure = error_message_;
  } else if (outcome.verdict == Verdict::skipped) {
    result.skip = outcome.reason.empty() ? "skipped" : outcome.reason;
    if (fail_on_.skipped) result.failure = "skipped: " + printable(skip_text(outcome));
  } else if (outcome.verdict != Verdict::passed) {
    result.skip = outcome.reason;
  } else if (fail_on_.notices && !outcome.notices.empty()) {
    result.failure = "notice: " + printable(join(outcome.notices, "\n"));
  } else if (const auto warnings = failing_warnings(fail_on_, outcome); !warnings.empty()) {
    ++warned_;
    result.failure = printable(join(warnings, "\n"));
  }
  return result;
}

void CaseRun::add_to_junit(const CaseWork& work, const Result& result,
                           const std::string& started) noexcept {
  attempt([&] {
    const std::string& suite = work.which.suite->name;
    JunitCase one{work.which.id.substr(suite.size() + 1), result.outcome.seconds};
    one.where = place_of(work);
    one.started = started;
    one.position = work.position;
    const std::string place = Position{result.where.file, result.where.line}.text() + "\n";
    if (!result.failure.empty()) {
      one.set(JunitCase::Result::failure, place + result.failure);
    } else if (!result.skip.empty()) {
      one.set(JunitCase::Result::skipped, place + result.skip);
    }
    junit_->add(suite, std::move(one));
  });
}

void CaseRun::report(const EndedCase& ended) {
  attempt([&] {
    if (journal_) journal_->append(ended);
  });
  for (RunReport* each : reports_) attempt([&] { each->end_case(ended); });
}

void CaseRun::stop(std::exception_ptr error) noexcept {
  if (error_ != nullptr) return;  // the first cause is the one to report
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
  if (totals_.interrupted > 0) {
    return interrupt_.interrupted() ? interrupt_.exit_code() : ExitCode::interrupted;
  }
  if (totals_.failed > 0) {
    // Nothing was judged if nothing could be loaded.
    return not_loaded_ == totals_.cases() ? load_code_ : ExitCode::verdict;
  }
  if (fail_on_.skipped && totals_.skipped > 0) return ExitCode::verdict;
  if (fail_on_.notices && noticed_ > 0) return ExitCode::verdict;
  if (warned_ > 0) return ExitCode::verdict;
  const auto fails = [](const RunReport* report) { return !report->why_failed().empty(); };
  if (std::ranges::any_of(reports_, fails)) return ExitCode::verdict;
  if (totals_.passed == 0 && totals_.skipped > 0) return ExitCode::skipped;
  return ExitCode::success;
}

// The reasons why a run without a failed case is no success all the same.
std::vector<std::string> CaseRun::why_no_success() const {
  std::vector<std::string> why;
  if (error_ != nullptr || totals_.interrupted > 0) return why;
  if (fail_on_.skipped && totals_.skipped > 0) {
    why.push_back(fmt::format("exit code 1: {} skipped, and --fail-on has `skipped`",
                              count_text(totals_.skipped, "case")));
  }
  if (fail_on_.notices && noticed_ > 0) {
    why.push_back(fmt::format("exit code 1: {} with a notice, and --fail-on has `notices`",
                              count_text(noticed_, "case")));
  }
  if (warned_ > 0) {
    why.push_back(fmt::format("exit code 1: {} with a warning that --fail-on has: {}",
                              count_text(warned_, "case"), join(fail_on_.warnings, ", ")));
  }
  for (const RunReport* report : reports_) {
    if (const std::string reason = report->why_failed(); !reason.empty())
      why.push_back("exit code 1: " + reason);
  }
  if (exit_code() == ExitCode::skipped) {
    why.push_back("exit code 77: nothing passed or failed, because every case was skipped");
  }
  return why;
}

void CaseRun::attempt(const std::function<void()>& step) noexcept {
  try {
    step();
  } catch (...) {
    stop(std::current_exception());
  }
}

// The main report first: what the others write follows it.
void CaseRun::finish_reports(double seconds) noexcept {
  RunEnd end;
  for (RunReport* each : reports_) {
    attempt([&] {
      for (std::string& note : each->notes()) end.notes.push_back(std::move(note));
    });
  }
  attempt([&] {
    for (std::string& note : why_no_success()) end.notes.push_back(std::move(note));
  });
  end.totals = totals_;
  end.seconds = seconds;
  end.exit_code = static_cast<int>(exit_code());
  attempt([&] { end.error = error_message_; });
  for (auto each = reports_.rbegin(); each != reports_.rend(); ++each) {
    attempt([&] { (*each)->finish(end); });
  }
  attempt([&] {
    out_.flush();
    if (!out_) throw environment_error("standard output cannot be written");
  });
}

void CaseRun::correct_junit() noexcept {
  if (!junit_ || error_ == nullptr || junit_has_error_) return;
  junit_has_error_ = true;
  attempt([&] {
    junit_->publish(fmt::format("exit code {}: {}", static_cast<int>(error_code_), error_message_));
  });
}

ExitCode CaseRun::finish(const FrontEnd& front) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  for (const auto& step : {front.close, front.publish}) {
    attempt([&] {
      if (step) step();
    });
  }
  if (error_ == nullptr || junit_has_error_) {
    attempt([&] {
      if (junit_) junit_->publish("");
    });
  }
  correct_junit();
  finish_reports(seconds);
  correct_junit();
  if (journal_) {
    attempt(
        [&] { journal_->finish(totals_, seconds, static_cast<int>(exit_code()), error_message_); });
    correct_junit();
  }
  return exit_code();
}

void CaseRun::rethrow() const {
  if (error_ != nullptr) std::rethrow_exception(error_);
}

}  // namespace warpmark
