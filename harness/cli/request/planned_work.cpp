#include "cli/request/planned_work.hpp"

#include <iostream>
#include <set>
#include <utility>

#include "base/file.hpp"
#include "report/problems/annotations.hpp"
#include "runtime/step_choice.hpp"
#include "suite/axis_override.hpp"

namespace warpmark {

namespace {

// Makes one failing case in place of all that the suite would have.
CaseWork bad_work(const BadSuite& bad) {
  auto suite = std::make_shared<Suite>();
  suite->name = bad.name;
  suite->file = bad.file;
  suite->folder = bad.file.parent_path();
  suite->where = {display_path(bad.file), 0, 0};
  CaseWork work;
  work.which.suite = suite;
  work.which.id = bad_suite_id(bad);
  work.error = bad.error;
  return work;
}

// Returns true if there is a plan now; else there is an error.
bool take_plan(CaseWork& work, PluginLoader& plugins) {
  Planned made = plan_of(work, plugins);
  work.planned = std::move(made.planned);
  work.error = std::move(made.error);
  return work.planned != nullptr;
}

}  // namespace

Planned plan_of(const CaseWork& work, PluginLoader& plugins) {
  if (work.planned) return {work.planned};
  try {
    return {std::make_shared<const PlannedCase>(make_plan(work.which, plugins))};
  } catch (const Error& error) {
    if (error.code() == ExitCode::internal) throw;
    return {nullptr, error};
  }
}

std::vector<CaseWork> list_work(ChosenCases& chosen, const std::vector<Axis>& overrides) {
  std::vector<CaseWork> work;
  work.reserve(chosen.cases + chosen.bad.size());
  for (Case& which : chosen.take_cases()) {
    CaseWork one;
    try {
      one.axes = override_texts(which, overrides);
    } catch (const Error& error) {
      if (error.code() == ExitCode::internal) throw;
      one.error = error;
    }
    one.which = std::move(which);
    work.push_back(std::move(one));
  }
  for (const BadSuite& bad : chosen.bad) work.push_back(bad_work(bad));
  return work;
}

void plan_all(std::vector<CaseWork>& work) {
  PluginLoader plugins;
  for (CaseWork& one : work) {
    if (!one.error && !one.which.skip) take_plan(one, plugins);
  }
}

std::vector<CaseWork> plan_all(ChosenCases& chosen, const std::vector<Axis>& overrides) {
  std::vector<CaseWork> work = list_work(chosen, overrides);
  plan_all(work);
  return work;
}

void require_planned(const std::vector<CaseWork>& work) {
  for (const CaseWork& one : work) {
    if (one.error) throw *one.error;
  }
}

bool nothing_can_run(std::vector<CaseWork>& work) {
  PluginLoader plugins;
  for (CaseWork& one : work) {
    if (one.error) continue;
    if (one.which.skip || take_plan(one, plugins)) return false;
  }
  return !work.empty();
}

void refuse_all(const std::vector<CaseWork>& work, const JobRequest& request, Output& out) {
  // A mistake in a suite is an error of each of its cases; each error is printed once.
  std::vector<const Error*> errors;
  std::set<std::string> seen;
  for (const CaseWork& one : work) {
    if (seen.insert(one.error->what()).second) errors.push_back(&*one.error);
  }
  // The first error is thrown, so it is printed last.
  for (size_t i = errors.size(); i-- > 1;) {
    print_error(out, errors[i]->what());
    if (!wants_annotations(request.formats.annotations, request.json)) continue;
    std::cerr << annotation(problem_of(*errors[i], "load")) << std::endl;
  }
  throw *errors.front();
}

std::vector<const Plan*> plans_of(const std::vector<CaseWork>& work) {
  std::vector<const Plan*> plans;
  for (const CaseWork& one : work) {
    if (one.planned) plans.push_back(&one.planned->plan);
  }
  return plans;
}

void end_after_step(std::vector<CaseWork>& work, const std::string& step) {
  require_step(step, plans_of(work));
  for (CaseWork& one : work) {
    if (one.error || one.which.skip) continue;
    if (has_step(one.planned->plan, step)) {
      PlannedCase shorter = *one.planned;
      end_after_step(shorter, step);
      one.planned = std::make_shared<const PlannedCase>(std::move(shorter));
    } else {
      one.which.skip = fmt::format("it has no step `{}`, and --step asks for it", step);
    }
  }
}

Outcome skipped_outcome(const Case& which) {
  Outcome outcome;
  outcome.suite = which.suite->name;
  outcome.case_id = which.id;
  outcome.verdict = Verdict::skipped;
  outcome.reason = *which.skip;
  return outcome;
}

}  // namespace warpmark
