#include "check/search_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "suite/axis_override.hpp"

namespace warpmark {
namespace {

// Points of all other axes are the kinds; numbers of the ranges are left out of the key.
std::string kind_key(const Case& which, const std::vector<size_t>& places) {
  std::string key;
  for (size_t i = 0; i < which.point.size(); ++i) {
    if (std::ranges::find(places, i) == places.end()) key += which.point[i].label + ",";
  }
  return key;
}

}  // namespace

SearchSpace::SearchSpace(std::shared_ptr<const Suite> suite, const std::vector<Case>& usual)
    : suite_(std::move(suite)) {
  for (size_t i = 0; i < suite_->axes.size(); ++i) {
    const Axis& axis = suite_->axes[i];
    if (!axis.any) continue;
    const std::vector<int64_t> ends = usual_values(*axis.any);
    ranges_.push_back(&axis);
    places_.push_back(i);
    ends_.emplace_back(ends.front(), ends.back());
  }
  for (const Argument& argument : suite_->arguments) {
    if (!argument.contents) continue;
    varied_.push_back(&argument);
    pattern_names_.push_back(warpmark::pattern_names(*argument.contents));
  }
  std::set<std::string> seen;
  for (const Case& one : usual) {
    if (!one.skip && seen.insert(kind_key(one, places_)).second) kinds_.push_back(one.point);
  }
}

int64_t SearchSpace::nearest(size_t range, int64_t number) const {
  const auto [least, greatest] = ends_.at(range);
  const int64_t step = ranges_[range]->any->multiple_of;
  const int64_t within = std::clamp(number, least, greatest);
  return least + (within - least) / step * step;
}

std::vector<std::vector<int64_t>> SearchSpace::edges(const std::vector<int64_t>& sizes) const {
  std::vector<std::vector<int64_t>> all;
  for (size_t range = 0; range < ranges_.size(); ++range) {
    const auto [least, greatest] = ends_[range];
    std::set<int64_t> numbers;
    const auto beside = [&, first = least, last = greatest](int64_t number) {
      for (const int64_t near : {number - 1, number, number + 1}) {
        if (near >= first && near <= last) numbers.insert(nearest(range, near));
      }
    };
    for (const int64_t end : {least, greatest}) {
      beside(end);
      numbers.insert(end);
    }
    for (int64_t power = 1; power <= greatest / 2; power *= 2) beside(2 * power);
    for (const int64_t size : sizes) {
      if (size <= 0) continue;
      for (const int64_t times : {1, 2, 3, 4, 8}) {
        if (size <= greatest / times) beside(size * times);
      }
    }
    all.emplace_back(numbers.begin(), numbers.end());
  }
  return all;
}

Case SearchSpace::case_of(const SearchPoint& point) const {
  std::vector<PointValue> values = kinds_.at(point.kind);
  for (size_t i = 0; i < places_.size(); ++i) {
    values[places_[i]].value = point.numbers[i];
    values[places_[i]].label = id_text(point.numbers[i]).value();
  }
  std::vector<ArgumentContents> contents;
  for (size_t i = 0; i < point.patterns.size(); ++i) {
    if (point.patterns[i] > 0)
      contents.push_back({varied_[i]->name, pattern_names_[i].at(point.patterns[i] - 1)});
  }
  return case_at(suite_, std::move(values), std::move(contents));
}

bool SearchSpace::has_real_only(const SearchPoint& point) const {
  for (size_t i = 0; i < point.patterns.size(); ++i) {
    if (point.patterns[i] > 0 && is_real_only(pattern_names_[i].at(point.patterns[i] - 1)))
      return true;
  }
  return false;
}

std::string SearchSpace::listed(const SearchPoint& point) const {
  const Case which = case_of(point);
  std::vector<std::string> parts;
  for (const PointValue& axis : which.point) {
    std::string value = axis_literal(axis.value);
    if (id_text(axis.value) != axis.label)
      value = fmt::format("{{value: {}, label: {}}}", value, axis.label);
    parts.push_back(axis.name + ": " + value);
  }
  for (const ArgumentContents& one : which.contents)
    parts.push_back(one.argument + ": " + one.pattern);
  return "{" + join(parts, ", ") + "}";
}

}  // namespace warpmark
