// `warpmark lint`: every problem of suites that can be found without running a kernel.
#include <memory>

#include "cli/lint/lint_job.hpp"
#include "cli/program/command.hpp"
#include "cli/request/job_options.hpp"

namespace warpmark {

Command lint_command(const ArgumentParser& program) {
  const auto request = std::make_shared<LintRequest>();
  // No kernel of a suite is launched, and the CPU device is always available and starts at once.
  request->options.session.device = "cpu";
  const ArgumentParser app = program.add_subcommand(
      "lint",
      "Find problems of suites without launching their kernels: errors, kernels that do not\n"
      "compile or fit, cases that a kernel passes without computing anything, and operations\n"
      "that random tests find not to be associative");
  add_suite_paths(app, request->paths);
  app.add_flag("--static", request->options.is_static,
               "Only checks that need neither compiler nor NumPy");
  app.add_flag("--coverage", request->options.coverage,
               "Also launch the cases, and warn of lines and branches that none reaches");
  app.add_flag("--mutate", request->mutate,
               "Also change the kernels, and warn of each change that all cases pass");
  app.add_option("--mutants", request->mutants,
                 "The most changes of a suite for --mutate, chosen evenly (default: all)")
      .value_name("N");
  app.add_option("-j,--jobs", request->jobs,
                 "Processes that run changed kernels (default: one for each processor)")
      .value_name("N");
  app.add_flag("--json", request->json, "As JSON");
  add_format_options(app, request->format_texts, nullptr, request->annotation_text);
  app.add_option("--device", request->options.session.device,
                 "What to compile for: cpu (default), gpu, auto …")
      .value_name("D");
  app.add_option("--timeout-s", request->options.session.timeout_s,
                 "Seconds that compiling a kernel may take (default 60)")
      .value_text("S")
      .in_range(0.001, 86400.0);
  return {app, [request](Output& out) {
            out.annotate_error_if([request] {
              return wants_annotations(request->formats.annotations, request->json);
            });
            return lint(*request, out);
          }};
}

}  // namespace warpmark
