// The rules of SourceCauses about slips of writing: text that compiles, and means something else.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grade/feedback/source_causes.hpp"

namespace warpmark {

// "__syncthreads;"
std::string SourceCauses::uncalled(const Symptom&) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    const std::string& name = text_.at(i).text;
    const bool barrier =
        name == "__syncthreads" || name == "__syncwarp" || name.starts_with("__threadfence");
    if (!barrier || !text_.is(i + 1, ";")) continue;
    return fmt::format("`{}` in {} has no brackets, so that nothing is called: write `{}();`.",
                       name, line_name(i), name);
  }
  return "";
}

// "sum =+ x[i]", in a loop.
std::string SourceCauses::sign_for_operator(const Symptom&) const {
  for (const TextAssignment& one : text_.assignments()) {
    const size_t sign = one.value.begin;
    const bool signs = text_.is(sign, "+") || text_.is(sign, "-");
    // A negative constant is a value.
    if (text_.is(sign, "-") && text_.number(sign + 1)) continue;
    const bool adjacent = text_.is(sign - 1, "=") && text_.at(sign - 1).end == text_.at(sign).begin;
    if (one.operates || !one.type.empty() || !signs || !adjacent || !text_.is_in_loop(one.name))
      continue;
    const std::string& mark = text_.at(sign).text;
    return fmt::format(
        "{} has `={}`, which is a plain `=` and a sign, so that `{}` keeps only the last value: to "
        "{} write `{}=`.",
        line_start(one.name), mark, text_.at(one.name).text, mark == "+" ? "add" : "subtract",
        mark);
  }
  return "";
}

// A statement that is indented as if it belonged to an `if` or a loop without brackets.
std::string SourceCauses::outside_of_branch(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    const bool keyword = text_.is(i, "if") || text_.is(i, "for") || text_.is(i, "while");
    if (!keyword || !text_.is(i + 1, "(")) continue;
    const TextRange body = text_.body_of(i);
    const size_t next = body.end;
    if (text_.is(body.begin, "{") || next >= text_.size() || text_.is(next, "}") ||
        text_.is(next, "else"))
      continue;
    const int first = text_.line(body.begin), second = text_.line(next);
    const int depth = text_.indentation(first);
    const bool below = first > text_.line(i) && second > text_.line(next - 1) &&
                       depth > text_.indentation(text_.line(i)) &&
                       depth == text_.indentation(second);
    if (!below) continue;
    const bool there =
        symptom.line == 0 || (symptom.line >= second && text_.indentation(symptom.line) == depth);
    if (!there) continue;
    return fmt::format(
        "{} is written below the `{}` of {}, and does not belong to it: without `{{ }}` only one "
        "statement does. Put braces around all that should.",
        line_start(next), text_.at(i).text, line_name(i));
  }
  return "";
}

// "if (i < n & x[i] > 0)"
std::string SourceCauses::single_and(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "if") && !text_.is(i, "while")) continue;
    const TextRange head = text_.head_of(i);
    for (size_t at = head.begin + 1; at + 1 < head.end; ++at) {
      const bool single = text_.is(at, "&") && !text_.is(at + 1, "&") && !text_.is(at - 1, "&");
      if (!single || !text_.contains({head.begin, at}, "<")) continue;
      const TextRange right{at + 1, head.end};
      if (!text_.contains(right, "[") || text_.line(at + 1) != symptom.line) continue;
      return fmt::format(
          "{} has a single `&` in `{}`, which computes both sides: `&&` looks at the right one "
          "only "
          "where the left one holds.",
          line_start(i), text_.quote(head));
    }
  }
  return "";
}

// "if (x[i] > 0 && i < n)"
std::string SourceCauses::asks_too_late(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (text_.line(i) != symptom.line || !text_.is_word(i) || !text_.is(i + 1, "[")) continue;
    const TextRange element{i, text_.behind(i + 1)};
    for (const TextComparison& one : text_.comparisons()) {
      const TextRange head = text_.head_of(one.head);
      const bool later =
          head.holds(i) && one.all.begin >= element.end && one.left.end - one.left.begin == 1;
      if (!later || !text_.contains(element, text_.at(one.left.begin).text)) continue;
      const std::string mark = text_.is(one.all.begin - 1, "|") ? "||" : "&&";
      return fmt::format(
          "{} uses `{}` before it asks `{}`: `{}` looks at its right side only after the left one. "
          "Exchange the two.",
          line_start(i), text_.quote(element), text_.quote(one.all), mark);
    }
  }
  return "";
}

// "if (i > n) return;"
std::string SourceCauses::leaves_too_late(const Symptom& symptom) const {
  if (!symptom.one_past) return "";
  for (const TextComparison& one : text_.comparisons()) {
    if (one.less || one.or_equal || one.right.empty() || !text_.is(one.head, "if")) continue;
    if (text_.number(one.right.begin) || text_.contains(one.right, "-") || !leaves(one.head))
      continue;
    return fmt::format(
        "{} leaves only where `{}`, and the last element has the index `{} - 1`: write `{} >= {}`.",
        line_start(one.all.begin), text_.quote(one.all), text_.quote(one.right),
        text_.quote(one.left), text_.quote(one.right));
  }
  return "";
}

// "do { … } while (i < n);"
std::string SourceCauses::asks_after_round(const Symptom& symptom) const {
  for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "do") || !text_.is(i + 1, "{")) continue;
    const size_t end = text_.behind(i + 1);
    const TextRange head = text_.head_of(end);
    const bool inside = symptom.line >= text_.line(i) && symptom.line <= text_.line(end - 1);
    if (!text_.is(end, "while") || !inside || !text_.contains(head, "<")) continue;
    return fmt::format(
        "The loop of {} asks `{}` only after its first round: `while` or `for` ask before it.",
        line_name(i), text_.quote(head));
  }
  return "";
}

// "x ^ 2"
std::string SourceCauses::caret(const Symptom&) const {
  for (size_t i = text_.body() + 1; i + 1 < text_.size(); ++i) {
    if (!text_.is(i, "^") || text_.at(i + 1).kind != TokenKind::number) continue;
    const auto power = text_.number(i + 1);
    if (!power || *power < 2 || *power > 4) continue;
    size_t begin = i - 1;
    for (int depth = 0; begin > text_.body(); --begin) {
      if (text_.is(begin, "]") || text_.is(begin, ")")) ++depth;
      if (text_.is(begin, "[") || text_.is(begin, "(")) --depth;
      if (depth == 0 && !text_.is(begin, "[")) break;
    }
    const std::string base = text_.quote({begin, i});
    return fmt::format(
        "`{} ^ {}` in {} is the exclusive or of their bits, and no power: multiply, as by `{} * "
        "{}`.",
        base, *power, line_name(i), base, base);
  }
  return "";
}

// "if (x < width || y < height)", and "if (x >= width && y >= height) return;".
std::string SourceCauses::one_of_two_bounds(const Symptom&) const {
  const auto& all = text_.comparisons();
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    const TextComparison &a = all[i], &b = all[i + 1];
    const bool single = a.left.end - a.left.begin == 1 && b.left.end - b.left.begin == 1;
    if (a.head != b.head || !text_.is(a.head, "if") || a.less != b.less || !single) continue;
    if (!is_bound_of_grid(a) || !is_bound_of_grid(b) ||
        text_.at(a.left.begin).text == text_.at(b.left.begin).text)
      continue;
    const bool or_joins = text_.is(a.all.end, "|"), leaves_then = leaves(a.head);
    const std::string question = text_.quote({a.all.begin, b.all.end});
    if (a.less && or_joins && !leaves_then) {
      return fmt::format(
          "{} asks `{}`, which holds where one of the two does, and both must: write `&&`.",
          line_start(a.head), question);
    }
    if (!a.less && !or_joins && leaves_then) {
      return fmt::format(
          "{} leaves where `{}`, and one of the two is enough to be outside: write `||`.",
          line_start(a.head), question);
    }
  }
  return "";
}

// "y >= 0" of an unsigned y.
std::string SourceCauses::never_below_zero(const Symptom&) const {
  for (const TextComparison& one : text_.comparisons()) {
    const bool asks = !one.less && one.or_equal && one.left.end - one.left.begin == 1 &&
                      one.right.end - one.right.begin == 1 && text_.is(one.right.begin, "0");
    if (!asks || !text_.is_unsigned(text_.at(one.left.begin).text)) continue;
    const std::string& name = text_.at(one.left.begin).text;
    return fmt::format(
        "`{}` is `unsigned`, so that `{}` of {} always holds: from 0 it goes to 4294967295, and "
        "never below. Make it an `int`.",
        name, text_.quote(one.all), line_name(one.all.begin));
  }
  return "";
}

bool SourceCauses::leaves(size_t branch) const {
  size_t first = text_.body_of(branch).begin;
  if (text_.is(first, "{")) ++first;
  constexpr std::array<std::string_view, 3> kWords = {"return", "continue", "break"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return text_.is(first, word); });
}

// True if the grid has as many blocks along the variable's axis as its bound needs.
bool SourceCauses::is_bound_of_grid(const TextComparison& one) const {
  const auto bound = argument_number(one.right.begin);
  const TextAssignment* from = text_.assigned_before(text_.at(one.left.begin).text, one.left.begin);
  const int axis = from == nullptr ? -1 : block_axis(from->value);
  if (!bound || axis < 0 || one.right.end - one.right.begin != 1) return false;
  const int64_t span = span_of_block(from->value, axis);
  return span > 0 && (*bound + span - 1) / span == launch_.grid.at(static_cast<size_t>(axis));
}

}  // namespace warpmark
