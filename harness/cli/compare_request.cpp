#include "cli/compare_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "base/text.hpp"
#include "report/annotations.hpp"
#include "report/comparison_rows.hpp"

namespace warpmark {

namespace {

// The verdicts that pass unless they are named.
constexpr std::array<ChangeVerdict, 4> kMayFail = {ChangeVerdict::inconclusive,
                                                   ChangeVerdict::missing, ChangeVerdict::added,
                                                   ChangeVerdict::faster};

}  // namespace

ComparisonOptions CompareRequest::options() const {
  ComparisonOptions options;
  options.across_devices = across_devices;
  if (!min_effect) return options;
  if (!std::isfinite(*min_effect) || *min_effect < 0) {
    throw usage_error(
        fmt::format("--min-effect must be a percentage from 0 on, not {}", *min_effect), {},
        "as in --min-effect 5");
  }
  options.least_effect = options.least_count_effect = *min_effect / 100;
  return options;
}

std::set<ChangeVerdict> CompareRequest::failing() const {
  std::set<ChangeVerdict> failing;
  std::vector<std::string> known;
  for (const ChangeVerdict verdict : kMayFail) known.emplace_back(to_text(verdict));
  for (const std::string& word : fail_on) {
    const size_t before = failing.size();
    for (const ChangeVerdict verdict : kMayFail) {
      if (word == to_text(verdict)) failing.insert(verdict);
    }
    const bool named_twice = std::find(known.begin(), known.end(), word) != known.end();
    if (failing.size() > before || named_twice) continue;
    const std::string near = nearest(word, known);
    throw usage_error(fmt::format("--fail-on knows no `{}`", printable(word)), {},
                      near.empty() ? "it knows " + join(known, ", ") +
                                         "; slower, lost and missing fail by themselves"
                                   : fmt::format("did you mean `{}`?", near));
  }
  return failing;
}

ComparedBenches CompareRequest::compared(const BenchResult& baseline, const BenchResult& contender,
                                         const BenchComparison& comparison) const {
  return {baseline, contender, comparison, options(), failing(), allow_missing};
}

void annotate_changes(const ComparedBenches& compared,
                      const std::map<std::string, Position>& places) {
  AnnotationList list;
  for (const FailedChange& change : failed_changes(compared)) {
    const auto known = places.find(change.suite);
    list.add(
        annotation(known == places.end() ? change.where : known->second, change.id, change.text));
  }
  list.write(std::cerr);
}

}  // namespace warpmark
