#include "grade/grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "base/clock.hpp"
#include "base/exception.hpp"
#include "base/file.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "compiler/signature.hpp"
#include "grade/case_choice.hpp"
#include "grade/grade_frame.hpp"
#include "grade/graded_plan.hpp"
#include "grade/item_performance.hpp"
#include "grade/item_texts.hpp"
#include "grade/item_verdict.hpp"
#include "grade/ptx_policy.hpp"
#include "grade/session_timer.hpp"
#include "grade/trial_verdicts.hpp"
#include "report/code_prints.hpp"
#include "results/reproduce.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/compile_forks.hpp"

namespace warpmark {

struct SubmissionGrader::Item {
  Case which;
  PlannedCase planned;  ///< with the suite's own source, limits and types
  /// The student may read what the compiler says of it: no macro has a value of a hidden case.
  bool may_be_shown = true;
  Credit credit = Credit::all;
  DegreeOf degree_of = DegreeOf::elements;
};

namespace {

std::string driver_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// The compiler's text may have the value of any macro, so that it is for staff alone.
constexpr const char* kFailsHidden =
    "The file does not compile for a hidden case, whose macros have other values.";
constexpr const char* kUnfitHidden =
    "The kernel could not be launched for a hidden case: what the file has outside of the kernel, "
    "or "
    "what it asks of the device, does not fit.";
constexpr const char* kForbiddenHidden =
    "Compiled for a hidden case, the file has something that this assignment forbids. Nothing in "
    "it should depend on the value of a macro that the assignment sets.";

// What the compiler said, as far as a result holds it.
std::string log_text(const std::string& log) {
  std::string text = without_commands(printable(log));
  if (text.size() <= Confinement::kMostLog) return text;
  text.resize(Confinement::kMostLog);
  return printable(text) + "\n… (the rest is left out)";  // the last character may have been cut
}

// Whether its words may have the size of an array, or of a launch.
bool names_sizes(const Outcome& outcome) {
  return outcome.failure == FailureKind::driver || outcome.failure == FailureKind::launch ||
         (outcome.failure == FailureKind::signature &&
          outcome.reason.starts_with("the variable `"));
}

}  // namespace

// One submission on its way through all items.
class SubmissionGrader::Run {
 public:
  Run(SubmissionGrader& grader, const Submission& submission, GradeResult& result)
      : grader_(grader),
        assignment_(*grader.assignment_),
        submission_(submission),
        result_(result) {}

  void grade() {
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

 private:
  // What became of one of the files.
  struct File {
    bool ended = false;  ///< it is refused, or was too much for the compiler
    size_t launched = 0;
    bool has_prints = false;
  };

  const std::string& file_of(const Item& item) const {
    return assignment_.file_of(*item.which.suite);
  }
  // Those that any case is of: where cases are chosen, some files may have none.
  bool all_ended() {
    return std::all_of(grader_.items_.begin(), grader_.items_.end(),
                       [&](const auto& items) { return files_[file_of(items.front())].ended; });
  }

  // Returns whether nothing is left.
  bool end_missing_files() {
    result_.message.clear();
    for (const SubmittedFile& file : submission_.files) {
      if (!file.refusal.empty()) end_file(file.file, GradeState::refused, file.refusal);
    }
    return all_ended();
  }

  // Nothing is graded of a file: all of its cases lose their points, and no others.
  void end_file(const std::string& name, GradeState state, const std::string& message) {
    files_[name].ended = true;
    files_[name].launched = 0;
    if (!assignment_.submission.several()) return refuse(result_, state, message);
    for (size_t i = 0; i < result_.cases.size(); ++i) {
      if (file_of(grader_.items_[i].front()) == name) refuse(result_.cases[i], message);
    }
    // They are of the whole once nothing is left.
    result_.state = state;
    result_.message += (result_.message.empty() ? "" : " ") + message;
  }

  void grade(const Item& item, const GradedCase& one, GradedItem& graded) {
    graded.note.clear();
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
  }

  // The first reason that a student may see, of each file.
  std::string why_nothing_ran() const {
    std::vector<std::string> reasons;
    for (const std::string& name : assignment_.submission.files()) {
      std::string reason = why_nothing_ran(name);
      if (!reason.empty()) reasons.push_back(std::move(reason));
    }
    return join(reasons, " ");
  }

  std::string why_nothing_ran(const std::string& name) const {
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

  // Returns false if the item has its verdict, or the whole submission.
  bool compile(const Item& item, const PlannedCase& planned, GradedItem& graded) {
    CaseArtifacts artifacts;
    const Outcome outcome = grader_.session_->compile(item.which, planned, artifacts);
    if (outcome.verdict == Verdict::passed) {
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

  // Whether the assignment allows what the compiler made of the submission; else it is refused.
  bool is_allowed(const CaseArtifacts& artifacts, const Item& item) {
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
      std::vector<std::string>& flags = result_.flags;
      if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
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

  void try_out(const Item& item, const PlannedCase& planned, const GradedCase& one,
               GradedItem& graded) {
    const bool fixed = grader_.options_.seed.has_value();
    // With one seed twice, for either end of the buffers.
    const uint64_t trials = fixed ? 2 : assignment_.trials.count;
    TrialVerdicts verdicts(fixed ? 0 : assignment_.trials.drop);
    bool can_be_launched = true;  // else it compiles, and asks for what no device has
    graded.word = GradeWord::pass;
    for (uint64_t trial = 0; trial < trials && !verdicts.decided(); ++trial) {
      const uint64_t seed = seed_of(item, trial);
      CaseArtifacts artifacts;
      Trial one_run(0, seed);
      one_run.guards_front = trial % 2 == 1;
      artifacts.static_bytes = static_bytes_;
      const Outcome outcome = grader_.session_->verify(item.which, planned, one_run, &artifacts);
      ++graded.trials;
      if (artifacts.excess) {
        // Without the size of the arrays, which may be hidden.
        end_file(
            file_of(item), GradeState::refused,
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

  // Performance by time, once all else is known: it takes longest, and what is wrong has none.
  void time_all() {
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

  void time(const Item& item, const GradedCase& one, GradedItem& graded) {
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
      // What is right stays right: only the points for time wait for another try.
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

  // It was right before it was timed, and not after.
  void fail_timed(const Item& item, const PlannedCase& planned, const GradedCase& one,
                  const Outcome& outcome, GradedItem& graded) {
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

  // Of the last trial, which nobody knows before.
  uint64_t timing_seed(const Item& item) const {
    return seed_of(item, assignment_.trials.count - 1);
  }

  static FailedTrial failed_trial(const Item& item, const Outcome& outcome, GradeWord word,
                                  const ItemTexts& texts) {
    FailedTrial failed;
    failed.word = word;
    const ErrorAndBound worst = worst_error(outcome);
    failed.error = worst.error;
    failed.bound = worst.bound;
    failed.explanation = explain_item(outcome, texts);
    failed.detail = detail_of(outcome, texts);
    failed.degree = degree_of(item.credit, item.degree_of, outcome);
    return failed;
  }

  // The suite's own kernel runs only once the submission's session has ended, which starts anew.
  // A template can be asked nothing: then only what this machine skips is nobody's fault.
  Blame resolve(const Item& item, uint64_t seed, const Outcome& submitted) {
    if (assignment_.handout) {
      return submitted.verdict == Verdict::skipped ? Blame::grader : Blame::submission;
    }
    grader_.end_session();
    const Outcome own = grader_.own_.verify(item.which, item.planned, Trial{0, seed});
    grader_.own_.close();
    grader_.start_session();
    return fails_alike(own, submitted) ? Blame::grader : Blame::submission;
  }

  void cannot_judge(GradedItem& graded, const std::string& why) {
    graded.word = GradeWord::not_launched;
    graded.note = why;
    ungradable_.push_back(graded.case_id + ": " + why);
  }

  void end(const Item& item, GradeState state, const std::string& message, const Outcome& outcome) {
    if (!assignment_.submission.several()) {
      result_.staff = outcome.message;
    } else {
      result_.staff += (result_.staff.empty() ? "" : "\n") + file_of(item) + ": " + outcome.message;
    }
    end_file(file_of(item), state, message);
  }

  // The kernels of the file that any suite launches: a case launches some of them.
  std::set<std::string> wanted_entries(const CaseArtifacts& artifacts, const PtxContents& contents,
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

  std::string flagged_place(const std::string& name, int line) const {
    if (assignment_.submission.several())
      return line > 0 ? fmt::format(" ({}:{})", name, line) : fmt::format(" ({})", name);
    return line > 0 ? fmt::format(" (line {})", line) : "";
  }

  uint64_t seed_of(const Item& item, uint64_t trial) const {
    if (grader_.options_.seed) return *grader_.options_.seed;
    // What a failure shows of its inputs would make a table for the next file, which sums nothing
    // and knows all answers. The last trial has inputs that no other file gets.
    const std::string_view of_file =
        trial + 1 == assignment_.trials.count ? std::string_view(submission_.sha256) : "";
    if (!grader_.options_.secret) {
      return public_seed(assignment_.id, item.which.id, trial, of_file);
    }
    return grader_.options_.secret->seed(
        {assignment_.id, submission_.student, item.which.id, trial, of_file});
  }

  std::string reproduce(const Item& item, const GradedCase& one, uint64_t seed) const {
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

  ItemTexts texts(const Item& item, const PlannedCase& planned) const {
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

  SubmissionGrader& grader_;
  const Assignment& assignment_;
  const Submission& submission_;
  GradeResult& result_;
  std::map<std::string, File> files_;    ///< by their names in the assignment
  std::set<std::string> sized_;          ///< cases whose explanations have sizes of their arrays
  uint64_t static_bytes_ = 0;            ///< of the code that was compiled last
  std::vector<std::string> ungradable_;  ///< items, and why the grader could not judge them
};

SubmissionGrader::SubmissionGrader(Interpreter& python,
                                   std::shared_ptr<const Assignment> assignment,
                                   GraderOptions options)
    : python_(python),
      assignment_(std::move(assignment)),
      options_(std::move(options)),
      own_(python, own_options()) {
  const GradeLimits& limits = assignment_->limits;
  confinement_.required = !options_.no_sandbox;
  confinement_.compile_bytes = limits.compile_mib << 20;
  confinement_.compile_cpu_s = limits.compile_cpu_s;
  confinement_.compile_s = limits.compile_s;
  confinement_.toolkit_headers = assignment_->submission.toolkit_headers;
  for (const std::filesystem::path& header : assignment_->submission.headers) {
    confinement_.headers.push_back({header.filename().string(), read_file(header)});
  }
  assignment_ = chosen_cases(*assignment_, options_.only, options_.hidden);
  PluginLoader plugins;
  for (const AssignmentCase& one : assignment_->cases) {
    items_.emplace_back();
    for (const Case& which : one.items) {
      Item item{which, which.skip ? PlannedCase{} : make_plan(which, plugins)};
      item.credit = one.credit;
      item.degree_of = one.degree_of;
      if (!which.skip) {
        set_limits(item.planned, assignment_->limits);
        submitted_unit(item.planned);  // throws for what no submission can take the place of
        if (assignment_->handout) {
          const StoredItem& stored = assignment_->handout->items.at(which.id);
          fix_types(item.planned, stored.types);
          item.planned.counted = stored.counters;
        }
      }
      items_.back().push_back(std::move(item));
    }
  }
  find_what_may_be_shown();
}

// Options are all that makes one item's compile differ from another's. Without a secret it is the
// student's own try, with the assignment's file at hand.
void SubmissionGrader::find_what_may_be_shown() {
  if (!options_.secret) return;
  using Options = std::vector<std::string>;
  const auto options_of = [](const PlannedCase& planned) -> const Options& {
    return planned.plan.units.at(submitted_unit(planned)).options;
  };
  // By file: what the compiler says of another one with these options was not shown.
  std::map<std::string, std::vector<Options>> visible;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (assignment_->cases[i].visibility == Visibility::hidden) continue;
    for (const Item& item : items_[i]) {
      if (item.which.skip) continue;
      std::vector<Options>& shown = visible[assignment_->file_of(*item.which.suite)];
      shown.push_back(options_of(item.planned));
      if (item.planned.smaller) shown.push_back(options_of(*item.planned.smaller));
    }
  }
  const auto may_be_shown = [&](const Item& item, const Options& options) {
    const std::vector<Options>& shown = visible[assignment_->file_of(*item.which.suite)];
    return std::find(shown.begin(), shown.end(), options) != shown.end() ||
           std::none_of(options.begin(), options.end(),
                        [](const std::string& option) { return option.starts_with("-D"); });
  };
  for (size_t i = 0; i < items_.size(); ++i) {
    if (assignment_->cases[i].visibility == Visibility::visible) continue;
    for (Item& item : items_[i]) {
      if (item.which.skip) continue;
      item.may_be_shown =
          may_be_shown(item, options_of(item.planned)) &&
          (!item.planned.smaller || may_be_shown(item, options_of(*item.planned.smaller)));
    }
  }
}

SubmissionGrader::~SubmissionGrader() = default;

SessionOptions SubmissionGrader::own_options() const {
  SessionOptions options;
  options.device = options_.device;
  options.requires_counters = true;
  // What launches nothing; launches have the plan's limit.
  options.timeout_s = std::max(assignment_->limits.timeout_s, kLeastNet);
  return options;
}

SessionOptions SubmissionGrader::submission_options() const {
  SessionOptions options = own_options();
  options.confinement = confinement_;
  options.compile_forks = compile_forks_;
  options.checks = known_checks();
  return options;
}

SessionRoundTimer SubmissionGrader::round_timer(const Item& item, const PlannedCase& submitted,
                                                uint64_t seed) {
  SessionOptions submission = submission_options();
  submission.confinement->times = true;
  submission.seed = seed;
  SessionOptions baseline = own_options();
  baseline.seed = ~seed;
  return {python_,
          std::move(submission),
          std::move(baseline),
          {&item.which, submitted, item.planned.baseline ? *item.planned.baseline : item.planned},
          [this](Session* session) {
            live_ = session;
            if (session != nullptr && interrupted_) session->interrupt();
          }};
}

const DeviceFacts& SubmissionGrader::prepare() {
  if (prepared_) return facts_;
  if (options_.serves_many) {
    compile_forks_ = std::make_shared<CompileForks>(submission_options());
  }
  for (std::vector<Item>& items : items_) {
    if (assignment_->handout) break;  // its kernel is a template, which may say anything
    for (Item& item : items) {
      if (item.which.skip || !has_open_dtypes(item.planned.plan)) continue;
      fix_types(item.planned, own_.types(item.which, item.planned));
    }
  }
  own_.close();
  session_ = std::make_unique<Session>(python_, submission_options());
  facts_ = session_->require();
  for (size_t i = 0; i < items_.size(); ++i) {
    const std::optional<PerformanceRule>& rule = assignment_->cases[i].performance;
    if (!rule || !rule->by_counters() || !facts_.has("profile")) continue;
    for (Item& item : items_[i]) compare_counters(item.planned);
  }
  if (facts_.has("deterministic")) {
    for (std::vector<Item>& items : items_) {
      for (Item& item : items) widen_net(item.planned);
    }
  }
  prepared_ = true;
  return facts_;
}

GradeResult SubmissionGrader::grade(const Submission& submission) {
  const auto start = Clock::now();
  GradeResult result = unfinished_grade(*assignment_, submission);
  result.staff = submission.note;
  if (!submission.refusal.empty()) {
    refuse(result, GradeState::refused, submission.refusal);
    return result;
  }
  try {
    if (interrupted_) throw environment_error("interrupted");
    prepare();
    start_session();
    const DeviceFacts& facts = session_->require();
    start_next_session();
    result.context.device = fmt::format("{} (sm_{})", facts.name, facts.architecture);
    result.context.driver_version = driver_text(facts.driver_version);
    result.context.nvrtc_version = facts.nvrtc_version;
    result.context.sandbox = facts.sandbox;
    result.context.no_sandbox = facts.sandbox.empty();
    Run(*this, submission, result).grade();
  } catch (...) {
    // Whatever it is, the next submission starts afresh.
    blame_grader(result, to_error(std::current_exception()).what());
    own_.close();
  }
  end_session();  // with all that the submission has touched
  // Whoever prints one of these into a log of theirs must find no command in it.
  for (std::string* text : {&result.message, &result.staff}) *text = without_commands(*text);
  for (GradedCase& one : result.cases) {
    for (GradedItem& item : one.items) {
      for (std::string* text : {&item.explanation, &item.detail, &item.note}) {
        *text = without_commands(*text);
      }
      for (DroppedTrial& dropped : item.dropped) {
        dropped.explanation = without_commands(dropped.explanation);
      }
    }
  }
  result.seconds = seconds_since(start);
  return result;
}

void SubmissionGrader::start_session() {
  if (!session_) session_ = std::move(next_);
  if (!session_) session_ = std::make_unique<Session>(python_, submission_options());
  live_ = session_.get();
  if (interrupted_) session_->interrupt();
}

void SubmissionGrader::start_next_session() {
  if (next_ || !options_.serves_many || !facts_.has("deterministic")) return;
  next_ = std::make_unique<Session>(python_, submission_options());
}

void SubmissionGrader::end_session() {
  live_ = nullptr;
  session_.reset();
}

void SubmissionGrader::interrupt() noexcept {
  interrupted_ = true;
  if (Session* session = live_) session->interrupt();
}

}  // namespace warpmark
