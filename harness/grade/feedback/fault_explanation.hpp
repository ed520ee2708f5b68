// Explanations of a device's reports of faults, for beginners.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grade/feedback/source_causes.hpp"
#include "grade/feedback/submission_facts.hpp"
#include "grade/feedback/submitted_names.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// Explains one report (warpmark/device.h). `names` are the student's: other files are named beside
/// the line. Members that are missing or of another type than described are left out; "" for an
/// unknown kind of report. A cause in the source comes in place of the usual advice, which the facts
/// of the source choose.
std::string explain_report(const nlohmann::ordered_json& report, const SubmittedNames& names,
                           const SubmissionFacts& facts = {}, const SourceCauses& causes = {});

/// Explains a fault, limit or crash: the first report, and the number of others; without reports
/// the driver's error.
std::string explain_fault(const Outcome& outcome, const SubmittedNames& names,
                          const SubmissionFacts& facts = {}, const SourceCauses& causes = {});

}  // namespace warpmark
