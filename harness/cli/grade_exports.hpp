// Further files that `warpmark grade` writes of a class, each because an option names it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/argument_parser.hpp"
#include "cli/output.hpp"
#include "grade/grade_files.hpp"
#include "grade/roster.hpp"

namespace warpmark {

struct GradeExports {
  std::filesystem::path canvas, moodle;  ///< files for grade books
  std::filesystem::path feedback;        ///< a folder
  std::filesystem::path items;           ///< a file
};

void add_export_options(const ArgumentParser& app, GradeExports& exports);

/// Throws usage errors before anything is graded: an option that needs a roster without one, a file
/// that is one of `inputs`. Throws an environment error for what cannot be written.
void require_exports(const GradeExports& exports, bool has_roster,
                     const std::vector<std::filesystem::path>& inputs);

/// Writes them for all results of the class, and warns of who stands in none.
void write_exports(const GradeExports& exports, const Roster* roster,
                   const std::vector<GradeResult>& results, Output& out);

}  // namespace warpmark
