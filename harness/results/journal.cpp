#include "results/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "results/baseline_text.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Error cannot_write(const fs::path& path, int code) {
  return environment_error(
      fmt::format("cannot write the journal {}: {}", display_path(path), std::strerror(code)),
      code == ENOSPC ? "make room, or name a file on another disk" : "");
}

// A job that was killed may have left half a line, which would spoil the next one.
off_t end_of_whole_lines(int fd) {
  off_t end = std::max<off_t>(0, ::lseek(fd, 0, SEEK_END));
  char last = '\0';
  while (end > 0 && ::pread(fd, &last, 1, end - 1) == 1 && last != '\n') --end;
  return end;
}

Error baseline_error(const Position& where) {
  return usage_error("this is a baseline of counters, which has no times", where,
                     "`warpmark compare` and `bench --compare` read it");
}

// Checks one record and puts it where it belongs.
void read_record(Json record, const Position& where, std::vector<JournalContents>& runs) {
  if (!record.is_object() || !record.contains("type") || !record["type"].is_string()) {
    throw usage_error("this is no record of a journal", where);
  }
  const auto type = record["type"].get<std::string>();
  if (runs.empty() && type == "baseline") {
    throw baseline_error(where);
  }
  if (runs.empty() && type != "run") {
    throw usage_error("a journal starts with a record of type `run`, not `" + type + "`", where);
  }
  if (type == "run") runs.emplace_back();  // of the next job, also if the last one was killed
  JournalContents& contents = runs.back();
  if (contents.end) throw usage_error("a record after that of type `end`", where);
  if (type == "run") {
    const Json version = record.value("record", Json());
    if (!version.is_number_integer() || version.get<int64_t>() < 1) {
      throw usage_error("the journal does not say the version of its records", where);
    }
    if (version.get<int64_t>() > kRecordVersion) {
      throw usage_error(fmt::format("the journal has records of version {}, and this Warpmark "
                                    "knows versions up to {}",
                                    version.get<int64_t>(), kRecordVersion),
                        where, "read it with the Warpmark that wrote it, or a newer one");
    }
    contents.run = std::move(record);
    contents.run_line = where.line;
  } else if (type == "case") {
    contents.cases.push_back(std::move(record));
    contents.case_lines.push_back(where.line);
  } else if (type == "lines") {
    contents.lines.push_back(std::move(record));
    contents.line_lines.push_back(where.line);
  } else if (type == "end") {
    contents.end = std::move(record);
    contents.end_line = where.line;
  }
  // Other types are for later versions to add.
}

}  // namespace

Journal::Journal(fs::path path, const RunContext& context, size_t cases, bool append)
    : path_(std::move(path)) {
  const int missing = make_folder_of(path_);
  std::error_code ignored;
  // A pipe or a device has no end to add to.
  const bool adds = append && fs::is_regular_file(path_, ignored);
  const int how = adds ? O_RDWR | O_APPEND : O_WRONLY | O_TRUNC;
  fd_ = UniqueFd(::open(path_.c_str(), O_CREAT | O_CLOEXEC | how, 0666));
  if (!fd_) throw cannot_write(path_, errno == ENOENT && missing != 0 ? missing : errno);
  if (adds) {
    whole_ = end_of_whole_lines(fd_.get());
    if (::ftruncate(fd_.get(), whole_) != 0) throw cannot_write(path_, errno);
  }
  write_line(run_record(context, cases));
}

void Journal::append(const EndedCase& ended) {
  write_line(outcome_record(ended));
}

void Journal::finish(const Totals& totals, double seconds, int exit_code,
                     const std::string& error) {
  write_line(end_record(totals, seconds, exit_code, error));
}

void Journal::write_line(const Json& record) {
  const std::string line = record_text(record) + "\n";
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(fd_.get(), line.data() + written, line.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      const int code = errno;
      // A pipe or a device cannot be cut; there the reader leaves the torn line out.
      if (::ftruncate(fd_.get(), whole_) == 0) ::lseek(fd_.get(), whole_, SEEK_SET);
      throw cannot_write(path_, code);
    }
  }
  whole_ += static_cast<off_t>(line.size());
}

void add_records(const fs::path& path, const std::vector<Json>& records) {
  std::error_code ignored;
  if (records.empty() || !fs::is_regular_file(path, ignored)) return;
  std::string text = read_file(path);
  const size_t last = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  if (last == std::string::npos) return;
  std::string added;
  for (const Json& record : records) added += record_text(strict_json(record)) + "\n";
  write_file_atomically(path, text.insert(last + 1, added));
}

std::vector<JournalContents> read_journal_runs(const fs::path& path) {
  const std::string text = read_file(path);
  const std::string name = display_path(path);
  if (is_baseline_text(text)) throw baseline_error({name, 1, 0});
  std::vector<JournalContents> runs;
  bool torn = false;
  size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      torn = true;
      break;
    }
    const Position where{name, line, 0};
    Json record = try_parse_ordered_json(std::string_view(text).substr(begin, end - begin));
    if (record.is_discarded()) throw usage_error("this line of the journal is not JSON", where);
    read_record(std::move(record), where, runs);
    begin = end + 1;
  }
  if (runs.empty()) throw usage_error("the journal has no whole line", Position{name, 0, 0});
  runs.back().torn = torn;
  return runs;
}

JournalContents read_journal(const fs::path& path, JournalRun which) {
  const std::string name = display_path(path);
  std::vector<JournalContents> runs = read_journal_runs(path);
  if (which == JournalRun::last || runs.size() == 1) return std::move(runs.back());
  const auto is_bench = [](const JournalContents& run) { return run.run.contains("bench"); };
  const auto benches = std::ranges::count_if(runs, is_bench);
  if (benches == 1) return std::move(*std::ranges::find_if(runs, is_bench));
  throw usage_error(fmt::format("{} holds {} runs, {} of `bench`", name, runs.size(), benches), {},
                    "one job alone: `warpmark run CONFIG --job NAME --journal FILE`");
}

}  // namespace warpmark
