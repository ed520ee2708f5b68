// `warpmark new`: files to start from.
#include <vector>

#include "cli/new_kinds.hpp"

namespace warpmark {

Command new_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand(
      "new", "Write a suite, a plugin, an assignment or a course to start from");
  app.require_subcommand(1, 1);
  const std::vector<Command> kinds = {new_suite_command(app), new_plugin_command(app),
                                      new_assignment_command(app), new_course_command(app)};
  return {app, [kinds](Output& out) {
            for (const Command& kind : kinds) {
              if (kind.app.parsed()) return kind.run(out);
            }
            throw internal_error("`new` was read without its kind");
          }};
}

}  // namespace warpmark
