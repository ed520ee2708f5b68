// Suites by path, as subcommands take them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "suite/case.hpp"
#include "suite/suite.hpp"
#include "suite/suite_find.hpp"

namespace warpmark {

struct LoadedSuite {
  std::shared_ptr<const Suite> suite;
  std::vector<Case> cases;
};

/// Throws a usage error if there is nothing at `path`, with the nearest path as the hint, or
/// `hint`.
void require_path(const std::filesystem::path& path, const std::string& hint);

/// The suite files of `paths`, or of the folder `suites` if there are none. A path that is not
/// there is bad, with the nearest one that is. Throws a usage error only if there is no folder
/// `suites`.
FoundSuites suite_files(std::vector<std::filesystem::path> paths);

/// Loads and expands them. Throws the first usage error.
std::vector<LoadedSuite> load_suites(const std::vector<std::filesystem::path>& paths,
                                     const ListEvaluator& python);

}  // namespace warpmark
