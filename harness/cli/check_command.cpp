// `warpmark check`: runs cases and compares their outputs with the references.
#include <memory>

#include "cli/check_options.hpp"
#include "cli/command.hpp"

namespace warpmark {

Command check_command(CLI::App& program) {
  struct State {
    std::vector<std::filesystem::path> paths;
    CheckArguments arguments;
  };
  const auto state = std::make_shared<State>();
  CLI::App* app = program.add_subcommand("check", "Run cases and compare with their references");
  app->add_option("PATHS", state->paths, "Suite files and folders; else the folder `suites`")
      ->type_name("");
  state->arguments.add_to(*app);
  return {app, [state](Output& out) {
            CheckRequest request;
            return annotating(
                out, [&] { return wants_annotations(request.annotations, request.json); },
                [&] {
                  request.paths = state->paths;
                  state->arguments.apply(request);
                  return check(request, out);
                });
          }};
}

}  // namespace warpmark
