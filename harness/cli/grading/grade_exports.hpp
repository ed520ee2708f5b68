// Further files that `warpmark grade` writes about a class, each for an option that names it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/argument_parser.hpp"
#include "cli/program/output.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/similarity/similarity.hpp"
#include "grade/submission/roster.hpp"

namespace warpmark {

struct GradeExports {
  std::filesystem::path canvas, moodle;        ///< files for grade books
  std::filesystem::path feedback;              ///< a folder
  std::filesystem::path items;                 ///< a file
  std::filesystem::path anonymous;             ///< a folder
  std::vector<std::filesystem::path> similar;  ///< files: JSON by that extension, else pages
};

/// The names of the options that are given.
std::vector<std::string> export_options(const GradeExports& exports);

void add_export_options(const ArgumentParser& app, GradeExports& exports);

/// Throws usage errors before anything is graded: an option that needs a roster without one, a file
/// that is one of `inputs`. Throws an environment error for a file that cannot be written.
void require_exports(const GradeExports& exports, bool has_roster,
                     const std::vector<std::filesystem::path>& inputs);

/// Writes the files for all results of the class, and warns of students who are in none.
void write_exports(const GradeExports& exports, const Roster* roster, std::string_view secret,
                   const GradeFiles& files, Output& out);

/// Writes the pairs of similar submissions. `id` and `title` are the assignment's.
void write_similar(const GradeExports& exports, SimilarityInput input, const std::string& id,
                   const std::string& title);

}  // namespace warpmark
