// The rules of SourceCauses about values: quotients, types, sums, and what nothing has written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grade/feedback/device_report.hpp"
#include "grade/feedback/source_causes.hpp"

namespace warpmark {

// "atomicAdd(result, part[0])" in each thread of a block.
std::string SourceCauses::added_by_all(const Symptom& symptom) const {
  const int64_t threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  if (threads < 2 || symptom.values.factor != static_cast<double>(threads)) return "";
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "atomicAdd") || text_.branch_around(i) != text_.size()) continue;
    return fmt::format(
        "It is {} times what it should be, because each of the {} threads of a block executes {}: "
        "let one of them do it, as by `if (threadIdx.x == 0)`.",
        threads, threads, line_name(i));
  }
  return "";
}

// "for (s = …; s > 1; s /= 2)".
std::string SourceCauses::halves_too_few(const Symptom&) const {
  for (const size_t loop : text_.loops()) {
    const std::vector<TextRange> parts = text_.parts_of(loop);
    const TextRange &condition = parts[1], &step = parts[2];
    if (condition.end - condition.begin != 3 || step.empty()) continue;
    const std::string& name = text_.at(condition.begin).text;
    const bool above_one = text_.is(condition.begin + 1, ">") && text_.is(condition.begin + 2, "1");
    const bool halves = text_.is(step.begin, name) &&
                        (text_.is(step.begin + 1, "/") || text_.is(step.begin + 1, ">"));
    if (!above_one || !halves) continue;
    return fmt::format(
        "The loop of {} ends too early: with `{}` the round in which `{}` is 1 is left out. Write "
        "`{} > 0`.",
        line_name(loop), text_.quote(condition), name, name);
  }
  return "";
}

// "for (s = count / 2; s > 0; s /= 2)" of a count that may be odd.
std::string SourceCauses::halves_odd(const Symptom&) const {
  for (const size_t loop : text_.loops()) {
    const std::vector<TextRange> parts = text_.parts_of(loop);
    const TextRange &start = parts[0], &step = parts[2];
    const size_t half = start.end;
    const bool begins = half > start.begin + 4 && text_.is(half - 1, "2") &&
                        text_.is(half - 2, "/") && text_.is_word(half - 3) &&
                        text_.is(half - 4, "=") && !text_.number(half - 3);
    if (!begins || !(text_.contains(step, "/") || text_.contains(step, ">"))) continue;
    const std::string& count = text_.at(half - 3).text;
    // A number that follows from an argument may be any.
    const bool by_argument =
        std::ranges::any_of(text_.assignments(), [&](const TextAssignment& one) {
          bool names = false;
          for (size_t i = one.value.begin; i < one.value.end; ++i)
            names = names || argument_number(i).has_value();
          return names && text_.at(one.name).text == count;
        });
    if (!by_argument) continue;
    return fmt::format(
        "The loop of {} begins with half of `{}`, and where a number is odd halving loses an "
        "element: "
        "begin with a power of two, such as `blockDim.x / 2`, and give what is not there a neutral "
        "value, such as 0.",
        line_name(loop), count);
  }
  return "";
}

// "for (tile = 0; tile < k / 16; ++tile)" where k is no multiple of 16.
std::string SourceCauses::rounds_down(const Symptom&) const {
  for (const TextComparison& one : text_.comparisons()) {
    const size_t at = one.right.begin;
    const bool quotient = one.less && !one.or_equal && text_.is(one.head, "for") &&
                          one.right.end - at == 3 && text_.is(at + 1, "/");
    const auto count = quotient ? argument_number(at) : std::nullopt;
    const auto size = quotient ? text_.number(at + 2) : std::nullopt;
    if (!count || !size || *size < 4 || *count % *size == 0) continue;
    return fmt::format(
        "The loop of {} ends at `{}`, which is rounded down, and `{}` is {} here: the last {} are "
        "left out. Round up, as by `({} + {}) / {}`, and ask for what is not there.",
        line_name(one.head), text_.quote(one.right), text_.at(at).text, *count, *count % *size,
        text_.at(at).text, *size - 1, *size);
  }
  return "";
}

// "(x << 4) >> 30"
std::string SourceCauses::shifts_out(const Symptom&) const {
  for (size_t i = text_.body() + 1; i + 2 < text_.size(); ++i) {
    const bool left = text_.is(i, "<") && text_.is(i + 1, "<") && text_.number(i + 2);
    if (!left) continue;
    for (size_t at = i + 3; at + 2 < text_.size() && !text_.is(at, ";"); ++at) {
      if (!text_.is(at, ">") || !text_.is(at + 1, ">") || !text_.number(at + 2)) continue;
      return fmt::format(
          "What `<< {}` of {} makes does not fit into 32 bits: the highest ones are lost, and `>> "
          "{}` "
          "does not bring them back. Shift to the right alone, or use `long long`.",
          text_.at(i + 2).text, line_name(i), text_.at(at + 2).text);
    }
  }
  return "";
}

// A shared array in which a loop adds up, and which nothing reads after that loop.
std::string SourceCauses::unused_result(const Symptom&) const {
  for (const DeclaredArray& array : text_.arrays()) {
    if (!array.shared) continue;
    size_t last = 0, end = 0, loop_of_end = 0;
    for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
      if (text_.is(i, array.name) && text_.is(i + 1, "[")) last = i;
    }
    for (const size_t loop : text_.loops()) {
      const TextRange body = text_.body_of(loop);
      if (!body.holds(last) || body.end <= end) continue;
      end = body.end;
      loop_of_end = loop;
    }
    if (end == 0) continue;
    const bool adds = [&] {
      const size_t behind = text_.behind(last + 1);
      for (size_t i = text_.body_of(loop_of_end).begin; i < behind; ++i) {
        if (!text_.is(i, array.name) || !text_.is(i + 1, "[")) continue;
        const size_t operation = text_.behind(i + 1);
        if (text_.is(operation, "+") && text_.is(operation + 1, "=")) return true;
      }
      return false;
    }();
    if (!adds) continue;
    for (size_t i = end; i + 1 < text_.size(); ++i) {
      if (!text_.is_word(i) || !text_.is(i + 1, "[") || !text_.is_pointer(text_.at(i).text))
        continue;
      const size_t sign = text_.behind(i + 1);
      if (!text_.is(sign, "=") || text_.is(sign + 1, "=")) continue;
      size_t stop = sign;
      while (stop < text_.size() && !text_.is(stop, ";")) ++stop;
      return fmt::format(
          "The loop of {} adds up in `{}`, and nothing reads that afterwards: {} stores `{}`. Is "
          "`{}[0]` meant?",
          line_name(loop_of_end), array.name, line_name(i), text_.quote({sign + 1, stop}),
          array.name);
    }
  }
  return "";
}

// "1 / 3" in the kernel of an output of floats.
std::string SourceCauses::integer_quotient(const Symptom& symptom) const {
  for (size_t i = text_.body() + 1; i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "/") || text_.at(i - 1).kind != TokenKind::number) continue;
    const auto above = text_.number(i - 1), below = text_.number(i + 1);
    // A factor that is rounded down is no whole number as a result.
    const bool factor = below && text_.is(i + 2, "*") && is_of_floats(i);
    if (!symptom.values.whole_numbers && !symptom.values.zero && !factor) continue;
    const bool by_integer = text_.is_word(i + 1) && text_.is_integer(text_.at(i + 1).text);
    if (!above || (!below && !by_integer) || (below && (*below == 0 || *above % *below == 0)))
      continue;
    const std::string quotient = text_.quote({i - 1, i + 2});
    const std::string by = below ? std::to_string(*below) + ".0f" : text_.at(i + 1).text;
    return fmt::format(
        "`{}` in {} is a quotient of integers, which is rounded down{}: write `{}.0f / {}`.",
        quotient, line_name(i), below ? fmt::format(" to {}", *above / *below) : "", *above, by);
  }
  return "";
}

// True for a place in a statement that names a variable or an array of floats.
bool SourceCauses::is_of_floats(size_t place) const {
  size_t begin = place, end = place;
  while (begin > text_.body() && !text_.is(begin - 1, ";") && !text_.is(begin - 1, "{")) --begin;
  while (end < text_.size() && !text_.is(end, ";")) ++end;
  for (size_t i = begin; i < end; ++i) {
    if (text_.is_word(i) && text_.is_float(text_.at(i).text)) return true;
  }
  return false;
}

// "short square = x * x;"
std::string SourceCauses::narrow_variable(const Symptom& symptom) const {
  for (const TextAssignment& one : text_.assignments()) {
    const bool is_short = one.type == "short";
    if (!is_short && one.type != "char") continue;
    if (symptom.values.greatest <= (is_short ? 32767 : 255)) continue;
    return fmt::format(
        "`{}` of {} is a `{}`, which holds no number above {}, and greater ones are expected: make "
        "it an `int`.",
        text_.at(one.name).text, line_name(one.name), one.type, is_short ? 32767 : 255);
  }
  return "";
}

// "sum / blockDim.x" for the mean of `columns` elements: all are wrong by the ratio of the two.
std::string SourceCauses::divides_by_block(const Symptom& symptom) const {
  const auto threads = static_cast<double>(launch_.block[0]);
  const double ratio = symptom.values.ratio != 0 ? symptom.values.ratio : symptom.values.factor;
  if (ratio <= 0 || threads < 1) return "";
  for (size_t i = text_.body(); i + 3 < text_.size(); ++i) {
    if (!text_.is(i, "/") || !text_.is(i + 1, "blockDim")) continue;
    for (size_t at = 0; at < launch_.arguments.size() && at < text_.parameters().size(); ++at) {
      const auto& number = launch_.arguments[at].number;
      if (!number || std::fabs(ratio * threads / static_cast<double>(*number) - 1) > 1e-4) continue;
      return fmt::format(
          "{} divides by `blockDim.x`, which is {:.0f}, and what was expected is the quotient by "
          "`{}`, which is {}.",
          line_start(i), threads, text_.parameters()[at], *number);
    }
  }
  return "";
}

std::string SourceCauses::integer_variable(const Symptom& symptom) const {
  if (!symptom.values.whole_numbers && !symptom.values.zero) return "";
  for (const TextAssignment& declared : text_.assignments()) {
    if (declared.type.empty() || declared.type == "float" || declared.type == "double") continue;
    const std::string& name = text_.at(declared.name).text;
    for (const TextAssignment& one : text_.assignments()) {
      if (text_.at(one.name).text != name || text_.contains(one.value, "(")) continue;
      for (size_t i = one.value.begin; i < one.value.end; ++i) {
        if (!text_.is_word(i) || !text_.is_float(text_.at(i).text)) continue;
        // An address is an integer, too.
        if (text_.is_pointer(text_.at(i).text) && !text_.is(i + 1, "[")) continue;
        const bool declares = declared.name == one.name;
        return fmt::format(
            "`{}` of {} is an `{}`, which cuts off what is after the point{}: make it "
            "a `float`.",
            name, line_name(declared.name), declared.type,
            declares ? "" : ", as in " + line_name(one.name));
      }
    }
  }
  return "";
}

// The greatest of negative numbers, begun with 0.
std::string SourceCauses::neutral_of_greatest(const Symptom& symptom) const {
  if (!symptom.values.zero || !symptom.values.negative) return "";
  const bool greatest =
      text_.has("fmaxf") || text_.has("fmax") || text_.has("max") || text_.has("atomicMax");
  if (!greatest) return "";
  return "The greatest of negative numbers is looked for, and 0 is greater than all of them: what "
         "threads without an element give, and the first value, must be less than all, such as "
         "`-INFINITY`.";
}

// "atomicAdd(&bins[i], 1)": each thread its own element.
std::string SourceCauses::atomic_by_thread(const Symptom&) const {
  for (size_t i = text_.body(); i + 4 < text_.size(); ++i) {
    const bool atomic = text_.at(i).text.starts_with("atomic") && text_.is(i + 1, "(") &&
                        text_.is(i + 2, "&") && text_.is_word(i + 3) && text_.is(i + 4, "[");
    if (!atomic) continue;
    const TextRange index{i + 5, text_.behind(i + 4) - 1};
    if (index.end - index.begin != 1 || !text_.is_word(index.begin)) continue;
    const TextAssignment* from = text_.assigned_before(text_.at(index.begin).text, index.begin);
    if (from == nullptr || block_axis(from->value) < 0 || !text_.contains(from->value, "threadIdx"))
      continue;
    if (text_.contains(from->value, "[")) continue;
    return fmt::format(
        "{} adds to `{}`, which is another element in each thread, so that nothing comes together: "
        "is an index made of the data meant, as in `[x[{}]]`?",
        line_start(i), text_.quote({i + 3, index.end + 1}), text_.at(index.begin).text);
  }
  return "";
}

// "atomicAdd(&x[…], 1)" of an input.
std::string SourceCauses::atomic_on_input(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 4 < text_.size(); ++i) {
    const bool atomic = text_.line(i) == symptom.line && text_.at(i).text.starts_with("atomic") &&
                        text_.is(i + 1, "(") && text_.is(i + 2, "&");
    if (!atomic) continue;
    const auto* argument = argument_of(text_.at(i + 3).text);
    if (argument == nullptr || !argument->array || argument->written) continue;
    return fmt::format("`{}` is an input, to which {} adds: results belong in the output.",
                       text_.at(i + 3).text, line_name(i));
  }
  return "";
}

// "if (t == 0) atomicAdd(result, sum)", where nothing brings the sums of the others to that thread.
std::string SourceCauses::one_thread_alone(const Symptom&) const {
  for (const std::string_view word : {"__shared__", "cooperative_groups", "cg"}) {
    if (text_.file_has(word)) return "";
  }
  for (const TextAssignment& one : text_.assignments()) {
    for (size_t i = one.value.begin; i < one.value.end; ++i) {
      if (text_.at(i).text.starts_with("__shfl") || text_.at(i).text.starts_with("__reduce"))
        return "";
    }
  }
  for (const TextAssignment& sum : text_.assignments()) {
    if (!sum.operates || !text_.is_in_loop(sum.name)) continue;
    const std::string& name = text_.at(sum.name).text;
    for (size_t i = sum.value.end; i + 1 < text_.size(); ++i) {
      if (!text_.is(i, name) || text_.is_in_loop(i)) continue;
      const size_t branch = text_.branch_around(i);
      if (branch == text_.size()) continue;
      const TextRange head = text_.head_of(branch);
      const bool one_thread = head.end - head.begin >= 4 && text_.is(head.end - 1, "0") &&
                              text_.is(head.end - 2, "=") && text_.is(head.end - 3, "=");
      if (!one_thread) continue;
      return fmt::format(
          "Each thread has its own `{}`, and {} uses it only where `{}` holds: nothing adds up "
          "what "
          "the other threads have. Bring their sums together first, as in shared memory.",
          name, line_name(i), text_.quote(head));
    }
  }
  return "";
}

std::string SourceCauses::unnamed_output(const Symptom& symptom) const {
  for (size_t i = 0; i < text_.parameters().size() && i < launch_.arguments.size(); ++i) {
    if (launch_.arguments[i].name != symptom.output) continue;
    const std::string& name = text_.parameters()[i];
    if (text_.contains({text_.body(), text_.size()}, name)) return "";
    return fmt::format(
        "Nothing in the kernel names `{}`, where the results belong: store them, as by `{}[…] = "
        "…`.",
        name, name);
  }
  return "";
}

// "y[i] += x[i]" of an output, which has no values.
std::string SourceCauses::reads_output(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (text_.line(i) != symptom.line || !text_.is_word(i) || !text_.is(i + 1, "[")) continue;
    const auto* argument = argument_of(text_.at(i).text);
    if (argument == nullptr || !argument->output) continue;
    const size_t sign = text_.behind(i + 1);
    const bool adds = text_.is(sign + 1, "=") && !text_.is(sign, "=") && !text_.is(sign, "<") &&
                      !text_.is(sign, ">") && !text_.is(sign, "!");
    const bool stores = text_.is(sign, "=") && !text_.is(sign + 1, "=");
    if (adds) {
      return fmt::format(
          "`{}` is an output, which has no values at first, and `{}=` reads it: write `=`, or add "
          "up "
          "in a variable that begins with a value.",
          text_.at(i).text, text_.at(sign).text);
    }
    if (stores) continue;
    if (text_.is(i - 1, "&") && text_.is(i - 2, "(") &&
        text_.at(i - 3).text.starts_with("atomic")) {
      return fmt::format(
          "`{}` is an output, which has no values at first, and `{}` changes what is there: bring "
          "the values of a block together in shared memory, and store the result by `=`.",
          text_.at(i).text, text_.at(i - 3).text);
    }
    return fmt::format(
        "`{}` is an output, which has no values until the kernel writes them: is an input meant?",
        text_.at(i).text);
  }
  return "";
}

// An array of each thread's own where `__shared__` is forgotten.
std::string SourceCauses::not_shared(const Symptom& symptom) const {
  if (!text_.has("__syncthreads")) return "";
  const auto arrays = text_.arrays_in(symptom.line);
  if (arrays.size() != 1 || arrays.front()->shared) return "";
  return fmt::format(
      "`{}` of {} is an array of each thread's own, in which the others write nothing: "
      "`__shared__` "
      "is missing in its declaration.",
      arrays.front()->name, line_in_file(arrays.front()->line, names_));
}

// A shared array that has a value only where a condition holds, or that is only added to.
std::string SourceCauses::written_by_some(const Symptom& symptom) const {
  for (const DeclaredArray* array : text_.arrays_in(symptom.line)) {
    if (!array->shared) continue;
    size_t adds = 0, plain = 0, stores = 0, branch = text_.size();
    bool always = false;
    for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
      if (!text_.is(i, array->name) || !text_.is(i + 1, "[")) continue;
      size_t sign = text_.behind(i + 1);
      while (text_.is(sign, "[")) sign = text_.behind(sign);
      const bool by_atomic = text_.is(i - 1, "&");
      const bool by_operation =
          (text_.is(sign, "+") && (text_.is(sign + 1, "=") || text_.is(sign + 1, "+")));
      if (by_atomic || by_operation) adds = i;
      if (!text_.is(sign, "=") || text_.is(sign + 1, "=")) continue;
      plain = i;
      ++stores;
      const size_t around = text_.branch_around(i);
      always = always || around == text_.size();
      if (branch == text_.size()) branch = around;
    }
    if (plain == 0 && adds != 0) {
      return fmt::format(
          "Shared memory is not 0 at first, and nothing sets `{}` before {} adds to it: let "
          "threads "
          "write 0 to all of its elements, and put `__syncthreads()` behind.",
          array->name, line_name(adds));
    }
    if (plain == 0 || always || branch == text_.size()) continue;
    const TextRange head = text_.head_of(branch);
    const bool bound = text_.contains(head, "<") && !text_.contains(head, "==");
    const bool equal = [&] {
      for (size_t i = head.begin; i + 1 < head.end; ++i) {
        if (text_.is(i, "=") && text_.is(i + 1, "=")) return true;
      }
      return false;
    }();
    if (equal) {
      return fmt::format(
          "{} writes to `{}` only in the threads for which `{}` holds, and {} reads more elements "
          "than these: give the others a neutral value, such as 0, or do not read them.",
          line_start(branch), array->name, text_.quote(head), line_in_file(symptom.line, names_));
    }
    const auto length = argument_number(head.end - 1);
    const bool all_hold = length && launch_.grid[0] * launch_.block[0] <= *length;
    if (!bound || stores > 1 || all_hold) continue;
    return fmt::format(
        "`{}` gets a value only where `{}` of {} holds: let the other threads write a neutral one, "
        "such as 0, in an `else`.",
        array->name, text_.quote(head), line_name(branch));
  }
  return "";
}

std::string SourceCauses::small_array(int line, bool shared) const {
  std::vector<const DeclaredArray*> arrays = text_.arrays_in(line);
  std::erase_if(arrays, [&](const DeclaredArray* one) { return one->shared != shared; });
  if (arrays.size() != 1 || !arrays.front()->elements) return "";
  const DeclaredArray& array = *arrays.front();
  const int64_t threads = launch_.block[0] * launch_.block[1] * launch_.block[2];
  std::string text = fmt::format("`{}` of {} has {} elements", array.name,
                                 line_in_file(array.line, names_), *array.elements);
  if (shared && threads > *array.elements) {
    return text +
           fmt::format(", and a block has {} threads: give it one for each of them.", threads);
  }
  return text + ": either it is too small, or the index is too great.";
}

std::string SourceCauses::assertion(int line) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (text_.line(i) == line && text_.is(i, "assert")) return text_.quote(text_.head_of(i));
  }
  return "";
}

std::string SourceCauses::shared_variable(int line) const {
  for (size_t i = text_.body() + 2; i + 1 < text_.size(); ++i) {
    if (!text_.is_word(i) || !text_.is(i + 1, ";") || !text_.is(i - 2, "__shared__")) continue;
    const std::string& name = text_.at(i).text;
    bool used = false, by_one = false;
    for (size_t at = i + 1; at + 1 < text_.size(); ++at) {
      if (!text_.is(at, name)) continue;
      used = used || text_.line(at) == line;
      const bool stores = (text_.is(at + 1, "=") && !text_.is(at + 2, "=")) ||
                          (text_.is(at + 1, "+") && text_.is(at + 2, "="));
      const size_t branch = text_.branch_around(at);
      const TextRange head = branch == text_.size() ? TextRange{} : text_.head_of(branch);
      for (size_t j = head.begin; stores && j + 1 < head.end; ++j) {
        by_one = by_one || (text_.is(j, "=") && text_.is(j + 1, "="));
      }
    }
    if (!used || by_one) continue;
    return fmt::format(
        "`{}` of {} is one variable for all threads of a block, by `__shared__`, and each of them "
        "writes to it: without that word each thread has its own.",
        name, line_name(i));
  }
  return "";
}

std::string SourceCauses::shared_array(int line) const {
  std::vector<const DeclaredArray*> arrays = text_.arrays_in(line);
  std::erase_if(arrays, [](const DeclaredArray* one) { return !one->shared; });
  return arrays.size() == 1 ? arrays.front()->name : "";
}

}  // namespace warpmark
