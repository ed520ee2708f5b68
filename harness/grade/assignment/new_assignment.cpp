#include "grade/assignment/new_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "base/text.hpp"
#include "suite/case.hpp"

namespace warpmark {
namespace {

// A JSON text is valid YAML.
std::string quoted(const std::string& text) {
  return json_line(nlohmann::json(printable(text)));
}

// The greatest value of an axis of whole numbers, two or more; nothing for any other.
std::optional<int64_t> greatest(const Axis& axis) {
  if (axis.python || axis.values.size() < 2) return std::nullopt;
  int64_t most = 0;
  for (const AxisValue& value : axis.values) {
    const auto* whole = std::get_if<int64_t>(&value.value);
    if (whole == nullptr || !value.label.empty()) return std::nullopt;
    most = std::max(most, *whole);
  }
  return most;
}

// The axis that most likely has the sizes: the one with the greatest value.
const Axis* size_axis(const Suite& suite) {
  const Axis* found = nullptr;
  for (const Axis& axis : suite.axes) {
    const std::optional<int64_t> most = greatest(axis);
    if (most && (found == nullptr || *most > *greatest(*found))) found = &axis;
  }
  return found;
}

// The axis and those that are zipped with it; nothing if any of them has values other than numbers.
std::vector<const Axis*> zipped_with(const Axis& axis, const Suite& suite) {
  const auto leader = [](const Axis& one) { return one.zip ? one.zip->text : one.name; };
  std::vector<const Axis*> group;
  for (const Axis& one : suite.axes) {
    if (leader(one) != leader(axis)) continue;
    if (one.python || one.values.size() != axis.values.size()) return {};
    for (const AxisValue& value : one.values) {
      const bool number = std::holds_alternative<int64_t>(value.value) ||
                          std::holds_alternative<double>(value.value);
      if (!number || !value.label.empty()) return {};
    }
    group.push_back(&one);
  }
  return group;
}

// "n: [1, 2], m: [3, 4]": the values from `first` to before `end`.
std::string values_text(const std::vector<const Axis*>& axes, size_t first, size_t end) {
  std::vector<std::string> parts;
  for (const Axis* axis : axes) {
    std::vector<std::string> values;
    for (size_t i = first; i < end; ++i) values.push_back(to_text(axis->values[i].value));
    parts.push_back(fmt::format("{}: [{}]", axis->name, join(values, ", ")));
  }
  return join(parts, ", ");
}

std::string place_of(const Suite& suite, const NewAssignment& made) {
  return quoted(suite.file.lexically_relative(made.folder).generic_string());
}

std::string cases_text(const NewAssignment& made, const NewKernel& kernel) {
  const Suite& suite = *kernel.suite;
  const bool several = made.kernels.size() > 1;
  const std::string of = several ? "suite: " + place_of(suite, made) : "";
  const std::string stem = several ? kernel.file.substr(0, kernel.file.rfind('.')) + ", " : "";
  const auto name = [&](const char* word) { return several ? quoted(stem + word) : word; };
  const Axis* axis = made.split ? size_axis(suite) : nullptr;
  std::vector<const Axis*> axes;
  if (axis != nullptr) axes = zipped_with(*axis, suite);
  if (axes.empty()) {
    return fmt::format("  - {{name: {}, {}points: 100}}\n", name("all"), several ? of + ", " : "");
  }
  const size_t last = axis->values.size() - 1;
  return fmt::format(
      "  - {{name: {3}, {5}points: 40, axes: {{{1}}}}}\n"
      "  - name: {4}\n"
      "{6}"
      "    points: 60\n"
      "    axes: {{{2}}}  # better: values that no student has seen\n"
      "    visibility: hidden\n"
      "    hint: Think of values of {0} other than those that you know.\n",
      axis->name, values_text(axes, 0, last), values_text(axes, last, last + 1), name("visible"),
      name("hidden"), several ? of + ", " : "", several ? "    " + of + "\n" : "");
}

std::string suites_text(const NewAssignment& made) {
  const Suite& first = *made.kernels.front().suite;
  if (made.kernels.size() == 1) return fmt::format("suite: {}\n", place_of(first, made));
  std::string text = "suites:                              # one for each kernel\n";
  for (const NewKernel& kernel : made.kernels) {
    text += fmt::format("  - {{suite: {}, file: {}}}\n", place_of(*kernel.suite, made),
                        quoted(kernel.file));
  }
  return text;
}

}  // namespace

std::string new_assignment_text(const NewAssignment& made) {
  const NewKernel& first = made.kernels.front();
  const bool several = made.kernels.size() > 1;
  std::string text = schema_line(own_places().schemas, "assignment", made.folder);
  text += "warpmark: 1\n";
  text += fmt::format("assignment: {}\n", quoted(made.id));
  text += fmt::format("title: {}\n",
                      quoted(several || first.suite->about.empty() ? made.id : first.suite->about));
  text += suites_text(made);
  text += fmt::format("{:<37}# what the cases must add up to\n",
                      fmt::format("points: {}", 100 * made.kernels.size()));
  if (!made.headers.empty()) {
    std::vector<std::string> headers;
    for (const auto& file : made.headers) headers.push_back(quoted(file.generic_string()));
    text += fmt::format("submission: {{headers: [{}]}}\n", join(headers, ", "));
  }
  text += "cases:\n";
  for (const NewKernel& kernel : made.kernels) text += cases_text(made, kernel);
  if (!made.fixed.empty()) {
    text += fmt::format(
        "# One value in all cases, so that kernels may have it built in; better: several.\n"
        "fixed: [{}]\n",
        join(made.fixed, ", "));
  }
  text +=
      "ptx:                                 # what compiled code must not have\n"
      "  forbid: [malloc, writable_globals]\n"
      "  flag: [vprintf, \"%clock64\"]\n";
  text += "self_test:                           # `warpmark grade --lint` grades these\n";
  text += fmt::format("  must_pass: [{}]\n", quoted(made.solution));
  std::vector<std::string> wrong;
  // With several kernels a template alone is no submission.
  if (!several && !first.template_file.empty()) wrong.push_back(quoted(first.template_file));
  for (const auto& file : made.wrong) wrong.push_back(quoted(file.generic_string()));
  if (!wrong.empty()) text += fmt::format("  must_fail: [{}]\n", join(wrong, ", "));
  return text;
}

}  // namespace warpmark
