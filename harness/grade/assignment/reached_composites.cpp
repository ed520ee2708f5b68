#include "grade/assignment/reached_composites.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmark {

void ReachedComposites::add(const Case& item, const std::vector<MeasuredComposite>& measured) {
  for (const MeasuredComposite& one : measured) {
    const auto known = std::ranges::find_if(parts_, [&](const Part& part) {
      return part.suite == item.suite->name && part.measured.composite == one.composite &&
             part.measured.measure == one.measure;
    });
    if (known == parts_.end()) {
      parts_.push_back({item.suite->name, item.id, one});
    } else if (one.met < known->measured.met) {
      *known = {item.suite->name, item.id, one};
    }
  }
}

std::vector<std::string> ReachedComposites::lines() const {
  std::vector<std::string> lines;
  const Part* before = nullptr;
  for (const Part& part : parts_) {
    const std::string text = fmt::format("{} at {}", part.measured.reached, part.item);
    if (before != nullptr && before->suite == part.suite &&
        before->measured.composite == part.measured.composite) {
      lines.back() += "; " + text;
    } else {
      lines.push_back(part.measured.composite + ": " + text);
    }
    before = &part;
  }
  return lines;
}

}  // namespace warpmark
