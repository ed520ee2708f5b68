#include "check/shrink.hpp"

#include <set>
#include <utility>

namespace warpmark {
namespace {

class Shrinking {
 public:
  Shrinking(const SearchSpace& space, SearchPoint point,
            const std::vector<std::vector<int64_t>>& edges, const std::vector<int64_t>& sizes,
            size_t most, const FailsToo& fails)
      : space_(space),
        point_(std::move(point)),
        edges_(edges),
        sizes_(sizes),
        left_(most),
        fails_(fails) {}

  SearchPoint run() {
    SearchPoint before;
    do {
      before = point_;
      simpler_trial();
      for (size_t i = 0; i < point_.patterns.size(); ++i) simpler_pattern(i);
      for (size_t i = 0; i < point_.numbers.size(); ++i) smaller_number(i, false);
      for (size_t i = 0; i < point_.numbers.size(); ++i) smaller_number(i, true);
      simpler_kind();
    } while (point_ != before && left_ > 0);
    return point_;
  }

 private:
  // Takes over the change if the point fails with it.
  template <typename Change>
  bool attempt(const Change& change) {
    SearchPoint other = point_;
    change(other);
    if (other == point_ || left_ == 0 || !asked_.insert(other).second) return false;
    --left_;
    if (!fails_(other)) return false;
    point_ = std::move(other);
    return true;
  }

  void simpler_trial() {
    // A failure that a few of the random numbers show is repeated by a small trial.
    constexpr uint64_t kFewTrials = 8;
    for (uint64_t trial = 0; trial < kFewTrials && trial < point_.trial; ++trial) {
      if (attempt([&](SearchPoint& other) { other.trial = trial; })) return;
    }
  }

  void simpler_pattern(size_t index) {
    for (size_t pattern = 0; pattern < point_.patterns[index]; ++pattern) {
      if (attempt([&](SearchPoint& other) { other.patterns[index] = pattern; })) return;
    }
  }

  void simpler_kind() {
    for (size_t kind = 0; kind < point_.kind; ++kind) {
      if (attempt([&](SearchPoint& other) { other.kind = kind; })) return;
    }
  }

  // The ranges that have the number of this one, if they change together; else this one alone.
  std::vector<size_t> group_of(size_t range, bool together) const {
    std::vector<size_t> group;
    for (size_t other = 0; other < point_.numbers.size(); ++other) {
      if (other == range || (together && point_.numbers[other] == point_.numbers[range]))
        group.push_back(other);
    }
    return group;
  }

  bool try_number(const std::vector<size_t>& group, int64_t number) {
    return attempt([&](SearchPoint& other) {
      for (const size_t range : group) other.numbers[range] = space_.nearest(range, number);
    });
  }

  // Numbers to try for the first of the group, the smallest first: those at the beginning of its
  // range, beside powers of two and sizes of blocks, and as far beyond a multiple of a size as the
  // number is. One of them is the least in nearly all failures that sizes decide.
  std::vector<int64_t> simple_numbers(size_t range) const {
    constexpr int64_t kFirst = 8, kMultiples = 3;
    const int64_t least = space_.least(range), number = point_.numbers[range];
    std::set<int64_t> numbers(edges_[range].begin(), edges_[range].end());
    for (int64_t i = 0; i < kFirst; ++i)
      numbers.insert(least + i * space_.ranges()[range]->any->multiple_of);
    for (const int64_t size : sizes_) {
      for (int64_t times = 0; times < kMultiples && size > 1; ++times)
        numbers.insert(number % size + times * size);
    }
    return {numbers.lower_bound(least), numbers.lower_bound(number)};
  }

  void smaller_number(size_t range, bool together) {
    const std::vector<size_t> group = group_of(range, together);
    if (together && group.size() < 2) return;
    for (const int64_t number : simple_numbers(range)) {
      if (try_number(group, number)) break;
    }
    // Halves the distance to numbers that pass, then goes down one by one.
    const int64_t step = space_.ranges()[range]->any->multiple_of;
    for (int64_t passes = space_.least(range);
         point_.numbers[range] - passes > step && left_ > 0;) {
      const int64_t between = space_.nearest(range, passes + (point_.numbers[range] - passes) / 2);
      if (between <= passes || between >= point_.numbers[range]) break;
      if (!try_number(group, between)) passes = between;
    }
    while (try_number(group, point_.numbers[range] - step)) continue;
  }

  const SearchSpace& space_;
  SearchPoint point_;
  const std::vector<std::vector<int64_t>>& edges_;
  const std::vector<int64_t>& sizes_;
  size_t left_;
  std::set<SearchPoint> asked_;
  const FailsToo& fails_;
};

}  // namespace

SearchPoint shrunk(const SearchSpace& space, SearchPoint point,
                   const std::vector<std::vector<int64_t>>& edges,
                   const std::vector<int64_t>& sizes, size_t most, const FailsToo& fails) {
  return Shrinking(space, std::move(point), edges, sizes, most, fails).run();
}

}  // namespace warpmark
