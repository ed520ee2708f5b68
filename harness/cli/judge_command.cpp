// `warpmark judge`: verdicts on candidates for the kernel of a task, such as those that models write.
#include <memory>

#include "cli/grading/judge_job.hpp"
#include "cli/program/command.hpp"

namespace warpmark {

Command judge_command(const ArgumentParser& program) {
  const auto request = std::make_shared<JudgeRequest>();
  const ArgumentParser app = program.add_subcommand(
      "judge", "Judge candidates for the kernel of a suite, each in confined processes");
  app.add_option("TASK", request->task, "A suite, or an assignment, as YAML")
      .required()
      .value_name("");
  app.add_option("CANDIDATES", request->candidates, "Files of CUDA C++ or PTX").value_name("");
  app.add_flag("--stream", request->stream,
               "Read a JSON line {\"id\": …, \"text\": …} for each candidate, and write its\n"
               "verdict as a line");
  app.add_flag("--json", request->json, "Write verdicts as lines of JSON (schema/judgement.json)");
  app.add_option("--trials", request->options.trials,
                 "Of each case of a suite, with other inputs (default: 3)")
      .value_name("N")
      .in_range(1, 1000);
  app.add_option("--speed", request->speed,
                 "Compared with the suite's own kernel: counters, with commas between,\n"
                 "gpu for times, or none (default: moved_sectors, or gpu on a GPU)")
      .value_name("WHAT");
  app.add_option("--secret", request->secret,
                 "File with the secret from which inputs are derived (default: a new one)")
      .value_name("FILE");
  app.add_option("--device", request->device, "cpu (default), gpu, gpu:1 …, or all: every GPU")
      .value_name("D");
  app.add_option("-j,--jobs", request->jobs,
                 "Candidates at the same time (default: one for each processor, or GPU)")
      .value_name("N")
      .in_range(1, 1024);
  app.add_flag("--no-sandbox", request->no_sandbox,
               "Judge although this machine cannot confine candidates");
  app.add_flag("-q,--quiet", request->quiet, "Print verdicts only");
  return {app, [request](Output& out) { return judge(*request, out); }, true};
}

}  // namespace warpmark
