// The part of a class that one shard grades, and the work that is left to `warpmark merge`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/program/argument_parser.hpp"
#include "cli/program/output.hpp"
#include "grade/class/grade_shard.hpp"
#include "jobs/shard.hpp"

namespace warpmark {

struct GradePartOptions {
  std::string shard;            ///< "2/4", "auto" …; "" for the whole class
  std::filesystem::path times;  ///< the folder OUT of an earlier run
};

void add_part_options(const ArgumentParser& app, GradePartOptions& options);

/// Returns nothing for a whole class. Throws usage errors for an invalid shard, and for times
/// without a shard.
std::optional<Shard> shard_of(const GradePartOptions& options);

/// Prints in one line which outputs need the whole class; `options` are the given options that do.
void print_left_to_merge(const GradeShard& shard, std::vector<std::string> options,
                         bool leaderboard, Output& out);

/// Prints the findings about the class.
void print_notes(const ClassNotes& notes, Output& out);
/// Prints in a line that something matches no student, and returns that exit code; success if
/// everything matches.
ExitCode print_unmatched(const ClassNotes& notes, Output& out);

}  // namespace warpmark
