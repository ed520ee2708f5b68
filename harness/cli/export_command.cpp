// `warpmark export`: journals of checks and benches become tables of an SQLite database.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <set>
#include <string>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/output_files.hpp"
#include "python/database.hpp"
#include "report/run/case_text.hpp"
#include "results/database_tables.hpp"
#include "results/journal.hpp"
#include "results/journal_folder.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct ExportRequest {
  std::vector<fs::path> results;
  fs::path out;
  bool samples = false;

  /// Each file once, so that no run counts twice.
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    std::set<fs::path> known;
    for (const fs::path& path : results) {
      for (fs::path& file : journal_files(path)) {
        std::error_code code;
        const fs::path real = fs::canonical(file, code);
        if (code || known.insert(real).second) all.push_back(std::move(file));
      }
    }
    return all;
  }
};

uint32_t number_at(const std::array<char, 100>& header, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(header.at(at + i));
  return number;
}

// True if the file is a database that a Warpmark with these tables has made.
bool is_own(const fs::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 100> header{};
  if (!fd || ::read(fd.get(), header.data(), header.size()) != ssize_t{header.size()}) return false;
  if (!std::string_view(header.data(), header.size()).starts_with("SQLite format 3")) return false;
  return DatabaseMark{number_at(header, 68), number_at(header, 60)} == kDatabaseMark;
}

// Throws if there is an open transaction: SQLite would apply another program's unfinished changes
// to the old file to the new one.
void require_no_open_transaction(const fs::path& file) {
  for (const char* suffix : {"-wal", "-journal"}) {
    const fs::path beside = file.string() + suffix;
    std::error_code code;
    if (fs::file_size(beside, code) == 0 || code) continue;
    throw usage_error(fmt::format("-o: another program has not finished with {}, or was killed: "
                                  "there is {}",
                                  display_path(file), display_path(beside)),
                      {}, fmt::format("`sqlite3 {} .tables` finishes it", display_path(file)));
  }
}

// An existing file must be a database of ours.
void require_replaceable(const fs::path& file) {
  std::error_code code;
  const fs::file_status status = fs::status(file, code);
  if (fs::is_directory(status)) {
    throw usage_error(fmt::format("-o: {} is a folder", display_path(file)), {},
                      "name a file in it, as in -o results.sqlite");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw usage_error(
        fmt::format("-o: {} is no regular file, as a database must be", display_path(file)));
  }
  require_no_open_transaction(file);
  if (!fs::exists(status) || fs::file_size(file, code) == 0 || is_own(file)) return;
  throw usage_error(
      fmt::format("-o would replace {}, which is no database of this version's `warpmark export`",
                  display_path(file)),
      {}, "name another file, or remove it");
}

std::string done_text(const ExportRequest& request, const DatabaseTables& tables) {
  const auto count = [](int64_t number, const char* what) {
    return count_text(static_cast<size_t>(number), what);
  };
  std::string text = fmt::format("{}: {} with {}", display_path(request.out),
                                 count(tables.runs(), "run"), count(tables.results(), "result"));
  if (const int64_t open = tables.unfinished(); open > 0) {
    text += fmt::format("; {} {} not come to {} end", open, open == 1 ? "has" : "have",
                        open == 1 ? "its" : "their");
  }
  return text;
}

ExitCode export_results(const ExportRequest& request, Output& out) {
  const std::vector<fs::path> files = request.files();
  require_kept({{"-o", request.out}}, files);
  require_replaceable(request.out);
  LazyPython python;
  const InterruptGuard guard;  // an interrupt must remove the draft
  DatabaseWriter writer(python.interpreter(), request.out, database_schema());
  DatabaseTables tables(request.samples);
  for (const fs::path& file : files) {
    int number = 0;
    for (const JournalContents& run : read_journal_runs(file))
      tables.add(run, display_path(file), ++number);
    for (const DatabaseRows& rows : tables.take()) writer.insert(rows);
    if (!guard.interrupted()) continue;
    print_error(out, fmt::format("interrupted: {} was not written\n", display_path(request.out)));
    return guard.exit_code();
  }
  writer.finish();
  out.print("{}\n", done_text(request, tables));
  return ExitCode::success;
}

}  // namespace

Command export_command(const ArgumentParser& program) {
  const auto request = std::make_shared<ExportRequest>();
  const ArgumentParser app = program.add_subcommand(
      "export",
      "Write results of `check` and `bench` to an SQLite database, for queries and plots\n"
      "of your own");
  app.add_option("RESULT", request->results, "Journals, and folders of them")
      .required()
      .value_name("");
  app.add_option("-o,--output", request->out,
                 "The database to write; one that `export` wrote before is replaced")
      .required()
      .value_name("FILE");
  app.add_flag("--samples", request->samples, "Also every sample of each time, which are many");
  return {app, [request](Output& out) { return export_results(*request, out); }};
}

}  // namespace warpmark
