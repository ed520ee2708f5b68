// `warpmark handout`: the folder that students get of an assignment.

#include <memory>

#include "cli/grading/pack_job.hpp"
#include "cli/program/command.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct HandoutRequest {
  fs::path assignment;
  fs::path out;
  HandoutOptions options;
  std::vector<std::string> wheels;
};

ExitCode hand_out(const HandoutRequest& request, Output& out) {
  if (request.out.empty()) {
    throw usage_error("a hand-out needs a separate folder: -o DIR", {},
                      "one that is not there yet");
  }
  HandoutOptions options = request.options;
  for (const std::string& wheel : request.wheels) options.wheels.push_back(read_wheel(wheel));
  FolderDraft draft(request.out);
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  return write_handout(make_handout(*assignment, options, python.interpreter()), *assignment,
                       options, draft, python, out);
}

}  // namespace

Command handout_command(const ArgumentParser& program) {
  const auto request = std::make_shared<HandoutRequest>();
  const ArgumentParser app = program.add_subcommand(
      "handout", "Write the folder that students get: a template and the visible cases");
  app.add_option("ASSIGNMENT", request->assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_option("-o,--output", request->out, "The folder to write, which is not there yet")
      .value_name("DIR");
  app.add_option("--device", request->options.device,
                 "Where the course's kernels run: cpu (default), auto, gpu …")
      .value_name("D");
  app.add_option("--wheel", request->wheels,
                 "A wheel, one for each Python: a file, or https://….whl#sha256=HASH")
      .value_name("WHEEL");
  app.add_flag("--hidden-points", request->options.hidden_points,
               "Tell students how many points hidden cases give");
  return {app, [request](Output& out) { return hand_out(*request, out); }};
}

}  // namespace warpmark
