// `warpmark pack audit`: a graded class in an archive that grades it again elsewhere.
#pragma once

#include "cli/argument_parser.hpp"
#include "cli/command.hpp"

namespace warpmark {

Command pack_audit_command(const ArgumentParser& kinds);

}  // namespace warpmark
