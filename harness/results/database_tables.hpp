// Journals as rows of tables, whose columns database.sql describes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/record_field.hpp"
#include "python/database.hpp"
#include "results/journal.hpp"

namespace warpmark {

/// The marks at bytes 68 and 60 of the header of an SQLite file that Warpmark wrote.
struct DatabaseMark {
  uint32_t application_id = 0;
  uint32_t user_version = 0;
  friend bool operator==(const DatabaseMark&, const DatabaseMark&) = default;
};
constexpr DatabaseMark kDatabaseMark{0x57706d6b, 1};  // "Wpmk"

/// The tables, indexes and views, as SQL that also sets kDatabaseMark.
std::string database_schema();

class DatabaseTables {
 public:
  /// With `samples`, the tables also have every sample of a series.
  explicit DatabaseTables(bool samples);

  /// Adds the run that is the `number`th of its file, from 1. Throws a usage error, with the line,
  /// for a record that does not follow schema/outcome.json.
  void add(const JournalContents& run, const std::string& file, int number);
  /// Returns the rows added since the last call, in an order in which rows refer only to earlier
  /// ones.
  std::vector<DatabaseRows> take();

  int64_t runs() const { return runs_; }
  int64_t results() const { return results_; }
  int64_t unfinished() const { return unfinished_; }  ///< runs without an end

 private:
  void add_case(const RecordField& record, int64_t number);
  void add_axes(const RecordField& record, const std::string& id);
  void add_measurement(const RecordField& measurement);
  void add_series(const RecordField& series);
  void add_launches(const RecordField& launches);
  void add_findings(const RecordField& findings);

  bool samples_;
  std::vector<DatabaseRows> tables_;
  int64_t runs_ = 0, results_ = 0, series_ = 0;  ///< numbers of rows, and so the last ids
  int64_t unfinished_ = 0;
};

}  // namespace warpmark
