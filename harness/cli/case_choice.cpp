#include "cli/case_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cli/axis_override.hpp"
#include "suite/selection.hpp"

namespace warpmark {
namespace {

// Of very many ids the first are enough for a hint.
constexpr size_t kEnoughIds = 20'000;

// What people type of an id: each part alone, and suites with their folders.
void add_parts(const std::string& id, std::set<std::string>& parts) {
  const size_t dot = id.find('.');
  parts.insert(id.substr(0, dot));
  size_t begin = 0;
  for (size_t at = 0; at <= id.size(); ++at) {
    if (at < id.size() && std::string_view("/,").find(id[at]) == std::string_view::npos &&
        at != dot) {
      continue;
    }
    if (at > begin) {
      const std::string part = id.substr(begin, at - begin);
      parts.insert(part);
      if (const size_t equals = part.find('='); equals != std::string::npos) {
        parts.insert(part.substr(0, equals));
        parts.insert(part.substr(equals + 1));
      }
    }
    begin = at + 1;
  }
}

void keep_ids(std::vector<LoadedSuite>& suites, const std::vector<std::string>& ids) {
  std::vector<Case> all;
  for (const LoadedSuite& one : suites) all.insert(all.end(), one.cases.begin(), one.cases.end());
  std::set<std::string> kept;
  for (const Case& one : select_cases(std::move(all), ids)) kept.insert(one.id);
  for (LoadedSuite& one : suites) {
    std::erase_if(one.cases, [&](const Case& which) { return kept.count(which.id) == 0; });
  }
}

void keep_matches(std::vector<LoadedSuite>& suites, const SelectExpression& select) {
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
  if (kept > 0) return;
  const std::string hint = nearest_part(select.words(), ids);
  throw usage_error("-k selects no case", {},
                    hint.empty() ? "`warpmark list` prints the ids" : hint);
}

bool expects_pass(const Suite& suite) {
  return !suite.fault && !suite.report && !suite.compile_error;
}

// A case that is asked for by name, or the only ones there are, are not left out in silence.
void refuse_unmeasured(const std::vector<LoadedSuite>& unmeasured,
                       const std::vector<std::string>& ids, bool nothing_else) {
  for (const LoadedSuite& one : unmeasured) {
    const bool wanted = std::any_of(one.cases.begin(), one.cases.end(), [&](const Case& which) {
      return std::find(ids.begin(), ids.end(), which.id) != ids.end();
    });
    if (!wanted && !nothing_else) continue;
    throw usage_error(fmt::format("{} has nothing to measure: it expects a fault, a report or a "
                                  "compile error",
                                  one.suite->name),
                      {}, "`warpmark check` checks that it comes");
  }
}

}  // namespace

std::vector<Case> ChosenCases::take_cases() {
  std::vector<Case> all;
  all.reserve(cases);
  for (LoadedSuite& one : suites) {
    std::move(one.cases.begin(), one.cases.end(), std::back_inserter(all));
  }
  suites.clear();
  return all;
}

std::string nearest_part(const std::vector<std::string>& words,
                         const std::vector<std::string>& ids) {
  std::set<std::string> parts;
  for (const std::string& id : ids) add_parts(id, parts);
  const std::vector<std::string> known(parts.begin(), parts.end());
  for (const std::string& word : words) {
    if (word.find('*') != std::string::npos) continue;
    const SelectExpression alone = SelectExpression::parse(word, "");
    if (std::any_of(ids.begin(), ids.end(),
                    [&](const std::string& id) { return alone.matches(id); })) {
      continue;
    }
    const std::string near = nearest(word, known);
    if (near.empty()) return fmt::format("no case id has `{}`", word);
    return fmt::format("no case id has `{}`; did you mean `{}`?", word, near);
  }
  return "";
}

ChosenCases choose_cases(const std::vector<std::filesystem::path>& paths, const CaseChoice& choice,
                         const ListEvaluator& python) {
  ChosenCases chosen;
  std::vector<std::shared_ptr<const Suite>> suites;
  for (const std::filesystem::path& file : suite_files(paths)) suites.push_back(load_suite(file));
  require_axes(suites, choice.axes);
  size_t all = 0;
  std::vector<LoadedSuite> unmeasured;
  for (const auto& suite : suites) {
    const std::shared_ptr<const Suite> changed = with_axes(suite, choice.axes);
    const bool left_out = choice.purpose == Purpose::bench && !expects_pass(*suite);
    (left_out ? unmeasured : chosen.suites)
        .push_back({changed, cases(changed, python, choice.purpose)});
  }
  chosen.unmeasured = unmeasured.size();
  refuse_unmeasured(unmeasured, choice.ids, chosen.suites.empty());
  if (!choice.ids.empty()) keep_ids(chosen.suites, choice.ids);
  for (const LoadedSuite& one : chosen.suites) all += one.cases.size();
  if (!choice.select.empty()) keep_matches(chosen.suites, choice.select);
  if (!choice.ids.empty() || !choice.select.empty()) {
    std::erase_if(chosen.suites, [](const LoadedSuite& one) { return one.cases.empty(); });
  }
  for (const LoadedSuite& one : chosen.suites) chosen.cases += one.cases.size();
  chosen.deselected = all - chosen.cases;
  return chosen;
}

}  // namespace warpmark
