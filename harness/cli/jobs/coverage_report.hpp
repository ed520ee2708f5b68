// `check --coverage`: which lines of device code the cases of a run executed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/request/job_request.hpp"
#include "report/run/run_report.hpp"
#include "worker/coverage.hpp"

namespace warpmark {

/// Asks for coverage if the environment does: the variable WARPMARK_COVERAGE names a folder, in which
/// each command writes a tracefile of its own. Tests that others start, one by one, have no other way
/// to add theirs up. It keeps `--share` from taking results of other tests, which have none.
void cover_by_environment(JobRequest& request);

/// Adds up the coverage of all cases, writes it as a tracefile of lcov, and notes what no case
/// reached. The run fails if less than the wanted percentage of lines was executed.
class CoverageReport : public RunReport {
 public:
  /// `file` may be "", for no tracefile.
  CoverageReport(std::filesystem::path file, std::optional<double> least);

  void end_case(const EndedCase& ended) override { coverage_.add(ended.outcome.coverage); }
  std::vector<std::string> notes() override;
  std::string why_failed() const override;
  void finish(const RunEnd& end) override;

 private:
  std::filesystem::path file_;
  std::optional<double> least_;  ///< percent of lines
  Coverage coverage_;
};

}  // namespace warpmark
