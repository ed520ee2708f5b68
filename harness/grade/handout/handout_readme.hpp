// A hand-out tells students, beside the task, how to install Warpmark where they are, what gives how
// many points, and what to do when a case fails. With wheels it has all that they need:
// a script, a container and a notebook.
#pragma once

#include <map>
#include <string>

#include "grade/handout/handout.hpp"
#include "grade/handout/handout_items.hpp"

namespace warpmark {

/// README.md. `suite` is one of the hand-out, for examples.
std::string handout_readme(const Assignment& assignment, const HandoutOptions& options,
                           const HandoutSuite& suite);

/// The files, by their places, that install the wheels and start from them: setup.sh, Dockerfile, a
/// container for development, the wheels that are files, and a notebook with `files` (the rest of
/// the hand-out, texts by places) in it. Nothing without wheels. Throws a usage error for two
/// wheels of one Python.
std::map<std::string, std::string> setup_files(const Assignment& assignment,
                                               const HandoutOptions& options,
                                               const std::map<std::string, std::string>& files);

}  // namespace warpmark
