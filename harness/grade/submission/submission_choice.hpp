// Which of what a student handed in is graded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grade/submission/submission.hpp"

namespace warpmark {

/// A file that was handed in, and how its student called it: "src/scale.cu".
struct HandedFile {
  std::filesystem::path path;
  std::string name;
  size_t depth = 0;  ///< folders and archives around it

  std::string base() const { return name.substr(name.rfind('/') + 1); }
};

/// All that a student handed in.
struct Handed {
  static constexpr size_t kMostFiles = 20'000;

  std::vector<HandedFile> sources, others;
  std::vector<std::string> problems;  ///< sentences for the student

  void add(HandedFile file);
  bool full() const { return sources.size() + others.size() >= kMostFiles; }
};

bool is_cuda_file(const std::filesystem::path& path);

/// Whether it is called as one of the assignment's files.
bool is_wanted_file(const SubmissionRules& rules, const std::string& name);

/// "`a.cu`, `b.cu`, …" of the first few.
std::string listing(const std::vector<HandedFile>& files);

void add_note(Submission& submission, const std::string& note);

/// The file as the one that is graded, without headers.
void take_file(SubmittedFile& submission, const HandedFile& file);

/// Takes each of the assignment's files by its name, the one with the fewest folders around it; of
/// an assignment of one file, if none has its name, the only .cu file. Else there is a refusal.
/// Headers are looked for in the folder of what is taken, and below that.
void choose_sources(Submission& submission, const Handed& handed, const SubmissionRules& rules);

}  // namespace warpmark
