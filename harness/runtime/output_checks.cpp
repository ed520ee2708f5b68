#include "runtime/output_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "python/conversion.hpp"
#include "python/function.hpp"
#include "python/properties.hpp"

namespace warpmark {

namespace {

PythonFunction function_of(const PlannedCase& planned, const PlannedCheck& check) {
  const std::filesystem::path suite = planned.positions.find("").file;
  return python_function(expression_from(check.subject, planned.positions.find(check.at)),
                         suite.parent_path());
}

// Names mean the values after the launch; `before` has those before it.
PythonScope scope_after(const Plan& plan, const CaseInputs& inputs,
                        const std::map<std::string, Array>& results) {
  PythonScope scope = reference_scope(plan, inputs);
  ArrayMap before;
  for (const Buffer& buffer : plan.buffers) {
    const auto input = inputs.arrays.find(buffer.name);
    if (input != inputs.arrays.end()) before.arrays.emplace_back(buffer.name, input->second);
    const auto is_it = [&](const PlanAxis& axis) { return axis.name == buffer.name; };
    if (std::ranges::any_of(plan.point, is_it)) continue;
    const auto result = results.find(buffer.name);
    if (result != results.end()) scope.set_array(buffer.name, result->second);
  }
  scope.set_arrays("before", std::move(before));
  return scope;
}

class Asking {
 public:
  Asking(Interpreter& python, const PlannedCase& planned, const CaseInputs& inputs)
      : python_(python), planned_(planned), before_(reference_scope(planned.plan, inputs)) {}

  // Returns the fault of the array; "" if the property holds.
  std::string property(const PlannedCheck& check, const Array& array) const {
    const Position where = planned_.positions.find(check.at);
    PropertyQuestion question{form_of(check.kind).key, check.subject, where};
    question.word = check.word;
    for (const auto& [key, text] : check.values) {
      const Value value = evaluate(python_, text, planned_.positions, before_);
      if (check.kind == CheckKind::permutation) {
        // Elements are compared bit by bit, so they are brought to one dtype.
        question.arrays.emplace(key, to_array(value, array.dtype()));
        question.texts.emplace(key, text.text);
      } else {
        question.values.emplace(key, value);
      }
    }
    for (const NumpyText& text : check.args) {
      question.args.push_back(evaluate(python_, text, planned_.positions, before_));
    }
    return ask(python_, question, array);
  }

 private:
  Interpreter& python_;
  const PlannedCase& planned_;
  PythonScope before_;
};

}  // namespace

std::vector<const Buffer*> checked_outputs(const Plan& plan) {
  std::vector<const Buffer*> outputs;
  if (plan.checks.empty()) return outputs;
  for (const Buffer& buffer : plan.buffers) {
    if (!is_output(buffer.direction) || buffer.at.empty()) continue;
    const bool expected = std::ranges::any_of(
        plan.expected, [&](const Expected& one) { return one.output == buffer.name; });
    if (!expected) outputs.push_back(&buffer);
  }
  return outputs;
}

void require_checks(Interpreter& python, const PlannedCase& planned) {
  const std::vector<const Buffer*> outputs = checked_outputs(planned.plan);
  if (outputs.empty()) return;
  std::set<std::string> named;
  std::string functions;
  for (const PlannedCheck& check : planned.plan.checks) {
    if (check.kind != CheckKind::function) {
      named.insert(check.subject);
      continue;
    }
    const PythonFunction function = function_of(planned, check);
    const auto parameters = parameters_of(python, function, ExitCode::verdict);
    named.insert(parameters.begin(), parameters.end());
    functions += (functions.empty() ? "" : ", ") + ("`" + function.name + "`");
  }
  for (const Buffer* output : outputs) {
    if (named.contains(output->name)) continue;
    throw verdict_error(
        fmt::format("the output `{}` has no reference, and no check is about it", output->name),
        planned.positions.find(output->at),
        functions.empty()
            ? "add it to `reference`, or to `check`"
            : fmt::format("add it to `reference`, or to the parameters of {}", functions));
  }
}

std::vector<Error> failed_checks(Interpreter& python, const PlannedCase& planned,
                                 const CaseInputs& inputs,
                                 const std::map<std::string, Array>& results) {
  std::vector<Error> failed;
  const Asking asking(python, planned, inputs);
  for (const PlannedCheck& check : planned.plan.checks) {
    if (check.kind == CheckKind::function) {
      const auto why = ask(python, function_of(planned, check),
                           scope_after(planned.plan, inputs, results), ExitCode::verdict);
      if (why) failed.push_back(*why);
      continue;
    }
    // All outputs that only checks concern must be written, whatever the checks return.
    if (check.kind == CheckKind::written) continue;
    const std::string why = asking.property(check, results.at(check.subject));
    if (!why.empty()) failed.push_back(verdict_error(why, planned.positions.find(check.at)));
  }
  return failed;
}

}  // namespace warpmark
