// What students handed in: found in files and folders, and read as what nobody has looked at yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grade/assignment.hpp"

namespace warpmark {

/// One student's file, or why there is none to grade.
struct Submission {
  std::string student;         ///< as the file or folder is called; what is no UTF-8 as "\xE4"
  std::filesystem::path path;  ///< "" if there is none
  std::string file;            ///< the file's own name, as UTF-8
  std::string text;            ///< CUDA C++, without a byte order mark
  std::string sha256;          ///< of the file's bytes; "" if it was not read
  std::string refusal;  ///< for the student: why it is not graded, and what to do; "" if it is
  std::string note;     ///< for staff: what was taken in the place of what; "" for nothing
};

struct FoundSubmissions {
  std::vector<Submission> all;        ///< by student's name; each student once; not read yet
  std::vector<std::string> left_out;  ///< sentences: files that are no submission
};

/// Looks for submissions at each path:
///   a file is one of the student NAME.cu, or of the folder that it lies in if it bears the
///   assignment's file name;
///   a folder whose only .cu file bears the assignment's file name is a student's;
///   of any other folder, each folder in it is a student's and each NAME.cu in it a student's file.
/// In a student's folder the file of the assignment's name is taken, else the only .cu file.
/// Symbolic links are refused, so that nobody hands in another's file; only a path that leads to a
/// folder of many students may be one. Throws a usage error for a path that is not there, and if
/// there is no submission at all.
FoundSubmissions find_submissions(const std::vector<std::filesystem::path>& paths,
                                  const SubmissionRules& rules);

/// Reads the file: a regular one, of no more than the allowed bytes, not empty, text. Else there is
/// a refusal. Throws nothing for what a student did.
void read_submission(Submission& submission, const SubmissionRules& rules);

}  // namespace warpmark
