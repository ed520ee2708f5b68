// Cases that no list names: points within the ranges of axes, and patterns of contents.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "suite/case.hpp"

namespace warpmark {
namespace {

// The parts of an id behind the suite's name, "n=16", by their names; nothing if it has another form.
std::optional<std::map<std::string, std::string>> parts_of(std::string_view id,
                                                           const std::string& suite) {
  if (!id.starts_with(suite + ".")) return std::nullopt;
  std::map<std::string, std::string> parts;
  for (const std::string& part : split(std::string(id.substr(suite.size() + 1)), ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) return std::nullopt;
    if (!parts.emplace(part.substr(0, equals), part.substr(equals + 1)).second) return std::nullopt;
  }
  return parts;
}

std::optional<PointValue> value_in_range(const Axis& axis, std::string label) {
  const std::string written = label;
  std::ranges::replace(label, '~', '-');
  int64_t number = 0;
  const auto [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (error != std::errc() || end != label.data() + label.size()) return std::nullopt;
  const AxisRange& range = *axis.any;
  const bool fits = number >= range.least && number <= range.greatest &&
                    number % range.multiple_of == 0 && id_text(number) == written;
  if (!fits) return std::nullopt;
  return PointValue{axis.name, number, written};
}

}  // namespace

std::vector<int64_t> usual_values(const AxisRange& range) {
  const int64_t step = range.multiple_of;
  const auto up = [&](int64_t n) {
    return n >= 0 ? (n + step - 1) / step * step : -(-n / step * step);
  };
  const auto down = [&](int64_t n) { return -up(-n); };
  const int64_t least = up(range.least), greatest = down(range.greatest);
  if (least > greatest) return {};
  double between = static_cast<double>(least) / 2 + static_cast<double>(greatest) / 2;
  if (least > 0)
    between = std::sqrt(static_cast<double>(least)) * std::sqrt(static_cast<double>(greatest));
  std::vector<int64_t> values = {least, down(std::llround(between) | 1), greatest};
  for (int64_t& value : values) value = std::clamp(value, least, greatest);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::optional<Case> possible_case(const std::shared_ptr<const Suite>& suite, std::string_view id,
                                  const ListEvaluator& python) {
  const auto parts = parts_of(id, suite->name);
  if (!parts) return std::nullopt;
  // A listed or usual case has the values of the axes without a range.
  std::vector<Case> known = cases(suite, python);
  for (Case& one : known) {
    std::vector<PointValue> point;
    for (size_t i = 0; i < one.point.size(); ++i) {
      const auto part = parts->find(one.point[i].name);
      if (part == parts->end()) return std::nullopt;
      const Axis& axis = suite->axes[i];
      if (axis.any) {
        const auto value = value_in_range(axis, part->second);
        if (!value) return std::nullopt;
        point.push_back(*value);
      } else if (one.point[i].label == part->second) {
        point.push_back(one.point[i]);
      }
    }
    if (point.size() < one.point.size()) continue;
    std::vector<ArgumentContents> contents;
    for (const Argument& argument : suite->arguments) {
      const auto part = parts->find(argument.name);
      if (part == parts->end() || !argument.contents) continue;
      const std::vector<std::string> names = pattern_names(*argument.contents);
      if (std::ranges::find(names, part->second) == names.end()) return std::nullopt;
      contents.push_back({argument.name, part->second});
    }
    if (point.size() + contents.size() != parts->size()) return std::nullopt;
    return case_at(suite, std::move(point), std::move(contents));
  }
  return std::nullopt;
}

}  // namespace warpmark
