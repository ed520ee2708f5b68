// Explains a race: what each of its two sides does, and what would put them in order.
#pragma once

#include <string>

#include "grade/feedback/device_report.hpp"
#include "grade/feedback/source_causes.hpp"
#include "grade/feedback/submission_facts.hpp"
#include "grade/feedback/submitted_names.hpp"

namespace warpmark {

/// The sentences for a report of the kind "race". The advice follows from where both threads are
/// and from the source: a barrier for threads of a block, an atomic addition where several add to
/// one element, one thread where all write the same, a fence between blocks.
std::string explain_race(const Report& report, const SubmittedNames& names,
                         const SubmissionFacts& facts, const SourceCauses& causes);

/// Names a barrier that only some threads reach, and the reason; `facts` must have one.
std::string divergence(const SubmissionFacts& facts, const SubmittedNames& names);

}  // namespace warpmark
