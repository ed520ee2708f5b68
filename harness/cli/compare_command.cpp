// `warpmark compare`: what became faster or slower from one bench to another.
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "cli/program/command.hpp"
#include "cli/request/compare_request.hpp"
#include "cli/request/output_files.hpp"
#include "cli/request/problem_formats.hpp"
#include "report/comparison/comparison_junit.hpp"
#include "report/comparison/comparison_report.hpp"
#include "results/journal_folder.hpp"
#include "results/turns_comparison.hpp"

namespace warpmark {

namespace {

struct CompareState {
  std::filesystem::path baseline, contender;
  CompareRequest request;
  std::vector<std::string> min_effects, formats;
  std::string junit, annotations;  ///< as they were given
  bool all = false, json = false, markdown = false, quiet = false;
};

CompareRequest request_of(const CompareState& state) {
  CompareRequest request = state.request;
  std::vector<Located> words;
  for (const std::string& word : state.min_effects) words.push_back({word, {}});
  request.read_min_effects(words, "--min-effect");
  return request;
}

ExitCode compare(const CompareState& state, Output& out) {
  const CompareRequest request = request_of(state);
  const ProblemFormats formats = formats_given(state.formats, state.junit, state.annotations);
  const bool annotated = wants_annotations(formats.annotations, state.json || state.markdown);
  if (annotated) out.write_for_runner();
  // One journal is compared with what its cases took turns with.
  const bool turns = state.contender.empty();
  std::vector<std::filesystem::path> inputs = comparable_files(state.baseline);
  if (!turns) {
    for (std::filesystem::path& file : comparable_files(state.contender))
      inputs.push_back(std::move(file));
  }
  require_kept(files_of(formats), inputs);
  BenchResult baseline = read_baseline_or_folder(state.baseline);
  const BenchResult contender = turns ? baseline : read_baseline_or_folder(state.contender);
  if (turns) baseline = other_sides(contender);
  const BenchComparison comparison = turns
                                         ? compare_turns(contender, request.options())
                                         : compare_benches(baseline, contender, request.options());
  ComparedBenches compared = request.compared(baseline, contender, comparison);
  compared.advises = !turns;
  const std::vector<Problem> changes = changes_as_problems(compared);
  if (!formats.junit.empty())
    write_file_atomically(formats.junit, junit_text(comparison_junit(compared)));
  write_outputs(formats, changes, run_of(compared));
  if (state.json) {
    out.write(json_document(comparison_json(compared)));
  } else if (state.markdown) {
    out.write(comparison_markdown(compared));
  } else {
    ConsoleStyle style = console_style(STDOUT_FILENO);
    if (state.quiet) style.verbosity = Verbosity::quiet;
    out.write(comparison_text(compared, style, state.all));
  }
  if (annotated) {
    out.flush();
    write_annotations(std::cerr, changes);
  }
  return static_cast<ExitCode>(compared.exit_code());
}

}  // namespace

Command compare_command(const ArgumentParser& program) {
  const auto state = std::make_shared<CompareState>();
  const ArgumentParser app = program.add_subcommand(
      "compare",
      "Show what became faster or slower between two results of `bench`; exit 1 if\n"
      "a case is slower, lost, missing or mixed");
  app.add_option("BASELINE", state->baseline,
                 "The earlier journal, a baseline of counters, or a folder of them")
      .required()
      .value_name("");
  app.add_option("CONTENDER", state->contender,
                 "The later journal, or a folder of journals; none: of `--against`")
      .value_name("");
  app.add_option("--min-effect", state->min_effects,
                 "The smallest change that counts, in percent (default 2; 0 for counters);\n"
                 "of some counters: atomic=2")
      .value_name("PCT")
      .one_value_each_time();
  app.add_option("--fail-on", state->request.fail_on,
                 "Exit 1 for these, too: inconclusive, added, faster")
      .value_name("WHAT")
      .separated_by(',')
      .one_value_each_time();
  app.add_flag("--allow-missing", state->request.allow_missing,
               "Cases that only the baseline has do not fail");
  add_format_options(app, state->formats, &state->junit, state->annotations);
  app.add_flag("--across-devices", state->request.across_devices,
               "Compare results of different devices");
  app.add_flag("--all", state->all, "List what is the same, too");
  app.add_flag("-q,--quiet", state->quiet, "Only the sum");
  const CommandOption json = app.add_flag("--json", state->json, "As JSON");
  app.add_flag("--markdown", state->markdown, "As Markdown, for a comment on a pull request")
      .excludes(json);
  return {app, [state](Output& out) { return compare(*state, out); }};
}

}  // namespace warpmark
