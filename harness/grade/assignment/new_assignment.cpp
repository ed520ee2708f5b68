#include "grade/assignment/new_assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "base/json_text.hpp"
#include "base/places.hpp"
#include "base/schemas.hpp"
#include "base/template.hpp"
#include "base/text.hpp"

namespace warpmark {
namespace {

// A JSON text is valid YAML.
std::string yaml_text(const std::string& text) {
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

nlohmann::ordered_json kernel_values(const NewAssignment& made, const NewKernel& kernel) {
  const Suite& suite = *kernel.suite;
  const std::string stem = kernel.file.substr(0, kernel.file.rfind('.'));
  const auto name = [&](const std::string& word) {
    return made.kernels.size() > 1 ? yaml_text(stem + ", " + word) : word;
  };
  nlohmann::ordered_json values = {
      {"suite", yaml_text(suite.file.lexically_relative(made.folder).generic_string())},
      {"file", yaml_text(kernel.file)},
      {"all", name("all")}};
  const Axis* axis = made.split ? size_axis(suite) : nullptr;
  std::vector<const Axis*> axes;
  if (axis != nullptr) axes = zipped_with(*axis, suite);
  if (axes.empty()) return values;
  const size_t last = axis->values.size() - 1;
  values["split"] = {{"visible", name("visible")},
                     {"hidden", name("hidden")},
                     {"first", values_text(axes, 0, last)},
                     {"last", values_text(axes, last, last + 1)},
                     {"axis", axis->name}};
  return values;
}

}  // namespace

std::string new_assignment_text(const NewAssignment& made) {
  const NewKernel& first = made.kernels.front();
  const bool several = made.kernels.size() > 1;
  std::vector<std::string> headers, wrong;
  for (const auto& file : made.headers) headers.push_back(yaml_text(file.generic_string()));
  // With several kernels a template alone is no submission.
  if (!several && !first.template_file.empty()) wrong.push_back(yaml_text(first.template_file));
  for (const auto& file : made.wrong) wrong.push_back(yaml_text(file.generic_string()));
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const NewKernel& kernel : made.kernels) kernels.push_back(kernel_values(made, kernel));
  const bool untitled = several || first.suite->about.empty();
  return filled_file(
      "grade/assignment/assignment.yaml.in",
      {{"schema", schema_line(own_places().schemas, "assignment", made.folder)},
       {"id", yaml_text(made.id)},
       {"title", yaml_text(untitled ? made.id : first.suite->about)},
       {"several", several},
       {"kernels", std::move(kernels)},
       {"points", fmt::format("{:<37}", fmt::format("points: {}", 100 * made.kernels.size()))},
       {"headers", join(headers, ", ")},
       {"fixed", join(made.fixed, ", ")},
       {"solution", yaml_text(made.solution)},
       {"wrong", join(wrong, ", ")}});
}

}  // namespace warpmark
