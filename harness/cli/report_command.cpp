// `warpmark report`: results of benches as an HTML page or as Markdown tables.
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/lazy_python.hpp"
#include "cli/output_files.hpp"
#include "report/bench_markdown.hpp"
#include "report/bench_page.hpp"
#include "report/bench_plots.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

struct ReportState {
  std::vector<fs::path> results;
  fs::path output;     ///< "" for standard output
  std::string format;  ///< "" for what the output's name says
  std::string select;
  bool no_plots = false;
};

bool wants_markdown(const ReportState& state) {
  if (!state.format.empty()) return state.format == "markdown";
  return state.output.extension() == ".md";
}

std::vector<NamedResult> read_results(const ReportState& state) {
  const SelectExpression select = SelectExpression::parse(state.select, "-k");
  std::vector<BenchResult> results;
  size_t cases = 0;
  for (const fs::path& file : state.results) {
    results.push_back(read_bench_result(file));
    std::erase_if(results.back().cases,
                  [&](const BenchCase& one) { return !select.matches(one.id); });
    cases += results.back().cases.size();
  }
  if (cases == 0) {
    throw usage_error(select.empty() ? "the results have no case" : "-k selects no case");
  }
  return name_results(std::move(results));
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

ExitCode report(const ReportState& state, Output& out) {
  if (!state.format.empty() && state.format != "html" && state.format != "markdown") {
    throw usage_error("--format must be html or markdown, not `" + printable(state.format) + "`");
  }
  const std::vector<NamedResult> results = read_results(state);
  const std::string text =
      wants_markdown(state) ? bench_markdown(results) : make_page(results, state.no_plots, out);
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
      "report", "Make one HTML page, or Markdown tables, from results of `bench`");
  app.add_option("RESULT", state->results, "Journals of benches").required().value_name("");
  app.add_option("-o,--output", state->output, "The file to write; else standard output")
      .value_name("FILE");
  app.add_option("--format", state->format, "html or markdown (default: by FILE's name, else html)")
      .value_name("FORMAT");
  app.add_option("-k", state->select, "Only cases whose ids match the expression")
      .value_name("EXPR");
  app.add_flag("--no-plots", state->no_plots, "No plots; Matplotlib is not needed");
  return {app, [state](Output& out) { return report(*state, out); }};
}

}  // namespace warpmark
