// What `warpmark new` can make: each kind is a subcommand of it, in a file of the same name.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace warpmark {

Command new_suite_command(CLI::App& kinds);
Command new_plugin_command(CLI::App& kinds);
Command new_assignment_command(CLI::App& kinds);

}  // namespace warpmark
