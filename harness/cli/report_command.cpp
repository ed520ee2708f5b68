// `warpmark report`: benches as their changes, tables or history, in HTML, Markdown or text.
#include <unistd.h>

#include <memory>
#include <optional>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "cli/program/command.hpp"
#include "cli/program/command_line.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/report_request.hpp"
#include "report/bench/bench_markdown.hpp"
#include "report/bench/bench_page.hpp"
#include "report/comparison/changes_page.hpp"
#include "report/history/history_report.hpp"
#include "report/page/markdown.hpp"
#include "report/problems/device_reports.hpp"
#include "results/result_kind.hpp"

namespace warpmark {

namespace {

std::string history_as(const std::string& format, const BenchHistory& history, bool to_file) {
  if (format == "markdown") return history_markdown(history);
  if (format == "json") return json_document(history_json(history));
  if (format == "html") return history_page(history);
  return history_text(history, to_file ? ConsoleStyle{} : console_style(STDOUT_FILENO));
}

// Two runs that nobody asked to compare may have nothing in common: then this puts there why.
std::optional<BenchComparison> comparison_of(const ReportRequest& request,
                                             const std::vector<NamedResult>& results,
                                             std::string& remark) {
  try {
    return compare_benches(results[0].result, results[1].result, request.comparison_options());
  } catch (const Error& error) {
    const bool was_asked = !request.layout.empty() || request.min_effect;
    if (error.code() != ExitCode::usage || was_asked) throw;
    remark = "The runs are not compared: " + error.message();
    if (!error.hint().empty()) remark += "; " + error.hint();
    return std::nullopt;
  }
}

std::string report_text(const ReportRequest& request) {
  std::vector<BenchResult> results = request.read();
  const std::string format = request.format_of_output();
  const ReportLayout layout = request.layout_of(results);
  if (layout == ReportLayout::history) {
    const BenchHistory history = make_history(std::move(results), request.history_options());
    return history_as(format, history, !request.output.empty());
  }
  const std::vector<NamedResult> named = name_results(std::move(results));
  const PlotChoice plots{!request.no_plots, request.x_axis};
  const bool markdown = format == "markdown";
  std::string remark;
  if (layout == ReportLayout::changes) {
    if (const auto comparison = comparison_of(request, named, remark)) {
      const ComparedBenches compared{named[0].result, named[1].result, *comparison,
                                     request.comparison_options()};
      return markdown ? changes_markdown(compared, named) : changes_page(compared, named, plots);
    }
  }
  if (!markdown) return bench_page(named, plots, remark);
  return bench_markdown(named) + (remark.empty() ? "" : "\n" + markdown_text(remark) + "\n");
}

// The reports of warpmark-cpu, if the files are such; nothing for results of benches.
std::optional<std::string> device_report_text(const ReportRequest& request) {
  std::vector<Problem> problems;
  for (const std::filesystem::path& file : request.files()) {
    if (result_kind(file) != ResultKind::device_reports) return std::nullopt;
    for (Problem& problem : read_device_reports(file)) problems.push_back(std::move(problem));
  }
  ProblemRun run;
  run.verb = "report";
  run.command = command_line();
  return problems_text(request.problem_format(), problems, run);
}

ExitCode report(const ReportRequest& request, Output& out) {
  const std::optional<std::string> of_device = device_report_text(request);
  if (!of_device) request.require_known_words();
  const std::string text = of_device ? *of_device : report_text(request);
  if (request.output.empty()) {
    out.write(text);
    return ExitCode::success;
  }
  require_kept({{"-o", request.output}}, request.files());
  write_file_atomically(request.output, text);
  return ExitCode::success;
}

}  // namespace

Command report_command(const ArgumentParser& program) {
  const auto state = std::make_shared<ReportRequest>();
  const ArgumentParser app = program.add_subcommand(
      "report",
      "Make one HTML page, or Markdown tables, from results of `bench`: of two runs what\n"
      "changed, of three and more a history with its change points; or of warpmark-cpu's reports");
  app.add_option("RESULT", state->results,
                 "Journals of benches and folders of them, or reports of warpmark-cpu")
      .required()
      .value_name("");
  app.add_option("-o,--output", state->output, "The file to write; else standard output")
      .value_name("FILE");
  app.add_option("--format", state->format,
                 "html or markdown (default: by FILE's name, else html); of a history\n"
                 "also text or json; of warpmark-cpu's reports html, sarif or gitlab")
      .value_name("FORMAT");
  app.add_option("--layout", state->layout,
                 "changes, history or side-by-side (default: changes for two results,\n"
                 "history for three or more of one device)")
      .value_name("LAYOUT");
  app.add_option("--min-effect", state->min_effect,
                 "The smallest change that counts, in percent (default 2; 0 for counters)")
      .value_name("PCT");
  app.add_flag("--across-devices", state->across_devices,
               "Show what changed between two results of different devices");
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
  app.add_flag("--no-plots", state->no_plots, "No plots");
  return {app, [state](Output& out) { return report(*state, out); }};
}

}  // namespace warpmark
