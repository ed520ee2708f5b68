#include "cli/request/case_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "suite/axis_override.hpp"
#include "suite/selection.hpp"

namespace warpmark {
namespace {

// The most ids to collect: of very many the first are enough for a hint.
constexpr size_t kEnoughIds = 20'000;

void keep_ids(std::vector<LoadedSuite>& suites, const std::vector<std::string>& ids) {
  std::vector<Case> all;
  for (const LoadedSuite& one : suites) all.insert(all.end(), one.cases.begin(), one.cases.end());
  std::set<std::string> kept;
  for (const Case& one : select_cases(std::move(all), ids)) kept.insert(one.id);
  for (LoadedSuite& one : suites) {
    std::erase_if(one.cases, [&](const Case& which) { return kept.count(which.id) == 0; });
  }
}

// Moves the ids that no good suite has, but a bad suite may have, out of `ids`, and keeps only the
// bad suites that may have one.
void keep_bad(const std::vector<LoadedSuite>& suites, std::vector<std::string>& ids,
              std::vector<BadSuite>& bad) {
  std::set<std::string> known;
  for (const LoadedSuite& one : suites) {
    for (const Case& which : one.cases) known.insert(which.id);
  }
  std::set<std::string> wanted;
  std::erase_if(ids, [&](const std::string& id) {
    if (known.count(id) > 0) return false;
    bool may = false;
    for (const BadSuite& one : bad) {
      if (!id.starts_with(one.name + ".")) continue;
      wanted.insert(one.name);
      may = true;
    }
    return may;
  });
  std::erase_if(bad, [&](const BadSuite& one) { return wanted.count(one.name) == 0; });
}

// Adds the cases that no list names, but that a range or contents make possible.
void add_possible(std::vector<LoadedSuite>& suites, const std::vector<std::string>& ids,
                  const CaseChoice& choice, const ListEvaluator& python) {
  for (LoadedSuite& one : suites) {
    // Axes of its own say what is timed.
    if (choice.purpose == Purpose::bench && !one.suite->bench.axes.empty()) continue;
    for (const std::string& id : ids) {
      if (!id.starts_with(one.suite->name + ".")) continue;
      const bool known =
          std::ranges::any_of(one.cases, [&](const Case& which) { return which.id == id; });
      if (known) continue;
      if (auto possible = possible_case(one.suite, id, python))
        one.cases.push_back(std::move(*possible));
    }
  }
}

// Keeps the ids that were asked for, if any were.
void choose_ids(ChosenCases& chosen, const CaseChoice& choice, const ListEvaluator& python) {
  std::vector<std::string> ids = choice.ids;
  if (ids.empty()) return;
  add_possible(chosen.suites, ids, choice, python);
  keep_bad(chosen.suites, ids, chosen.bad);
  if (ids.empty()) {
    chosen.suites.clear();
  } else {
    keep_ids(chosen.suites, ids);
  }
}

// Throws if nothing is left, unless `may_be_none`.
void keep_matches(std::vector<LoadedSuite>& suites, const SelectExpression& select,
                  bool may_be_none) {
  std::vector<std::string> ids;
  size_t kept = 0;
  for (LoadedSuite& one : suites) {
    std::erase_if(one.cases, [&](const Case& which) {
      const bool leave = !select.matches(which.id);
      if (leave && ids.size() < kEnoughIds) ids.push_back(which.id);
      return leave;
    });
    kept += one.cases.size();
  }
  if (kept > 0 || may_be_none) return;
  const std::string hint = nearest_part(select.words(), ids);
  throw usage_error("-k selects no case", {},
                    hint.empty() ? "`warpmark list` prints the ids" : hint);
}

bool expects_pass(const Suite& suite) {
  return !suite.fault && !suite.report && !suite.compile_error;
}

// Throws if cases are left out that were asked for by name, or that are the only ones: they are not
// left out silently.
void refuse_unmeasured(const std::vector<LoadedSuite>& unmeasured,
                       const std::vector<std::string>& ids, bool nothing_else) {
  for (const LoadedSuite& one : unmeasured) {
    const bool wanted = std::ranges::any_of(one.cases, [&](const Case& which) {
      return std::ranges::find(ids, which.id) != ids.end();
    });
    if (!wanted && !nothing_else) continue;
    throw usage_error(fmt::format("{} has nothing to measure: it expects a fault, a report or a "
                                  "compile error",
                                  one.suite->name),
                      {}, "`warpmark check` checks that it comes");
  }
}

}  // namespace

void ChosenCases::require_all_loaded() const {
  if (!bad.empty()) throw bad.front().error;
}

bool keep_touched(ChosenCases& chosen, const std::vector<std::filesystem::path>& files) {
  const auto is_other = [&](const std::filesystem::path& file) {
    return std::ranges::find(files, file) == files.end();
  };
  std::erase_if(chosen.suites, [&](const LoadedSuite& one) { return is_other(one.suite->file); });
  std::erase_if(chosen.bad, [&](const BadSuite& one) { return is_other(one.file); });
  chosen.cases = 0;
  for (const LoadedSuite& one : chosen.suites) chosen.cases += one.cases.size();
  return !chosen.suites.empty() || !chosen.bad.empty();
}

std::string bad_suite_id(const BadSuite& suite) {
  return suite.name + ".not_loaded";
}

std::vector<Case> ChosenCases::take_cases() {
  std::vector<Case> all;
  all.reserve(cases);
  for (LoadedSuite& one : suites) {
    std::move(one.cases.begin(), one.cases.end(), std::back_inserter(all));
  }
  suites.clear();
  return all;
}

ChosenCases choose_cases(const std::vector<std::filesystem::path>& paths, const CaseChoice& choice,
                         const ListEvaluator& python) {
  ChosenCases chosen;
  FoundSuites found = suite_files(paths);
  chosen.bad = std::move(found.bad);
  // A file that cannot be loaded does not keep the others from loading.
  const auto attempt = [&](const std::filesystem::path& file, const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      // Only usage errors are the fault of a file: others come from this machine or program.
      if (error.code() != ExitCode::usage) throw;
      chosen.bad.push_back({suite_name(file), file, error});
    }
  };
  std::vector<std::shared_ptr<const Suite>> suites;
  for (const std::filesystem::path& file : found.files) {
    attempt(file, [&] { suites.push_back(load_suite(file)); });
  }
  // One of the bad suites may have the axis.
  if (chosen.bad.empty()) require_axes(suites, choice.axes);
  size_t all = 0;
  std::vector<LoadedSuite> unmeasured;
  for (const auto& suite : suites) {
    attempt(suite->file, [&] {
      const std::shared_ptr<const Suite> changed = with_axes(suite, choice.axes);
      const bool left_out = choice.purpose == Purpose::bench && !expects_pass(*suite);
      (left_out ? unmeasured : chosen.suites)
          .push_back({changed, cases(changed, python, choice.purpose)});
    });
  }
  chosen.unmeasured = unmeasured.size();
  refuse_unmeasured(unmeasured, choice.ids, chosen.suites.empty() && chosen.bad.empty());
  choose_ids(chosen, choice, python);
  for (const LoadedSuite& one : chosen.suites) all += one.cases.size();
  // Bad suites stay, since their cases are unknown.
  if (!choice.select.empty()) keep_matches(chosen.suites, choice.select, !chosen.bad.empty());
  if (!choice.ids.empty() || !choice.select.empty()) {
    std::erase_if(chosen.suites, [](const LoadedSuite& one) { return one.cases.empty(); });
  }
  for (const LoadedSuite& one : chosen.suites) chosen.cases += one.cases.size();
  chosen.deselected = all - chosen.cases;
  return chosen;
}

}  // namespace warpmark
