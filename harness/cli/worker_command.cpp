// `warpmark worker`, hidden: the process in which a session runs kernels.
#include <memory>

#include "cli/program/command.hpp"
#include "worker/channel.hpp"
#include "worker/loop.hpp"

namespace warpmark {

Command worker_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand("worker", "Run kernels for a session").hide();
  const auto confined = std::make_shared<bool>(false);
  const auto fork_server = std::make_shared<bool>(false);
  app.add_flag("--confined", *confined, "In a sandbox, for source that is not trusted");
  app.add_flag("--fork-server", *fork_server, "Fork confined workers that compile");
  return {app,
          [confined, fork_server](Output&) {
            const WorkerKind kind = *fork_server ? WorkerKind::fork_server
                                    : *confined  ? WorkerKind::confined
                                                 : WorkerKind::trusted;
            return static_cast<ExitCode>(run_worker(kChannelDescriptor, kind));
          },
          true};
}

}  // namespace warpmark
