// The files of a graded class: one folder for each student, and what sums them up.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "results/grade_result.hpp"

namespace warpmark {

/// OUT/students/NAME/{result.json, results.json, student.json, report.html, junit.xml} and
/// OUT/{grades.csv, report.html, junit.xml}. Each is written under another name and renamed, and
/// result.json comes last: a student's folder is as its result.json says, or is graded again.
class GradeFiles {
 public:
  /// Makes the folder. Throws environment errors: it cannot be written, or another process grades
  /// into it.
  explicit GradeFiles(std::filesystem::path out);

  /// Where this student's files are.
  std::filesystem::path folder(const std::string& student) const;

  /// The result that is there. Nothing if there is none, or what is there is no result.
  std::optional<GradeResult> read(const std::string& student) const;

  /// All results that are there, by student's name.
  std::vector<GradeResult> read_all() const;

  /// Writes a student's files. Throws an environment error.
  void write(const GradeResult& result) const;

  /// Writes the class's files. Throws an environment error.
  void write_class(const std::vector<GradeResult>& results) const;

 private:
  std::filesystem::path out_;
  UniqueFd lock_;
};

}  // namespace warpmark
