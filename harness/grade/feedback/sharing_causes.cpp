// The rules of SourceCauses about memory that threads share: counters, exchanges, tiles, sums.
#include <fmt/format.h>

#include <algorithm>

#include "grade/feedback/device_report.hpp"
#include "grade/feedback/source_causes.hpp"

namespace warpmark {

// The place behind "*count", or "bins[…]", of a pointer; 0 if none begins there.
size_t SourceCauses::behind_element(size_t at) const {
  if (text_.is(at, "*") && text_.is_word(at + 1) && text_.is_pointer(text_.at(at + 1).text))
    return at + 2;
  if (text_.is_word(at) && text_.is_pointer(text_.at(at).text) && text_.is(at + 1, "["))
    return text_.behind(at + 1);
  return 0;
}

// "int place = *count; … *count = place + 1;"
std::string SourceCauses::counts_in_two_steps(const Symptom&) const {
  for (const TextAssignment& one : text_.assignments()) {
    const size_t end = behind_element(one.value.begin);
    if (one.operates || end == 0 || end != one.value.end) continue;
    const std::string counter = text_.quote(one.value), &kept = text_.at(one.name).text;
    for (size_t i = one.value.end; i + 2 < text_.size(); ++i) {
      const size_t sign = behind_element(i);
      const bool stores = sign != 0 && text_.is(sign, "=") && !text_.is(sign + 1, "=") &&
                          text_.is(sign + 1, kept) && text_.is(sign + 2, "+");
      if (!stores || text_.quote({i, sign}) != counter) continue;
      const bool pointer = text_.is(one.value.begin, "*");
      return fmt::format(
          "{} reads `{}` and {} writes it, and other threads do the same in between: `{} = "
          "atomicAdd({}, 1)` does both in one step.",
          line_start(one.name), counter, line_name(i), kept,
          pointer ? text_.at(one.value.begin + 1).text : "&" + counter);
    }
  }
  return "";
}

// "atomicAdd(count, 1); kept[*count] = …"
std::string SourceCauses::reads_counter_again(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 3 < text_.size(); ++i) {
    const bool statement = text_.is(i, "atomicAdd") && text_.is(i + 1, "(") &&
                           (text_.is(i - 1, ";") || text_.is(i - 1, "{") || text_.is(i - 1, ")"));
    if (!statement || !text_.is_word(i + 2) || !text_.is(i + 3, ",")) continue;
    const std::string& counter = text_.at(i + 2).text;
    for (size_t at = text_.behind(i + 1); at + 1 < text_.size(); ++at) {
      const bool reads = text_.is(at, "*") && text_.is(at + 1, counter) && !text_.is(at + 2, "=");
      if (!reads || (text_.line(at) != symptom.line && text_.line(at) != symptom.other)) continue;
      return fmt::format(
          "{} reads `*{}` behind the `atomicAdd` of {}, when other threads have added to it, too: "
          "use what `atomicAdd` returns, as by `int place = atomicAdd({}, 1);`.",
          line_start(at), counter, line_name(i), counter);
    }
  }
  return "";
}

// "a[i] = a[j]; a[j] = a[i];"
std::string SourceCauses::replaced_before(const Symptom&) const {
  for (size_t i = text_.body(); i + 2 < text_.size(); ++i) {
    const size_t first = behind_element(i);
    if (first == 0 || !text_.is(first, "=")) continue;
    const size_t second = behind_element(first + 1);
    if (second == 0 || !text_.is(second, ";")) continue;
    const size_t third = behind_element(second + 1);
    if (third == 0 || !text_.is(third, "=")) continue;
    const size_t fourth = behind_element(third + 1);
    if (fourth == 0 || !text_.is(fourth, ";")) continue;
    const std::string to = text_.quote({i, first}), from = text_.quote({first + 1, second});
    if (to == from || text_.quote({second + 1, third}) != from ||
        text_.quote({third + 1, fourth}) != to)
      continue;
    return fmt::format(
        "{} has replaced `{}` before {} takes it: keep its first value in a variable.",
        line_start(i), to, line_name(third + 1));
  }
  return "";
}

// "a[i] = a[n - 1 - i]; a[n - 1 - i] = kept;" for all i < n.
std::string SourceCauses::exchanged_twice(const Symptom&) const {
  for (size_t i = text_.body(); i + 2 < text_.size(); ++i) {
    const size_t first = behind_element(i);
    if (first == 0 || !text_.is(first, "=")) continue;
    const size_t second = behind_element(first + 1);
    const size_t third = second == 0 ? 0 : behind_element(second + 1);
    const bool exchanges = third != 0 && text_.is(second, ";") && text_.is(third, "=") &&
                           text_.quote({first + 1, second}) == text_.quote({second + 1, third}) &&
                           text_.contains({first + 1, second}, "-");
    if (!exchanges || first - i != 4) continue;  // "a[i]"
    const std::string& index = text_.at(i + 2).text;
    for (const TextComparison& one : text_.comparisons()) {
      const bool all = one.less && one.left.end - one.left.begin == 1 &&
                       text_.is(one.left.begin, index) && one.right.end - one.right.begin == 1;
      if (!all || !text_.contains({first + 1, second}, text_.at(one.right.begin).text)) continue;
      return fmt::format(
          "{} lets two threads exchange each pair, one from either end: half of them are enough, "
          "as "
          "by `{} < {} / 2`.",
          line_start(one.all.begin), index, text_.at(one.right.begin).text);
    }
  }
  return "";
}

// "values[n - i]" with i == 0.
std::string SourceCauses::from_the_end(const Symptom& symptom) const {
  if (!symptom.one_past) return "";
  for (size_t i = text_.body(); i + 5 < text_.size(); ++i) {
    const bool access = text_.line(i) == symptom.line && text_.is_word(i) && text_.is(i + 1, "[") &&
                        argument_number(i + 2) && text_.is(i + 3, "-") && text_.is_word(i + 4) &&
                        text_.is(i + 5, "]");
    if (!access) continue;
    const std::string &count = text_.at(i + 2).text, &index = text_.at(i + 4).text;
    return fmt::format(
        "`{}` is one past the end where `{}` is 0: counted from the end, elements have the indices "
        "`{} - 1 - {}`.",
        text_.quote({i, i + 6}), index, count, index);
  }
  return "";
}

// "tile[y][x]" with indices of the whole grid.
std::string SourceCauses::grid_index_in_tile(const Symptom& symptom) const {
  for (const DeclaredArray* array : text_.arrays_in(symptom.line)) {
    if (!array->shared) continue;
    for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
      if (!text_.is(i, array->name) || !text_.is(i + 1, "[") || text_.line(i) == array->line)
        continue;
      size_t end = text_.behind(i + 1);
      const bool rows = text_.is(end, "[");
      if (rows) end = text_.behind(end);
      const TextRange element{i + 1, end};
      if (text_.contains(element, "-") || text_.contains(element, "%")) continue;
      for (size_t at = i + 2; at < end; ++at) {
        if (!text_.is_word(at)) continue;
        const TextAssignment* from = text_.assigned_before(text_.at(at).text, at);
        if (from == nullptr || !text_.contains(from->value, "blockIdx")) continue;
        return fmt::format(
            "{} uses `{}`, and `{}` counts through the whole grid: a block's shared memory has its "
            "own elements alone, as `{}[threadIdx.{}]{}`.",
            line_start(i), text_.quote({i, end}), text_.at(at).text, array->name, rows ? "y" : "x",
            rows ? "[threadIdx.x]" : "");
      }
    }
  }
  return "";
}

// "tile[t + 1]", or "tile[t + d]" from d = -1 on, of an array with an element for each thread.
std::string SourceCauses::tile_without_border(const Symptom& symptom) const {
  const int64_t threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  for (const DeclaredArray* array : text_.arrays_in(symptom.line)) {
    if (!array->shared || array->elements != threads) continue;
    for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
      if (text_.line(i) != symptom.line || !text_.is(i, array->name) || !text_.is(i + 1, "["))
        continue;
      size_t end = text_.behind(i + 1);
      while (text_.is(end, "[")) end = text_.behind(end);
      for (size_t at = i + 2; at + 1 < end; ++at) {
        if (!text_.is(at, "+") && !text_.is(at, "-")) continue;
        if (!text_.is(at + 1, "1") && !begins_below_zero(text_.at(at + 1).text)) continue;
        return fmt::format(
            "{} uses `{}`, a neighbour's element, and `{}` of {} has only those of the block's own "
            "{} threads: give it a border, and let threads load that, too.",
            line_start(i), text_.quote({i, end}), array->name, line_in_file(array->line, names_),
            threads);
      }
    }
  }
  return "";
}

// A counter that a loop begins with a negative number.
bool SourceCauses::begins_below_zero(std::string_view name) const {
  return std::ranges::any_of(text_.loops(), [&](size_t loop) {
    const TextRange start = text_.parts_of(loop)[0];
    for (size_t i = start.begin; i + 2 < start.end; ++i) {
      if (text_.is(i, name) && text_.is(i + 1, "=") && text_.is(i + 2, "-")) return true;
    }
    return false;
  });
}

// "for (j = threadIdx.x; j < n; ++j) sum += …"
std::string SourceCauses::step_of_one(const Symptom&) const {
  for (const size_t loop : text_.loops()) {
    const std::vector<TextRange> parts = text_.parts_of(loop);
    const TextRange &start = parts[0], &condition = parts[1], &step = parts[2];
    if (condition.end - condition.begin != 3 || !text_.is(condition.begin + 1, "<")) continue;
    const std::string& counter = text_.at(condition.begin).text;
    const bool by_one =
        text_.contains(step, counter) && step.end - step.begin == 3 && text_.contains(step, "+");
    size_t equal = start.begin;
    while (equal < start.end && !text_.is(equal, "=")) ++equal;
    TextRange begins{equal + 1, start.end};
    if (!by_one || begins.empty() || !argument_number(condition.begin + 2)) continue;
    if (begins.end - begins.begin == 1 && text_.is_word(begins.begin)) {
      const TextAssignment* from = text_.assigned_before(text_.at(begins.begin).text, begins.begin);
      if (from == nullptr) continue;
      begins = from->value;
    }
    const bool of_block = begins.end - begins.begin == 3 && text_.is(begins.begin, "threadIdx");
    const bool of_grid = text_.contains(begins, "threadIdx") &&
                         text_.contains(begins, "blockIdx") && text_.contains(begins, "blockDim");
    const TextRange body = text_.body_of(loop);
    bool adds = false;
    for (const TextAssignment& one : text_.assignments())
      adds = adds || (body.holds(one.name) && one.operates);
    if (!adds || (!of_block && !of_grid) || !brings_together()) continue;
    return fmt::format(
        "The loop of {} begins at each thread's own index and goes on by 1, so that elements count "
        "several times: the step is `blockDim.x{}`.",
        line_name(loop), of_grid ? " * gridDim.x" : "");
  }
  return "";
}

bool SourceCauses::brings_together() const {
  for (const std::string_view word :
       {"__shared__", "atomicAdd", "__shfl_down_sync", "__shfl_xor_sync"}) {
    if (text_.file_has(word)) return true;
  }
  return false;
}

// "for (d = 8; d > 0; d /= 2) sum += __shfl_down_sync(…, d)"
std::string SourceCauses::shuffles_too_few(const Symptom&) const {
  for (const size_t loop : text_.loops()) {
    const std::vector<TextRange> parts = text_.parts_of(loop);
    const auto first = text_.number(parts[0].end - 1);
    const TextRange &step = parts[2], body = text_.body_of(loop);
    const bool halves = text_.contains(step, "/") || text_.contains(step, ">");
    const bool shuffles = [&] {
      for (size_t i = body.begin; i < body.end; ++i) {
        const std::string& name = text_.at(i).text;
        if (!name.starts_with("__shfl_down") && !name.starts_with("__shfl_xor")) continue;
        size_t commas = 0;  // a fourth argument makes groups of fewer lanes
        for (size_t at = i; at < text_.behind(i + 1); ++at) commas += text_.is(at, ",") ? 1 : 0;
        if (commas == 2) return true;
      }
      return false;
    }();
    if (!halves || !shuffles || launch_.block[0] < 32 || !first || *first < 1 || *first >= 16)
      continue;
    return fmt::format(
        "The loop of {} begins with {}, and so adds up {} lanes of each warp's 32: the first "
        "distance is 16.",
        line_name(loop), *first, 2 * *first);
  }
  return "";
}

}  // namespace warpmark
