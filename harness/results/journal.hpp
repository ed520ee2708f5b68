// The journal of a run: JSON lines that are whole at any time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

/// A journal may hold several runs, one after another: those of the jobs of one configuration.
///
/// Writes run_record, an outcome_record for each case and end_record, each with one write(2), so
/// that whatever ends the process, all lines but perhaps the last are whole.
///
/// Write `finish` after everything else that may fail: a journal with an end says how the process
/// ends, and one without belongs to a run that was killed, goes on, or could not write it.
class Journal {
 public:
  /// Replaces the file, or adds another run to its end, and makes missing folders. Throws an
  /// environment error.
  Journal(std::filesystem::path path, const RunContext& context, size_t cases, bool append = false);

  /// Both throw an environment error where the line cannot be written (the disk is full); what was
  /// written of it is taken back.
  void append(const EndedCase& ended);
  void finish(const Totals& totals, double seconds, int exit_code, const std::string& error);

 private:
  void write_line(const nlohmann::ordered_json& record);

  std::filesystem::path path_;
  UniqueFd fd_;
  off_t whole_ = 0;  ///< bytes of whole lines
};

/// Adds records to the last run of a journal that has its end, before that: {"type": "lines", …},
/// which somebody asked for when the run was over. Leaves a file alone that is none, as a pipe.
/// Throws an environment error, and then the journal is what it was.
void add_records(const std::filesystem::path& path,
                 const std::vector<nlohmann::ordered_json>& records);

struct JournalContents {
  nlohmann::ordered_json run;
  int run_line = 0;  ///< where it stands, from 1
  std::vector<nlohmann::ordered_json> cases;
  std::vector<int> case_lines;                ///< where each of them stands, from 1
  std::vector<nlohmann::ordered_json> lines;  ///< what lines of sources counted, by case
  std::vector<int> line_lines;                ///< where each of them stands
  std::optional<nlohmann::ordered_json> end;  ///< nothing: the run was killed, or goes on
  int end_line = 0;
  bool torn = false;  ///< a last line without its end was left out
};

/// Which run of a journal that holds those of several jobs.
enum class JournalRun : uint8_t {
  only_bench,  ///< the only one, or the only one that is a bench
  last
};

/// Throws a usage error, with the line, for what is no journal or of a newer version, and for one
/// that holds more than that run.
JournalContents read_journal(const std::filesystem::path& path,
                             JournalRun which = JournalRun::only_bench);
/// All runs of it, in their order; at least one.
std::vector<JournalContents> read_journal_runs(const std::filesystem::path& path);

}  // namespace warpmark
