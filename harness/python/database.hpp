// SQLite databases, written by the sqlite3 module of the embedded Python.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "python/interpreter.hpp"

namespace warpmark {

/// NULL, an integer, a real number or a text, which must be valid UTF-8 without NUL.
using DatabaseCell = std::variant<std::monostate, int64_t, double, std::string>;
using DatabaseRow = std::vector<DatabaseCell>;

/// Rows of one table; each has a cell for each of the columns.
struct DatabaseRows {
  std::string table;
  std::vector<std::string> columns;
  std::vector<DatabaseRow> rows;
};

/// Writes a new database in one transaction, under a temporary name that is renamed at the end. What
/// fails before leaves nothing behind.
class DatabaseWriter {
 public:
  /// `schema` is SQL. Throws an environment error where the file cannot be made or the interpreter
  /// has no sqlite3.
  DatabaseWriter(Interpreter& python, const std::filesystem::path& path, const std::string& schema);
  DatabaseWriter(const DatabaseWriter&) = delete;
  DatabaseWriter& operator=(const DatabaseWriter&) = delete;
  ~DatabaseWriter();

  /// Both throw an environment error where the disk is full.
  void insert(const DatabaseRows& rows);
  /// The file is there afterwards, or what was there before it.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpmark
