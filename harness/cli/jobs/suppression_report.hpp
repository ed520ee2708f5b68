// `check --suppressions` and `--gen-suppressions`: findings that people accept.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "report/run/run_report.hpp"
#include "warpmark/suppressions.hpp"

namespace warpmark {

/// Reads a file of suppressions. Throws a usage error at its first line that is none, and at one of
/// a kind that no finding of a check has: what ends a launch leaves nothing to judge.
std::vector<Suppression> load_suppressions(const std::filesystem::path& file);

/// Notes how many findings were accepted and which suppressions accepted none, and writes a
/// suppression for each other finding to a file that is asked for.
class SuppressionReport : public RunReport {
 public:
  /// `file` is that of the rules, and `generated` the one to write; each may be "".
  SuppressionReport(std::vector<Suppression> rules, std::filesystem::path file,
                    std::filesystem::path generated);

  void end_case(const EndedCase& ended) override;
  std::vector<std::string> notes() override;
  void finish(const RunEnd& end) override;

 private:
  std::vector<Suppression> rules_;
  std::filesystem::path file_, generated_;
  size_t accepted_ = 0;
  std::set<size_t> used_;  ///< lines of rules
  std::vector<std::string> lines_;
};

}  // namespace warpmark
