// The part of a class that one shard grades, and what of it is for `warpmark merge` to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/argument_parser.hpp"
#include "cli/output.hpp"
#include "grade/assignment/assignment.hpp"
#include "grade/class/class_run.hpp"
#include "grade/class/grade_shard.hpp"
#include "grade/submission/submission_search.hpp"
#include "ranks/shard.hpp"

namespace warpmark {

struct GradePartOptions {
  std::string shard;            ///< "2/4", "auto" …; "" for the whole class
  std::filesystem::path times;  ///< the folder OUT of an earlier run
};

void add_part_options(const ArgumentParser& app, GradePartOptions& options);

/// Nothing for a whole class. Throws usage errors: what is no shard, times without one.
std::optional<Shard> shard_of(const GradePartOptions& options);

/// Keeps the shard's submissions, and says which they are. They are divided by their seconds in the
/// folder `times`, of which those that are not there take the mean; without it in turn. What was
/// found out about the class goes into the record. Throws usage errors: more shards than
/// submissions, no results in `times`.
GradeShard keep_part(FoundSubmissions& found, const Shard& shard,
                     const std::filesystem::path& times);

/// What all shards must have in common, but for the device. `files` are the options and files that
/// say what applies to students; "" for none.
void set_common(GradeShard& shard, const Assignment& assignment, std::string_view secret,
                const std::vector<std::pair<std::string, std::filesystem::path>>& files);

/// The same of the run that ends.
void set_result(GradeShard& shard, const ClassRunResult& run, bool no_sandbox);

/// Says in one line what needs the whole class; `options` are those that do, as far as given.
void print_left_to_merge(const GradeShard& shard, std::vector<std::string> options,
                         bool leaderboard, Output& out);

/// Says what was found out about the class.
void print_notes(const ClassNotes& notes, Output& out);
/// Repeats in a line that something matches nobody, and returns that exit code; success if all does.
ExitCode print_unmatched(const ClassNotes& notes, Output& out);

}  // namespace warpmark
