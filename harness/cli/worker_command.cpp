// `warpmark worker`, hidden: the process in which a session runs kernels.
#include "cli/command.hpp"
#include "runtime/session.hpp"

namespace warpmark {

namespace {
constexpr int kWorkerSocket = 3;  // where a session puts its end of the channel
}

Command worker_command(CLI::App& program) {
  CLI::App* app = program.add_subcommand("worker", "Run kernels for a session")->group("");
  return {app, [](Output&) { return static_cast<ExitCode>(run_worker(kWorkerSocket)); }};
}

}  // namespace warpmark
