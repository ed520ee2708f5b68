#include "cli/jobs/search_report.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "suite/axis_override.hpp"

namespace warpmark {

SearchReport::SearchReport(const JobRequest& request, const ChosenCases& chosen)
    : request_(request) {
  for (const LoadedSuite& one : chosen.suites) suites_.push_back({one.suite, one.cases});
}

void SearchReport::search(CaseRunner& runner, std::vector<CaseWork>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  InterruptGuard guard([&runner] { runner.interrupt(); });
  PluginLoader plugins;
  uint64_t tried = 0;
  for (size_t i = 0; i < suites_.size() && !guard.interrupted(); ++i) {
    Searched& one = suites_[i];
    SearchLimits limits = *request_.search;
    const auto left = suites_.size() - i;
    if (limits.seconds)
      limits.seconds = std::max(*limits.seconds - passed(), 0.0) / static_cast<double>(left);
    if (limits.cases) limits.cases = (*limits.cases - std::min(tried, *limits.cases)) / left;
    one.result = warpmark::search(one.suite, one.usual, runner, plugins, limits,
                                  request_.session.seed, [&] { return guard.interrupted(); });
    one.ran = true;
    tried += one.result.tried;
    for (const FoundFailure& found : one.result.found) {
      const bool known = std::ranges::any_of(
          work, [&](const CaseWork& item) { return item.which.id == found.which.id; });
      // A case of the suite shows the failure itself, but for another trial of it.
      if (known && found.trial == request_.first_trial) continue;
      CaseWork item;
      item.which = found.which;
      item.axes = override_texts(found.which, request_.choice.axes);
      item.trial = found.trial;
      std::erase_if(work, [&](const CaseWork& other) { return other.which.id == item.which.id; });
      work.push_back(std::move(item));
    }
  }
  seconds_ = passed();
  signal_ = guard.signal();
}

// The search ended by a signal: so does the run, which has its own handler by now.
void SearchReport::start_case(const std::string&) {
  if (const int signal = std::exchange(signal_, 0); signal != 0) ::raise(signal);
}

void SearchReport::end_case(const EndedCase& ended) {
  if (ended.outcome.verdict == Verdict::failed) failed_.insert(ended.outcome.case_id);
}

void SearchReport::note_found(const Searched& one, std::vector<std::string>& notes) const {
  for (const FoundFailure& found : one.result.found) {
    if (!failed_.contains(found.which.id)) {
      notes.push_back(
          fmt::format("  {} failed in the search, and does not by itself", found.which.id));
      continue;
    }
    std::string how = fmt::format("found by case {} of the search", found.tried);
    if (found.first_id != found.which.id)
      how += fmt::format(", {}, which {} made smaller", found.first_id,
                         counted(found.smaller, "more case"));
    notes.push_back(fmt::format("  {}: {}", found.which.id, how));
    const bool usual = std::ranges::any_of(
        one.usual, [&](const Case& which) { return which.id == found.which.id; });
    if (usual) {
      if (found.trial > 0)
        notes.push_back(fmt::format("    only --trial {} shows it", found.trial));
      continue;
    }
    notes.push_back(
        fmt::format("    to keep it, add to `cases:` of {}:  - {}{}", display_path(one.suite->file),
                    found.listed,
                    found.trial > 0 ? fmt::format("  # fails with --trial {}", found.trial) : ""));
  }
}

std::vector<std::string> SearchReport::notes() {
  uint64_t tried = 0, failures = 0;
  size_t ran = 0;
  for (const Searched& one : suites_) {
    tried += one.result.tried;
    failures += one.result.found.size();
    ran += one.ran ? 1 : 0;
  }
  std::vector<std::string> notes = {
      fmt::format("search: {} of {} in {:.1f} s, seed {}: {}", counted(tried, "case"),
                  counted(ran, "suite"), seconds_, request_.session.seed,
                  failures == 0 ? "no failure" : counted(failures, "failure"))};
  for (const Searched& one : suites_) {
    note_found(one, notes);
    if (one.result.all_fail)
      notes.push_back(fmt::format("  {}: the search ended, as one case after the other failed",
                                  one.suite->name));
    if (!one.ran || !one.result.found.empty()) continue;
    if (!one.result.has_points) {
      notes.push_back(
          fmt::format("  {}: no axis has `any` and no argument `values`, so only trials "
                      "differed",
                      one.suite->name));
    } else if (!one.result.up_to.empty()) {
      notes.push_back(fmt::format("  {}: the search ended at {}", one.suite->name,
                                  join(one.result.up_to, ", ")));
    } else if (one.result.whole) {
      notes.push_back(fmt::format("  {}: nearly every case was tried", one.suite->name));
    }
  }
  return notes;
}

}  // namespace warpmark
