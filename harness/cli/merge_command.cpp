// `warpmark merge`: the files, or folders, of all shards of a run become those of one run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/merge_grades.hpp"
#include "report/case_text.hpp"
#include "report/junit_shard.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct MergeRequest {
  std::vector<fs::path> files;
  fs::path out;
  MergeGradesOptions grades;
};

enum class FileKind { journal, junit, google_benchmark, grades };

FileKind kind_of(const fs::path& file) {
  std::error_code code;
  if (fs::is_directory(file, code)) return FileKind::grades;
  const std::string text = read_file(file);
  const std::string_view begin = trim(std::string_view(text).substr(0, 1000));
  if (begin.starts_with("<?xml") || begin.starts_with("<testsuites")) return FileKind::junit;
  if (begin.starts_with("{\"type\"")) return FileKind::journal;
  if (begin.starts_with("{") && begin.find("\"context\"") != std::string_view::npos) {
    return FileKind::google_benchmark;
  }
  throw usage_error(fmt::format("{} is nothing that can be merged", display_path(file)), {},
                    "shards' journals, JUnit reports and Google Benchmark's JSON can be, and the "
                    "folders of a class's grades");
}

// The exit code of the run whose file this is, as far as the file tells: a journal has it, a JUnit
// report has failures, and Google Benchmark's JSON has only what was measured.
ExitCode code_of(FileKind kind, std::string_view text) {
  if (kind == FileKind::journal) {
    const std::string_view lines = trim(text);
    const nlohmann::json end = parse_json(lines.substr(lines.rfind('\n') + 1));
    return static_cast<ExitCode>(end.at("exit_code").get<int>());
  }
  if (kind == FileKind::google_benchmark) return ExitCode::success;
  std::string_view root = text.substr(std::min(text.find("<testsuites"), text.size()));
  root = root.substr(0, root.find('>'));
  for (const std::string_view count : {" failures=\"0\"", " errors=\"0\""}) {
    if (root.find(count) == std::string_view::npos) return ExitCode::verdict;
  }
  return ExitCode::success;
}

ExitCode merge(const MergeRequest& request, Output& out) {
  const FileKind kind = kind_of(request.files.front());
  for (const fs::path& file : request.files) {
    if (kind_of(file) == kind) continue;
    throw usage_error(fmt::format("{} and {} are files of different kinds",
                                  display_path(request.files.front()), display_path(file)),
                      {}, "merge the journals, and then the reports");
  }
  if (kind == FileKind::grades)
    return merge_grades(request.files, request.out, request.grades, out);
  require_no_grades_options(request.grades);
  require_writable(request.out);
  const std::string text = kind == FileKind::journal ? merge_journals(request.files)
                           : kind == FileKind::junit ? merge_junit(request.files)
                                                     : merge_google_benchmark(request.files);
  write_file_atomically(request.out, text);
  out.print("{}: {} of {}\n", display_path(request.out),
            kind == FileKind::journal ? "the journal"
            : kind == FileKind::junit ? "the JUnit report"
                                      : "Google Benchmark's JSON",
            count_text(request.files.size(), "shard"));
  return code_of(kind, text);
}

}  // namespace

Command merge_command(const ArgumentParser& program) {
  const auto request = std::make_shared<MergeRequest>();
  const ArgumentParser app =
      program.add_subcommand("merge",
                             "Make one run's file of the files of all its shards; ends with that\n"
                             "run's exit code");
  app.add_option("FILES", request->files,
                 "A journal, JUnit report, Google Benchmark's JSON or folder of grades of\n"
                 "each shard")
      .required()
      .value_name("");
  app.add_option("-o,--output", request->out, "The file, or the folder of grades, to write")
      .required()
      .value_name("FILE");
  add_merge_grades_options(app, request->grades);
  return {app, [request](Output& out) { return merge(*request, out); }};
}

}  // namespace warpmark
