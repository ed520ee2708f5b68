// `warpmark merge`: the files, or folders, of all shards of a run become those of one run.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/file.hpp"
#include "cli/grading/merge_grades.hpp"
#include "cli/program/command.hpp"
#include "report/run/case_text.hpp"
#include "report/run/junit_part.hpp"
#include "results/counted_baseline.hpp"
#include "results/result_kind.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct MergeRequest {
  std::vector<fs::path> files;
  fs::path out;
  MergeGradesOptions grades;
};

// Nothing for a folder of grades.
std::optional<ResultKind> kind_of(const fs::path& file) {
  std::error_code code;
  if (fs::is_directory(file, code)) return std::nullopt;
  if (const auto kind = result_kind(file)) return kind;
  throw usage_error(fmt::format("{} is nothing that can be merged", display_path(file)), {},
                    "shards' journals, JUnit reports and Google Benchmark's JSON can be, baselines "
                    "of counters, and the folders of a class's grades");
}

// A single file becomes what --update-baseline writes today.
ExitCode merge_baselines(const MergeRequest& request, Output& out) {
  const BenchResult merged = merged_baseline(request.files);
  write_baseline(request.out, merged);
  out.print("{}: the baseline of {}, {}\n", display_path(request.out),
            count_text(request.files.size(), "file"), count_text(merged.cases.size(), "case"));
  return ExitCode::success;
}

ExitCode merge(const MergeRequest& request, Output& out) {
  const std::optional<ResultKind> kind = kind_of(request.files.front());
  for (const fs::path& file : request.files) {
    if (kind_of(file) == kind) continue;
    throw usage_error(fmt::format("{} and {} are files of different kinds",
                                  display_path(request.files.front()), display_path(file)),
                      {}, "merge the journals, and then the reports");
  }
  if (!kind) return merge_grades(request.files, request.out, request.grades, out);
  require_no_grades_options(request.grades);
  require_writable(request.out);
  if (kind == ResultKind::baseline) return merge_baselines(request, out);
  const MergedFile merged = kind == ResultKind::journal ? merge_journals(request.files)
                            : kind == ResultKind::junit ? merge_junit(request.files)
                                                        : merge_google_benchmark(request.files);
  write_file_atomically(request.out, merged.text);
  out.print("{}: {} of {}\n", display_path(request.out),
            kind == ResultKind::journal ? "the journal"
            : kind == ResultKind::junit ? "the JUnit report"
                                        : "Google Benchmark's JSON",
            count_text(request.files.size(), "shard"));
  return merged.code;
}

}  // namespace

Command merge_command(const ArgumentParser& program) {
  const auto request = std::make_shared<MergeRequest>();
  const ArgumentParser app =
      program.add_subcommand("merge",
                             "Make one run's file of the files of all its shards; ends with that\n"
                             "run's exit code. Baselines of counters become one of today's form");
  app.add_option("FILES", request->files,
                 "A journal, JUnit report, Google Benchmark's JSON or folder of grades of\n"
                 "each shard; or baselines of counters")
      .required()
      .value_name("");
  app.add_option("-o,--output", request->out, "The file, or the folder of grades, to write")
      .required()
      .value_name("FILE");
  add_merge_grades_options(app, request->grades);
  return {app, [request](Output& out) { return merge(*request, out); }};
}

}  // namespace warpmark
