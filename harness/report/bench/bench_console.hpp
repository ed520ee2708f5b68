// The console report of `warpmark bench`: a row for each case as it ends.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "report/bench/sweep_summary.hpp"
#include "report/run/console_frame.hpp"
#include "report/run/run_report.hpp"
#include "results/measurement_record.hpp"

namespace warpmark {

/// The properties of the table that are known before the first case runs.
struct BenchTable {
  size_t suites = 0;
  size_t cases = 0;
  size_t name_width = 0;                  ///< length of the longest case id
  std::vector<TimingMode> further_modes;  ///< columns beside the first time
  bool bytes = false;                     ///< some case states how many bytes it moves
  bool flops = false;                     ///< some case states how many operations it computes
  bool peak = false;                      ///< some case has a peak to compare its operations with
  bool profile = false;                   ///< each case runs for a profiler, without a time
  bool counted = false;                   ///< the device counts, and its times mean nothing
};

class BenchConsole : public RunReport {
 public:
  /// Writes the head, the ceilings and the table's header.
  BenchConsole(std::ostream& out, const ConsoleStyle& style, const BenchTable& table,
               const RunContext& context);

  void start_case(const std::string& case_id) override;
  void end_case(const EndedCase& ended) override;
  void finish(const RunEnd& end) override;

 private:
  /// A column after the name, its width in characters.
  struct Column {
    std::string title;
    size_t width;
  };

  void add_columns();
  void write_row(const Outcome& outcome, const TimedCase& timed);
  void write_transfers(const TimedCase& timed);
  void write_details(const TimedCase& timed);
  /// The cells of a case by column, and the reasons not to trust its times.
  std::vector<std::string> cells(const TimedCase& timed) const;
  std::vector<std::string> marks(const TimedCase& timed);

  ConsoleFrame frame_;
  std::vector<SweptCase> swept_;  ///< cases that are compared with each other at the end
  BenchTable table_;
  bool share_ = false;  ///< there are ceilings to compare with
  std::vector<Column> columns_;
  bool missed_precision_ = false;  ///< some row has the mark that needs explaining
};

}  // namespace warpmark
