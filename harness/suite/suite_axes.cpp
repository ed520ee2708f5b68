// Which axes a suite has for which purpose, and which of them go together.
#include <fmt/format.h>

#include <algorithm>

#include "suite/suite.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

std::vector<const Axis*> axes_of(const Suite& suite, Purpose purpose) {
  std::vector<const Axis*> axes;
  for (const Axis& own : suite.axes) {
    const Axis* axis = &own;
    for (const Axis& other : suite.bench.axes) {
      if (purpose == Purpose::bench && other.name == own.name) axis = &other;
    }
    axes.push_back(axis);
  }
  return axes;
}

std::vector<size_t> zip_leaders(const std::vector<const Axis*>& axes) {
  std::vector<size_t> leaders;
  for (size_t i = 0; i < axes.size(); ++i) {
    leaders.push_back(i);
    const std::optional<Located>& zip = axes[i]->zip;
    if (!zip) continue;
    const auto other =
        std::ranges::find_if(axes, [&](const Axis* axis) { return axis->name == zip->text; });
    if (other == axes.end()) {
      std::vector<std::string> names;
      names.reserve(axes.size());
      for (const Axis* axis : axes) names.push_back(axis->name);
      throw unknown_word("axis in `zip`", zip->text, zip->where, names);
    }
    leaders.back() = static_cast<size_t>(other - axes.begin());
    if (leaders.back() == i) {
      throw usage_error(fmt::format("the axis `{}` is zipped with itself", zip->text), zip->where);
    }
    if ((*other)->zip) {
      throw usage_error(fmt::format("the axis `{}` is zipped itself", zip->text), zip->where,
                        fmt::format("zip both with `{}`", (*other)->zip->text));
    }
  }
  return leaders;
}

}  // namespace warpmark
