#include "grade/feedback/wrong_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "runtime/element.hpp"

namespace warpmark {

namespace {

// The most elements to search: patterns are for people, and longer arrays are not worth the time.
constexpr size_t kMostElements = size_t{1} << 22;

using Numbers = std::vector<double>;

Numbers numbers_of(const TypedBytes& array) {
  Numbers out(array.count());
  with_element_type(array.dtype, [&](auto type) {
    using T = decltype(type);
    for (size_t i = 0; i < out.size(); ++i) {
      const T value = load_element<T>(array.bytes.data(), i);
      if constexpr (std::is_same_v<T, BoolByte>) {
        out[i] = value.byte;
      } else if constexpr (kIsReal<T>) {
        out[i] = number(value);
      } else {
        out[i] = static_cast<double>(value);
      }
    }
  });
  return out;
}

// The distance at which two values of a type count as the same here.
double closeness(const DType& dtype) {
  if (dtype.kind != DTypeKind::floating) return 0;
  return dtype.bytes == 2 ? 2e-3 : dtype.bytes == 4 ? 1e-5 : 1e-11;
}

class Patterns {
 public:
  explicit Patterns(const WrongOutput& output)
      : output_(output),
        close_(closeness(output.actual.dtype)),
        actual_(numbers_of(output.actual)),
        expected_(numbers_of(output.expected)) {
    if (expected_.size() == 1) expected_.assign(actual_.size(), expected_.front());
    if (expected_.size() != actual_.size()) return;
    // A sum is less exact than a single number.
    const double least = close_;
    for (const double factor : {1.0, 10.0, 100.0, 1000.0}) {
      close_ = factor * least;
      find_wrong();
      if (known_ || least == 0) return;
    }
  }

  std::string text() const {
    if (!known_) return never_written() ? "" : rounding();
    // Right values in wrong places say all that their places could.
    if (std::string moved = never_written() ? "" : order(); !moved.empty()) {
      const std::string copied = copy();
      return copied.empty() ? moved : copied;
    }
    std::string out = place();
    const std::string what = values();
    if (!out.empty() && !what.empty()) out += " ";
    out += what;
    if (out.empty() && !never_written()) return rounding();
    return out;
  }

 private:
  void find_wrong() {
    wrong_.clear();
    for (size_t i = 0; i < actual_.size(); ++i) {
      if (!same(actual_[i], expected_[i])) wrong_.push_back(i);
    }
    known_ = !wrong_.empty() && wrong_.size() == output_.verdict.comparison.wrong;
  }
  bool same(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    return std::fabs(a - b) <= close_ * std::max(std::fabs(a), std::fabs(b));
  }
  const SubmissionFacts& facts() const { return output_.facts; }
  size_t size() const { return actual_.size(); }
  size_t block() const { return static_cast<size_t>(output_.block_threads.value_or(0)); }
  size_t right() const { return size() - wrong_.size(); }
  bool each_wrong(const std::function<bool(size_t)>& is) const {
    return std::ranges::all_of(wrong_, is);
  }

  // True if all wrong elements have this value. A single one may have it by chance.
  bool everywhere(const std::function<double(size_t)>& value) const {
    return wrong_.size() >= 2 && each_wrong([&](size_t i) { return same(actual_[i], value(i)); });
  }

  bool never_written() const {
    return output_.verdict.comparison.unwritten == output_.verdict.comparison.wrong;
  }
  std::string_view is_right() const { return never_written() ? "given a value" : "right"; }
  std::string_view is_wrong() const { return never_written() ? "without a value" : "wrong"; }

  // A loop that may end too early, where the elements show nothing.
  std::string rounding() const {
    const LoopFacts loop = facts().loop_that_rounds();
    if (loop.line == 0) return "";
    return fmt::format(
        "Does the loop of line {} come to the end? A quotient of integers is rounded down.",
        loop.line);
  }

  // Describes where the wrong elements lie.
  std::string place() const {
    if (right() == 0 || size() < 2) return "";
    const size_t first = wrong_.front();
    const size_t last = wrong_.back();
    const bool in_one_piece = last - first + 1 == wrong_.size();
    if (in_one_piece && last + 1 == size()) return tail(first);
    if (in_one_piece && first == 0) return head(last + 1);
    for (std::string text : {border(), columns(), block_edges(), stride()}) {
      if (!text.empty()) return text;
    }
    return "";
  }

  // The first and last rows and columns of a matrix, or the first and last element.
  std::string border() const {
    const auto& shape = output_.verdict.shape;
    if (shape.size() > 2 || size() < 9 || wrong_.size() < 2) return "";
    const auto width = static_cast<size_t>(shape.back());
    const size_t rows = size() / width, all = rows == 1 ? 2 : 2 * (rows + width) - 4;
    const bool outer = each_wrong([&](size_t i) {
      const size_t row = i / width, column = i % width;
      return column == 0 || column == width - 1 || (rows > 1 && (row == 0 || row == rows - 1));
    });
    if (!outer || 4 * wrong_.size() < 3 * all) return "";
    return std::string(
               "They are at the border, where an element has fewer neighbours: ask for each "
               "neighbour whether it is there") +
           (facts().has("/") ? ", and divide by as many as there are." : ".");
  }

  // The last columns of a matrix, in each row.
  std::string columns() const {
    const auto& shape = output_.verdict.shape;
    if (shape.size() != 2) return "";
    const auto rows = static_cast<size_t>(shape[0]), width = static_cast<size_t>(shape[1]);
    if (width == 0) return "";
    size_t first = width;
    for (const size_t i : wrong_) first = std::min(first, i % width);
    if (first == 0 || first == width || wrong_.size() != rows * (width - first)) return "";
    std::string text =
        fmt::format("In each row, the elements from column {} on are {}", first, is_wrong());
    if (first == block()) {
      return text +
             ", and a block has as many threads: does each thread do one element of a row alone?";
    }
    return text + ": are rows and columns exchanged, in the index or in what it is compared with?";
  }

  // The first and the last element of each block.
  std::string block_edges() const {
    const size_t threads = block();
    if (threads < 4 || wrong_.size() < 2) return "";
    const bool edges =
        each_wrong([&](size_t i) { return i % threads == 0 || i % threads == threads - 1; });
    if (!edges) return "";
    return fmt::format(
        "They are at the edges of blocks of {} threads (index {}): a thread there needs elements "
        "that "
        "another block has.",
        threads, wrong_.front());
  }

  std::string tail(size_t good) const {
    const size_t block = this->block();
    if (is_of_a_partial_block()) {
      return fmt::format(
          "Only the last one is {}, of the block that has fewer elements than threads: does "
          "halving "
          "lose an element where the number is odd, or does a thread without an element count?",
          is_wrong());
    }
    if (wrong_.size() == 1 && (!facts().known() || facts().has("-"))) {
      return fmt::format(
          "Only the last element is {}: does the index stop one too early, as with `i < n - 1` "
          "instead of `i < n`?",
          is_wrong());
    }
    if (good == 1 && !facts().has_grid_index()) {
      return fmt::format(
          "Only the first element is {}: does each thread use a different index, such as "
          "`blockIdx.x * blockDim.x + threadIdx.x`?",
          is_right());
    }
    if (block > 0 && good == block && facts().has_grid_index()) {
      return fmt::format(
          "Only the first {} elements are {}, as many as one block has threads: is "
          "`threadIdx.x` alone the index somewhere, or does only the first block come that far?",
          good, is_right());
    }
    if (block > 0 && good == block) {
      return fmt::format(
          "Only the first {} elements are {}, as many as one block has threads: does the index "
          "lack "
          "`blockIdx.x * blockDim.x`?",
          good, is_right());
    }
    if (block > 0 && good % block == 0 && wrong_.size() < block) {
      return fmt::format(
          "All full blocks of {} elements are {}, and the {} that are left over at the end are "
          "not: elements of a block that is only partly used count, too.",
          block, is_right(), wrong_.size());
    }
    const std::string text = fmt::format(
        "The first {} elements are {}, and all from index {} on are not", good, is_right(), good);
    if (!facts().known() || facts().has(std::to_string(good))) {
      return text +
             ": is the number of elements or threads taken from the arguments, or is it a fixed "
             "one?";
    }
    const bool power = std::has_single_bit(good) || std::has_single_bit(good - 1);
    return text + (power ? ": is the last round of a loop missing in the result?" : ".");
  }

  // One output for each block, and the last block has fewer elements than threads.
  bool is_of_a_partial_block() const {
    if (wrong_.size() != 1 || block() < 2) return false;
    return std::ranges::any_of(output_.inputs, [&](const auto& input) {
      const size_t count = input.second.count();
      return count % block() != 0 && (count + block() - 1) / block() == size();
    });
  }

  std::string head(size_t bad) const {
    if (bad == 1) {
      return fmt::format(
          "Only the first element is {}: does the index start at 1, or is `i > 0` asked?",
          is_wrong());
    }
    return fmt::format("Only the first {} elements are {}.", bad, is_wrong());
  }

  // "every second", with which remainder.
  std::string stride() const {
    for (const size_t step : {2, 3, 4, 8, 16, 32}) {
      if (size() < 2 * step) break;
      std::vector<size_t> wrong(step);
      for (const size_t i : wrong_) ++wrong[i % step];
      std::vector<size_t> all(step);
      for (size_t r = 0; r < step; ++r) all[r] = (size() - r + step - 1) / step;
      size_t right_ones = 0;
      size_t wrong_ones = 0;
      size_t remainder = 0;
      for (size_t r = 0; r < step; ++r) {
        if (wrong[r] == 0) ++right_ones;
        if (wrong[r] == 0) remainder = r;
        if (wrong[r] == all[r]) ++wrong_ones;
      }
      if (right_ones + wrong_ones != step || right_ones == 0 || wrong_ones == 0) continue;
      if (step == 2) {
        return fmt::format("Every second element is {}: those with an {} index.", is_wrong(),
                           remainder == 0 ? "odd" : "even");
      }
      if (right_ones == 1) {
        return fmt::format(
            "Only every {}{} element is {} (index {}, {}, {} …): is the index multiplied by "
            "something that it should not be?",
            step, step == 3 ? "rd" : "th", is_right(), remainder, remainder + step,
            remainder + 2 * step);
      }
    }
    return "";
  }

  // Describes the values of the wrong elements.
  std::string values() const {
    if (never_written()) return "";
    if (size() == 1) return single();
    if (each_wrong([&](size_t i) { return std::isnan(actual_[i]); }) && wrong_.size() >= 2) {
      if (facts().has_word_like("exp") || facts().has_word_like("__exp")) {
        return "They are all NaN (not a number): `expf` of numbers above 88 is infinite, and the "
               "quotient of two of them is NaN. Subtract the greatest one before.";
      }
      return "They are all NaN (not a number), which comes of something like 0/0, of the square "
             "root "
             "of a negative number, or of memory that was read before anything was written to it.";
    }
    if (everywhere([](size_t) { return 0.0; })) {
      if (facts().recurses()) {
        return "They are all 0: a function calls itself, and the compiler may drop what never "
               "ends. Does "
               "the recursion end for each argument?";
      }
      return std::string(
                 "They are all 0: is the result computed, or is something left out that should "
                 "add to it?") +
             (facts().has("/") ? " A quotient of integers such as 1 / 3 is 0, too." : "");
    }
    const std::string copied = copy();
    return copied.empty() ? arithmetic() : copied;
  }

  std::string copy() const {
    for (const auto& [name, bytes] : output_.inputs) {
      if (bytes.count() != size() || size() > kMostElements) continue;
      const Numbers input = numbers_of(bytes);
      if (!everywhere([&](size_t i) { return input[i]; })) continue;
      if (name == output_.verdict.output) {
        return fmt::format(
            "They are as they were before the launch: the kernel has not changed "
            "them.");
      }
      return fmt::format("They are the same as in `{}`: is anything computed?", name);
    }
    return "";
  }

  // Right values in the wrong places. Most elements must differ from their neighbours, or the
  // order does not show.
  std::string order() const {
    const size_t n = size();
    if (wrong_.size() < 3) return "";
    const auto comes_from = [&](const std::function<size_t(size_t)>& source) {
      size_t missing = 0;  // there is no element before the first, or after the last
      for (const size_t i : wrong_) {
        const size_t from = source(i);
        if (from >= n && ++missing > 1) return false;
        if (from < n && !same(actual_[i], expected_[from])) return false;
      }
      return true;
    };
    if (comes_from([&](size_t i) { return i + 1; })) {
      return std::string(
                 "The values are shifted by one place: each is what belongs to the next index.") +
             (is_exclusive_scan() ? " Each has its own element in it, as in an inclusive scan, and "
                                    "an exclusive one is wanted."
                                  : "");
    }
    if (comes_from([&](size_t i) { return i - 1; })) {
      return "The values are shifted by one place: each is what belongs to the index before.";
    }
    if (comes_from([&](size_t i) { return n - 1 - i; })) {
      return "The values are in reverse order.";
    }
    const auto& shape = output_.verdict.shape;
    if (shape.size() == 2) {
      const auto rows = static_cast<size_t>(shape[0]);
      const auto columns = static_cast<size_t>(shape[1]);
      if (rows == columns && rows > 1 &&
          comes_from([&](size_t i) { return i % columns * columns + i / columns; })) {
        return "Rows and columns are exchanged: element [r, c] is what belongs to [c, r].";
      }
    }
    return "";
  }

  // Sums of all elements of an input before each.
  bool is_exclusive_scan() const {
    if (expected_.front() != 0) return false;
    return std::ranges::any_of(output_.inputs, [&](const auto& one) {
      if (one.second.count() != size()) return false;
      const Numbers input = numbers_of(one.second);
      for (size_t i = 0; i + 1 < size(); ++i) {
        if (!same(expected_[i + 1], expected_[i] + input[i])) return false;
      }
      return true;
    });
  }

  std::string arithmetic() const {
    if (everywhere([&](size_t i) { return std::trunc(expected_[i]); })) {
      return "The digits after the point are cut off: is an `int` used somewhere where a `float` "
             "is "
             "needed (in C++ 1 / 2 is 0)?";
    }
    for (const double factor : {2.0, 0.5, 3.0, 4.0, 0.25, -1.0}) {
      if (!everywhere([&](size_t i) { return factor * expected_[i]; })) continue;
      if (factor == -1) return "All have the wrong sign.";
      return factor > 1 ? fmt::format("All are {:g} times what they should be.", factor)
                        : fmt::format("All are 1/{:g} of what they should be.", 1 / factor);
    }
    for (const double difference : {1.0, -1.0}) {
      if (everywhere([&](size_t i) { return expected_[i] + difference; })) {
        return fmt::format("All are 1 too {}.", difference > 0 ? "great" : "small");
      }
    }
    if (everywhere([&](size_t) { return actual_[wrong_.front()]; })) {
      return "They all have the same value: does every thread compute its own element?";
    }
    const auto is_whole = [](double value) { return std::trunc(value) == value; };
    if (wrong_.size() >= 3 && output_.actual.dtype.kind == DTypeKind::floating &&
        each_wrong([&](size_t i) { return is_whole(actual_[i]); }) &&
        !each_wrong([&](size_t i) { return is_whole(expected_[i]); })) {
      return "They are whole numbers: is an `int` used where a `float` is needed?";
    }
    return "";
  }

  // Describes a single number that is made of many, as by a reduction.
  std::string single() const {
    const double value = actual_.front();
    if (std::isnan(value)) {
      return "NaN (not a number) comes of something like 0/0, or of memory that was read before "
             "anything was "
             "written to it.";
    }
    if (value == 0 && facts().recurses())
      return "A function calls itself: does the recursion end for each argument?";
    if (value == 0) return "Was nothing added to it?";
    if (value == double{std::numeric_limits<float>::min()}) {
      return "It is FLT_MIN, the smallest positive `float`, which is greater than all negative "
             "numbers: begin with `-FLT_MAX`.";
    }
    if (const LoopFacts loop = facts().loop_by_block(); loop.line != 0) {
      return fmt::format(
          "Does the loop of line {} go through the whole grid? It begins at an index of the grid "
          "and "
          "goes on by `blockDim` alone, so that blocks take elements of others again: the step is "
          "`blockDim.x * gridDim.x`.",
          loop.line);
    }
    for (const auto& [name, bytes] : output_.inputs) {
      if (bytes.count() < 2 || bytes.count() > kMostElements) continue;
      const Numbers input = numbers_of(bytes);
      if (std::string text = part_of(name, input, value); !text.empty()) return text;
    }
    if (std::string text = unchanged(value); !text.empty()) return text;
    if (block() > 1 && same(value, static_cast<double>(block()) * expected_.front())) {
      return fmt::format(
          "It is {} times what it should be, as many as a block has threads: does each thread add "
          "what "
          "one alone should, as by `if (threadIdx.x == 0)`?",
          block());
    }
    for (const double factor : {2.0, 0.5}) {
      if (same(value, factor * expected_.front())) {
        return factor > 1 ? "It is twice what it should be: is something counted twice?"
                          : "It is half of what it should be.";
      }
    }
    return "";
  }

  // A single number that is as it was.
  std::string unchanged(double value) const {
    const auto before = output_.inputs.find(output_.verdict.output);
    if (before == output_.inputs.end() || before->second.count() != 1) return "";
    if (!same(value, numbers_of(before->second).front())) return "";
    if (expected_.front() < 0 && facts().has("__float_as_int")) {
      return "It is as it was before the launch: as integers, the bits of negative floats are in "
             "the "
             "reverse order.";
    }
    return "It is as it was before the launch: the kernel has not changed it.";
  }

  // Finds one element, or a sum of only some. Sums depend on their order, so they are compared
  // roughly.
  std::string part_of(const std::string& name, const Numbers& input, double value) const {
    constexpr double kRough = 1e-5;
    const auto is = [&](double sum, double magnitude) {
      return std::fabs(value - sum) <= kRough * magnitude;
    };
    if (same(value, input.front()))
      return fmt::format("It is the same as the first element of `{}`.", name);
    if (same(value, input.back())) {
      return fmt::format(
          "It is the same as the last element of `{}`: is the result overwritten where something "
          "should "
          "be added to it?",
          name);
    }
    const size_t block = this->block();
    double sum = 0;
    double even = 0;
    double magnitude = 0;
    for (size_t i = 0; i < input.size(); ++i) {
      sum += input[i];
      even += i % 2 == 0 ? input[i] : 0;
      magnitude += std::fabs(input[i]);
      if (block > 1 && i + 1 == block && i + 1 < input.size() && is(sum, magnitude)) {
        return fmt::format(
            "It is the sum of the first {} elements of `{}` only, as many as one block has "
            "threads: what becomes of the others?",
            block, name);
      }
    }
    if (input.size() > 3 && is(even, magnitude)) {
      return fmt::format(
          "It is the sum of the elements of `{}` with an even index: does a loop end one round too "
          "early?",
          name);
    }
    // Only if one element is larger than the tolerance of the rough comparison.
    if (std::fabs(input.back()) > 10 * kRough * magnitude && is(sum - input.back(), magnitude) &&
        std::fabs(sum - expected_.front()) <= kRough * magnitude) {
      return fmt::format("The last element of `{}` is missing in it.", name);
    }
    return "";
  }

  const WrongOutput& output_;
  double close_;
  Numbers actual_, expected_;
  std::vector<size_t> wrong_;
  bool known_ = false;
};

}  // namespace

WrongValues wrong_values(const TypedBytes& actual, const TypedBytes& expected,
                         const std::map<std::string, TypedBytes>& inputs) {
  const size_t count = actual.count();
  if (count == 0 || count > kMostElements) return {};
  if (expected.count() != count && expected.count() != 1) return {};
  const Numbers given = numbers_of(actual), wanted = numbers_of(expected);
  constexpr double kNear = 1e-3;
  WrongValues all{true, true, true};
  double least_ratio = std::numeric_limits<double>::infinity(), greatest_ratio = -least_ratio;
  std::vector<size_t> wrong;
  bool fractions = actual.dtype.kind == DTypeKind::floating;
  for (size_t i = 0; i < count; ++i) {
    const double want = wanted[expected.count() == 1 ? 0 : i];
    if (std::fabs(given[i] - want) <= kNear * std::fabs(want)) continue;
    wrong.push_back(i);
    fractions = fractions && std::trunc(want) != want;
    all.whole_numbers = all.whole_numbers && std::trunc(given[i]) == given[i];
    all.zero = all.zero && given[i] == 0;
    all.negative = all.negative && want < 0;
    all.greatest = std::max(all.greatest, std::fabs(want));
    least_ratio = std::min(least_ratio, given[i] / want);
    greatest_ratio = std::max(greatest_ratio, given[i] / want);
  }
  if (wrong.empty()) return {};
  all.whole_numbers = all.whole_numbers && fractions;
  if (count == 1 && wanted[0] != 0) all.factor = given[0] / wanted[0];
  if (wrong.size() >= 2 && greatest_ratio - least_ratio <= kNear * std::fabs(greatest_ratio))
    all.ratio = (least_ratio + greatest_ratio) / 2;
  all.last_only = wrong.size() == 1 && wrong.front() == count - 1;
  for (const auto& [name, bytes] : inputs) {
    if (bytes.count() != count || wrong.size() < 2) continue;
    const Numbers input = numbers_of(bytes);
    all.copied =
        all.copied || std::ranges::all_of(wrong, [&](size_t i) { return given[i] == input[i]; });
  }
  return all;
}

std::string wrong_pattern(const WrongOutput& output) {
  const size_t count = output.actual.count();
  if (count == 0 || count > kMostElements) return "";
  if (output.expected.count() != count && output.expected.count() != 1) return "";
  return Patterns(output).text();
}

}  // namespace warpmark
