// The files of a graded class: one folder for each student, and summaries of the class.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "grade/class/grade_changes.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// A result whose student has another name from now on.
struct RenamedStudent {
  std::string before, after;
};

/// All results in a graded class's folder, by student's name; none if there are none, or no folder.
std::vector<GradeResult> read_grades(const std::filesystem::path& out);

/// The result of one student in that folder, or another result kept there (`name`); nothing if
/// there is none, or the file is no result of this student.
std::optional<GradeResult> read_grade(const std::filesystem::path& out, const std::string& student,
                                      const char* name = "result.json");

/// OUT/staff/NAME/…, of a student.
std::filesystem::path staff_file(const std::filesystem::path& out, const std::string& student,
                                 const char* name);
/// The key that lint last accepted there, as given to set_linted(); "" for none.
std::string read_linted(const std::filesystem::path& out);

/// OUT/students/NAME/{results.json, student.json, report.html}, which hide what students may not
/// know, and for staff OUT/staff/NAME/{result.json, junit.xml} and OUT/{grades.csv, report.html,
/// junit.xml}. Each is written under another name and renamed, and result.json comes last: a
/// student's files are as their result.json says, or are graded again.
class GradeFiles {
 public:
  /// Makes the folder. Throws environment errors: it cannot be written, or another process grades
  /// into it.
  explicit GradeFiles(std::filesystem::path out);

  const std::filesystem::path& folder() const { return out_; }

  /// Throws a usage error if there are grades of another assignment.
  void require_assignment(const std::string& id) const;

  std::optional<GradeResult> read(const std::string& student) const;

  std::string linted() const { return read_linted(out_); }
  void set_linted(const std::string& key) const;

  /// All results, by student's name. They are read once, as nobody else writes while this lives.
  std::vector<GradeResult> read_all() const;

  /// Writes a student's files. Throws an environment error.
  void write(const GradeResult& result) const;

  /// Moves a student's files to another name, under which there are none.
  void rename(const RenamedStudent& student) const;

  /// The results that others have replaced, the last one of each student.
  std::vector<GradeResult> read_replaced() const;

  /// Keeps a result that another one replaces, as staff/NAME/previous.json.
  void keep(const GradeResult& result) const;
  /// Adds rows to OUT/changes.csv.
  void add_changes(const std::vector<GradeChange>& changes) const;

  /// Writes the class's files. Throws an environment error.
  void write_class(const std::vector<GradeResult>& results) const;
  /// The same for a part of a class, without the files that compare a student with all others.
  void write_part(const std::vector<GradeResult>& results) const;

 private:
  void write_leaderboard(const std::vector<GradeResult>& results) const;
  std::map<std::string, GradeResult>& known() const;

  std::filesystem::path out_;
  UniqueFd lock_;
  mutable std::optional<std::map<std::string, GradeResult>> known_;  ///< by the names of folders
};

}  // namespace warpmark
