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
  bool of_result = false;  ///< false for what stands once in a row, for all results
  bool is_number = false;
};

struct ReportTable {
  std::string suite;
  std::vector<ReportColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< plain texts
  /// Of several results, whose table has no room for a column of notes: "n=4 cold of h200: …".
  std::vector<std::string> notes;
};

/// By suites, in the order in which the results name them; a row for each case and mode. Columns
/// that would be empty are left out. Of a single result also registers, occupancy and the count of
/// samples. A device that counts has counts and no times, and of several such results the changes
/// since the first.
std::vector<ReportTable> report_tables(const std::vector<NamedResult>& results);

/// Name and value: what was measured on, with what, when and how.
std::vector<std::pair<std::string, std::string>> context_of(const BenchResult& result);

}  // namespace warpmark
