// Chooses the graded files among those that a student handed in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grade/submission/submission.hpp"

namespace warpmark {

/// A file that was handed in, and its path for the student: "src/scale.cu".
struct HandedFile {
  std::filesystem::path path;
  std::string name;
  size_t depth = 0;  ///< number of folders and archives around it

  std::string base() const { return name.substr(name.rfind('/') + 1); }
};

/// All files that a student handed in.
struct Handed {
  static constexpr size_t kMostFiles = 20'000;

  const SubmissionRules& rules;
  std::vector<HandedFile> sources = {}, notebooks = {}, others = {};
  std::vector<std::string> problems = {};  ///< sentences for the student

  void add(HandedFile file);
  bool full() const { return sources.size() + notebooks.size() + others.size() >= kMostFiles; }
  /// The notebook that stands for a file that is not there; null if there is none, or several.
  const HandedFile* notebook() const { return notebooks.size() == 1 ? notebooks.data() : nullptr; }
};

/// True for a file of the kind that the assignment asks for: .cu, or .py for kernels in Python.
bool is_source_file(const SubmissionRules& rules, const std::filesystem::path& path);

/// True for such a file, and for a notebook, which may have it in a cell.
bool may_have_source(const SubmissionRules& rules, const std::filesystem::path& path);

/// True if the name is that of one of the assignment's files.
bool is_wanted_file(const SubmissionRules& rules, const std::string& name);

/// "`a.cu`, `b.cu`, …" of the first few.
std::string listing(const std::vector<HandedFile>& files);

void add_note(Submission& submission, const std::string& note);

/// Takes the file as the graded one, without headers.
void take_file(SubmittedFile& submission, const HandedFile& file);

/// Takes each of the assignment's files by its name, the one with the fewest folders around it; for
/// an assignment of one file, if none has its name, the only file of its kind. What is missing is
/// taken from the only notebook, if there is one. Otherwise sets a refusal.
/// Headers are looked for in the folder of the file taken, and below that.
void choose_sources(Submission& submission, const Handed& handed, const SubmissionRules& rules);

}  // namespace warpmark
