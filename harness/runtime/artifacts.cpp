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
      const PythonExpression text = located_expression(expected.value, planned.positions);
      values.emplace(expected.output, to_reference(evaluate(python, text, scope, ExitCode::verdict),
                                                   result->second.dtype(), result->second.shape()));
    } catch (const Error&) {
      continue;
    }
  }
  return values;
}

}  // namespace warpmark
