#include "suite/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/characters.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

constexpr size_t kMaxCases = 100'000;

std::vector<PointValue> values_of(const Axis& axis, const ListEvaluator& python) {
  std::vector<AxisValue> values = axis.values;
  if (axis.python) {
    if (!python) {
      throw usage_error(
          fmt::format("the axis `{}` needs Python, and there is none here", axis.name),
          axis.python->where);
    }
    try {
      for (ArithmeticValue& value : python(*axis.python)) {
        values.push_back({axis.python->where, std::move(value), ""});
      }
    } catch (const Error& error) {
      throw error.at(axis.python->where);
    }
    if (values.empty()) {
      throw usage_error(fmt::format("the axis `{}` has no values", axis.name), axis.python->where);
    }
  }
  std::vector<PointValue> point;
  std::set<std::string> labels;
  for (AxisValue& value : values) {
    const auto* number = std::get_if<double>(&value.value);
    if (number != nullptr && !std::isfinite(*number)) {
      throw usage_error(fmt::format("the axis `{}` has the value {}, which is not finite",
                                    axis.name, to_text(value.value)),
                        value.where);
    }
    std::string label = value.label.empty() ? id_text(value.value).value_or("") : value.label;
    if (label.empty()) {
      throw usage_error(fmt::format("the value `{}` of the axis `{}` has characters that case ids "
                                    "cannot have",
                                    to_text(value.value), axis.name),
                        value.where, "give it a name for ids: {value: …, label: …}");
    }
    if (!labels.insert(label).second) {
      throw usage_error(
          fmt::format("two values of the axis `{}` are `{}` in case ids", axis.name, label),
          value.where);
    }
    point.push_back({axis.name, std::move(value.value), std::move(label)});
  }
  return point;
}

void require_same_lengths(const std::vector<const Axis*>& axes, const std::vector<size_t>& leaders,
                          const std::vector<std::vector<PointValue>>& values) {
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t leader = leaders[i];
    if (values[i].size() == values[leader].size()) continue;
    throw usage_error(fmt::format("the axis `{}` has {}, and `{}`, with which it is zipped, has {}",
                                  axes[i]->name, counted(values[i].size(), "value"),
                                  axes[leader]->name, values[leader].size()),
                      axes[i]->where, "zipped axes have one value for each value of the other");
  }
}

// The reason of the first skip rule that holds and needs the axes only.
std::optional<std::string> skip_reason(const Suite& suite, const Scope& scope) {
  for (const SkipRule& rule : suite.skip) {
    const Folded when = rule.when.fold(scope);
    if (!when.value) continue;
    const auto* holds = std::get_if<bool>(&*when.value);
    if (holds == nullptr) {
      throw usage_error(
          fmt::format("`when` must be True or False, and is {}", to_text(*when.value)),
          rule.when.where(), "compare: n > 100");
    }
    if (*holds) return rule.reason.text;
  }
  return std::nullopt;
}

std::string case_id(const Case& which) {
  if (which.point.empty() && which.contents.empty()) return which.suite->name + ".default";
  std::vector<std::string> parts;
  for (const PointValue& axis : which.point) parts.push_back(axis.name + "=" + axis.label);
  for (const ArgumentContents& one : which.contents)
    parts.push_back(one.argument + "=" + one.pattern);
  return which.suite->name + "." + join(parts, ",");
}

}  // namespace

Scope Case::scope() const {
  Scope scope;
  for (const PointValue& axis : point) scope.set(axis.name, axis.value);
  return scope;
}

std::optional<std::string> id_text(const ArithmeticValue& value) {
  std::string text = to_text(value);
  if (std::holds_alternative<double>(value)) std::erase(text, '+');  // 1e+20
  if (std::holds_alternative<std::string>(value) && text.find('~') != std::string::npos) {
    return std::nullopt;  // it would read as a minus
  }
  std::ranges::replace(text, '-', '~');
  const bool fits = !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_word_character(c) || c == '/' || c == '.' || c == '~';
  });
  return fits ? std::optional(text) : std::nullopt;
}

double positive_number(const Expression& expression, const Scope& scope) {
  const ArithmeticValue value = expression.evaluate(scope);
  double number = 0;
  if (const auto* whole = std::get_if<int64_t>(&value)) number = static_cast<double>(*whole);
  if (const auto* fraction = std::get_if<double>(&value)) number = *fraction;
  if (number > 0 && std::isfinite(number)) return number;
  throw usage_error(
      fmt::format("`{}` is {}: a number more than 0 is needed", expression.text(), to_text(value)),
      expression.where());
}

Case case_at(const std::shared_ptr<const Suite>& suite, std::vector<PointValue> point,
             std::vector<ArgumentContents> contents) {
  Case one;
  one.suite = suite;
  one.point = std::move(point);
  one.contents = std::move(contents);
  one.id = case_id(one);
  one.skip = skip_reason(*suite, one.scope());
  return one;
}

namespace {

// The patterns that a listed case names, in the order of the arguments.
std::vector<ArgumentContents> contents_of(const Suite& suite, const ListedCase* listed) {
  std::vector<ArgumentContents> contents;
  if (listed == nullptr) return contents;
  for (const Argument& argument : suite.arguments) {
    for (const Axis& named : listed->axes) {
      if (named.name != argument.name || !argument.contents) continue;
      contents.push_back({argument.name, to_text(named.values.front().value)});
    }
  }
  return contents;
}

// Adds the product of the axes; `listed` is what they stand for, if they are not the suite's own.
void add_product(const std::shared_ptr<const Suite>& suite, const std::vector<const Axis*>& axes,
                 const ListEvaluator& python, const ListedCase* listed, std::vector<Case>& all) {
  const std::vector<size_t> leaders = zip_leaders(axes);
  std::vector<std::vector<PointValue>> values;
  values.reserve(axes.size());
  for (const Axis* axis : axes) values.push_back(values_of(*axis, python));
  require_same_lengths(axes, leaders, values);
  size_t count = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (leaders[i] != i) continue;
    count *= values[i].size();
    if (count + all.size() > kMaxCases) {
      throw usage_error(fmt::format("the axes make more than {} cases", kMaxCases), axes[i]->where);
    }
  }
  all.reserve(all.size() + count);
  std::vector<size_t> chosen(axes.size());  // of each axis the index of its value
  for (size_t index = 0; index < count; ++index) {
    size_t rest = index;
    for (size_t i = axes.size(); i-- > 0;) {
      if (leaders[i] != i) continue;
      chosen[i] = rest % values[i].size();
      rest /= values[i].size();
    }
    std::vector<PointValue> point;
    point.reserve(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) point.push_back(values[i][chosen[leaders[i]]]);
    all.push_back(case_at(suite, std::move(point), contents_of(*suite, listed)));
    if (listed == nullptr) continue;
    const bool is_known = std::any_of(all.begin(), all.end() - 1,
                                      [&](const Case& one) { return one.id == all.back().id; });
    if (!is_known) continue;
    if (listed->overridden) {
      all.pop_back();
      continue;
    }
    throw usage_error(fmt::format("the case {} is there already", all.back().id), listed->where);
  }
}

}  // namespace

std::vector<Case> cases(const std::shared_ptr<const Suite>& suite, const ListEvaluator& python,
                        Purpose purpose) {
  const std::vector<const Axis*> axes = axes_of(*suite, purpose);
  std::vector<Case> all;
  add_product(suite, axes, python, nullptr, all);
  // Axes of its own say what is timed.
  if (purpose == Purpose::bench && !suite->bench.axes.empty()) return all;
  for (const ListedCase& listed : suite->cases) {
    std::vector<Axis> own;
    for (const Axis* axis : axes) {
      const auto named = std::ranges::find(listed.axes, axis->name, &Axis::name);
      own.push_back(named != listed.axes.end() ? *named : *axis);
    }
    std::vector<const Axis*> pointers;
    for (const Axis& axis : own) pointers.push_back(&axis);
    add_product(suite, pointers, python, &listed, all);
  }
  return all;
}

}  // namespace warpmark
