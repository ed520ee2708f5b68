#include "grade/grader/grader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/exception.hpp"
#include "base/file.hpp"
#include "base/log_text.hpp"
#include "base/places.hpp"
#include "base/text.hpp"
#include "compiler/assembler.hpp"
#include "grade/assignment/case_choice.hpp"
#include "grade/grader/grade_frame.hpp"
#include "grade/grader/grader_run.hpp"
#include "grade/grader/session_timer.hpp"
#include "grade/submission/graded_plan.hpp"
#include "report/page/figure_text.hpp"
#include "runtime/compile_forks.hpp"
#include "runtime/confined_compiler.hpp"
#include "warpmark/processors.hpp"

namespace warpmark {
namespace {

// True if the macros that the suite sets have the same values in all cases: a message that repeats
// them tells nothing of a hidden one.
bool has_constant_macros(const Suite& suite) {
  return std::ranges::all_of(kernels(suite), [](const Kernel* kernel) {
    return std::ranges::all_of(
        kernel->define, [](const NamedExpression& one) { return one.value.names().empty(); });
  });
}

// Adds the programs that compile the plan's kernels in other languages.
void add_compilers(const Plan& plan, std::vector<std::string>& programs) {
  for (const Unit& unit : plan.units) {
    if (unit.compiler.empty() || unit.compiler == "nvcc") continue;
    if (std::ranges::count(programs, unit.compiler) == 0) programs.push_back(unit.compiler);
  }
}

}  // namespace

SubmissionGrader::SubmissionGrader(Interpreter& python,
                                   std::shared_ptr<const Assignment> assignment,
                                   GraderOptions options)
    : python_(python),
      assignment_(with_time_for(std::move(assignment), slowness())),
      options_(std::move(options)),
      own_(python, own_options()),
      baselines_(std::make_shared<CompiledRequests>()) {
  const GradeLimits& limits = assignment_->limits;
  confinement_.required = !options_.no_sandbox;
  confinement_.compile_bytes = limits.compile_mib << 20;
  confinement_.compile_cpu_s = limits.compile_cpu_s;
  confinement_.compile_s = limits.compile_s;
  confinement_.toolkit_headers = assignment_->submission.toolkit_headers;
  if (const auto cache = cache_folder(); !cache.empty())
    confinement_.cache = std::filesystem::absolute(cache).string();
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
        item.limited_by_own = is_limited_by_own(item.planned, assignment_->limits);
        set_limits(item.planned, assignment_->limits);
        submitted_unit(item.planned);  // throws if no submission can replace the kernel
        add_compilers(item.planned.plan, confinement_.programs);
        if (assignment_->handout) {
          const StoredItem& stored = assignment_->handout->items.at(which.id);
          fix_types(item.planned, stored.types);
          item.planned.counted = stored.counters;
          item.own_instructions = stored.instructions;
        }
      }
      items_.back().push_back(std::move(item));
    }
  }
  confinement_.assembles = !options_.device.starts_with("cpu") &&
                           (!confinement_.programs.empty() || assignment_->submission.accepts_ptx);
  find_what_may_be_shown();
}

// Compiles of two items differ in their options only. Without a secret a student is trying it, with
// the assignment's file at hand.
void SubmissionGrader::find_what_may_be_shown() {
  if (!options_.secret) return;
  using Options = std::vector<std::string>;
  const auto options_of = [](const PlannedCase& planned) -> const Options& {
    return planned.plan.units.at(submitted_unit(planned)).options;
  };
  // Sorted by file, since the compiler's messages about another file with these options were not
  // shown.
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
           has_constant_macros(*item.which.suite) ||
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
  // The limit of requests without a launch; launches have the plan's limit.
  options.timeout_s = std::max(assignment_->limits.timeout_s, least_net());
  return options;
}

SessionOptions SubmissionGrader::submission_options() const {
  SessionOptions options = own_options();
  options.confinement = confinement_;
  options.compile_forks = compile_forks_;
  options.compiled = baselines_;
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
  own_.leave_device();
  session_ = std::make_unique<Session>(python_, submission_options());
  facts_ = session_->require();
  if (!confinement_.programs.empty() && !facts_.has("image_ptx") && Assembler::find().empty()) {
    throw environment_error(fmt::format("kernels of {} need nvJitLink on {}, and it is not there",
                                        confinement_.programs.front(), facts_.name),
                            std::string(kNoAssembler) + "; or choose --device cpu");
  }
  for (size_t i = 0; i < items_.size(); ++i) {
    const std::optional<PerformanceRule>& rule = assignment_->cases[i].performance;
    if (!rule || !rule->by_counters() || !facts_.has("profile")) continue;
    for (Item& item : items_[i]) compare_counters(item.planned);
  }
  for (std::vector<Item>& items : items_) {
    for (Item& item : items) {
      if (facts_.has("deterministic")) widen_net(item.planned);
      // On a GPU nothing counts them.
      item.limited_by_own = item.limited_by_own && facts_.has("deterministic");
    }
  }
  compile_baselines();
  own_.close();
  prepared_ = true;
  return facts_;
}

void SubmissionGrader::compile_baselines() {
  if (assignment_->handout) return;
  // Only a confined compile worker makes machine code of what other compilers wrote.
  if (!confinement_.programs.empty() && !facts_.has("image_ptx")) return;
  bool any = false;
  for (const std::vector<Item>& items : items_) {
    for (const Item& item : items) {
      const auto own = item.which.skip ? nullptr : own_baseline(item.planned);
      const PlannedCase* baseline = own ? own.get() : item.planned.baseline.get();
      if (baseline == nullptr) continue;
      // One session at a time has a device that others cannot have meanwhile.
      if (!any && !facts_.has("deterministic")) session_.reset();
      any = true;
      own_.compile(item.which, *baseline);
    }
  }
  if (any) *baselines_ = own_.compiled();
}

GradeResult SubmissionGrader::grade(const Submission& submission, bool more) {
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
    if (more) start_next_session();
    result.context.device = fmt::format("{} (sm_{})", facts.name, facts.architecture);
    result.context.driver_version = cuda_version_text(facts.driver_version);
    result.context.nvrtc_version = facts.nvrtc_version;
    result.context.sandbox = facts.sandbox;
    result.context.no_sandbox = facts.sandbox.empty();
    Run(*this, submission, result).grade();
  } catch (...) {
    // After any error the next submission starts with new sessions.
    blame_grader(result, to_error(std::current_exception()).what());
    own_.close();
  }
  end_session();  // it holds everything that the submission has touched
  // A CI log that prints one of these texts must not find a command in it.
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
