// A student's submission, read as untrusted input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grade/assignment/assignment.hpp"
#include "results/platform_id.hpp"

namespace warpmark {

/// A header of the student's own that one of their files includes.
struct OwnHeader {
  std::string spelling;  ///< as written in the include directive
  std::string name;      ///< path relative to the file's folder: "include/util.cuh"
  std::string text;
  std::string sha256;  ///< hash of its bytes
};

/// One file to compile, or the reason why it is not compiled.
struct SubmittedFile {
  std::filesystem::path path;  ///< "" if there is none
  std::string file;            ///< the file's own name, as UTF-8
  /// CUDA C++ or PTX, without a byte order mark; of a notebook its cell for this file.
  std::string text;
  bool may_have_host_code = false;  ///< CompileRequest::may_have_host_code
  std::string own_sha256;           ///< hash of the file's bytes; "" if it was not read
  std::string refusal;  ///< for the student: why it is not graded, and what to do; "" if it is
  std::vector<OwnHeader> headers;  ///< headers that it includes, and their headers, once it is read

  /// The places of its headers: other files that were handed in, by paths relative to its folder;
  /// and all of `header_folder`, if it is not "".
  std::map<std::string, std::filesystem::path> beside;
  std::filesystem::path header_folder;
};

/// One student's file, or files, or the reason why there is none to grade.
struct Submission : SubmittedFile {
  std::string student;               ///< unique in a class (GradeResult::student)
  std::vector<PlatformId> ids;       ///< empty if no platform exported it
  bool is_late = false;              ///< the platform marks it as late
  std::string sha256;                ///< hash of the whole submission; "" if nothing was read
  std::optional<int64_t> handed_in;  ///< seconds since 1970, UTC, if the platform has the time
  std::optional<int64_t> own_due;    ///< the student's own due time, by the platform
  std::string note;  ///< for staff: which file was taken in place of which; "" for none
  /// For an assignment of several files each of them, in its order, under its name there. Then
  /// there is no `text`, `file` lists their names, and `refusal` is the reason why none of them is
  /// graded.
  std::vector<SubmittedFile> files;

  /// The file that was handed in as the assignment's file `name`.
  const SubmittedFile& of(const std::string& name) const;
  /// All files to compile: `files`, or the submission itself.
  std::vector<const SubmittedFile*> sources() const;
};

/// Reads the file: a regular one, of no more than the allowed bytes, not empty, text; and the
/// student's own headers that it includes. Otherwise sets a refusal. Throws nothing for mistakes of
/// a student.
///
/// `sha256` becomes that of the file's bytes. For several files, or with headers, it is that of the
/// lines which `sha256sum` prints for all of them, sorted by name.
void read_submission(Submission& submission, const SubmissionRules& rules);
/// Reads the same from a descriptor, until its end, for an assignment of one file.
void read_submission(Submission& submission, const SubmissionRules& rules, int descriptor);
/// Reads the same from these bytes.
void read_submission(Submission& submission, const SubmissionRules& rules, std::string bytes);
/// Reads several files by name: the assignment's files and headers. For an assignment of one file
/// the only .cu file is taken, whatever its name is.
void read_submission(Submission& submission, const SubmissionRules& rules,
                     const std::map<std::string, std::string>& texts);

/// True if a file of that name can be a header of a student's own.
bool is_own_header(const std::filesystem::path& name);

/// The sentences for a student who did not hand in that file, but `others` ("" for nothing).
std::string missing_file(const std::string& name, const std::string& others);

/// "a file called `a.cu`", "files called `a.cu` and `b.cu`".
std::string wanted_files(const SubmissionRules& rules);

}  // namespace warpmark
