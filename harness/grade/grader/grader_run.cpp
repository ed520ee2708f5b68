#include "grade/grader/grader_run.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include "base/clock.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "compiler/signature.hpp"
#include "grade/grader/grade_frame.hpp"
#include "grade/grader/item_performance.hpp"
#include "grade/grader/ptx_policy.hpp"
#include "grade/grader/session_timer.hpp"
#include "grade/similarity/similarity.hpp"
#include "grade/submission/graded_plan.hpp"
#include "results/reproduce.hpp"
#include "worker/unit_compiler.hpp"

namespace warpmark {

namespace {

// The compiler's text may contain the value of any macro, so that only staff see it.
constexpr const char* kFailsHidden =
    "The file does not compile for a hidden case, whose macros have other values.";
constexpr const char* kUnfitHidden =
    "The kernel could not be launched for a hidden case: what the file has outside of the kernel, "
    "or "
    "what it asks of the device, does not fit.";
constexpr const char* kForbiddenHidden =
    "Compiled for a hidden case, the file has something that this assignment forbids. Nothing in "
    "it should depend on the value of a macro that the assignment sets.";

// The compiler's log, cut to the length that a result holds.
std::string log_text(const std::string& log) {
  std::string text = without_commands(printable(log));
  if (text.size() <= Confinement::kMostLog) return text;
  text.resize(Confinement::kMostLog);
  return printable(text) + "\n… (the rest is left out)";  // the last character may have been cut
}

// True if the case has no points left to give, and an item of it came to no end.
bool is_lost(const GradedCase& one) {
  return one.credit == Credit::all && std::ranges::any_of(one.items, [](const GradedItem& item) {
           return item.failed_by == FailedBy::own_kernel;
         });
}

// True if the outcome's text may contain the size of an array, or of a launch.
bool names_sizes(const Outcome& outcome) {
  return outcome.failure == FailureKind::driver || outcome.failure == FailureKind::launch ||
         (outcome.failure == FailureKind::signature &&
          outcome.reason.starts_with("the variable `"));
}

}  // namespace

SubmissionGrader::Run::Run(SubmissionGrader& grader, const Submission& submission,
                           GradeResult& result)
    : grader_(grader), assignment_(*grader.assignment_), submission_(submission), result_(result) {}

void SubmissionGrader::Run::grade() {
  if (assignment_.submission.several() && end_missing_files()) return count_points(result_);
  // Visible cases first: nothing that a kernel leaves behind in a hidden one, whatever device
  // lets it, can then come back as a wrong element that a student is shown.
  for (const Visibility visibility : {Visibility::visible, Visibility::hidden}) {
    for (size_t i = 0; i < result_.cases.size(); ++i) {
      if (result_.cases[i].visibility != visibility) continue;
      for (size_t j = 0; j < result_.cases[i].items.size(); ++j) {
        if (files_[file_of(grader_.items_[i][j])].ended) continue;
        grade(grader_.items_[i][j], result_.cases[i], result_.cases[i].items[j]);
        if (all_ended()) return count_points(result_);
        if (grader_.interrupted()) {
          blame_grader(result_, "interrupted");
          return;
        }
      }
    }
  }
  const bool launched = std::any_of(files_.begin(), files_.end(),
                                    [](const auto& one) { return one.second.launched > 0; });
  if (!ungradable_.empty()) {
    for (const std::string& why : ungradable_) blame_grader(result_, why);
  } else if (!launched) {
    result_.state = GradeState::compile_error;
    result_.message = why_nothing_ran();
  } else {
    result_.state = GradeState::graded;
    result_.message.clear();
    time_all();
  }
  count_points(result_);
}

const std::string& SubmissionGrader::Run::file_of(const Item& item) const {
  return assignment_.file_of(*item.which.suite);
}

bool SubmissionGrader::Run::all_ended() {
  return std::all_of(grader_.items_.begin(), grader_.items_.end(),
                     [&](const auto& items) { return files_[file_of(items.front())].ended; });
}

bool SubmissionGrader::Run::end_missing_files() {
  result_.message.clear();
  for (const SubmittedFile& file : submission_.files) {
    if (!file.refusal.empty()) end_file(file.file, GradeState::refused, file.refusal);
  }
  return all_ended();
}

void SubmissionGrader::Run::end_file(const std::string& name, GradeState state,
                                     const std::string& message) {
  files_[name].ended = true;
  files_[name].launched = 0;
  if (!assignment_.submission.several()) return refuse(result_, state, message);
  for (size_t i = 0; i < result_.cases.size(); ++i) {
    if (file_of(grader_.items_[i].front()) == name) refuse(result_.cases[i], message);
  }
  // State and message are those of the whole submission once no file is left.
  result_.state = state;
  result_.message += (result_.message.empty() ? "" : " ") + message;
}

void SubmissionGrader::Run::grade(Item& item, const GradedCase& one, GradedItem& graded) {
  graded.note.clear();
  if (is_over_time() || is_lost(one)) {
    graded.word = GradeWord::limit;
    graded.failed_by = FailedBy::earlier;
    graded.explanation =
        is_lost(one)
            ? "It was not run: a case before it came to no end, and the points are for all of them."
            : fmt::format(
                  "It was not run: a case before it ran into a limit, and all cases "
                  "together have taken the {:g} s that they may.",
                  assignment_.limits.total_s);
    return;
  }
  const auto start = Clock::now();
  const std::string& name = file_of(item);
  const PlannedCase planned = with_submission(item.planned, name, submission_.of(name));
  if (item.which.skip) {
    cannot_judge(graded, "the suite skips this case: " + *item.which.skip);
  } else if (compile(item, planned, graded) &&
             (planned.smaller == nullptr || compile(item, *planned.smaller, graded))) {
    try_out(item, planned, one, graded);
  }
  graded.seconds = seconds_since(start);
  spent_s_ += graded.seconds;
}

void SubmissionGrader::Run::limit_to_rest(PlannedCase& planned, double spent_s) const {
  constexpr double kLeast = 5;  // s, so that quick items end by themselves on a busy machine
  const double rest_s = std::max(kLeast, assignment_.limits.total_s - (limited_ ? spent_s : 0));
  std::optional<double>& timeout_s = planned.plan.limits.timeout_s;
  timeout_s = std::min(timeout_s.value_or(rest_s), rest_s);
}

std::string SubmissionGrader::Run::why_nothing_ran() const {
  std::vector<std::string> reasons;
  for (const std::string& name : assignment_.submission.files()) {
    std::string reason = why_nothing_ran(name);
    if (!reason.empty()) reasons.push_back(std::move(reason));
  }
  return join(reasons, " ");
}

std::string SubmissionGrader::Run::why_nothing_ran(const std::string& name) const {
  bool any = false;
  for (size_t i = 0; i < result_.cases.size(); ++i) {
    if (file_of(grader_.items_[i].front()) != name) continue;
    any = true;
    for (size_t j = 0; j < result_.cases[i].items.size(); ++j) {
      const GradedItem& item = result_.cases[i].items[j];
      const bool hidden = result_.cases[i].visibility == Visibility::hidden;
      if (hidden && sized_.contains(item.case_id)) return kUnfitHidden;
      if (grader_.items_[i][j].may_be_shown) return item.explanation;
    }
  }
  return any ? kFailsHidden : "";
}

bool SubmissionGrader::Run::compile(const Item& item, const PlannedCase& planned,
                                    GradedItem& graded) {
  CaseArtifacts artifacts;
  const Outcome outcome = grader_.session_->compile(item.which, planned, artifacts);
  if (outcome.verdict == Verdict::passed) {
    for (const std::string& notice : outcome.notices) {
      if (notice.starts_with(kLeftOut)) add_flag(printable(notice));
    }
    if (item.may_be_shown && result_.log.empty())
      result_.log = log_text(join(outcome.notices, "\n"));
    return is_allowed(artifacts, item);
  }
  if (outcome.verdict == Verdict::interrupted) return false;
  if (outcome.verdict == Verdict::skipped) {
    cannot_judge(graded, outcome.reason);
    return false;
  }
  if (outcome.failure == FailureKind::limit) {
    end(item, GradeState::limit,
        "The compiler took more time or memory for your file than is allowed, and was ended. "
        "Look "
        "for macros or templates that grow without end.",
        outcome);
    return false;
  }
  if (outcome.failure == FailureKind::crash) {
    end(item, GradeState::fault,
        "Your file brought the compiler down. Take out what is unusual in it, and hand it in "
        "again.",
        outcome);
    return false;
  }
  const ItemVerdict verdict = judge_item(outcome);
  if (verdict.blame != Blame::submission) {
    cannot_judge(graded, outcome.message);
    return false;
  }
  graded.word = verdict.word;
  graded.explanation = explain_item(outcome, texts(item, planned));
  graded.detail = detail_of(outcome, texts(item, planned));
  const std::string& message = outcome.error->message();
  const size_t log = message.find('\n');
  // Staff have it in the item's details, too.
  if (item.may_be_shown && log != std::string::npos) {
    result_.log = log_text(message.substr(log + 1));
  }
  return false;
}

bool SubmissionGrader::Run::is_allowed(const CaseArtifacts& artifacts, const Item& item) {
  const std::string& ptx = artifacts.units.at(submitted_unit(item.planned)).ptx;
  const PtxContents contents = ptx_contents(ptx);
  const std::string& name = file_of(item);
  if (!std::exchange(files_[name].has_prints, true)) {
    for (std::string& print : ptx_prints(ptx)) result_.ptx_prints.push_back(std::move(print));
  }
  const PolicyFindings findings =
      apply_policy(assignment_.ptx, contents, wanted_entries(artifacts, contents, name), name);
  for (const PolicyFinding& finding : findings.flagged) {
    const std::string flag =
        fmt::format("uses {}{}", printable(finding.found), flagged_place(name, finding.line));
    add_flag(flag);
  }
  std::vector<std::string> reasons;
  for (const PolicyFinding& finding : findings.forbidden) {
    reasons.push_back(printable(finding.text));
  }
  static_bytes_ = contents.bytes_in(PtxSpace::global);
  const std::string excess = static_memory_excess(contents, assignment_.limits.memory_mib << 20);
  if (!excess.empty()) reasons.push_back(excess);
  if (reasons.empty()) return true;
  const std::string why = join(reasons, "\n");
  if (!item.may_be_shown) {
    result_.staff += (result_.staff.empty() ? "" : "\n") + item.which.id + ": " + why;
  }
  end_file(name, GradeState::refused, item.may_be_shown ? why : kForbiddenHidden);
  return false;
}

uint64_t SubmissionGrader::Run::own_limit(const Item& item) const {
  const auto most = static_cast<uint64_t>(*item.planned.plan.limits.instructions);
  if (!item.own_instructions) return std::min(most, kLeastInstructions);
  const uint64_t own = *item.own_instructions;
  if (own == 0 || own > most / kTimesOwnKernel) return most;
  return std::min(most, std::max(kLeastInstructions, own * kTimesOwnKernel));
}

void SubmissionGrader::Run::ask_own_kernel(Item& item) {
  grader_.end_session();
  item.own_instructions = grader_.own_.instructions(item.which, item.planned);
  grader_.own_.close();
  grader_.start_session();
}

Outcome SubmissionGrader::Run::verify(Item& item, PlannedCase& planned, const Trial& trial,
                                      CaseArtifacts& artifacts) {
  if (!item.limited_by_own) return grader_.session_->verify(item.which, planned, trial, &artifacts);
  for (;;) {
    const uint64_t limit = own_limit(item);
    limit_instructions(planned, limit);
    CaseArtifacts fresh = artifacts;
    Outcome outcome = grader_.session_->verify(item.which, planned, trial, &fresh);
    if (ended_by_instructions(outcome) && !item.own_instructions) {
      ask_own_kernel(item);
      if (own_limit(item) > limit) continue;
    }
    if (ended_by_instructions(outcome) && item.own_instructions.value_or(0) > 0)
      note_own_limit(outcome, kTimesOwnKernel);
    artifacts = std::move(fresh);
    return outcome;
  }
}

void SubmissionGrader::Run::try_out(Item& item, const PlannedCase& planned, const GradedCase& one,
                                    GradedItem& graded) {
  const bool fixed = grader_.options_.seed.has_value();
  // A fixed item runs twice with one seed, once for either end of the buffers.
  const uint64_t trials = fixed ? 2 : assignment_.trials.count;
  TrialVerdicts verdicts(fixed ? 0 : assignment_.trials.drop);
  bool can_be_launched = true;  // false if it compiles, but needs more than any device has
  graded.word = GradeWord::pass;
  PlannedCase limited = planned;
  const auto start = Clock::now();
  for (uint64_t trial = 0; trial < trials && !verdicts.decided(); ++trial) {
    const uint64_t seed = seed_of(item, trial);
    CaseArtifacts artifacts;
    Trial one_run(0, seed);
    one_run.guards_front = trial % 2 == 1;
    artifacts.static_bytes = static_bytes_;
    limit_to_rest(limited, spent_s_ + seconds_since(start));
    Outcome outcome = verify(item, limited, one_run, artifacts);
    fail_unchecked(outcome);
    if (grader_.options_.notes_warnings) note_warnings(outcome);
    if (grader_.options_.on_composites)
      grader_.options_.on_composites(item.which, artifacts.composites);
    limited_ = limited_ || outcome.failure == FailureKind::limit;
    ++graded.trials;
    if (artifacts.excess) {
      // The message leaves out the size of the arrays, which may be hidden.
      end_file(file_of(item), GradeState::refused,
               fmt::format("The file's own variables take {} of device memory, and with the arrays "
                           "of a case that is more than the {} that are allowed. Make the "
                           "variables outside of the kernel smaller, or use its arguments.",
                           format_bytes(static_bytes_), format_bytes(artifacts.excess->allowed)));
      return;
    }
    ItemVerdict verdict = judge_item(outcome);
    if (verdict.blame == Blame::nobody) {
      if (outcome.counted) note_counts(*one.performance, *outcome.counted, graded.performance);
      continue;
    }
    if (outcome.verdict == Verdict::interrupted) {
      graded.word = GradeWord::not_launched;
      return;
    }
    if (verdict.blame == Blame::doubtful) verdict.blame = resolve(item, seed, outcome);
    if (verdict.blame == Blame::grader) {
      cannot_judge(graded, outcome.message.empty() ? outcome.reason : outcome.message);
      return;
    }
    can_be_launched = outcome.failure != FailureKind::launch;
    if (names_sizes(outcome)) sized_.insert(graded.case_id);
    ItemTexts more = texts(item, planned);
    more.artifacts = &artifacts;
    FailedTrial failed = failed_trial(item, outcome, verdict.word, more);
    failed.trial = trial;
    failed.reproduce = reproduce(item, one, seed);
    failed.may_be_dropped = may_be_dropped(assignment_.trials, trial, verdict.word, outcome);
    verdicts.add(std::move(failed));
  }
  verdicts.decide(graded);
  if (graded.word != GradeWord::pass) graded.performance.reset();
  if (one.performance && one.performance->by_counters() && graded.word == GradeWord::pass &&
      !graded.performance) {
    graded.open =
        fmt::format("they depend on counters, which {} does not have", grader_.facts_.name);
  }
  if (graded.word != GradeWord::not_launched || !can_be_launched) {
    ++files_[file_of(item)].launched;
  }
}

void SubmissionGrader::Run::add_flag(const std::string& flag) {
  if (std::ranges::count(result_.flags, flag) == 0) result_.flags.push_back(flag);
}

void SubmissionGrader::Run::note_warnings(const Outcome& outcome) {
  for (const std::string& warning : warnings_of(outcome)) {
    add_flag("warning: " + warning);
  }
}

void SubmissionGrader::Run::time_all() {
  for (size_t i = 0; i < result_.cases.size(); ++i) {
    GradedCase& one = result_.cases[i];
    if (!one.performance || one.performance->by_counters()) continue;
    for (size_t j = 0; j < one.items.size() && one.word() == GradeWord::pass; ++j) {
      time(grader_.items_[i][j], one, one.items[j]);
      if (!grader_.interrupted()) continue;
      blame_grader(result_, "interrupted");
      return;
    }
  }
}

void SubmissionGrader::Run::time(const Item& item, const GradedCase& one, GradedItem& graded) {
  if (assignment_.handout) {
    graded.open = "they depend on times against the course's kernel, which the course takes";
    return;
  }
  if (grader_.facts_.has("counters") && !grader_.options_.times_anywhere) {
    graded.open = fmt::format("they depend on times on a GPU, and this device is the {}",
                              grader_.facts_.name);
    return;
  }
  const auto start = Clock::now();
  const std::string& name = file_of(item);
  const PlannedCase planned = with_submission(item.planned, name, submission_.of(name));
  // Nothing else is on the device while it is timed.
  grader_.end_session();
  TimedItem timed;
  try {
    SessionRoundTimer timer = grader_.round_timer(item, planned, timing_seed(item));
    timed = time_by_turns(timer);
  } catch (const Error& error) {
    // A right item stays right: only the points for time wait for another try.
    timed.open = "it could not be timed; the course's staff have to look at it";
    timed.staff = error.what();
  }
  graded.seconds += seconds_since(start);
  graded.performance = timed.performance;
  graded.open = timed.open;
  if (!timed.staff.empty()) {
    result_.staff += (result_.staff.empty() ? "" : "\n") + item.which.id + ": " + timed.staff;
    result_.flags.push_back("not timed: " + item.which.id);
  }
  if (timed.failed) fail_timed(item, planned, one, *timed.failed, graded);
}

void SubmissionGrader::Run::fail_timed(const Item& item, const PlannedCase& planned,
                                       const GradedCase& one, const Outcome& outcome,
                                       GradedItem& graded) {
  const ItemVerdict verdict = judge_item(outcome);
  TrialVerdicts verdicts(0);
  FailedTrial failed = failed_trial(item, outcome, verdict.word, texts(item, planned));
  failed.trial = graded.trials;
  failed.explanation = "After it had run many times, to be timed: " + failed.explanation;
  failed.reproduce = reproduce(item, one, timing_seed(item));
  failed.degree.reset();
  verdicts.add(std::move(failed));
  verdicts.decide(graded);
  graded.open.clear();
}

uint64_t SubmissionGrader::Run::timing_seed(const Item& item) const {
  return seed_of(item, assignment_.trials.count - 1);
}

FailedTrial SubmissionGrader::Run::failed_trial(const Item& item, const Outcome& outcome,
                                                GradeWord word, const ItemTexts& texts) {
  FailedTrial failed;
  failed.word = word;
  const ErrorAndBound worst = worst_error(outcome);
  failed.error = worst.error;
  failed.bound = worst.bound;
  failed.explanation = explain_item(outcome, texts);
  failed.detail = detail_of(outcome, texts);
  failed.evidence = evidence_of(outcome, texts);
  failed.failed_by = failed_by(outcome);
  failed.degree = degree_of(item.credit, item.degree_of, outcome);
  return failed;
}

Blame SubmissionGrader::Run::resolve(const Item& item, uint64_t seed, const Outcome& submitted) {
  if (assignment_.handout) {
    return submitted.verdict == Verdict::skipped ? Blame::grader : Blame::submission;
  }
  grader_.end_session();
  const Outcome own = grader_.own_.verify(item.which, item.planned, Trial{0, seed});
  grader_.own_.close();
  grader_.start_session();
  return fails_alike(own, submitted) ? Blame::grader : Blame::submission;
}

void SubmissionGrader::Run::cannot_judge(GradedItem& graded, const std::string& why) {
  graded.word = GradeWord::not_launched;
  graded.note = why;
  ungradable_.push_back(graded.case_id + ": " + why);
}

void SubmissionGrader::Run::end(const Item& item, GradeState state, const std::string& message,
                                const Outcome& outcome) {
  if (!assignment_.submission.several()) {
    result_.staff = outcome.message;
  } else {
    result_.staff += (result_.staff.empty() ? "" : "\n") + file_of(item) + ": " + outcome.message;
  }
  end_file(file_of(item), state, message);
}

std::set<std::string> SubmissionGrader::Run::wanted_entries(const CaseArtifacts& artifacts,
                                                            const PtxContents& contents,
                                                            const std::string& name) const {
  std::set<std::string> wanted(artifacts.kernels.begin(), artifacts.kernels.end());
  std::set<std::string> names;
  for (const auto& suite : assignment_.suites) {
    if (assignment_.suite_files.empty() || assignment_.file_of(*suite) != name) continue;
    names.insert(suite->kernel.entry->text());
  }
  for (const std::string& entry : contents.entries) {
    const std::string called = demangle(entry);
    if (names.contains(called.substr(0, called.find_first_of("(<")))) wanted.insert(entry);
  }
  return wanted;
}

std::string SubmissionGrader::Run::flagged_place(const std::string& name, int line) const {
  if (assignment_.submission.several())
    return line > 0 ? fmt::format(" ({}:{})", name, line) : fmt::format(" ({})", name);
  return line > 0 ? fmt::format(" (line {})", line) : "";
}

uint64_t SubmissionGrader::Run::seed_of(const Item& item, uint64_t trial) const {
  if (grader_.options_.seed) return *grader_.options_.seed;
  // The inputs that failures show would make a table for the next file, which then passes without
  // computing anything. The last trial has inputs that no other file gets.
  const std::string_view of_file =
      trial + 1 == assignment_.trials.count ? std::string_view(submission_.sha256) : "";
  if (!grader_.options_.secret) {
    return public_seed(assignment_.id, item.which.id, trial, of_file);
  }
  return grader_.options_.secret->seed(
      {assignment_.id, submission_.student, item.which.id, trial, of_file});
}

std::string SubmissionGrader::Run::reproduce(const Item& item, const GradedCase& one,
                                             uint64_t seed) const {
  const GraderOptions& options = grader_.options_;
  std::vector<std::string> files;
  for (const std::string& word : options.file_words) files.push_back(shell_word(word));
  for (const SubmittedFile* file : submission_.sources()) {
    if (options.file_words.empty()) files.push_back(shell_word(printable(file->file)));
  }
  return fmt::format(
      "warpmark try {} {} --case {} --seed {}{}",
      shell_word(options.assignment_word.empty() ? assignment_.file.filename().string()
                                                 : options.assignment_word),
      join(files, " "), shell_word(item.which.id), seed,
      one.visibility == Visibility::hidden ? " --hidden" : "");
}

ItemTexts SubmissionGrader::Run::texts(const Item& item, const PlannedCase& planned) const {
  ItemTexts texts;
  const SubmittedFile& file = submission_.of(file_of(item));
  texts.planned = &planned;
  texts.python = &grader_.python_;
  texts.suite = item.which.suite.get();
  texts.file = file_of(item);
  texts.file.several = assignment_.submission.several();
  for (const OwnHeader& header : file.headers) texts.file.headers.push_back(header.name);
  texts.source = file.text;
  return texts;
}

}  // namespace warpmark
