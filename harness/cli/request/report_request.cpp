#include "cli/request/report_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "results/journal_folder.hpp"
#include "results/standings.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

// The least number of results for a history: side by side all figures of fewer can be seen.
constexpr size_t kLeastOfHistory = 3;

void require_one_of(const char* option, const std::string& value,
                    const std::vector<std::string>& known) {
  if (value.empty() || std::ranges::find(known, value) != known.end()) return;
  std::string words = join(known, ", ");
  words.replace(words.rfind(", "), 2, " or ");
  throw usage_error(fmt::format("{} must be {}, not `{}`", option, words, printable(value)));
}

// Throws for formats that only histories have.
void require_page_format(const ReportRequest& request) {
  for (const char* format : {"text", "json"}) {
    if (request.format != format) continue;
    throw usage_error(
        fmt::format("--format {} is of histories", format), {},
        "three results or more of one device are a history, and `--layout history` makes two one; "
        "`warpmark compare` prints what changed");
  }
}

void require_no_options_of_tables(const ReportRequest& request) {
  const char* option = !request.x_axis.empty()        ? "--x-axis"
                       : !request.sweep.empty()       ? "--sweep"
                       : !request.relative_to.empty() ? "--relative-to"
                                                      : nullptr;
  if (option == nullptr) return;
  throw usage_error(fmt::format("{} is of results side by side", option), {},
                    "`--layout side-by-side` shows three results and more so");
}

void require_no_options_of_changes(const ReportRequest& request) {
  const char* option = request.min_effect       ? "--min-effect"
                       : request.across_devices ? "--across-devices"
                                                : nullptr;
  if (option == nullptr) return;
  throw usage_error(fmt::format("{} is of changes", option), {},
                    "two results have some, and three or more of one device");
}

double effect_of(double percent) {
  if (std::isfinite(percent) && percent >= 0) return percent / 100;
  throw usage_error(fmt::format("--min-effect must be a percentage from 0 on, not {}", percent), {},
                    "as in --min-effect 5");
}

// The axes of all cases, with the labels of their values in ids.
using KnownAxes = std::map<std::string, std::set<std::string>>;

KnownAxes known_axes(const std::vector<BenchResult>& results) {
  KnownAxes known;
  for (const BenchResult& result : results) {
    for (const BenchCase& one : result.cases) {
      for (const auto& [axis, label] : labels_of(one.id)) known[axis].insert(label);
    }
  }
  return known;
}

template <typename Names>
void require_known(const std::string& what, const std::string& name, const Names& known) {
  std::vector<std::string> names;
  for (const auto& one : known) {
    if constexpr (std::is_same_v<Names, KnownAxes>) {
      names.push_back(one.first);
    } else {
      names.push_back(one);
    }
  }
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string near = nearest(name, names);
  throw usage_error(fmt::format("{} `{}`", what, printable(name)), {},
                    !near.empty()   ? fmt::format("did you mean `{}`?", near)
                    : names.empty() ? "the cases have no axes"
                                    : "known: " + join(names, ", "));
}

// Sets the sweeps from the options in place of those of the suites.
void set_sweeps(const ReportRequest& request, std::vector<BenchResult>& results) {
  const KnownAxes known = known_axes(results);
  if (!request.x_axis.empty())
    require_known("--x-axis: no case has an axis", request.x_axis, known);
  for (const std::string& axis : request.sweep) {
    require_known("--sweep: no case has an axis", axis, known);
  }
  std::vector<std::pair<std::string, std::string>> base;
  for (const std::string& text : request.relative_to) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw usage_error(fmt::format("--relative-to needs AXIS=VALUE, not `{}`", printable(text)),
                        {}, "as in --relative-to kernel=naive");
    }
    const std::string axis = text.substr(0, equals), label = text.substr(equals + 1);
    require_known("--relative-to: no case has an axis", axis, known);
    require_known(fmt::format("--relative-to: the axis `{}` has no value", axis), label,
                  known.at(axis));
    base.emplace_back(axis, label);
  }
  for (BenchResult& result : results) {
    for (BenchCase& one : result.cases) {
      if (!request.sweep.empty()) one.sweep.axes = request.sweep;
      if (!base.empty()) one.sweep.relative_to = base;
    }
  }
}

}  // namespace

void ReportRequest::require_known_words() const {
  require_one_of("--format", format, {"html", "markdown", "text", "json"});
  require_one_of("--layout", layout, {"changes", "history", "side-by-side"});
}

ProblemFormat ReportRequest::problem_format() const {
  std::vector<std::string> known;
  for (const ProblemFormat value : each_value<ProblemFormat>()) {
    known.emplace_back(to_text(value));
    if (known.back() == format) return value;
  }
  require_one_of("--format of these reports", format, known);
  return output.extension() == ".sarif" ? ProblemFormat::sarif : ProblemFormat::html;
}

std::vector<fs::path> ReportRequest::files() const {
  std::vector<fs::path> all;
  for (const fs::path& path : results) {
    for (fs::path& file : journal_files(path)) all.push_back(std::move(file));
  }
  return all;
}

std::vector<BenchResult> ReportRequest::read() const {
  const SelectExpression chosen = SelectExpression::parse(select, "-k");
  std::vector<BenchResult> all;
  size_t cases = 0;
  for (const fs::path& file : files()) {
    for (BenchResult& result : read_bench_results(file)) {
      std::erase_if(result.cases, [&](const BenchCase& one) { return !chosen.matches(one.id); });
      cases += result.cases.size();
      all.push_back(std::move(result));
    }
  }
  if (cases == 0) {
    throw usage_error(chosen.empty() ? "the results have no case" : "-k selects no case");
  }
  set_sweeps(*this, all);
  return all;
}

std::string ReportRequest::format_of_output() const {
  if (!format.empty()) return format;
  return output.extension() == ".md" ? "markdown" : "html";
}

ReportLayout ReportRequest::layout_of(const std::vector<BenchResult>& all) const {
  ReportLayout chosen = all.size() == 2 ? ReportLayout::changes : ReportLayout::side_by_side;
  std::map<std::string, size_t> counts;
  for (const BenchResult& result : all) {
    if (++counts[result.device_name] >= kLeastOfHistory) chosen = ReportLayout::history;
  }
  if (layout == "history") chosen = ReportLayout::history;
  if (layout == "changes") chosen = ReportLayout::changes;
  if (layout == "side-by-side") chosen = ReportLayout::side_by_side;
  if (chosen == ReportLayout::history) {
    if (all.size() < 2) throw usage_error("a history needs two runs or more");
    require_no_options_of_tables(*this);
    return chosen;
  }
  require_page_format(*this);
  if (chosen == ReportLayout::side_by_side) require_no_options_of_changes(*this);
  if (chosen == ReportLayout::changes && all.size() != 2) {
    throw usage_error(fmt::format("changes are those of two runs, and these are {}", all.size()),
                      {}, "--layout history shows the changes of three and more");
  }
  return chosen;
}

HistoryOptions ReportRequest::history_options() const {
  HistoryOptions options;
  if (min_effect) options.least_effect = options.least_count_effect = effect_of(*min_effect);
  return options;
}

ComparisonOptions ReportRequest::comparison_options() const {
  ComparisonOptions options;
  options.across_devices = across_devices;
  if (min_effect) options.least_effect = options.least_count_effect = effect_of(*min_effect);
  return options;
}

}  // namespace warpmark
