// `warpmark compare`: what became faster or slower from one bench to another.
#include <unistd.h>

#include <memory>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/compare_request.hpp"
#include "report/comparison_report.hpp"

namespace warpmark {

namespace {

struct CompareState {
  std::filesystem::path baseline, contender;
  CompareRequest request;
  bool all = false, json = false, markdown = false, quiet = false;
};

ExitCode compare(const CompareState& state, Output& out) {
  const BenchResult baseline = read_bench_result(state.baseline);
  const BenchResult contender = read_bench_result(state.contender);
  const ComparisonOptions options = state.request.options();
  const BenchComparison comparison = compare_benches(baseline, contender, options);
  const ComparedBenches compared = {baseline, contender, comparison, options,
                                    state.request.failing()};
  if (state.json) {
    out.print("{}\n", comparison_json(compared).dump(2));
  } else if (state.markdown) {
    out.write(comparison_markdown(compared));
  } else {
    ConsoleStyle style = console_style(STDOUT_FILENO);
    if (state.quiet) style.verbosity = Verbosity::quiet;
    out.write(comparison_text(compared, style, state.all));
  }
  return static_cast<ExitCode>(compared.exit_code());
}

}  // namespace

Command compare_command(CLI::App& program) {
  const auto state = std::make_shared<CompareState>();
  CLI::App* app = program.add_subcommand(
      "compare",
      "Tell what became faster or slower from one result of `bench` to another; exit 1 if\n"
      "anything is slower, or has no figures any more");
  app->add_option("BASELINE", state->baseline, "The journal of a bench: what was")
      ->required()
      ->type_name("");
  app->add_option("CONTENDER", state->contender, "Another: what is now")->required()->type_name("");
  app->add_option("--min-effect", state->request.min_effect,
                  "The least change that counts, in percent (2; of counters 0)")
      ->type_name("PCT");
  app->add_option("--fail-on", state->request.fail_on,
                  "Exit 1 for these, too: inconclusive, missing, added, faster")
      ->type_name("WHAT")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_flag("--across-devices", state->request.across_devices,
                "Compare what was measured on other devices");
  app->add_flag("--all", state->all, "List what is the same, too");
  app->add_flag("-q,--quiet", state->quiet, "Only the sum");
  CLI::Option* json = app->add_flag("--json", state->json, "As JSON");
  app->add_flag("--markdown", state->markdown, "As Markdown, for a comment on a pull request")
      ->excludes(json);
  return {app, [state](Output& out) { return compare(*state, out); }};
}

}  // namespace warpmark
