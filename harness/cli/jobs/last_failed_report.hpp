// `--last-failed`: choosing the cases that failed last time, and remembering those of this run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/request/case_choice.hpp"
#include "report/run/run_report.hpp"
#include "results/last_failed.hpp"

namespace warpmark {

/// Leaves the cases that failed last time. As with pytest, all stay if none of them did, whether
/// nothing is remembered or only cases that are not among these. Returns a line that says so.
/// Throws an environment error if there is no folder to remember in.
std::string keep_last_failed(ChosenCases& chosen, const LastFailed& memory);

/// Remembers failures and forgets passes as cases end. What it cannot write becomes a note.
class LastFailedReport : public RunReport {
 public:
  LastFailedReport(LastFailed memory, const std::vector<LoadedSuite>& suites);

  void end_case(const EndedCase& ended) override;
  std::vector<std::string> notes() override;

 private:
  struct Known {
    std::filesystem::path file;
    std::set<std::string> failed;
  };
  LastFailed memory_;
  std::map<std::string, Known> suites_;  ///< by name
  std::string trouble_;                  ///< the first thing that could not be written
};

}  // namespace warpmark
