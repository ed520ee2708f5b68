#include "cli/request/compare_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "cli/program/command_line.hpp"
#include "report/comparison/comparison_rows.hpp"
#include "report/run/failure_cause.hpp"
#include "suite/select_expression.hpp"
#include "suite/suite.hpp"

namespace warpmark {

namespace {

// The verdicts that pass unless they are named.
constexpr std::array<ChangeVerdict, 4> kMayFail = {ChangeVerdict::inconclusive,
                                                   ChangeVerdict::missing, ChangeVerdict::added,
                                                   ChangeVerdict::faster};

double percentage(std::string_view text, const std::string& what, const Position& where) {
  double percent = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, code] = std::from_chars(text.data(), end, percent);
  if (code == std::errc{} && stopped == end && std::isfinite(percent) && percent >= 0)
    return percent;
  throw usage_error(
      fmt::format("{} must be a percentage from 0, and is `{}`", what, printable(text)), where,
      "a number, as 5, or one for some counters, as atomic=2");
}

// Counters have long names, and what is meant is mostly a part: "atomic", "load".
std::string nearest_counter(const std::string& word) {
  std::vector<std::string> known = counter_names();
  std::set<std::string> parts;
  for (const std::string& name : known) {
    for (std::string& part : split(name, '_')) parts.insert(std::move(part));
  }
  known.insert(known.end(), parts.begin(), parts.end());
  return nearest(word, known);
}

CounterEffect counter_effect(const std::string& counters, double percent, const std::string& what,
                             const Position& where) {
  (void)SelectExpression::parse(counters, what, where);
  CounterEffect effect{counters, percent / 100};
  const std::vector<std::string>& known = counter_names();
  const bool any = std::ranges::any_of(
      known, [&](const std::string& name) { return !counters.empty() && concerns(effect, name); });
  if (any) return effect;
  const std::string near = nearest_counter(counters);
  throw usage_error(fmt::format("{} knows no counter `{}`", what, printable(counters)), where,
                    near.empty()
                        ? "a name of docs/counters.md, or a part of names, as atomic or *_bytes"
                        : fmt::format("did you mean `{}`?", near));
}

}  // namespace

void CompareRequest::read_min_effects(const std::vector<Located>& words, const std::string& what) {
  min_effect.reset();
  counter_effects.clear();
  for (const Located& word : words) {
    for (const std::string& part : split(word.text, ',')) {
      const size_t equals = part.rfind('=');
      if (equals == std::string::npos) {
        min_effect = percentage(trim(part), what, word.where);
        continue;
      }
      const double percent =
          percentage(trim(std::string_view(part).substr(equals + 1)), what, word.where);
      counter_effects.push_back(counter_effect(
          std::string(trim(std::string_view(part).substr(0, equals))), percent, what, word.where));
    }
  }
}

ComparisonOptions CompareRequest::options() const {
  ComparisonOptions options;
  options.across_devices = across_devices;
  options.count_effects = counter_effects;
  if (min_effect) options.least_effect = options.least_count_effect = *min_effect / 100;
  return options;
}

std::vector<std::string> CompareRequest::may_fail() {
  std::vector<std::string> words;
  for (const ChangeVerdict verdict : kMayFail) words.emplace_back(to_text(verdict));
  return words;
}

std::set<ChangeVerdict> CompareRequest::failing() const {
  std::set<ChangeVerdict> failing;
  const std::vector<std::string> known = may_fail();
  for (const std::string& word : fail_on) {
    const size_t before = failing.size();
    for (const ChangeVerdict verdict : kMayFail) {
      if (word == to_text(verdict)) failing.insert(verdict);
    }
    const bool named_twice = std::ranges::find(known, word) != known.end();
    if (failing.size() > before || named_twice) continue;
    const std::string near = nearest(word, known);
    throw usage_error(fmt::format("--fail-on knows no `{}`", printable(word)), {},
                      near.empty() ? "it knows " + join(known, ", ") +
                                         "; slower, lost, missing and mixed fail by themselves"
                                   : fmt::format("did you mean `{}`?", near));
  }
  return failing;
}

ComparedBenches CompareRequest::compared(const BenchResult& baseline, const BenchResult& contender,
                                         const BenchComparison& comparison) const {
  return {baseline, contender, comparison, options(), failing(), allow_missing};
}

std::vector<Problem> failures_as_problems(const BenchResult& run,
                                          const std::map<std::string, Position>& places) {
  std::vector<Problem> problems;
  for (const BenchCase& one : run.cases) {
    if (one.verdict != Verdict::failed) continue;
    const auto place = places.find(one.suite);
    const std::string again = one.reproduce.empty() ? "" : "\nreproduce: " + one.reproduce;
    problems.push_back({false, "wrong", place == places.end() ? Position{} : place->second, one.id,
                        one.reason + again, one.id + " " + without_numbers(one.reason)});
  }
  return problems;
}

std::vector<Problem> changes_as_problems(const ComparedBenches& compared,
                                         const std::map<std::string, Position>& places) {
  std::vector<Problem> problems;
  // Cases of one kernel grow at one line: the index of its problem, and the count of others.
  std::map<std::pair<std::string, int>, std::pair<size_t, size_t>> known;
  for (const FailedChange& change : failed_changes(compared)) {
    const std::string rule(to_text(change.verdict));
    std::error_code ignored;
    if (change.line.known() && std::filesystem::is_regular_file(change.line.file, ignored)) {
      const auto [at, is_new] = known.emplace(std::pair(change.line.file, change.line.line),
                                              std::pair(problems.size(), size_t{0}));
      if (is_new) {
        problems.push_back({false, rule, change.line, change.id, change.text, change.id});
      } else {
        ++at->second.second;
      }
      continue;
    }
    const auto place = places.find(change.suite);
    problems.push_back({false, rule, place == places.end() ? change.where : place->second,
                        change.id, change.text, change.id});
  }
  for (const auto& [place, found] : known) {
    Problem& problem = problems[found.first];
    problem.title = cases_title(problem.title, found.second);
  }
  return problems;
}

ProblemRun run_of(const ComparedBenches& compared) {
  ProblemRun run;
  run.verb = "compare";
  run.command = compared.command.empty() ? command_line() : compared.command;
  run.device = compared.contender.device_name;
  run.date = utc_date();
  run.exit_code = compared.exit_code();
  return run;
}

}  // namespace warpmark
