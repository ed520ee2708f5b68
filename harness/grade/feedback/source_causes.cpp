#include "grade/feedback/source_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "grade/feedback/device_report.hpp"

namespace warpmark {

namespace {

constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};

unsigned bit(Symptom::Kind kind) {
  return 1U << static_cast<unsigned>(kind);
}

const unsigned kWrong = bit(Symptom::Kind::wrong);
const unsigned kOutside = bit(Symptom::Kind::outside);
const unsigned kTile = bit(Symptom::Kind::outside_shared);
const unsigned kRace = bit(Symptom::Kind::race);
const unsigned kBlockRace = bit(Symptom::Kind::race_in_block);
const unsigned kUndefined = bit(Symptom::Kind::undefined);
const unsigned kLimit = bit(Symptom::Kind::limit);

int64_t blocks_for(int64_t elements, int64_t span) {
  return span > 0 ? (elements + span - 1) / span : 0;
}

}  // namespace

std::string SourceCauses::of(const Symptom& symptom) const {
  if (text_.empty()) return "";
  using Self = SourceCauses;
  const std::initializer_list<std::pair<unsigned, Rule>> kRules = {
      {kWrong | kOutside | kRace | kUndefined | kLimit, &Self::empty_statement},
      {kWrong | kOutside | kRace | kUndefined | kLimit, &Self::assigns_in_condition},
      {kWrong | kRace | kBlockRace | kUndefined, &Self::uncalled},
      {kWrong | kOutside | kTile | kRace | kBlockRace | kUndefined, &Self::outside_of_branch},
      {kWrong, &Self::sign_for_operator},
      {kOutside, &Self::single_and},
      {kOutside, &Self::asks_too_late},
      {kOutside, &Self::leaves_too_late},
      {kOutside, &Self::asks_after_round},
      {kWrong | kOutside | kRace | kBlockRace, &Self::one_of_two_bounds},
      {kWrong | kOutside | kLimit, &Self::never_below_zero},
      {kRace | kBlockRace, &Self::counts_in_two_steps},
      {kRace | kBlockRace, &Self::reads_counter_again},
      {kWrong | kRace | kBlockRace, &Self::exchanged_twice},
      {kOutside, &Self::from_the_end},
      {kTile, &Self::grid_index_in_tile},
      {kTile, &Self::tile_without_border},
      {kLimit | kOutside | kRace, &Self::steps_nowhere},
      {kWrong | kOutside | kRace, &Self::product_of_indices},
      {kWrong | kOutside | kRace, &Self::sum_of_indices},
      {kWrong | kOutside | kRace, &Self::mixed_axes},
      {kWrong | kRace, &Self::no_thread_index},
      {kWrong | kRace, &Self::no_block_index},
      {kWrong, &Self::unnamed_output},
      {kOutside, &Self::atomic_on_input},
      {kOutside, &Self::or_equal},
      {kOutside, &Self::neighbour_past_end},
      {kWrong, &Self::leaves_last_out},
      {kWrong | kOutside | kRace, &Self::exchanged_bounds},
      {kWrong | kOutside | kRace, &Self::exchanged_index},
      {kWrong | kOutside | kRace, &Self::row_length},
      {kOutside | kRace, &Self::unasked_index},
      {kWrong, &Self::part_of_a_tile},
      {kWrong, &Self::one_element_a_thread},
      {kWrong, &Self::replaced_before},
      {kWrong, &Self::step_of_one},
      {kWrong, &Self::shuffles_too_few},
      {kWrong, &Self::added_by_all},
      {kWrong, &Self::halves_too_few},
      {kWrong, &Self::halves_odd},
      {kWrong, &Self::rounds_down},
      {kWrong | kOutside, &Self::shifts_out},
      {kWrong, &Self::exchanged_buffers},
      {kWrong, &Self::unused_result},
      {kWrong, &Self::one_thread_alone},
      {kWrong, &Self::caret},
      {kWrong, &Self::narrow_variable},
      {kWrong, &Self::divides_by_block},
      {kWrong, &Self::integer_quotient},
      {kWrong, &Self::integer_variable},
      {kWrong, &Self::neutral_of_greatest},
      {kWrong | kOutside, &Self::atomic_by_thread},
      {kUndefined, &Self::reads_output},
      {kUndefined, &Self::written_twice},
      {kUndefined, &Self::not_shared},
      {kUndefined, &Self::written_by_some},
  };
  for (const auto& [symptoms, rule] : kRules) {
    if ((symptoms & bit(symptom.kind)) == 0) continue;
    if (std::string found = (this->*rule)(symptom); !found.empty()) return found;
  }
  return "";
}

std::string SourceCauses::line_name(size_t place) const {
  return line_in_file(text_.line(place), names_);
}

std::string SourceCauses::line_start(size_t place) const {
  return "L" + line_name(place).substr(1);
}

const LaunchFacts::Argument* SourceCauses::argument_of(std::string_view parameter) const {
  const auto& parameters = text_.parameters();
  const auto found = std::ranges::find(parameters, parameter);
  const auto index = static_cast<size_t>(found - parameters.begin());
  return index < parameters.size() && index < launch_.arguments.size() ? &launch_.arguments[index]
                                                                       : nullptr;
}

std::optional<int64_t> SourceCauses::argument_number(size_t place) const {
  if (!text_.is_word(place)) return std::nullopt;
  const auto* argument = argument_of(text_.at(place).text);
  return argument == nullptr ? std::nullopt : argument->number;
}

int SourceCauses::block_axis(const TextRange& value) const {
  int axis = -1;
  for (size_t i = value.begin; i + 2 < value.end; ++i) {
    if (!text_.is(i, "blockIdx")) continue;
    const auto found = std::ranges::find(kAxes, text_.at(i + 2).text);
    if (found == kAxes.end() || axis != -1) return -1;
    axis = static_cast<int>(found - kAxes.begin());
  }
  return axis;
}

int64_t SourceCauses::span_of_block(const TextRange& value, int axis) const {
  for (size_t i = value.begin; i + 4 < value.end; ++i) {
    if (!text_.is(i, "blockIdx")) continue;
    const bool behind = text_.is(i + 3, "*");
    const bool before = i >= 2 && text_.is(i - 1, "*");
    if (!behind && !before) return 0;
    const size_t factor = behind ? i + 4 : i - 2;
    if (text_.is(factor, "blockDim") || (before && text_.is(i - 4, "blockDim"))) {
      return launch_.block.at(static_cast<size_t>(axis));
    }
    return text_.number(factor).value_or(0);
  }
  return 0;
}

std::string SourceCauses::empty_statement(const Symptom&) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    const bool loop = text_.is(i, "for");
    if (!(loop || text_.is(i, "if")) || !text_.is(i + 1, "(")) continue;
    const size_t end = text_.behind(i + 1);
    if (!text_.is(end, ";") || (loop && !text_.is(end + 1, "{"))) continue;
    return fmt::format(
        "The `;` right behind the `{}` of {} is all that it does, and what follows is done "
        "always: take the `;` away.",
        text_.at(i).text, line_name(i));
  }
  return "";
}

std::string SourceCauses::assigns_in_condition(const Symptom&) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "if") || !text_.is(i + 1, "(")) continue;
    const TextRange head = text_.head_of(i);
    for (size_t at = head.begin + 1; at + 1 < head.end; ++at) {
      const bool assigns = text_.is(at, "=") && !text_.is(at + 1, "=") &&
                           (text_.is_word(at - 1) || text_.is(at - 1, "]"));
      if (!assigns) continue;
      return fmt::format(
          "The `if` of {} has `{}`, and a single `=` gives a value: to compare write `==`.",
          line_name(i), text_.quote(head));
    }
  }
  return "";
}

// A loop whose counter stays where it is, or whose condition nothing changes.
std::string SourceCauses::steps_nowhere(const Symptom& symptom) const {
  for (const size_t loop : text_.loops()) {
    std::string found = text_.is(loop, "for") ? counter_stays(loop) : "";
    if (symptom.kind == Symptom::Kind::limit && text_.is(loop, "while"))
      found = condition_stays(loop);
    if (!found.empty()) return found;
  }
  return "";
}

// "s *= 2" from 0, and "s /= 2" with "s >= 0".
std::string SourceCauses::counter_stays(size_t loop) const {
  const std::vector<TextRange> parts = text_.parts_of(loop);
  const TextRange &condition = parts[1], &step = parts[2];
  const size_t counter = condition.begin;
  if (condition.empty() || !text_.is_word(counter)) return "";
  const std::string& name = text_.at(counter).text;
  const auto steps_by = [&](std::string_view mark, std::string_view shift) {
    const bool shifts = text_.is(step.begin + 1, shift) && text_.is(step.begin + 2, shift);
    return text_.is(step.begin, name) && (text_.is(step.begin + 1, mark) || shifts);
  };
  const bool from_zero = text_.is(parts[0].end - 1, "0") && text_.is(parts[0].end - 2, "=");
  const bool to_zero =
      text_.is(counter + 1, ">") && text_.is(counter + 2, "=") && text_.is(counter + 3, "0");
  if (to_zero && steps_by("/", ">")) {
    return fmt::format(
        "The loop of {} never ends: half of 0 is 0 again, so that `{}` is always true. Write `{} > "
        "0`.",
        line_name(loop), text_.quote(condition), name);
  }
  if (from_zero && steps_by("*", "<")) {
    return fmt::format(
        "The loop of {} never ends: its counter `{}` begins with 0, and twice 0 is 0 again. Begin "
        "with 1.",
        line_name(loop), name);
  }
  return "";
}

// A `while` in which the condition's variables have no assignment. A condition with calls, elements
// or assignments may change by itself, and so may a variable whose address is taken.
std::string SourceCauses::condition_stays(size_t loop) const {
  const TextRange condition = text_.head_of(loop), body = text_.body_of(loop);
  for (const std::string_view word : {"break", "return", "&", "goto"}) {
    if (text_.contains(body, word)) return "";
  }
  for (const std::string_view mark : {"(", "[", "*", "=", "+", "-"}) {
    if (text_.contains(condition, mark)) return "";
  }
  std::string named;
  for (size_t i = condition.begin; i < condition.end; ++i) {
    if (!text_.is_word(i)) continue;
    const std::string& name = text_.at(i).text;
    if (named.empty()) named = name;
    const bool changes = std::ranges::any_of(text_.assignments(), [&](const TextAssignment& one) {
      return text_.at(one.name).text == name && body.holds(one.name);
    });
    if (changes) return "";
  }
  if (named.empty() || named == "true") return "";
  return fmt::format(
      "Nothing in the loop of {} changes `{}`, so that `{}` stays true: is its last line missing, "
      "such as `{} += …`?",
      line_name(loop), named, text_.quote(condition), named);
}

std::string SourceCauses::product_of_indices(const Symptom&) const {
  for (size_t i = text_.body(); i + 6 < text_.size(); ++i) {
    if (!text_.is(i, "blockIdx") || !text_.is(i + 3, "*") || !text_.is(i + 5, ".")) continue;
    const std::string& axis = text_.at(i + 2).text;
    const bool thread = text_.is(i + 4, "threadIdx");
    const bool grid = text_.is(i + 4, "gridDim") && text_.is(i + 6, axis);
    if (!thread && !grid) continue;
    return fmt::format(
        "{} multiplies `blockIdx.{}` by `{}.{}`, and the factor must be the number of threads of a "
        "block: the index of an element is `blockIdx.{} * blockDim.{} + threadIdx.{}`.",
        line_start(i), axis, text_.at(i + 4).text, text_.at(i + 6).text, axis, axis, axis);
  }
  return "";
}

std::string SourceCauses::sum_of_indices(const Symptom&) const {
  for (size_t i = text_.body(); i + 6 < text_.size(); ++i) {
    const bool sum = (text_.is(i, "blockIdx") && text_.is(i + 4, "threadIdx")) ||
                     (text_.is(i, "threadIdx") && text_.is(i + 4, "blockIdx"));
    if (!sum || !text_.is(i + 3, "+") || text_.is(i + 7, "*") || text_.is(i - 1, "*")) continue;
    const std::string& axis = text_.at(i + 2).text;
    return fmt::format(
        "{} adds `{}` and `{}` as they are, so that neighbouring blocks use the same elements: the "
        "index is `blockIdx.{} * blockDim.{} + threadIdx.{}`.",
        line_start(i), text_.quote({i, i + 3}), text_.quote({i + 4, i + 7}), axis, axis, axis);
  }
  return "";
}

// "blockIdx.x * blockDim.y", where a block has other numbers of threads along the two, and
// "blockIdx.x * blockDim.x + threadIdx.y".
std::string SourceCauses::mixed_axes(const Symptom&) const {
  const auto axis_at = [&](size_t place) {
    return static_cast<size_t>(std::ranges::find(kAxes, text_.at(place).text) - kAxes.begin());
  };
  for (size_t i = text_.body(); i + 10 < text_.size(); ++i) {
    if (!text_.is(i, "blockIdx") || !text_.is(i + 3, "*") || !text_.is(i + 4, "blockDim")) continue;
    const size_t of_block = axis_at(i + 2), of_size = axis_at(i + 6), of_thread = axis_at(i + 10);
    if (of_block > 2 || of_size > 2) continue;
    const bool sized =
        of_block != of_size && launch_.block.at(of_block) != launch_.block.at(of_size);
    const bool thread = text_.is(i + 7, "+") && text_.is(i + 8, "threadIdx") && of_thread <= 2 &&
                        of_thread != of_block && !text_.has("__shared__");
    if (!sized && !thread) continue;
    return fmt::format(
        "{} mixes axes in `{}`: `blockIdx.{}` goes with `blockDim.{}` and `threadIdx.{}`.",
        line_start(i), text_.quote({i, i + 11}), kAxes.at(of_block), kAxes.at(of_block),
        kAxes.at(of_block));
  }
  return "";
}

std::string SourceCauses::no_thread_index(const Symptom&) const {
  for (const std::string_view word : {"threadIdx", "thread_rank", "thread_index", "asm"}) {
    if (text_.file_has(word)) return "";
  }
  if (launch_.block[0] * launch_.block[1] * launch_.block[2] < 2) return "";
  for (size_t i = text_.body(); i + 6 < text_.size(); ++i) {
    if (!text_.is(i, "blockIdx") || !text_.is(i + 4, "blockDim")) continue;
    return fmt::format(
        "`threadIdx.x` is missing in the index of {}: all threads of a block use the same element. "
        "It is `blockIdx.x * blockDim.x + threadIdx.x`.",
        line_name(i));
  }
  return "";
}

std::string SourceCauses::no_block_index(const Symptom&) const {
  for (const std::string_view word : {"blockIdx", "thread_rank", "block_rank", "group_index",
                                      "block_index", "asm", "atomicAdd", "atomicInc"}) {
    if (text_.file_has(word)) return "";
  }
  const int64_t blocks = launch_.grid[0] * launch_.grid[1] * launch_.grid[2];
  if (blocks < 2) return "";
  for (size_t i = text_.body(); i + 2 < text_.size(); ++i) {
    if (!text_.is(i, "threadIdx")) continue;
    return fmt::format(
        "{} takes `{}` alone, which begins at 0 in each of the {} blocks, and nothing in the file "
        "asks for `blockIdx`: the index is `blockIdx.x * blockDim.x + threadIdx.x`.",
        line_start(i), text_.quote({i, i + 3}), blocks);
  }
  return "";
}

std::string SourceCauses::or_equal(const Symptom& symptom) const {
  for (const TextComparison& one : text_.comparisons()) {
    if (!one.less || !one.or_equal || !symptom.one_past || one.right.empty()) continue;
    if (text_.line(one.all.begin) > symptom.line) continue;
    const bool less_one = text_.is(one.right.end - 1, "1") && text_.is(one.right.end - 2, "-");
    if (less_one || text_.number(one.right.begin)) continue;
    return fmt::format(
        "{} asks `{}`, and the last element has the index `{} - 1`: write `{} < {}`.",
        line_start(one.all.begin), text_.quote(one.all), text_.quote(one.right),
        text_.quote(one.left), text_.quote(one.right));
  }
  return "";
}

// "x[i + 1]" of the last element.
std::string SourceCauses::neighbour_past_end(const Symptom& symptom) const {
  if (!symptom.one_past) return "";
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (text_.line(i) != symptom.line || !text_.is_word(i) || !text_.is(i + 1, "[")) continue;
    const size_t end = text_.behind(i + 1);
    if (!text_.is(end - 2, "1") || !text_.is(end - 3, "+")) continue;
    return fmt::format(
        "That is one past the end: `{}` is used for the last element, too, which has no neighbour "
        "there. Ask for it before.",
        text_.quote({i, end}));
  }
  return "";
}

std::string SourceCauses::leaves_last_out(const Symptom& symptom) const {
  if (!symptom.values.last_only) return "";
  for (const TextComparison& one : text_.comparisons()) {
    const bool less_one = one.right.end - one.right.begin == 3 &&
                          text_.is(one.right.end - 1, "1") && text_.is(one.right.end - 2, "-");
    if (!one.less || one.or_equal || !less_one) continue;
    return fmt::format("{} asks `{}`, which leaves the last element out: write `{} < {}`.",
                       line_start(one.all.begin), text_.quote(one.all), text_.quote(one.left),
                       text_.at(one.right.begin).text);
  }
  return "";
}

// Two indices, of which only one is compared with a bound.
std::string SourceCauses::unasked_index(const Symptom&) const {
  const TextAssignment *asked = nullptr, *unasked = nullptr;
  for (const TextAssignment& one : text_.assignments()) {
    if (block_axis(one.value) < 0 || !text_.contains(one.value, "threadIdx")) continue;
    const std::string& name = text_.at(one.name).text;
    const bool compared = std::ranges::any_of(text_.comparisons(), [&](const TextComparison& two) {
      return text_.contains(two.all, name);
    });
    (compared ? asked : unasked) = &one;
  }
  if (asked == nullptr || unasked == nullptr) return "";
  for (const TextComparison& one : text_.comparisons()) {
    if (!text_.contains(one.all, text_.at(asked->name).text)) continue;
    return fmt::format(
        "{} asks for `{}` and nothing asks for `{}` of {}: compare it with its bound, too.",
        line_start(one.all.begin), text_.quote(one.all), text_.at(unasked->name).text,
        line_name(unasked->name));
  }
  return "";
}

// "b[i * k + col]", where a row of b has n elements.
std::string SourceCauses::row_length(const Symptom& symptom) const {
  if (symptom.values.copied) return "";
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (!text_.is_word(i) || !text_.is(i + 1, "[")) continue;
    if (symptom.kind == Symptom::Kind::outside && text_.line(i) != symptom.line) continue;
    const auto* array = argument_of(text_.at(i).text);
    if (array == nullptr || !array->array || array->shape.size() != 2) continue;
    const int64_t width = array->shape[1];
    const size_t end = text_.behind(i + 1) - 1;
    for (size_t at = i + 3; at + 1 < end; ++at) {
      if (!text_.is(at, "*") || !(text_.is_word(at - 1) || text_.is(at - 1, ")"))) continue;
      const bool by_block = text_.is(at + 1, "blockDim") && text_.is(at + 3, "x");
      const auto factor = by_block ? std::optional(launch_.block[0]) : argument_number(at + 1);
      const TextRange word{at + 1, at + (by_block ? 4U : 2U)};
      if (!factor || *factor == width || !text_.is(word.end, "+")) continue;
      for (size_t other = 0; other < launch_.arguments.size(); ++other) {
        if (launch_.arguments[other].number != width) continue;
        if (other >= text_.parameters().size()) continue;
        return fmt::format(
            "{} uses `{}`, but a row of `{}` has {} elements here, which is `{}`, and `{}` is {}: "
            "the number of the row must be multiplied by `{}`.",
            line_start(i), text_.quote({i, end + 1}), text_.at(i).text, width,
            text_.parameters()[other], text_.quote(word), *factor, text_.parameters()[other]);
      }
    }
  }
  return "";
}

// A variable along one axis of the grid that is compared with the length of another axis.
std::string SourceCauses::exchanged_bounds(const Symptom&) const {
  for (const TextComparison& one : text_.comparisons()) {
    if (!one.less || one.or_equal || one.right.end - one.right.begin != 1) continue;
    const auto bound = argument_number(one.right.begin);
    if (!bound || !text_.is_word(one.left.begin)) continue;
    const std::string& name = text_.at(one.left.begin).text;
    const TextAssignment* from = text_.assigned_before(name, one.left.begin);
    if (from == nullptr) continue;
    const int axis = block_axis(from->value);
    if (axis < 0) continue;
    const int64_t span = span_of_block(from->value, axis);
    const int64_t blocks = launch_.grid.at(static_cast<size_t>(axis));
    if (span < 1 || blocks < 1 || blocks_for(*bound, span) == blocks) continue;
    for (size_t other = 0; other < launch_.arguments.size(); ++other) {
      const auto& length = launch_.arguments[other].number;
      if (!length || *length == *bound || blocks_for(*length, span) != blocks) continue;
      if (other >= text_.parameters().size()) continue;
      return fmt::format(
          "{} compares `{}` with `{}`, and {} makes it from `blockIdx.{}`; along {} the grid has "
          "as "
          "many blocks as `{}` needs. Exchange the bounds, or x and y.",
          line_start(one.all.begin), name, text_.at(one.right.begin).text, line_name(from->name),
          kAxes.at(static_cast<size_t>(axis)), kAxes.at(static_cast<size_t>(axis)),
          text_.parameters()[other]);
    }
  }
  return "";
}

// "blockIdx.y * 32 + threadIdx.y" of a block with 8 threads there, and no loop over the others.
std::string SourceCauses::part_of_a_tile(const Symptom&) const {
  if (!text_.loops().empty()) return "";
  for (const TextAssignment& one : text_.assignments()) {
    const int axis = block_axis(one.value);
    if (axis < 0 || !text_.contains(one.value, "threadIdx")) continue;
    const auto index = static_cast<size_t>(axis);
    const int64_t span = span_of_block(one.value, axis), threads = launch_.block.at(index);
    if (threads < 1 || span <= threads || span % threads != 0) continue;
    return fmt::format(
        "{} gives each block {} elements along {}, but a block has only {} threads there: each "
        "thread must do {}, in a loop with steps of {}.",
        line_start(one.name), span, kAxes.at(index), threads, span / threads, threads);
  }
  return "";
}

// "if (t < columns)" with more columns than threads.
std::string SourceCauses::one_element_a_thread(const Symptom&) const {
  for (const TextComparison& one : text_.comparisons()) {
    if (!one.less || one.right.end - one.right.begin != 1 || text_.is(one.head, "for") ||
        text_.is(one.head, "while"))
      continue;
    const auto bound = argument_number(one.right.begin);
    if (!bound || *bound <= launch_.block[0] || launch_.block[0] < 1) continue;
    const bool direct = text_.is(one.left.begin, "threadIdx") && text_.is(one.left.end - 1, "x");
    const TextAssignment* from =
        one.left.end - one.left.begin == 1
            ? text_.assigned_before(text_.at(one.left.begin).text, one.left.begin)
            : nullptr;
    const bool by_variable = from != nullptr && from->value.end - from->value.begin == 3 &&
                             text_.is(from->value.begin, "threadIdx") &&
                             text_.is(from->value.begin + 2, "x");
    const bool moves = std::ranges::any_of(text_.assignments(), [&](const TextAssignment& two) {
      return two.operates && from != nullptr &&
             text_.at(two.name).text == text_.at(from->name).text;
    });
    if ((!direct && !by_variable) || moves || text_.is_in_loop(one.all.begin)) continue;
    const std::string name = text_.quote(one.left), length = text_.at(one.right.begin).text;
    return fmt::format(
        "{} asks `{}`, so that each thread does one element at most; `{}` is {} here, and a block "
        "has only {} threads. Let each thread do several, as by `for (int i = {}; i < {}; i += "
        "blockDim.x)`.",
        line_start(one.all.begin), text_.quote(one.all), length, *bound, launch_.block[0], name,
        length);
  }
  return "";
}

}  // namespace warpmark
