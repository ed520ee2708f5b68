// `warpmark report`: results of benches side by side or as a history, as an HTML page, Markdown or text.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/lazy_python.hpp"
#include "cli/output_files.hpp"
#include "report/bench_markdown.hpp"
#include "report/bench_page.hpp"
#include "report/bench_plots.hpp"
#include "report/history_report.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

struct ReportState {
  std::vector<fs::path> results;
  fs::path output;     ///< "" for standard output
  std::string format;  ///< "" for what the output's name says
  std::string layout;  ///< "" for what the number of results says
  std::string select;
  std::optional<double> min_effect;  ///< percent
  bool no_plots = false;
};

// Fewer have no history: side by side all of their figures can be seen.
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

// Several of one device are a history, unless they are asked for side by side.
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

// Options that mean nothing of results side by side.
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

std::vector<BenchResult> read_results(const ReportState& state) {
  const SelectExpression select = SelectExpression::parse(state.select, "-k");
  std::vector<BenchResult> results;
  size_t cases = 0;
  for (const fs::path& file : state.results) {
    for (BenchResult& result : read_bench_results(file)) {
      std::erase_if(result.cases, [&](const BenchCase& one) { return !select.matches(one.id); });
      cases += result.cases.size();
      results.push_back(std::move(result));
    }
  }
  if (cases == 0) {
    throw usage_error(select.empty() ? "the results have no case" : "-k selects no case");
  }
  return results;
}

std::vector<SuitePictures> draw(const std::vector<NamedResult>& results, Interpreter& python) {
  Plots plots(python);
  std::vector<SuitePictures> all;
  for (const SuitePlots& suite : suite_plots(results)) {
    SuitePictures pictures;
    pictures.suite = suite.suite;
    for (const CaptionedLines& one : suite.lines) {
      pictures.lines.push_back({one.caption, plots.draw(one.plot)});
    }
    for (const StripPlot& one : suite.strips) pictures.strips.push_back({"", plots.draw(one)});
    all.push_back(std::move(pictures));
  }
  return all;
}

// Tables say all that pictures do: without Matplotlib the page has a remark in their place.
std::string make_page(const std::vector<NamedResult>& results, bool no_plots, const Output& out) {
  if (no_plots) return bench_page(results, {});
  LazyPython python;
  try {
    return bench_page(results, draw(results, python.interpreter()));
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
    const BenchHistory history = make_history(std::move(results), history_options(state));
    return history_as(format, history, !state.output.empty());
  }
  require_no_history_options(state);
  const std::vector<NamedResult> named = name_results(std::move(results));
  return format == "markdown" ? bench_markdown(named) : make_page(named, state.no_plots, out);
}

ExitCode report(const ReportState& state, Output& out) {
  require_one_of("--format", state.format, {"html", "markdown", "text", "json"});
  require_one_of("--layout", state.layout, {"history", "side-by-side"});
  const std::string text = report_text(state, out);
  if (state.output.empty()) {
    out.write(text);
    return ExitCode::success;
  }
  require_kept({{"-o", state.output}}, state.results);
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
  app.add_option("RESULT", state->results, "Journals of benches").required().value_name("");
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
  app.add_flag("--no-plots", state->no_plots, "No plots; Matplotlib is not needed");
  return {app, [state](Output& out) { return report(*state, out); }};
}

}  // namespace warpmark
