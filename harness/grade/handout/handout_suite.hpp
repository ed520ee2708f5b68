// The suite that students get: the visible cases' values, no kernel of the course's.
#pragma once

#include <map>
#include <string>

#include "grade/assignment/handout_store.hpp"
#include "grade/handout/handout_items.hpp"

namespace warpmark {

/// The files of a suite's folder that its cases need beside the kernel: Python files, and kernels
/// of steps. Each once.
std::vector<std::string> companion_files(const Suite& suite);

/// The suite's YAML without comments: `axes` as they are used, the types of arguments where all
/// items have the same, no `bench`, `baseline`, `cases` or `lint`. `renamed` has other names for
/// some files of the suite; `kernel` is the template. Throws a usage error for a suite whose outputs
/// are held against a kernel of the course's.
std::string handout_suite_text(const HandoutSuite& made, const HandoutStore& store,
                               const std::map<std::string, std::string>& renamed,
                               const std::string& kernel);

/// Axes as a map of lists.
YamlNode axes_node(const std::vector<Axis>& axes);

}  // namespace warpmark
