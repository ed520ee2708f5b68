// The part of a class that one shard grades, and the work that is left to `warpmark merge`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/argument_parser.hpp"
#include "cli/output.hpp"
#include "grade/assignment.hpp"
#include "grade/class_run.hpp"
#include "grade/grade_shard.hpp"
#include "grade/submission_search.hpp"
#include "ranks/shard.hpp"

namespace warpmark {

struct GradePartOptions {
  std::string shard;            ///< "2/4", "auto" …; "" for the whole class
  std::filesystem::path times;  ///< the folder OUT of an earlier run
};

void add_part_options(const ArgumentParser& app, GradePartOptions& options);

/// Returns nothing for a whole class. Throws usage errors for an invalid shard, and for times
/// without a shard.
std::optional<Shard> shard_of(const GradePartOptions& options);

/// Keeps the shard's submissions only, and returns its record. They are divided by their seconds in
/// the folder `times`, where missing ones count with the mean; without `times` in turn. The
/// findings about the class go into the record. Throws usage errors: more shards than submissions,
/// no results in `times`.
GradeShard keep_part(FoundSubmissions& found, const Shard& shard,
                     const std::filesystem::path& times);

/// Sets the properties that all shards must have in common, except for the device. `files` are the
/// options and files with rules for students; "" for none.
void set_common(GradeShard& shard, const Assignment& assignment, std::string_view secret,
                const std::vector<std::pair<std::string, std::filesystem::path>>& files);

/// Sets the properties known at the end of the run.
void set_result(GradeShard& shard, const ClassRunResult& run, bool no_sandbox);

/// Prints in one line which outputs need the whole class; `options` are the given options that do.
void print_left_to_merge(const GradeShard& shard, std::vector<std::string> options,
                         bool leaderboard, Output& out);

/// Prints the findings about the class.
void print_notes(const ClassNotes& notes, Output& out);
/// Prints in a line that something matches no student, and returns that exit code; success if
/// everything matches.
ExitCode print_unmatched(const ClassNotes& notes, Output& out);

}  // namespace warpmark
