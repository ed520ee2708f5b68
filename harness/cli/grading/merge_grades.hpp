// The folders of all shards of a class become one graded class.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "cli/grading/grade_exports.hpp"
#include "cli/program/argument_parser.hpp"
#include "cli/program/output.hpp"

namespace warpmark {

struct MergeGradesOptions {
  GradeExports exports;
  std::filesystem::path roster;
  std::filesystem::path secret;  ///< for pseudonyms
  std::filesystem::path speed;   ///< OUT of a run with --speed-only
};

void add_merge_grades_options(const ArgumentParser& app, MergeGradesOptions& options);

/// Throws a usage error if one is given, since these files are of no class.
void require_no_grades_options(const MergeGradesOptions& options);

/// Writes the folder and the further files. Throws usage errors for what is no whole class
/// (grade/class/grade_shard_merge.hpp) before anything is written; with `speed` the one folder may be
/// of a whole class. The exit code is that of one run.
ExitCode merge_grades(const std::vector<std::filesystem::path>& folders,
                      const std::filesystem::path& out_folder, const MergeGradesOptions& options,
                      Output& out);

}  // namespace warpmark
