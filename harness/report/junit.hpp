// JUnit XML of the cases of a bench, as GoogleTest writes that of a check.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
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

/// Collects the cases of a run, and writes the file at its end. Until then the file has what ended so
/// far, and that the run did not come to its end: who ends the process, or kills it, leaves that, and
/// no report of a run before.
class JunitReport : public RunReport {
 public:
  enum class Last : std::uint8_t { own, of_others };
  /// Throws an environment error if `file` could not be written. Where the last word is that of
  /// others, they replace the file when the run is at its end.
  JunitReport(std::filesystem::path file, std::optional<ShardContext> shard, Last last = Last::own);

  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  void write(const std::string& error) const;
  void write_draft();

  std::filesystem::path file_;
  std::optional<ShardContext> shard_;
  Last last_;
  bool has_draft_ = false;  ///< a device or a pipe gets the whole alone
  double drafts_s_ = 0;     ///< what writing drafts took
  Clock::time_point begun_ = Clock::now();
  std::vector<JunitCase> cases_;
  std::vector<size_t> positions_;
};

}  // namespace warpmark
