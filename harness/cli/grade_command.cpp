// `warpmark grade`: submissions to an assignment become points, with a file for each lost one.
#include <memory>

#include "cli/grading/grade_job.hpp"
#include "cli/program/command.hpp"

namespace warpmark {

Command grade_command(const ArgumentParser& program) {
  const auto request = std::make_shared<GradeRequest>();
  const ArgumentParser app = program.add_subcommand(
      "grade", "Grade submissions to an assignment, each in confined processes");
  app.add_option("ASSIGNMENT", request->assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_option("SUBMISSIONS", request->submissions,
                 "Files NAME.cu or NAME.zip, students' folders, a folder of these, or an\n"
                 "export of Canvas, Moodle or Gradescope")
      .value_name("");
  app.add_option("-o,--output", request->out, "Folder for results; keep it from students")
      .value_name("OUT");
  const CommandOption secret = app.add_option("--secret", request->secret,
                                              "File with the secret from which inputs are derived")
                                   .value_name("FILE");
  app.add_option("--secret-fd", request->secret_fd, "The same from an open descriptor")
      .value_name("N")
      .in_range(0, 1 << 20)
      .excludes(secret);
  app.add_option("-j,--jobs", request->jobs,
                 "Submissions at the same time (default: one for each processor, or GPU)")
      .value_name("N")
      .in_range(1, 1024);
  app.add_option("--device", request->device,
                 "auto (default), gpu, cpu, gpu:1 …, or all GPUs (all)")
      .value_name("D");
  app.add_option("--roster", request->roster,
                 "CSV of the course's students, whose names replace those of platforms")
      .value_name("FILE");
  app.add_option("--extensions", request->rules.extensions,
                 "CSV with `student`, `until` or `days`, `reason`: later due times")
      .value_name("FILE");
  app.add_option("--adjustments", request->rules.adjustments,
                 "CSV with `student`, `points`, `reason`: points given or taken by hand")
      .value_name("FILE");
  app.add_option("--times", request->rules.times,
                 "CSV with `student`, `time`: when each handed in, if no platform says it")
      .value_name("FILE");
  add_export_options(app, request->exports);
  add_part_options(app, request->part);
  const CommandOption student = app.add_option("--student", request->student,
                                               "All SUBMISSIONS are what this student handed in")
                                    .value_name("NAME");
  app.add_flag("--class", request->is_class,
               "Archives among SUBMISSIONS are classes whose folders name students")
      .excludes(student);
  app.add_flag("--regrade", request->regrade, "Grade again what already has a grade");
  app.add_option("--expect", request->expect,
                 "Compare each result with the one in the folder OUT of an earlier run;\n"
                 "exit code 1 if one differs")
      .value_name("OUT");
  app.add_option("--only", request->only, "Grade only this student, by the name in results")
      .value_name("NAME");
  const CommandOption speed_only =
      app.add_flag("--speed-only", request->speed_only,
                   "Only cases with points for times, on the course's GPU: for --speed");
  app.add_option("--speed", request->speed,
                 "Join the times that a run with --speed-only has written to OUT")
      .value_name("OUT")
      .excludes(speed_only);
  app.add_flag("--no-sandbox", request->no_sandbox,
               "Grade although this machine cannot confine what students hand in");
  app.add_flag("--without-lint", request->without_lint,
               "Grade even if lint refuses the assignment");
  app.add_flag("--lint", request->lint,
               "Check the assignment itself, and run its self-tests: no submissions");
  app.add_flag("--mutate", request->mutate,
               "With --lint: change the course's kernels, and warn of\n"
               "changes that get all points");
  app.add_flag("--stream", request->stream,
               "Read a JSON line {\"id\": …, \"text\": …} for each submission (of several\n"
               "files \"files\": {NAME: TEXT, …}), and write its result as a line");
  app.add_flag("-q,--quiet", request->quiet, "Print the sums only");
  return {app, [request](Output& out) { return grade(*request, out); }, true};
}

}  // namespace warpmark
