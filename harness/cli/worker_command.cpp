// `warpmark worker`, hidden: the process in which a session runs kernels.
#include <memory>

#include "cli/command.hpp"
#include "worker/channel.hpp"
#include "worker/loop.hpp"

namespace warpmark {

Command worker_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand("worker", "Run kernels for a session").hide();
  const auto confined = std::make_shared<bool>(false);
  app.add_flag("--confined", *confined, "In a sandbox, for source that is not trusted");
  return {app,
          [confined](Output&) {
            return static_cast<ExitCode>(run_worker(kChannelDescriptor, *confined));
          },
          true};
}

}  // namespace warpmark
