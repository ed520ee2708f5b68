#include "cli/grading/merge_grades.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <set>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "cli/grading/grade_part.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/class/grade_shard_merge.hpp"
#include "grade/class/similarity_input.hpp"
#include "report/grade/grade_console.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/style.hpp"
#include "report/page/text_line.hpp"
#include "report/run/case_text.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// Pseudonyms of another secret would be other students'.
std::string secret_for(const MergeGradesOptions& options, const GradedParts& parts, Output& out) {
  if (options.exports.anonymous.empty()) return "";
  if (options.secret.empty()) {
    throw usage_error("--anonymous needs --secret", {}, "pseudonyms are made from it");
  }
  ReadSecret read = read_secret(options.secret);
  if (!read.warning.empty()) print_error(out, "warning: " + read.warning);
  const GradeShard& first = parts.shards.front();
  const std::string version = assignment_version(read.secret.bytes(), first.assignment_sha256);
  if (version != first.assignment_version) {
    throw usage_error(fmt::format("{} is not the secret that the shards were graded with",
                                  display_path(options.secret)));
  }
  return read.secret.bytes();
}

std::optional<Roster> roster_for(const MergeGradesOptions& options, const GradedParts& parts) {
  if (options.roster.empty()) return std::nullopt;
  const std::string hash = sha256_hex(read_file(options.roster));
  for (const auto& [name, known] : parts.shards.front().files) {
    if (name != "roster" || known == hash) continue;
    throw usage_error(fmt::format("{} is not the roster that the shards were graded with",
                                  display_path(options.roster)));
  }
  return Roster::read(options.roster);
}

// A class whose times come later may be whole already.
GradedParts read_class(const std::vector<fs::path>& folders, const MergeGradesOptions& options) {
  const bool whole = folders.size() == 1 && !is_shard_folder(folders.front());
  return whole && !options.speed.empty() ? read_whole(folders.front()) : read_parts(folders);
}

std::optional<TakenTimes> times_for(const MergeGradesOptions& options, GradedParts& parts) {
  if (options.speed.empty()) return std::nullopt;
  std::set<std::string> versions;
  std::vector<KnownStudent> students;
  for (const GradeResult& one : parts.results) {
    versions.insert(one.context.verdict_version);
    students.push_back({one.student, one.ids});
  }
  TakenTimes times(options.speed, parts.shards.front().assignment, versions);
  for (std::string& one : times.unknown(students))
    parts.shards.front().notes.unknown.push_back(std::move(one));
  return times;
}

size_t print_not_graded(const std::vector<GradeResult>& results, Output& out) {
  size_t failed = 0;
  for (const GradeResult& one : results) {
    if (has_points(one)) continue;
    ++failed;
    print_error(out,
                fmt::format("{}: not graded: {}", in_one_line(one.student), printable(one.staff)));
  }
  return failed;
}

}  // namespace

void add_merge_grades_options(const ArgumentParser& app, MergeGradesOptions& options) {
  app.add_option("--roster", options.roster,
                 "Of a class: the CSV of the course's students, for --canvas, --moodle\n"
                 "and --feedback")
      .value_name("FILE");
  app.add_option("--secret", options.secret, "Of a class: the course's secret, for --anonymous")
      .value_name("FILE");
  app.add_option("--speed", options.speed, "Of a class: join the times of a run with --speed-only")
      .value_name("OUT");
  add_export_options(app, options.exports);
}

void require_no_grades_options(const MergeGradesOptions& options) {
  std::vector<std::string> given = export_options(options.exports);
  if (!options.roster.empty()) given.emplace_back("--roster");
  if (!options.secret.empty()) given.emplace_back("--secret");
  if (!options.speed.empty()) given.emplace_back("--speed");
  if (given.empty()) return;
  throw usage_error(given.front() + " is of a class, and no folder of a shard of one is named", {},
                    "`warpmark grade --shard I/N -o OUT` writes such a folder");
}

ExitCode merge_grades(const std::vector<fs::path>& folders, const fs::path& out_folder,
                      const MergeGradesOptions& options, Output& out) {
  GradedParts parts = read_class(folders, options);
  const std::optional<TakenTimes> times = times_for(options, parts);
  const std::optional<Roster> roster = roster_for(options, parts);
  require_exports(options.exports, roster.has_value(), {});
  const std::string secret = secret_for(options, parts, out);
  std::optional<SimilarityInput> input;
  if (!options.exports.similar.empty()) input = kept_sources(parts);
  require_own_folder(out_folder, nullptr);

  const GradeFiles files(out_folder);
  const std::vector<GradeChange> changes = write_merged(parts, times ? &*times : nullptr, files);
  if (times) {
    for (const std::string& text : times->open(parts.results)) print_error(out, "note: " + text);
  }
  if (input) {
    const GradeResult& first = parts.results.front();
    write_similar(options.exports, std::move(*input), first.assignment, first.title);
  }
  write_exports(options.exports, roster ? &*roster : nullptr, secret, files, out);
  print_notes(parts.shards.front().notes, out);
  const size_t failed = print_not_graded(parts.results, out);
  out.flush();
  ConsoleStyle style = console_style(STDOUT_FILENO);
  style.for_runner = out.for_runner();
  style.verbosity = Verbosity::quiet;
  print_grades(std::cout, style, parts.results);
  std::cout.flush();
  out.print("{}: the grades of {}\n", display_path(out_folder),
            parts.whole ? display_path(folders.front()) : count_text(parts.shards.size(), "shard"));
  for (const GradeChange& one : changes) print_error(out, change_text(one));
  if (failed > 0) return ExitCode::internal;
  return print_unmatched(parts.shards.front().notes, out);
}

}  // namespace warpmark
