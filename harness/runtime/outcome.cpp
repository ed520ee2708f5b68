#include "runtime/outcome.hpp"

#include <algorithm>

namespace warpmark {

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::skipped:
      return "skipped";
    case Verdict::interrupted:
      return "interrupted";
    case Verdict::not_run:
      return "not_run";
  }
  return "";
}

std::string in_words(Verdict verdict) {
  std::string words(to_text(verdict));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string_view to_text(FailureKind kind) {
  switch (kind) {
    case FailureKind::none:
      return "none";
    case FailureKind::compile:
      return "compile";
    case FailureKind::signature:
      return "signature";
    case FailureKind::input:
      return "input";
    case FailureKind::fault:
      return "fault";
    case FailureKind::limit:
      return "limit";
    case FailureKind::crash:
      return "crash";
    case FailureKind::no_fault:
      return "no_fault";
    case FailureKind::reference:
      return "reference";
    case FailureKind::wrong:
      return "wrong";
    case FailureKind::check:
      return "check";
    case FailureKind::unwritten:
      return "unwritten";
    case FailureKind::input_changed:
      return "input_changed";
    case FailureKind::finding:
      return "finding";
    case FailureKind::counter:
      return "counter";
    case FailureKind::load:
      return "load";
    case FailureKind::driver:
      return "driver";
    case FailureKind::launch:
      return "launch";
    case FailureKind::impossible:
      return "impossible";
    case FailureKind::replayed:
      return "replayed";
    case FailureKind::slower:
      return "slower";
  }
  return "";
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
