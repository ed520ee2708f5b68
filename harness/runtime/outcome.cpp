#include "runtime/outcome.hpp"

#include <algorithm>

namespace warpmark {

std::string in_words(Verdict verdict) {
  std::string words(to_text(verdict));
  std::ranges::replace(words, '_', ' ');
  return words;
}

Outcome load_failure(const Error& error) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.failure = FailureKind::load;
  outcome.reason = error.message();
  outcome.message = error.what();
  outcome.where = error.where();
  outcome.error = error;
  return outcome;
}

std::vector<size_t> subscripts(size_t index, const std::vector<int64_t>& shape) {
  std::vector<size_t> places(shape.size());
  size_t rest = index;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] <= 0) return {index};
    const auto extent = static_cast<size_t>(shape[axis]);
    places[axis] = rest % extent;
    rest /= extent;
  }
  return places;
}

}  // namespace warpmark
