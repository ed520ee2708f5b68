// JUnit XML of the cases of a bench, as GoogleTest writes that of a check.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison_report.hpp"
#include "report/run_report.hpp"
#include "results/run_context.hpp"

namespace warpmark {

struct JunitCase {
  std::string suite, id;  ///< the id starts with the suite and a point
  double seconds = 0;
  std::string failure;  ///< "" for none
  std::string skip;     ///< "" for none
};

/// One test suite for each suite, in the order in which they first come. An `error` is that of a
/// test `warpmark.run`, as what ended the run early.
std::string junit_text(const std::vector<JunitCase>& cases, const std::string& error);

/// The cases of a bench that was compared: a case fails if it did, or if the comparison does.
std::string comparison_junit(const ComparedBenches& compared);
/// The same of one that could not be compared for this reason.
std::string bench_junit(const BenchResult& result, const std::string& error);

/// Collects the cases of a run, and writes the file at its end.
class JunitReport : public RunReport {
 public:
  /// Throws an environment error if `file` could not be written.
  JunitReport(std::filesystem::path file, std::optional<ShardContext> shard);

  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  std::filesystem::path file_;
  std::optional<ShardContext> shard_;
  std::vector<JunitCase> cases_;
  std::vector<size_t> positions_;
};

}  // namespace warpmark
