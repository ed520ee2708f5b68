// Checks that outputs are judged: by references with tolerances, or by checks.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/dtype.hpp"
#include "base/text.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// Returns true also if the dtype of the output is not known before the kernel is compiled.
bool may_be_float(const Suite& suite, const std::string& output) {
  for (const Argument* argument : all_arguments(suite)) {
    if (argument->name != output || !argument->dtype) continue;
    const Expression& dtype = *argument->dtype;
    if (find_type(suite, dtype.text()) != nullptr || !dtype.names().empty()) return true;
    const ArithmeticValue value = dtype.evaluate({});
    const auto* name = std::get_if<std::string>(&value);
    if (name == nullptr) return true;
    const std::vector<DType>& all = all_dtypes();
    const auto known = std::ranges::find(all, *name, &DType::name);
    return known == all.end() || known->kind == DTypeKind::floating ||
           known->kind == DTypeKind::complex;
  }
  return true;
}

// A tolerance is for floats that are compared with a reference. It has no effect for outputs that
// only have checks, or that are integers as far as the suite shows.
void check_idle_tolerances(const Suite& suite, const std::set<std::string>& referenced) {
  if (suite.plugin.text != "source" || suite.baseline) return;
  for (const OutputTolerance& own : suite.output_tolerances) {
    if (referenced.contains(own.output)) continue;
    throw usage_error(fmt::format("the output `{}` has a tolerance and no reference", own.output),
                      own.where, "checks take no tolerance: remove it");
  }
  const SuiteTolerance& tolerance = suite.tolerance;
  const auto allows = [](const std::optional<Located>& bound) {
    return bound && trim(bound->text) != "0";
  };
  if (!allows(tolerance.ulp) && !allows(tolerance.rtol) && !allows(tolerance.atol) &&
      tolerance.kind != ToleranceKind::from_float64)
    return;
  const bool used = std::ranges::any_of(
      referenced, [&](const std::string& output) { return may_be_float(suite, output); });
  if (used) return;
  throw usage_error("no float output is compared with this tolerance", tolerance.where,
                    referenced.empty() ? "checks take no tolerance: remove it"
                                       : "whole numbers must be equal: remove it");
}

}  // namespace

void check_references(const Suite& suite) {
  std::vector<std::string> outputs;
  for (const Argument* argument : all_arguments(suite)) {
    if (is_output(argument->kind)) outputs.push_back(argument->name);
  }
  std::set<std::string> referenced;
  for (const NamedText& reference : suite.reference) {
    if (std::ranges::find(outputs, reference.name) == outputs.end()) {
      throw unknown_word("output in `reference`", reference.name, reference.where, outputs);
    }
    referenced.insert(reference.name);
  }
  for (const OutputTolerance& tolerance : suite.output_tolerances) {
    if (std::ranges::find(outputs, tolerance.output) == outputs.end()) {
      throw unknown_word("output in `tolerance`", tolerance.output, tolerance.where, outputs);
    }
  }
  check_idle_tolerances(suite, referenced);
  if ((suite.fault || suite.compile_error) && !suite.reference.empty()) {
    throw usage_error(suite.fault ? "a case that must fault has no outputs to compare"
                                  : "a case that must not compile has no outputs to compare",
                      suite.reference.front().where, "remove `reference`");
  }
  check_checks(suite);
  // A finding can be the only purpose of a case.
  const bool judges_none = suite.reference.empty() && suite.checks.empty();
  if (suite.fault || suite.compile_error || (suite.report && judges_none)) return;
  // A plugin may know the result of its kernel: its plan shows whether it does.
  if (suite.plugin.text != "source") return;
  for (const Argument* argument : all_arguments(suite)) {
    const bool judged = referenced.count(argument->name) != 0 || is_checked(suite, argument->name);
    if (is_output(argument->kind) && !judged) {
      throw usage_error(fmt::format("the output `{}` has no reference", argument->name),
                        argument->where, "add it to `reference`, or to `check`");
    }
  }
}

}  // namespace warpmark
