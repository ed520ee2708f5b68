// `warpmark report`: results of benches side by side or as a history, as an HTML page, Markdown or text.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/output_files.hpp"
#include "report/bench/bench_markdown.hpp"
#include "report/bench/bench_page.hpp"
#include "report/bench/bench_plots.hpp"
#include "report/history/history_report.hpp"
#include "results/journal_folder.hpp"
#include "results/standings.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

struct ReportState {
  std::vector<fs::path> results;
  fs::path output;     ///< "" for standard output
  std::string format;  ///< "" to derive it from the output's name
  std::string layout;  ///< "" to derive it from the number of results
  std::string select;
  std::optional<double> min_effect;  ///< percent
  std::string x_axis;
  std::vector<std::string> sweep, relative_to;  ///< "block"; "kernel=naive"
  bool no_plots = false;

  /// The results, with the files of folders in their places.
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const fs::path& path : results) {
      for (fs::path& file : journal_files(path)) all.push_back(std::move(file));
    }
    return all;
  }
};

// The least number of results for a history: side by side all figures of fewer can be seen.
constexpr size_t kLeastOfHistory = 3;

std::string format_of(const ReportState& state) {
  if (!state.format.empty()) return state.format;
  return state.output.extension() == ".md" ? "markdown" : "html";
}

void require_one_of(const char* option, const std::string& value,
                    const std::vector<std::string>& known) {
  if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
  std::string words = join(known, ", ");
  words.replace(words.rfind(", "), 2, " or ");
  throw usage_error(fmt::format("{} must be {}, not `{}`", option, words, printable(value)));
}

// True if several results of one device are a history, unless they are asked for side by side.
bool is_history(const ReportState& state, const std::vector<BenchResult>& results) {
  if (!state.layout.empty()) {
    const bool history = state.layout == "history";
    if (history && results.size() < 2) throw usage_error("a history needs two runs or more");
    return history;
  }
  std::map<std::string, size_t> counts;
  for (const BenchResult& result : results) ++counts[result.device_name];
  return std::any_of(counts.begin(), counts.end(),
                     [](const auto& device) { return device.second >= kLeastOfHistory; });
}

// Throws for options that mean nothing for results side by side.
void require_no_history_options(const ReportState& state) {
  const char* hint =
      "three results or more of one device are a history; `--layout history` makes two one";
  for (const char* format : {"text", "json"}) {
    if (state.format == format) {
      throw usage_error(fmt::format("--format {} is of histories", format), {}, hint);
    }
  }
  if (state.min_effect) throw usage_error("--min-effect is of histories", {}, hint);
}

void require_no_side_by_side_options(const ReportState& state) {
  const char* option = !state.x_axis.empty()        ? "--x-axis"
                       : !state.sweep.empty()       ? "--sweep"
                       : !state.relative_to.empty() ? "--relative-to"
                                                    : nullptr;
  if (option == nullptr) return;
  throw usage_error(fmt::format("{} is of results side by side", option), {},
                    "`--layout side-by-side` shows three results and more so");
}

HistoryOptions history_options(const ReportState& state) {
  HistoryOptions options;
  if (!state.min_effect) return options;
  if (!std::isfinite(*state.min_effect) || *state.min_effect < 0) {
    throw usage_error(
        fmt::format("--min-effect must be a percentage from 0 on, not {}", *state.min_effect), {},
        "as in --min-effect 5");
  }
  options.least_effect = options.least_count_effect = *state.min_effect / 100;
  return options;
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
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = nearest(name, names);
  throw usage_error(fmt::format("{} `{}`", what, printable(name)), {},
                    !near.empty()   ? fmt::format("did you mean `{}`?", near)
                    : names.empty() ? "the cases have no axes"
                                    : "known: " + join(names, ", "));
}

// Sets the sweeps from the options in place of those of the suites.
void set_sweeps(const ReportState& state, std::vector<BenchResult>& results) {
  const KnownAxes known = known_axes(results);
  if (!state.x_axis.empty()) require_known("--x-axis: no case has an axis", state.x_axis, known);
  for (const std::string& axis : state.sweep) {
    require_known("--sweep: no case has an axis", axis, known);
  }
  std::vector<std::pair<std::string, std::string>> base;
  for (const std::string& text : state.relative_to) {
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
      if (!state.sweep.empty()) one.sweep.axes = state.sweep;
      if (!base.empty()) one.sweep.relative_to = base;
    }
  }
}

std::vector<BenchResult> read_results(const ReportState& state) {
  const SelectExpression select = SelectExpression::parse(state.select, "-k");
  std::vector<BenchResult> results;
  size_t cases = 0;
  for (const fs::path& file : state.files()) {
    for (BenchResult& result : read_bench_results(file)) {
      std::erase_if(result.cases, [&](const BenchCase& one) { return !select.matches(one.id); });
      cases += result.cases.size();
      results.push_back(std::move(result));
    }
  }
  if (cases == 0) {
    throw usage_error(select.empty() ? "the results have no case" : "-k selects no case");
  }
  set_sweeps(state, results);
  return results;
}

std::vector<SuitePictures> draw(const std::vector<NamedResult>& results, const std::string& x_axis,
                                Interpreter& python) {
  Plots plots(python);
  std::vector<SuitePictures> all;
  for (const SuitePlots& suite : suite_plots(results, x_axis)) {
    SuitePictures pictures;
    pictures.suite = suite.suite;
    pictures.left_out = suite.lines.left_out;
    for (const CaptionedLines& one : suite.lines.plots) {
      pictures.lines.push_back({one.caption, plots.draw(one.plot)});
    }
    if (suite.roofline) pictures.lines.push_back({"roofline", plots.draw(*suite.roofline)});
    for (const StripPlot& one : suite.strips) pictures.strips.push_back({"", plots.draw(one)});
    all.push_back(std::move(pictures));
  }
  return all;
}

// Tables have all figures of the pictures: without Matplotlib the page has a remark instead.
std::string make_page(const std::vector<NamedResult>& results, const ReportState& state,
                      const Output& out) {
  if (state.no_plots) return bench_page(results, {});
  LazyPython python;
  try {
    return bench_page(results, draw(results, state.x_axis, python.interpreter()));
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) throw;
    print_error(out,
                "note: the page has no pictures: " + error.message() + "\n  hint: " + error.hint());
    return bench_page(results, {}, error.message());
  }
}

std::string history_as(const std::string& format, const BenchHistory& history, bool to_file) {
  if (format == "markdown") return history_markdown(history);
  if (format == "json") return json_document(history_json(history));
  if (format == "html") return history_page(history);
  return history_text(history, to_file ? ConsoleStyle{} : console_style(STDOUT_FILENO));
}

std::string report_text(const ReportState& state, const Output& out) {
  std::vector<BenchResult> results = read_results(state);
  const std::string format = format_of(state);
  if (is_history(state, results)) {
    require_no_side_by_side_options(state);
    const BenchHistory history = make_history(std::move(results), history_options(state));
    return history_as(format, history, !state.output.empty());
  }
  require_no_history_options(state);
  const std::vector<NamedResult> named = name_results(std::move(results));
  return format == "markdown" ? bench_markdown(named) : make_page(named, state, out);
}

ExitCode report(const ReportState& state, Output& out) {
  require_one_of("--format", state.format, {"html", "markdown", "text", "json"});
  require_one_of("--layout", state.layout, {"history", "side-by-side"});
  const std::string text = report_text(state, out);
  if (state.output.empty()) {
    out.write(text);
    return ExitCode::success;
  }
  require_kept({{"-o", state.output}}, state.files());
  write_file_atomically(state.output, text);
  return ExitCode::success;
}

}  // namespace

Command report_command(const ArgumentParser& program) {
  const auto state = std::make_shared<ReportState>();
  const ArgumentParser app = program.add_subcommand(
      "report",
      "Make one HTML page, or Markdown tables, from results of `bench`: side by side, or\n"
      "three and more as a history with its change points");
  app.add_option("RESULT", state->results, "Journals of benches, and folders of them")
      .required()
      .value_name("");
  app.add_option("-o,--output", state->output, "The file to write; else standard output")
      .value_name("FILE");
  app.add_option("--format", state->format,
                 "html or markdown (default: by FILE's name, else html); of a history\n"
                 "also text or json")
      .value_name("FORMAT");
  app.add_option("--layout", state->layout,
                 "history or side-by-side (default: history for three results or\n"
                 "more of one device)")
      .value_name("LAYOUT");
  app.add_option("--min-effect", state->min_effect,
                 "The smallest change of a history that counts, in percent (default 2;\n"
                 "0 for counters)")
      .value_name("PCT");
  app.add_option("-k", state->select, "Only cases whose ids match the expression")
      .value_name("EXPR");
  app.add_option("--x-axis", state->x_axis,
                 "The axis that plots have to the right (default: n, and that of a sweep)")
      .value_name("AXIS");
  app.add_option("--sweep", state->sweep,
                 "Mark the best point of all that differ only in these axes\n"
                 "(default: the suite's `bench.sweep`)")
      .one_value_each_time()
      .separated_by(',')
      .value_name("AXIS,AXIS");
  app.add_option("--relative-to", state->relative_to,
                 "Give each point's time over that of the point with these values\n"
                 "(default: the suite's `bench.relative_to`)")
      .one_value_each_time()
      .separated_by(',')
      .value_name("AXIS=VALUE");
  app.add_flag("--no-plots", state->no_plots, "No plots; Matplotlib is not needed");
  return {app, [state](Output& out) { return report(*state, out); }};
}

}  // namespace warpmark
