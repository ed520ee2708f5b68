// Tables as text: CSV with a header.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// Records of a CSV text (RFC 4180), also with semicolons or tabs between fields, whichever the
/// first line has more of, and with a byte order mark. Blank lines are passed over.
class CsvReader {
 public:
  /// `file` is how errors call it.
  CsvReader(std::string_view text, std::string file);

  /// The next record's fields, without blanks around them; false at the end. Throws a usage error
  /// for a quoted field without end.
  bool next(std::vector<std::string>& fields);
  /// Where the last record begins.
  Position where() const { return {file_, where_, 1}; }

 private:
  bool accept(char c);
  std::string field();

  std::string_view rest_;
  std::string file_;
  char separator_ = ',';
  int line_ = 1, where_ = 1;
};

/// A row of a table, by the names of its columns in lower case.
struct CsvRow {
  std::map<std::string, std::string> fields;
  Position where;
  /// "" if there is no such column.
  std::string get(const std::string& column) const;
};

/// Reads a table that must have some columns, and may have others of a list. Throws a usage error
/// for a missing or unknown column and for a row with more fields than columns.
std::vector<CsvRow> read_table(const std::filesystem::path& file,
                               const std::vector<std::string>& required,
                               const std::vector<std::string>& optional);

}  // namespace warpmark
