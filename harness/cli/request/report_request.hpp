// The settings of a report from options, and the results that it is of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/problems/problem_files.hpp"
#include "results/bench_comparison.hpp"
#include "results/bench_history.hpp"
#include "results/bench_result.hpp"

namespace warpmark {

enum class ReportLayout : uint8_t { side_by_side, changes, history };

struct ReportRequest {
  std::vector<std::filesystem::path> results;
  std::filesystem::path output;  ///< "" for standard output
  std::string format;            ///< "" to derive it from the output's name
  std::string layout;            ///< "" to derive it from the results
  std::string select;
  std::optional<double> min_effect;  ///< percent
  std::string x_axis;
  std::vector<std::string> sweep, relative_to;  ///< "block"; "kernel=naive"
  bool across_devices = false;
  bool no_plots = false;

  /// Throws a usage error for words that no format or layout has.
  void require_known_words() const;

  /// The results' paths, with the files of folders in their places.
  std::vector<std::filesystem::path> files() const;

  /// The benches of all files with the chosen cases, and with sweeps by the options in place of
  /// those of their suites. Throws a usage error if there is no case, and for axes that none has.
  std::vector<BenchResult> read() const;

  /// "html", "markdown", "text" or "json".
  std::string format_of_output() const;

  /// The same for the reports of warpmark-cpu: by the option, else by the output's ending (.sarif),
  /// else a page. Throws a usage error for other words.
  ProblemFormat problem_format() const;

  /// By the option, else by the results: three or more of one device are a history, and two show
  /// what changed. Throws a usage error for a number of results that the layout cannot have, and for
  /// options that it does not use.
  ReportLayout layout_of(const std::vector<BenchResult>& all) const;

  HistoryOptions history_options() const;
  ComparisonOptions comparison_options() const;
};

}  // namespace warpmark
