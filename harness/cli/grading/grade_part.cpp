#include "cli/grading/grade_part.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

void add_part_options(const ArgumentParser& app, GradePartOptions& options) {
  app.add_option("--shard", options.shard,
                 "Only the I-th of N parts of the class; auto: as the environment says")
      .value_name("I/N");
  app.add_option("--shard-times", options.times,
                 "With --shard: parts that take equally long, by an earlier run's OUT")
      .value_name("OUT");
}

std::optional<Shard> shard_of(const GradePartOptions& options) {
  if (!options.shard.empty()) return parse_shard(options.shard);
  if (options.times.empty()) return std::nullopt;
  throw usage_error("--shard-times says how submissions are divided, and --shard is missing");
}

void print_left_to_merge(const GradeShard& shard, std::vector<std::string> options,
                         bool leaderboard, Output& out) {
  if (leaderboard) options.insert(options.begin(), "the leaderboard");
  options.insert(options.begin(), "the files of the whole class");
  const ClassNotes& notes = shard.notes;
  if (!notes.missing.empty()) options.push_back("who handed in nothing");
  if (!notes.left_out.empty() || !notes.unmatched.empty() || !notes.unknown.empty())
    options.push_back("warnings about the class");
  print_error(out, fmt::format("note: this is shard {} of {}, with {} of {}; left to `warpmark "
                               "merge`: {}",
                               shard.shard.index, shard.shard.count, shard.submissions.size(),
                               count_text(shard.shard.cases, "submission"), join(options, ", ")));
}

ExitCode print_unmatched(const ClassNotes& notes, Output& out) {
  const size_t count = notes.unmatched.size() + notes.missing.size() + notes.unknown.size();
  if (count == 0) return ExitCode::success;
  print_error(out, fmt::format("{} above {} nobody's: exit code {}",
                               count == 1 ? "1 submission, student or row"
                                          : fmt::format("{} submissions, students or rows", count),
                               count == 1 ? "is" : "are", static_cast<int>(ExitCode::unmatched)));
  return ExitCode::unmatched;
}

void print_notes(const ClassNotes& notes, Output& out) {
  for (const std::string& text : notes.left_out) print_error(out, "warning: left out: " + text);
  for (const std::string& text : notes.unmatched) {
    print_error(out, "warning: " + text);
  }
  if (!notes.missing.empty()) {
    print_error(out, fmt::format("note: of {} student{} of the roster there is no submission: {}",
                                 notes.missing.size(), notes.missing.size() == 1 ? "" : "s",
                                 printable(join(notes.missing, "; "))));
  }
  for (const std::string& text : notes.unknown) print_error(out, "warning: " + text);
}

}  // namespace warpmark
