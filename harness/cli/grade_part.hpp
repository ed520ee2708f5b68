// The part of a class that one shard grades, and what of it is for `warpmark merge` to do.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/argument_parser.hpp"
#include "cli/output.hpp"
#include "grade/class/grade_shard.hpp"
#include "ranks/shard.hpp"

namespace warpmark {

struct GradePartOptions {
  std::string shard;            ///< "2/4", "auto" …; "" for the whole class
  std::filesystem::path times;  ///< the folder OUT of an earlier run
};

void add_part_options(const ArgumentParser& app, GradePartOptions& options);

/// Nothing for a whole class. Throws usage errors: what is no shard, times without one.
std::optional<Shard> shard_of(const GradePartOptions& options);

/// Says in one line what needs the whole class; `options` are those that do, as far as given.
void print_left_to_merge(const GradeShard& shard, std::vector<std::string> options,
                         bool leaderboard, Output& out);

/// Says what was found out about the class.
void print_notes(const ClassNotes& notes, Output& out);
/// Repeats in a line that something matches nobody, and returns that exit code; success if all does.
ExitCode print_unmatched(const ClassNotes& notes, Output& out);

}  // namespace warpmark
