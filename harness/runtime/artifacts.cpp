#include "runtime/artifacts.hpp"

namespace warpmark {

std::map<std::string, ReferenceValue> references(Interpreter& python, const PlannedCase& planned,
                                                 const CaseArtifacts& artifacts) {
  std::map<std::string, ReferenceValue> values;
  if (!artifacts.inputs) return values;
  for (const Expected& expected : planned.plan.expected) {
    const auto result = artifacts.results.find(expected.output);
    if (result == artifacts.results.end()) continue;
    try {
      const PythonScope scope = reference_scope(planned.plan, *artifacts.inputs);
      values.emplace(expected.output,
                     to_reference(evaluate(python, expected.value, planned.positions, scope),
                                  result->second.dtype(), result->second.shape()));
    } catch (const Error&) {
      continue;
    }
  }
  return values;
}

}  // namespace warpmark
