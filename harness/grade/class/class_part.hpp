// The students of a class, those whom its rules mean, and the part that one shard grades.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "grade/class/class_run.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_rules.hpp"
#include "grade/class/grade_shard.hpp"
#include "grade/submission/submission_search.hpp"
#include "jobs/shard.hpp"

namespace warpmark {

/// Compares submissions with the results of earlier runs in the same folder by the platform's ids. A
/// student who had another name there, as before there was a roster or a homonym, keeps the result
/// under the new name: those are returned. A submission that would take the name of somebody else's
/// result gets its id behind the name.
std::vector<RenamedStudent> settle_names(std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier);

/// The students who handed in, and those of earlier results.
std::vector<KnownStudent> known_students(const std::vector<Submission>& submissions,
                                         const std::vector<GradeResult>& earlier);

/// Finds out whom the rules of the course mean, of the students who handed in and of those with
/// earlier results, and returns what is to be said of the class.
ClassNotes settle_students(FoundSubmissions& found, const std::vector<GradeResult>& earlier,
                           const Roster* roster, GradeRules& rules);

/// Keeps the shard's submissions, and says which they are. They are divided by their seconds in the
/// folder `times`, of which those that are not there take the mean; without it in turn. What was
/// found out about the class goes into the record. Throws usage errors: more shards than
/// submissions, no results in `times`.
GradeShard keep_part(FoundSubmissions& found, const Shard& shard,
                     const std::filesystem::path& times);

/// Sets the properties that all shards must have in common, except for the device. `files` are the
/// options and files with rules for students; "" for none.
void set_common(GradeShard& shard, const Assignment& assignment, std::string_view secret,
                const std::vector<std::pair<std::string, std::filesystem::path>>& files);

/// The same of the run that ends.
void set_result(GradeShard& shard, const ClassRunResult& run, bool no_sandbox);

}  // namespace warpmark
