#include "report/run/failure_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "base/text.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

namespace {

constexpr size_t kMostIds = 6;

// "out-of-bounds global write of # bytes": what stands before the thread.
std::string_view head_of(std::string_view reason) {
  for (const std::string_view end : {", by thread", " by thread", ", in block"}) {
    if (const size_t at = reason.find(end); at != std::string_view::npos) {
      reason = reason.substr(0, at);
    }
  }
  return reason;
}

// The compiler's first error, or "".
std::string first_compile_error(const std::string& message) {
  for (const std::string& line : split(message, '\n')) {
    if (line.find(": error: ") != std::string::npos && line.find("does not compile") == line.npos) {
      return line;
    }
  }
  return "";
}

// The outputs of which every element is wrong, where no output is wrong in a part: "out, sum".
// Values differ from case to case, and say no more about such a kernel.
std::string wrong_as_a_whole(const Outcome& outcome) {
  std::string names;
  for (const OutputVerdict& output : outcome.outputs) {
    const Comparison& compared = output.comparison;
    if (compared.passed()) continue;
    if (compared.wrong < compared.elements) return "";
    names += (names.empty() ? "" : ", ") + output.output;
  }
  return names;
}

}  // namespace

std::string failure_cause(const Outcome& outcome) {
  const std::string start = fmt::format("{} {} ", to_text(outcome.failure), outcome.where.text());
  switch (outcome.failure) {
    case FailureKind::load:
      return start + outcome.reason;
    case FailureKind::compile:
      return start + outcome.reason + first_compile_error(outcome.message);
    case FailureKind::signature:
    case FailureKind::launch:
    case FailureKind::input:
    case FailureKind::reference:
      return start + without_numbers(outcome.reason);
    case FailureKind::fault:
    case FailureKind::limit:
    case FailureKind::finding:
      // Without a line nothing shows whether the cause is the same.
      if (!outcome.where.known()) return "";
      return start + without_numbers(head_of(outcome.reason));
    case FailureKind::wrong:
    case FailureKind::unwritten: {
      const std::string outputs = outcome.findings.empty() ? wrong_as_a_whole(outcome) : "";
      return outputs.empty() ? "" : start + outputs;
    }
    default:
      return "";
  }
}

std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = is_digit(c);
    if (digit && !out.empty() && out.back() == '#') continue;
    out += digit ? '#' : c;
  }
  return out;
}

int failure_rank(const Outcome& outcome) {
  using Kind = FailureKind;
  constexpr std::array kNotLaunched = {Kind::load,   Kind::compile, Kind::signature,
                                       Kind::launch, Kind::input,   Kind::reference};
  constexpr std::array kEnded = {Kind::fault, Kind::limit, Kind::crash, Kind::driver};
  if (std::ranges::count(kNotLaunched, outcome.failure) != 0) return 0;
  if (std::ranges::count(kEnded, outcome.failure) != 0) return 1;
  return outcome.failure == Kind::finding ? 2 : 3;
}

std::string cases_title(const std::string& first, size_t more) {
  return more == 0 ? first : first + " and " + count_text(more, "more case");
}

std::string other_cases(const std::vector<std::string>& ids) {
  std::string text;
  for (size_t i = 0; i < ids.size() && i < kMostIds; ++i) text += (i == 0 ? "" : ", ") + ids[i];
  if (ids.size() > kMostIds) text += " and " + count_text(ids.size() - kMostIds, "") + "more";
  return text;
}

}  // namespace warpmark
