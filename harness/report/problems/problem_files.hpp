// Problems of a command as files that code hosts and people read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "report/problems/problem.hpp"
#include "report/run/draft_budget.hpp"
#include "report/run/run_report.hpp"
#include "results/run_context.hpp"

namespace warpmark {

enum class ProblemFormat : uint8_t {
  gitlab,  ///< GitLab's code quality report
  sarif,   ///< SARIF 2.1.0, for GitHub's code scanning and others
  html     ///< a page for people
};
constexpr auto words(ProblemFormat) {
  return words_are("gitlab", "sarif", "html");
}

struct ProblemOutput {
  ProblemFormat format = ProblemFormat::sarif;
  std::filesystem::path file;
};

/// The command whose problems they are.
struct ProblemRun {
  std::string verb;         ///< "check"
  std::string command;      ///< as a shell would take it
  std::string device = {};  ///< its name; "" if none was asked for
  std::string date = {};    ///< RFC 3339
  std::string sum = {};     ///< "12 passed, 1 failed in 0.80 s"
  std::string error = {};   ///< the error that ended it early; "" for none
  int exit_code = 0;
  bool ended = true;  ///< false in a draft
};

/// SARIF 2.1.0 (OASIS), in the subset of GitHub's code scanning: names relative to the checkout, at
/// most 5,000 results, which is what it shows. Problems without a place, and the rest, are
/// notifications of the tool.
std::string sarif_text(const std::vector<Problem>& problems, const ProblemRun& run);

/// GitLab's code quality report: a list of issues with unique fingerprints
/// (docs.gitlab.com/ci/testing/code_quality).
std::string code_quality_text(const std::vector<Problem>& problems);

/// A page with each problem's place and text, which loads nothing.
std::string problems_page(const std::vector<Problem>& problems, const ProblemRun& run);

std::string problems_text(ProblemFormat format, const std::vector<Problem>& problems,
                          const ProblemRun& run);

/// For each problem 128 bits in hexadecimal that stay the same while lines move, and differ within
/// the list.
std::vector<std::string> fingerprints(const std::vector<Problem>& problems);

/// Writes the failures of a run to files, each valid and up to date from its first case on.
class ProblemFiles : public RunReport {
 public:
  /// Throws an environment error if a file could not be written.
  ProblemFiles(std::vector<ProblemOutput> outputs, const RunContext& context);

  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  void write() const;

  std::vector<ProblemOutput> outputs_;
  ProblemRun run_;
  FailedCases failed_;
  DraftBudget drafts_;
};

}  // namespace warpmark
