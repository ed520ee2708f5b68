// What a student handed in, read as what nobody has looked at yet.
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
  std::string spelling;  ///< as it is included
  std::string name;      ///< seen from the folder of the file: "include/util.cuh"
  std::string text;
  std::string sha256;  ///< of its bytes
};

/// One file that is compiled, or why it is not.
struct SubmittedFile {
  std::filesystem::path path;  ///< "" if there is none
  std::string file;            ///< the file's own name, as UTF-8
  std::string text;            ///< CUDA C++, without a byte order mark
  std::string own_sha256;      ///< of the file's bytes; "" if it was not read
  std::string refusal;  ///< for the student: why it is not graded, and what to do; "" if it is
  std::vector<OwnHeader> headers;  ///< that it includes, and theirs, once it is read

  /// Where its headers may be: what else was handed in, by names as seen from its folder; and all
  /// of `header_folder`, if it is not "".
  std::map<std::string, std::filesystem::path> beside;
  std::filesystem::path header_folder;
};

/// One student's file, or files, or why there is none to grade.
struct Submission : SubmittedFile {
  std::string student;               ///< no two have the same (GradeResult::student)
  std::vector<PlatformId> ids;       ///< none of what no platform exported
  bool is_late = false;              ///< the platform says so
  std::string sha256;                ///< of all of it; "" if nothing was read
  std::optional<int64_t> handed_in;  ///< seconds since 1970, UTC, if the platform says so
  std::string note;  ///< for staff: what was taken in the place of what; "" for nothing
  /// Of an assignment of several files each of them, in its order, under its name there. Then there
  /// is no `text`, `file` lists their names, and `refusal` is why none of them is graded.
  std::vector<SubmittedFile> files;

  /// The one that stands for the assignment's file `name`.
  const SubmittedFile& of(const std::string& name) const;
  /// All that is compiled: the files, or itself.
  std::vector<const SubmittedFile*> sources() const;
};

/// Reads the file: a regular one, of no more than the allowed bytes, not empty, text; and the
/// student's own headers that it includes. Else there is a refusal. Throws nothing for what a
/// student did.
///
/// `sha256` becomes that of the file's bytes. Of an assignment of several files, and where there are
/// headers, it is that of the lines which `sha256sum` prints of all of them, sorted by name.
void read_submission(Submission& submission, const SubmissionRules& rules);
/// The same of what can be read from a descriptor, until its end: of an assignment of one file.
void read_submission(Submission& submission, const SubmissionRules& rules, int descriptor);
/// The same of these bytes.
void read_submission(Submission& submission, const SubmissionRules& rules, std::string bytes);
/// The same of several by name: the assignment's files and headers. Of an assignment of one file the
/// only .cu file is taken, whatever it is called.
void read_submission(Submission& submission, const SubmissionRules& rules,
                     const std::map<std::string, std::string>& texts);

/// Whether a file of that name can be a header of a student's own.
bool is_own_header(const std::filesystem::path& name);

/// The sentences for a student who did not hand in that file, but `others` ("" for nothing).
std::string missing_file(const std::string& name, const std::string& others);

/// "a file called `a.cu`", "files called `a.cu` and `b.cu`".
std::string wanted_files(const SubmissionRules& rules);

}  // namespace warpmark
