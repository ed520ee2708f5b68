// `warpmark grade-worker`, hidden: the process that grades submissions for `warpmark grade`.
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "grade/class/grade_worker.hpp"
#include "worker/channel.hpp"

namespace warpmark {

Command grade_worker_command(const ArgumentParser& program) {
  const ArgumentParser app =
      program.add_subcommand("grade-worker", "Grade submissions for `grade`").hide();
  return {app,
          [](Output&) {
            LazyPython python;
            return static_cast<ExitCode>(run_grade_worker(
                kChannelDescriptor, [&]() -> Interpreter& { return python.interpreter(); },
                [&](const std::filesystem::path& file) {
                  return load_assignment(file, python.list_evaluator());
                }));
          },
          true};  // of the rank that started it
}

}  // namespace warpmark
