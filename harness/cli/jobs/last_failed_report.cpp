#include "cli/jobs/last_failed_report.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

std::string keep_last_failed(ChosenCases& chosen, const LastFailed& memory) {
  if (!memory.enabled()) {
    throw environment_error("there is no cache folder that could know what failed last time",
                            "set WARPMARK_CACHE_DIR, XDG_CACHE_HOME or HOME");
  }
  std::map<std::string, std::set<std::string>> failed;
  size_t remembered = 0, here = 0;
  for (const LoadedSuite& one : chosen.suites) {
    std::set<std::string>& ids = failed[one.suite->name];
    ids = memory.of(one.suite->file);
    remembered += ids.size();
    for (const Case& which : one.cases) here += ids.count(which.id);
  }
  if (remembered == 0) return "last failed: no case that is remembered; running all";
  if (here == 0) {
    return fmt::format("last failed: {}, not among these; running all",
                       count_text(remembered, "case"));
  }
  for (LoadedSuite& one : chosen.suites) {
    const std::set<std::string>& ids = failed[one.suite->name];
    std::erase_if(one.cases, [&](const Case& which) { return ids.count(which.id) == 0; });
  }
  std::erase_if(chosen.suites, [](const LoadedSuite& one) { return one.cases.empty(); });
  chosen.deselected += chosen.cases - here;
  chosen.cases = here;
  return "last failed: running " + count_text(here, "case");
}

LastFailedReport::LastFailedReport(LastFailed memory, const std::vector<LoadedSuite>& suites)
    : memory_(std::move(memory)) {
  for (const LoadedSuite& one : suites) {
    suites_[one.suite->name] = {one.suite->file, memory_.of(one.suite->file)};
  }
}

void LastFailedReport::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  const auto suite = suites_.find(outcome.suite);
  if (suite == suites_.end()) return;  // it could not be loaded
  Known& known = suite->second;
  try {
    if (outcome.verdict == Verdict::failed) {
      memory_.remember(known.file, outcome.case_id);
    } else if (outcome.verdict == Verdict::passed && known.failed.count(outcome.case_id) > 0) {
      memory_.forget(known.file, outcome.case_id);
    }
  } catch (const Error& error) {
    if (trouble_.empty()) trouble_ = error.message();
  }
}

std::vector<std::string> LastFailedReport::notes() {
  if (trouble_.empty()) return {};
  return {"what failed cannot be remembered for --last-failed: " + trouble_};
}

}  // namespace warpmark
