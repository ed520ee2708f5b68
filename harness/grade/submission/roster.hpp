// The students of a course, and the names that a platform's export has for them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/platform_id.hpp"

namespace warpmark {

/// A name in the forms that are compared: as written, and with its last word, or the part after a
/// comma, before the others; letters and digits only, in lower case.
std::vector<std::string> name_keys(std::string_view name);

/// A table of a course's students: CSV with a header, as Canvas, Moodle and Gradescope export it or
/// as somebody wrote it. The column `student` (or `name`, or first and last name) has the names for
/// results; columns of ids identify the students (docs/grading.md lists them).
class Roster {
 public:
  /// Throws a usage error with file and line: no column of names, a student twice and without ids
  /// that tell the two apart, one value of a column of ids in two rows, or text that is no CSV.
  static Roster read(const std::filesystem::path& file);
  /// The same for a text; `file` is its name in errors.
  static Roster parse(std::string_view text, const std::string& file);

  struct Match {
    std::optional<size_t> row;  ///< nothing if there is none
    bool several = false;       ///< more than one student fits
  };
  /// Finds the student with these ids of a platform. Each id is looked for in the columns of its
  /// platform, or else in `id`; an id found there decides. A name may decide only among rows
  /// without such an id, if exactly one row fits. Case, blanks and punctuation do not count in
  /// names, and "Lovelace, Ada", "Ada Lovelace" and "lovelaceada" are one.
  Match find(const std::vector<PlatformId>& ids, const std::vector<std::string>& names) const;
  /// Finds the student that a text means: an id in any column of ids, a login, or a name.
  Match find_any(const std::string& text) const;
  /// The row with this user name in a column of GitHub's.
  std::optional<size_t> github_user(std::string_view user) const;

  /// The names in results, in the roster's order: no two are the same. Homonyms have an id behind
  /// the name, as "Li Wei (1006)".
  const std::vector<std::string>& students() const { return students_; }
  /// The same as student_name() writes them.
  const std::string& name_in_results(size_t row) const { return names_in_results_.at(row); }
  /// The row of the student whom results call so.
  std::optional<size_t> row_in_results(const std::string& student) const;
  /// The name as the roster has it.
  const std::string& name(size_t row) const { return names_.at(row); }
  /// True for the student that Canvas makes up, to look at the course as one.
  bool is_test_student(size_t row) const;

  /// The names of all columns, as the file has them.
  const std::vector<std::string>& columns() const { return columns_; }
  /// The value of students()[row] in the first of these columns that is not empty there; "" for
  /// none. Names of columns are in lower case.
  std::string value(size_t row, std::initializer_list<std::string_view> columns) const;

 private:
  void set_students(const std::vector<int>& lines, const std::string& file);
  std::string any_id(size_t row) const;
  /// The row with this id in that column.
  std::optional<size_t> row_with(const std::string& column, std::string_view id) const;
  static Match match_of(const std::set<size_t>& rows);
  bool has_column(const std::vector<std::string>& columns) const;

  std::vector<std::string> students_, names_, names_in_results_;
  std::map<std::string, size_t> by_name_in_results_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> fields_;        ///< by row
  std::map<std::string, std::vector<size_t>> by_name_;  ///< rows
  /// Rows by column of ids, in lower case, and by the key of the id.
  std::map<std::string, std::map<std::string, size_t>> by_id_;
  std::map<std::string, std::set<size_t>> by_login_;  ///< rows, by the part of a login before an
                                                      ///< "@"
};

}  // namespace warpmark
