// Finds submissions: in folders that people make, and in exports of platforms.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grade/submission/roster.hpp"
#include "grade/submission/submission.hpp"
#include "python/archives.hpp"

namespace warpmark {

struct SubmissionSearch {
  std::vector<std::filesystem::path> paths;
  std::string student;             ///< the student of all paths; "" if the names of files tell the
                                   ///< students
  bool is_class = false;           ///< an archive is a class's, even if it has no platform's form
  const Roster* roster = nullptr;  ///< maps the names of platforms to those of the course
  /// Unpacks an archive into a new folder.
  std::function<Unpacked(const std::filesystem::path& archive, const std::filesystem::path& folder)>
      unpack;
  std::filesystem::path scratch;  ///< a folder for unpacked files; it must outlive the reading
};

struct FoundSubmissions {
  std::vector<Submission> all;        ///< by student; each student once; not read yet
  std::vector<std::string> left_out;  ///< sentences: files that are no submission
  /// Sentences on students whom the roster does not have, and on students who handed in more than
  /// once.
  std::vector<std::string> unmatched;
  std::vector<std::string> missing;  ///< students of the roster without a submission
};

/// Looks for submissions at each path:
///   a file NAME.cu or NAME.zip is one of the student NAME, or of the folder that it lies in if it
///   bears the assignment's file name;
///   a folder whose .cu files all bear names of the assignment's files is a student's;
///   of any other folder, each folder in it is a student's and each NAME.cu or NAME.zip in it, too;
///   an archive that is named itself is a class's if all in it has the form of a platform's export,
///   or `is_class`; else it is one student's, whatever the student calls the folders in it.
/// In exports the names of files and folders say whose they are: those of Canvas and Moodle, and of
/// Gradescope with its submission_metadata.yml; so does Gradescope's submission_metadata.json beside
/// a folder `submission`.
///
/// Students are told apart by the platform's ids, and by names only where there are none. Of two
/// with one name each has the id behind it.
///
/// Of what a student handed in, in folders and archives at any depth, the file of the assignment's
/// name is taken, else the only .cu file, else the only notebook, for its cells; where the assignment
/// has several files, each by its name. A notebook NAME.ipynb counts as NAME.cu above.
/// Headers are looked for in what lies beside the file that is taken. Symbolic links are refused, so that nobody hands in
/// another's file; only a path that leads to a folder of many students may be one. Throws a usage
/// error for a path that is not there, and if there is no submission at all.
FoundSubmissions find_submissions(const SubmissionSearch& search, const SubmissionRules& rules);

/// Keeps the submissions of these students; all if none is named. Throws a usage error for a name
/// that no submission has.
void keep_only(const std::vector<std::string>& names, std::vector<Submission>& all);

/// The submission of one student, made of these files and folders, without archives; not read yet.
/// Headers of a file that is given by path are looked for beside it.
Submission find_one(const std::vector<std::filesystem::path>& paths, const SubmissionRules& rules,
                    const std::string& student);

}  // namespace warpmark
