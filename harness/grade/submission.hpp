// What a student handed in, read as what nobody has looked at yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
  std::optional<int64_t> handed_in;  ///< seconds since 1970, UTC, if the platform says so
  std::string note;  ///< for staff: what was taken in the place of what; "" for nothing
};

/// Reads the file: a regular one, of no more than the allowed bytes, not empty, text. Else there is
/// a refusal. Throws nothing for what a student did.
void read_submission(Submission& submission, const SubmissionRules& rules);
/// The same of what can be read from a descriptor, until its end.
void read_submission(Submission& submission, const SubmissionRules& rules, int descriptor);
/// The same of these bytes.
void read_submission(Submission& submission, const SubmissionRules& rules, std::string bytes);

}  // namespace warpmark
