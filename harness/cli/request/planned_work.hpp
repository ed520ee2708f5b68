// The cases that a job runs, and their plans.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/output.hpp"
#include "cli/request/job_request.hpp"
#include "plan/plugin_loader.hpp"
#include "report/run/case_run.hpp"

namespace warpmark {

/// The plan of a case, or the reason why it has none.
struct Planned {
  std::shared_ptr<const PlannedCase> planned;
  std::optional<Error> error = std::nullopt;
};
/// The existing plan of the case, or else a new one; throws internal errors. The case has no error,
/// and is not skipped.
Planned plan_of(const CaseWork& work, PluginLoader& plugins);

/// The cases of `chosen`, which it takes, and a case with an error for each suite that could not be
/// loaded. Without plans.
std::vector<CaseWork> list_work(ChosenCases& chosen, const std::vector<Axis>& overrides);
/// Makes the plans that are missing; cases that cannot be planned get an error.
void plan_all(std::vector<CaseWork>& work);
/// Lists the work and makes its plans.
std::vector<CaseWork> plan_all(ChosenCases& chosen, const std::vector<Axis>& overrides);
/// Throws the first error of the work.
void require_planned(const std::vector<CaseWork>& work);
/// The plans of the work, without those that could not be made.
std::vector<const Plan*> plans_of(const std::vector<CaseWork>& work);
/// Ends every case, which are planned, after the step of this name; a case without it is skipped.
/// Throws a usage error if no case has it.
void end_after_step(std::vector<CaseWork>& work, const std::string& step);
/// True if there is work, and all of it has errors. Makes plans until one can be made.
bool nothing_can_run(std::vector<CaseWork>& work);
/// Handles work of which no case can run: prints and annotates all errors but one, and throws that
/// one.
[[noreturn]] void refuse_all(const std::vector<CaseWork>& work, const JobRequest& request,
                             Output& out);

/// The outcome of a case that a rule over its axes skips.
Outcome skipped_outcome(const Case& which);

}  // namespace warpmark
