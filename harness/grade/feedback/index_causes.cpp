// The rules of SourceCauses about indices that have been exchanged, or written twice.
#include <fmt/format.h>

#include <algorithm>

#include "grade/feedback/device_report.hpp"
#include "grade/feedback/source_causes.hpp"

namespace warpmark {

// The word that a condition holds a variable below: "k" of `i < k`; "" for none, or several.
std::string SourceCauses::bound_of(std::string_view name) const {
  std::string bound;
  for (const TextComparison& one : text_.comparisons()) {
    const bool simple = one.less && !one.or_equal && one.left.end - one.left.begin == 1 &&
                        one.right.end - one.right.begin == 1;
    if (!simple || !text_.is(one.left.begin, name) || !text_.is_word(one.right.begin)) continue;
    const std::string& found = text_.at(one.right.begin).text;
    if (!bound.empty() && bound != found) return "";
    bound = found;
  }
  return bound;
}

bool SourceCauses::is_counter(std::string_view name) const {
  return std::ranges::any_of(text_.loops(), [&](size_t loop) {
    const TextRange condition = text_.parts_of(loop)[1];
    return !condition.empty() && text_.is(condition.begin, name);
  });
}

// True for "a[row * length + place]" of a pointer.
bool SourceCauses::is_element_of_matrix(size_t at) const {
  return text_.is_word(at) && text_.is_pointer(text_.at(at).text) && text_.is(at + 1, "[") &&
         text_.is_word(at + 2) && text_.is(at + 3, "*") && text_.is_word(at + 4) &&
         text_.is(at + 5, "+") && text_.is_word(at + 6) && text_.is(at + 7, "]");
}

// "a[i * k + row]" for "c[row * n + col]": i goes to k, the length of a row, so that it is the place
// in a row, and `row` is a row's number in the result. It shows where all sides are equal, too, and
// no access is out of bounds.
std::string SourceCauses::exchanged_index(const Symptom&) const {
  for (size_t i = text_.body(); i + 7 < text_.size(); ++i) {
    if (!is_element_of_matrix(i)) continue;
    const std::string &row = text_.at(i + 2).text, &length = text_.at(i + 4).text,
                      &place = text_.at(i + 6).text;
    const std::string other = bound_of(place);
    const bool exchanged = bound_of(row) == length && !other.empty() && other != length;
    if (!exchanged) continue;
    const auto told = [&] {
      return fmt::format(
          "{} takes `{}`: `{}` goes up to `{}`, which is the length of a row, and `{}` up to `{}`, "
          "so that row and column are exchanged. It must be `{}[{} * {} + {}]`.",
          line_start(i), text_.quote({i, i + 8}), row, length, place, other, text_.at(i).text,
          place, length, row);
    };
    const auto* array = argument_of(text_.at(i).text);
    const bool is_row =
        array != nullptr && array->shape.size() == 2 && argument_number(i + 4) == array->shape[1];
    if (is_counter(row) == is_counter(place)) {
      if (is_row) return told();
      continue;
    }
    const bool is_place = is_counter(row);  // here, of the index that the result has, too
    for (size_t at = text_.body(); at + 9 < text_.size(); ++at) {
      const bool stores =
          is_element_of_matrix(at) && text_.is(at + 8, "=") && !text_.is(at + 9, "=");
      if (!stores || !text_.is(is_place ? at + 2 : at + 6, is_place ? place : row)) continue;
      return told();
    }
  }
  return "";
}

// A shared array's element that two lines write, while another one, which is read, gets no value.
std::string SourceCauses::written_twice(const Symptom& symptom) const {
  for (const DeclaredArray* array : text_.arrays_in(symptom.line)) {
    if (!array->shared) continue;
    std::vector<TextRange> stores, reads;
    for (size_t i = text_.body(); i + 1 < text_.size(); ++i) {
      if (!text_.is(i, array->name) || !text_.is(i + 1, "[")) continue;
      const size_t end = text_.behind(i + 1);
      const bool is_store = text_.is(end, "=") && !text_.is(end + 1, "=");
      if (is_store) stores.push_back({i, end});
      if (!is_store && text_.line(i) == symptom.line) reads.push_back({i, end});
    }
    const auto same = [&](const TextRange& other) {
      return [&](const TextRange& one) { return text_.quote(one) == text_.quote(other); };
    };
    const auto missing = std::find_if(reads.rbegin(), reads.rend(), [&](const TextRange& read) {
      return std::ranges::none_of(stores, same(read));
    });
    if (missing == reads.rend()) continue;
    for (size_t i = 1; i < stores.size(); ++i) {
      const auto first = std::ranges::find_if(stores, same(stores[i]));
      const bool in_branch = text_.branch_around(stores[i].begin) != text_.size();
      if (first->begin == stores[i].begin || !in_branch) continue;
      return fmt::format(
          "{} and {} both write to `{}`, and no line writes to `{}`, which {} reads: is that meant "
          "in {}?",
          line_start(first->begin), line_name(stores[i].begin), text_.quote(stores[i]),
          text_.quote(*missing), line_in_file(symptom.line, names_), line_name(stores[i].begin));
    }
  }
  return "";
}

// "swap = from; from = to; to = swap" at the end of each round, and the result is taken from the
// buffer that would be written next.
std::string SourceCauses::exchanged_buffers(const Symptom&) const {
  const auto& all = text_.assignments();
  const auto is_one = [&](const TextAssignment& one, std::string_view value) {
    return !one.operates && one.value.end - one.value.begin == 1 &&
           text_.is(one.value.begin, value);
  };
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    const std::string &kept = text_.at(all[i].name).text, &from = text_.at(all[i + 1].name).text,
                      &to = text_.at(all[i + 2].name).text;
    const bool exchanges =
        is_one(all[i], from) && is_one(all[i + 1], to) && is_one(all[i + 2], kept);
    if (!exchanges) continue;
    for (const size_t loop : text_.loops()) {
      const TextRange body = text_.body_of(loop);
      if (!body.holds(all[i].name)) continue;
      std::string stored;  // the array into whose part `to` a round writes
      for (size_t at = body.begin; at < all[i].name; ++at) {
        const bool part = text_.is_word(at) && text_.is(at + 1, "[") && text_.is(at + 2, to);
        size_t sign = part ? text_.behind(at + 1) : 0;
        while (part && text_.is(sign, "[")) sign = text_.behind(sign);
        if (part && text_.is(sign, "=") && !text_.is(sign + 1, "=")) stored = text_.at(at).text;
      }
      for (size_t at = body.end; !stored.empty() && at + 2 < text_.size(); ++at) {
        if (!text_.is(at, stored) || !text_.is(at + 1, "[") || !text_.is(at + 2, to)) continue;
        return fmt::format(
            "{} exchanges `{}` and `{}` after each round, the last one too, so that the result is "
            "in "
            "`{}[{}]`, and {} reads `{}[{}]`, which is a round older.",
            line_start(all[i].name), from, to, stored, from, line_name(at), stored, to);
      }
    }
  }
  return "";
}

}  // namespace warpmark
