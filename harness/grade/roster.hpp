// Who is in a course, and under which names a platform's export knows them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmark {

/// A table of a course's students: CSV with a header, as Canvas, Moodle and Gradescope export it or
/// as somebody wrote it. The column `student` (or `name`, or first and last name) is what results
/// call a student; the others that identify one are those of kRosterColumns.
class Roster {
 public:
  /// Throws a usage error with file and line: no column of names, a student twice, one value of an
  /// identifying column in two rows, or text that is no CSV.
  static Roster read(const std::filesystem::path& file);
  /// The same of a text; `file` is how errors call it.
  static Roster parse(std::string_view text, const std::string& file);

  struct Match {
    std::string student;   ///< "" if there is none
    bool several = false;  ///< more than one student fits
  };
  /// The student whom one of these names fits, of which the first are the most certain. Case, blanks
  /// and punctuation do not count, and "Lovelace, Ada", "Ada Lovelace" and "lovelaceada" are one.
  Match find(const std::vector<std::string>& names) const;

  /// In the roster's order.
  const std::vector<std::string>& students() const { return students_; }

  /// The names of all columns, as the file has them.
  const std::vector<std::string>& columns() const { return columns_; }
  /// What the student of students()[row] has in the first of these columns that is not empty there;
  /// "" for none. Names of columns are in lower case.
  std::string value(size_t row, std::initializer_list<std::string_view> columns) const;
  /// The row of a student, by the name in results or by any other that find() takes.
  std::optional<size_t> row_of(const std::string& student) const;

 private:
  std::vector<std::string> students_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> fields_;       ///< by row
  std::map<std::string, std::vector<size_t>> by_key_;  ///< rows
};

}  // namespace warpmark
