// The points that a search may try: numbers within ranges of axes, contents of arrays, and trials.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "suite/case.hpp"

namespace warpmark {

/// A point of a suite in numbers, which a search can change and make smaller.
struct SearchPoint {
  size_t kind = 0;               ///< index of the values of all other axes
  std::vector<int64_t> numbers;  ///< of each axis with a range
  std::vector<size_t> patterns;  ///< of each argument with `values`: 0 for the suite's value, else
                                 ///< one more than the index of a pattern, the simplest first
  uint64_t trial = 0;            ///< its random numbers, and its order of threads
  auto operator<=>(const SearchPoint&) const = default;  // NOLINT(modernize-use-nullptr): none here
};

class SearchSpace {
 public:
  /// `usual` are the cases that the suite has without a search.
  SearchSpace(std::shared_ptr<const Suite> suite, const std::vector<Case>& usual);

  const std::vector<const Axis*>& ranges() const { return ranges_; }
  const std::vector<const Argument*>& varied() const { return varied_; }
  size_t kinds() const { return kinds_.size(); }
  /// The number of patterns of the argument at `index` of varied().
  size_t patterns(size_t index) const { return pattern_names_.at(index).size(); }
  /// False if it has neither a range nor contents: then only trials differ.
  bool has_points() const { return !ranges_.empty() || !varied_.empty(); }

  /// The number of the range, nearest to `number`.
  int64_t nearest(size_t range, int64_t number) const;
  int64_t least(size_t range) const { return ends_.at(range).first; }
  int64_t greatest(size_t range) const { return ends_.at(range).second; }

  /// Numbers that code often gets wrong, of each range and ascending: its ends, powers of two,
  /// multiples of `sizes` (those of blocks and tiles), and numbers beside them.
  std::vector<std::vector<int64_t>> edges(const std::vector<int64_t>& sizes) const;

  /// The case of a point. Throws usage errors, as case_at does.
  Case case_of(const SearchPoint& point) const;
  /// True if a pattern of the point is not for integers.
  bool has_real_only(const SearchPoint& point) const;
  /// The point as an element of `cases`: "{n: 33, x: descending}"; labels are in quotes where YAML
  /// needs that.
  std::string listed(const SearchPoint& point) const;

 private:
  std::shared_ptr<const Suite> suite_;
  std::vector<const Axis*> ranges_;
  std::vector<size_t> places_;  ///< of each range, the index of its axis
  std::vector<std::pair<int64_t, int64_t>> ends_;
  std::vector<const Argument*> varied_;
  std::vector<std::vector<std::string>> pattern_names_;
  std::vector<std::vector<PointValue>> kinds_;
};

}  // namespace warpmark
