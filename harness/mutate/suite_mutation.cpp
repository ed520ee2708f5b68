#include "mutate/suite_mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "mutate/killer.hpp"
#include "mutate/launched_ptx.hpp"
#include "results/covered_files.hpp"
#include "runtime/artifacts.hpp"
#include "worker/counters.hpp"

namespace warpmark {

namespace {

// A mutant that runs longer than the right kernel by so much hangs, or might as well.
constexpr int64_t kLongest = 10;
constexpr int64_t kLeastInstructions = 10'000'000;  // some milliseconds
constexpr double kLeastSeconds = 10;                // the load of the machine is no verdict

SessionOptions as_check(SessionOptions options) {
  if (options.checks.empty()) options.checks = known_checks();
  return options;
}

SessionOptions counting(SessionOptions options) {
  options.coverage = true;
  options.counters = {"traffic"};
  return as_check(std::move(options));
}

bool expects_error(const Plan& plan) {
  return plan.fault || plan.report || plan.compile_error;
}

std::string compiled_text(const CaseArtifacts& made) {
  std::string text;
  for (const UnitArtifacts& unit : made.units) text += launched_ptx(unit.ptx, made.kernels);
  return text;
}

std::string results_digest(const Plan& plan, const Outcome& outcome, const CaseArtifacts& made) {
  Sha256 digest;
  for (const OutputVerdict& output : outcome.outputs) {
    const auto found = made.results.find(plan.holder(output.output));
    if (found == made.results.end()) continue;
    const auto bytes = found->second.bytes();
    digest.add_field({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return digest.finish_hex();
}

// Describes how the units of a plan are compiled, as far as cases of one suite differ in that.
std::string units_of(const Plan& plan) {
  std::string text = plan.arch;
  for (const Unit& unit : plan.units) {
    text += unit.file + "\n" + unit.source + "\n" + join(unit.options, " ") + "\n";
  }
  for (const LaunchStep* launch : plan.kernels().distinct) text += launch->entry + "\n";
  return text;
}

bool launches_one_block(const Plan& plan) {
  return std::ranges::all_of(plan.steps, [](const Step& step) {
    const auto* launch = std::get_if<LaunchStep>(&step);
    return launch == nullptr || std::ranges::all_of(launch->grid, [](const Size& size) {
             const auto* count = std::get_if<int64_t>(&size);
             return count != nullptr && *count == 1;
           });
  });
}

NamedMutant name_of(const MutableText& text, const Mutant& mutant) {
  const LineDiff diff = diff_of(text.text, mutant);
  return {text.place_of(mutant), diff.before, diff.after};
}

bool is_accepted(const Suite& suite, const std::string& line) {
  return std::ranges::any_of(suite.lint, [&](const LintException& rule) {
    return std::ranges::any_of(rule.mutants, [&](const auto& one) { return one.line == line; });
  });
}

}  // namespace

SuiteMutation::SuiteMutation(Interpreter& python, const MutationOptions& options)
    : options_(options),
      counting_(python, counting(options.session)),
      session_(python, as_check(options.session)) {}

const DeviceFacts& SuiteMutation::require() {
  const DeviceFacts& device = counting_.require();
  if (!device.has("profile")) {
    throw environment_error(device.name + " cannot count which lines run",
                            "the CPU device can: --device cpu, which is the default");
  }
  session_.require();
  return device;
}

// Runs the right kernel in a case, and gives the case the limits of its mutants.
SuiteMutation::Original SuiteMutation::run_original(const Case& which, PlannedCase planned,
                                                    Outcome& outcome) {
  CaseArtifacts made;
  outcome = counting_.verify(which, planned, {}, &made);
  Original one{which, std::move(planned), "", "", "", {}, 0, outcome.seconds};
  if (outcome.verdict != Verdict::passed) return one;
  const Plan& plan = one.planned.plan;
  one.compiled = compiled_text(made);
  one.results = results_digest(plan, outcome, made);
  one.units = units_of(plan);
  one.coverage = of_own_texts(outcome.coverage, own_texts(plan, *which.suite));
  const int64_t instructions =
      named_count(sum_counters(outcome.counters), "ptx_thread_instructions");
  PlanLimits& limits = one.planned.plan.limits;
  const int64_t most =
      std::max(kLeastInstructions, std::min(instructions, INT64_MAX / kLongest) * kLongest);
  limits.instructions = std::min(most, limits.instructions.value_or(most));
  const double seconds = std::max(kLeastSeconds, 2 * kLongest * outcome.seconds);
  limits.timeout_s = std::min(seconds, limits.timeout_s.value_or(seconds));
  return one;
}

// Returns why the suite's mutants say nothing; nothing if the right kernel passes.
std::optional<Error> SuiteMutation::run_originals(const MutationWork& work) {
  size_t errors = 0;
  for (const Case& which : work.cases) {
    if (which.skip) continue;
    PlannedCase planned;
    try {
      planned = make_plan(which, plugins_);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      return error;
    }
    if (expects_error(planned.plan)) {
      ++errors;
      continue;
    }
    Outcome outcome;
    Original one = run_original(which, std::move(planned), outcome);
    if (outcome.verdict == Verdict::failed) {
      const Error why = outcome.error.value_or(usage_error(outcome.reason));
      return usage_error(fmt::format("{}: the suite's own kernel fails, so that its mutants say "
                                     "nothing: {}",
                                     which.id, outcome.reason),
                         why.where(), "`warpmark check` shows the failure");
    }
    if (outcome.verdict != Verdict::passed) continue;
    coverage_.add(one.coverage);
    originals_.push_back(std::move(one));
  }
  if (originals_.empty()) {
    result_.note = errors > 0 ? "none, because its cases expect an error, which most changes leave"
                              : "none, because no case runs here";
  }
  return std::nullopt;
}

std::vector<MutableText> SuiteMutation::texts() const {
  std::vector<MutableText> all;
  for (const Original& one : originals_) {
    for (MutableText& text : mutable_texts(one.planned, *work_->suite)) {
      // A plugin writes other code for each case from the same expressions.
      const bool known = std::ranges::any_of(all, [&](const MutableText& other) {
        return other.kind == text.kind && other.path == text.path &&
               (text.kind == MutableText::Kind::generated || other.text == text.text);
      });
      if (!known) all.push_back(std::move(text));
    }
  }
  return all;
}

SuiteMutants SuiteMutation::run(const MutationWork& work, const MutationPart& part) {
  work_ = &work;
  originals_.clear();
  nearby_.clear();
  coverage_ = {};
  result_ = {};
  result_.suite = work.suite->name;
  result_.refusal = run_originals(work);
  if (result_.refusal || originals_.empty()) return std::move(result_);
  const std::vector<MutableText> all_texts = texts();
  std::vector<Candidate> candidates;
  bool any = false;
  for (const MutableText& text : all_texts) {
    for (Mutant& mutant : mutants_of(text, coverage_)) {
      any = true;
      if (reach_of(text, mutant, coverage_) != Reach::never) {
        candidates.push_back({&text, std::move(mutant)});
      } else if (part.index == 0) {
        result_.not_executed.push_back(name_of(text, mutant));
      }
    }
  }
  if (!any) {
    result_.note = all_texts.empty() ? "none, because its code is not CUDA C++ that the suite wrote"
                                     : "none, because its code has nothing to change";
  }
  run_candidates(candidates, part);
  return std::move(result_);
}

void SuiteMutation::run_candidates(const std::vector<Candidate>& all, const MutationPart& part) {
  const size_t most = options_.most == 0 ? all.size() : std::min(options_.most, all.size());
  if (part.index == 0) result_.left_out = all.size() - most;
  for (size_t i = part.index; i < most; i += part.count) {
    const Candidate& candidate = all[i * all.size() / most];
    NamedMutant named = name_of(*candidate.text, candidate.mutant);
    std::string reason;
    switch (judge(candidate, reason)) {
      case Fate::killed:
        result_.killed.push_back(std::move(named));
        break;
      case Fate::equivalent:
        ++result_.equivalent;
        break;
      case Fate::uncompiled:
        ++result_.uncompiled;
        break;
      case Fate::live:
        if (is_accepted(*work_->suite, named.after)) {
          result_.accepted.push_back(std::move(named));
        } else {
          result_.live.push_back({std::move(named), reason, killer_of(candidate)});
        }
    }
  }
}

// The cases that execute the mutant, those first that killed others.
std::vector<SuiteMutation::Original*> SuiteMutation::by_kills(const Candidate& candidate) {
  std::vector<Original*> order;
  for (Original& one : originals_) {
    const bool runs = has_text(one.planned, *candidate.text) &&
                      reach_of(*candidate.text, candidate.mutant, one.coverage) != Reach::never;
    if (runs) order.push_back(&one);
  }
  std::ranges::stable_sort(order, [](const Original* a, const Original* b) {
    return a->kills != b->kills ? a->kills > b->kills : a->seconds < b->seconds;
  });
  return order;
}

SuiteMutation::Fate SuiteMutation::judge(const Candidate& candidate, std::string& reason) {
  const std::string changed = candidate.mutant.apply(candidate.text->text);
  std::map<std::string, bool> differs;  // by units: whether the compiler makes something else
  bool same = true;
  for (Original* one : by_kills(candidate)) {
    const auto known = differs.find(one->units);
    if (known != differs.end() && !known->second) continue;
    const PlannedCase planned = with_text(one->planned, *candidate.text, changed);
    for (uint64_t trial = 0; trial < work_->trials; ++trial) {
      CaseArtifacts made;
      const Outcome outcome = session_.verify(one->which, planned, trial, &made);
      if (outcome.verdict == Verdict::failed) {
        if (outcome.failure == FailureKind::compile) return Fate::uncompiled;
        ++one->kills;
        return Fate::killed;
      }
      if (outcome.verdict != Verdict::passed) break;
      const bool other = compiled_text(made) != one->compiled;
      differs.emplace(one->units, other);
      if (!other) break;
      if (trial == 0) same = same && results_digest(planned.plan, outcome, made) == one->results;
    }
  }
  const bool any = std::ranges::any_of(differs, [](const auto& one) { return one.second; });
  if (!any) return Fate::equivalent;
  reason = reason_for(candidate, same);
  return Fate::live;
}

std::string SuiteMutation::reason_for(const Candidate& candidate, bool same) const {
  if (changes_order(candidate.mutant.kind)) {
    return "no order of threads that was tried shows a difference";
  }
  if (!same) return "its results differ, and stay within the tolerance";
  const bool one_block = std::ranges::all_of(
      originals_, [](const Original& one) { return launches_one_block(one.planned.plan); });
  const std::string before = diff_of(candidate.text->text, candidate.mutant).before;
  const bool by_block =
      before.find("blockIdx") != std::string::npos || before.find("gridDim") != std::string::npos;
  if (one_block && by_block) return "every case launches one block";
  return "its results are the same, bit for bit, in every case";
}

std::string SuiteMutation::killer_of(const Candidate& candidate) {
  const std::string changed = candidate.mutant.apply(candidate.text->text);
  const auto kills = [&](const Case& which) {
    auto [known, is_new] = nearby_.try_emplace(which.id);
    if (is_new) {
      PlannedCase planned = make_plan(which, plugins_);
      check_launches(planned.plan, planned.positions);
      Outcome outcome;
      Original one = run_original(which, std::move(planned), outcome);
      if (outcome.verdict == Verdict::passed) known->second = std::move(one);
    }
    if (!known->second || !has_text(known->second->planned, *candidate.text)) return false;
    const Outcome outcome =
        session_.verify(which, with_text(known->second->planned, *candidate.text, changed));
    return outcome.verdict == Verdict::failed && outcome.failure != FailureKind::compile;
  };
  std::vector<Case> cases;
  for (const Original& one : originals_) cases.push_back(one.which);
  return find_killer(cases, kills).value_or("");
}

}  // namespace warpmark
