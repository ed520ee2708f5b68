#include "suite/companions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ranges>

#include "base/text.hpp"

namespace warpmark {

bool uses_baseline(const SuiteCheck& check) {
  const auto uses = [](const NamedText& value) {
    return has_word(value.value.text, kBaselineName);
  };
  return std::ranges::any_of(check.values, uses);
}

bool uses_baseline(const NamedText& reference) {
  return !reference.value.function && has_word(reference.value.text, kBaselineName);
}

namespace {

// The baseline cannot be held against itself: such outputs of its own must only be written.
void judge_without_baseline(Suite& suite) {
  const auto written = [](Position where, std::string output) {
    SuiteCheck check;
    check.kind = CheckKind::written;
    check.where = where;
    check.subject = {std::move(output), where};
    return check;
  };
  for (SuiteCheck& check : suite.checks) {
    if (uses_baseline(check)) check = written(check.where, check.subject.text);
  }
  for (const NamedText& reference : suite.reference) {
    if (uses_baseline(reference)) suite.checks.push_back(written(reference.where, reference.name));
  }
  std::erase_if(suite.reference, [](const NamedText& one) { return uses_baseline(one); });
}

}  // namespace

bool uses_baseline(const Suite& suite) {
  return suite.baseline &&
         (std::ranges::any_of(suite.reference,
                              [](const NamedText& one) { return uses_baseline(one); }) ||
          std::ranges::any_of(suite.checks,
                              [](const SuiteCheck& one) { return uses_baseline(one); }));
}

std::optional<Case> baseline_case(const Case& which) {
  const std::optional<Baseline>& baseline = which.suite->baseline;
  if (!baseline) return std::nullopt;
  auto suite = std::make_shared<Suite>(*which.suite);
  if (baseline->plugin) suite->plugin = *baseline->plugin;
  suite->kernel = baseline->kernel;
  if (baseline->launch) suite->launch = baseline->launch;
  suite->counters.clear();
  suite->baseline.reset();
  judge_without_baseline(*suite);
  Case one = which;
  one.suite = std::move(suite);
  return one;
}

std::optional<Case> smaller_case(const Case& which) {
  const std::optional<ExpectedWork>& work = which.suite->composites.work_efficient;
  if (!work) return std::nullopt;
  const Scope scope = which.scope();
  std::vector<PointValue> point = which.point;
  bool smaller = false;
  for (const NamedExpression& axis : work->smaller) {
    const auto found = std::ranges::find(point, axis.name, &PointValue::name);
    const ArithmeticValue value = axis.value.evaluate(scope);
    if (found == point.end() || found->value == value) continue;
    found->value = value;
    found->label = id_text(value).value_or(to_text(value));
    smaller = true;
  }
  if (!smaller) {
    throw usage_error(fmt::format("`smaller` is the point of {} itself", which.id), work->where,
                      "give an axis a value with less work, as in {n: n // 8}");
  }
  auto suite = std::make_shared<Suite>(*which.suite);
  suite->counters.clear();
  suite->baseline.reset();
  judge_without_baseline(*suite);
  Case one = case_at(suite, std::move(point), which.contents);
  if (one.skip) {
    throw usage_error(fmt::format("`smaller` is {}, which the suite skips: {}", one.id, *one.skip),
                      work->where);
  }
  return one;
}

}  // namespace warpmark
