// `warpmark run`: does what a run configuration says.
#include <memory>

#include "cli/command.hpp"
#include "cli/run_config.hpp"
#include "cli/suites.hpp"

namespace warpmark {

Command run_command(CLI::App& program) {
  const auto file = std::make_shared<std::filesystem::path>();
  CLI::App* app = program.add_subcommand("run", "Do what a run configuration says");
  app->add_option("CONFIG", *file, "A YAML file, as configs/demo.yaml")->required()->type_name("");
  return {app, [file](Output& out) {
            require_path(*file, "configurations are YAML files, as configs/demo.yaml");
            const RunConfig config = load_run_config(*file);
            return check(*config.check, out);  // the only job so far, and a config has one
          }};
}

}  // namespace warpmark
