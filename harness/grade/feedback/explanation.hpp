// Says in a sentence or two, for a beginner, why a submission failed a case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grade/feedback/submitted_names.hpp"
#include "plan/plan.hpp"
#include "runtime/artifacts.hpp"
#include "runtime/comparison.hpp"
#include "runtime/outcome.hpp"

namespace warpmark {

/// The actual and the expected values of an output.
struct OutputValues {
  TypedBytes actual;
  TypedBytes expected;  ///< as many elements, or one for all
};

/// Facts known beside the outcome. Each may be left out; each makes the words better. Texts and
/// bytes are views or copies of data that the caller holds during the call.
struct ExplainContext {
  SubmittedNames file;         ///< the submitted file, and the headers of the student's own
  std::string source;          ///< text of the file; shows host code and the kernels in it
  std::string wanted;          ///< the suite's own kernel: "scale(float *a, unsigned n)"
  const Plan* plan = nullptr;  ///< plan of the case: block size, arguments; symbolic sizes are left
                               ///< out
  std::map<std::string, OutputValues> outputs;         ///< by name: patterns in wrong elements
  std::map<std::string, TypedBytes> inputs;            ///< before the launch, `inout` too
  std::map<std::string, std::vector<int64_t>> shapes;  ///< of the inputs
};

/// Puts the arrays of a run into the context, which points into both afterwards.
void add_values(ExplainContext& context, const CaseArtifacts& artifacts,
                const std::map<std::string, ReferenceValue>& references);

/// Explains why the case failed, with the usual cause; "" for a pass. Plain text without newlines,
/// except for a signature that does not fit, which takes a line for each parameter. It names
/// values, indices and lines, so it is for visible cases and for staff.
///
/// Findings, logs and the source are made by the student: they are read as hostile and quoted
/// short, and nothing in them is trusted to be well-formed.
std::string explain(const Outcome& outcome, const ExplainContext& context);

}  // namespace warpmark
