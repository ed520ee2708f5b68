// The kinds of files that `warpmark new` makes: each is a subcommand, in a file of the same name.
#pragma once

#include "cli/program/command.hpp"

namespace warpmark {

Command new_suite_command(const ArgumentParser& kinds);
Command new_plugin_command(const ArgumentParser& kinds);
Command new_assignment_command(const ArgumentParser& kinds);
Command new_course_command(const ArgumentParser& kinds);

}  // namespace warpmark
