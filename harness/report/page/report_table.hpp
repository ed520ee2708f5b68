// The tables of `warpmark report`: one for each suite, with a group of columns for each result.
#pragma once

#include <string>
#include <vector>

#include "results/bench_result.hpp"

namespace warpmark {

/// A result and the short name that it has in the report.
struct NamedResult {
  std::string name;
  BenchResult result;
};

/// Names by their files, without folders and endings as far as they stay different.
std::vector<NamedResult> name_results(std::vector<BenchResult> results);

struct ReportColumn {
  std::string title;
  size_t result = 0;       ///< index of the result that the column is of
  bool of_result = false;  ///< false for a column that each row has once, for all results
  bool is_number = false;
};

struct ReportTable {
  std::string suite;
  std::vector<ReportColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< plain texts
  /// Notes of several results, whose table has no room for a column of them: "n=4 cold of h200: …".
  std::vector<std::string> notes;
};

/// By suites, in the order in which the results name them; a row for each case and mode. Columns
/// that would be empty are left out. The table of a single result also has registers, occupancy and
/// the count of samples. A device that counts has counts and no times, and of several such results
/// the changes since the first.
std::vector<ReportTable> report_tables(const std::vector<NamedResult>& results);

/// Names and values of the circumstances: device, software, time and settings of the measurement.
std::vector<std::pair<std::string, std::string>> context_of(const BenchResult& result);

}  // namespace warpmark
