#include "grade/submission/submission_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "grade/submission/notebook.hpp"
#include "grade/submission/student_name.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

// The same, and where its headers may be: what lies in its folder, or below that.
void take_file(SubmittedFile& submission, const HandedFile& file, const Handed& handed) {
  take_file(submission, file);
  const std::string folder = file.name.substr(0, file.name.rfind('/') + 1);
  for (const HandedFile& other : handed.others) {
    if (other.name.starts_with(folder) && is_own_header(other.name))
      submission.beside.emplace(other.name.substr(folder.size()), other.path);
  }
}

// All sources of that name, those with the fewest folders around them first; and whether the first
// of them is the one that is meant.
std::pair<std::vector<HandedFile>, bool> sources_called(const std::string& name,
                                                        const Handed& handed) {
  std::vector<HandedFile> exact;
  for (const HandedFile& file : handed.sources) {
    if (file.base() == name) exact.push_back(file);
  }
  const auto less = [](const HandedFile& one, const HandedFile& other) {
    return one.depth < other.depth;
  };
  std::ranges::stable_sort(exact, less);
  const bool one = exact.size() == 1 || (exact.size() > 1 && less(exact[0], exact[1]));
  return {exact, one};
}

std::string several_of(const std::string& name, const std::vector<HandedFile>& files) {
  return fmt::format("There are {} files of that name: {}. Hand in one file called `{}`.",
                     files.size(), listing(files), name);
}

std::string why_nothing(const Handed& handed, const SubmissionRules& rules) {
  if (!handed.problems.empty()) {
    return fmt::format("{} Hand in {}, or a zip archive with {}.", join(handed.problems, " "),
                       wanted_files(rules), rules.several() ? "them" : "it");
  }
  if (handed.others.empty())
    return fmt::format("Nothing was handed in. Hand in {}.", wanted_files(rules));
  return fmt::format("There is no file `{}`, only {}. Hand in {}.",
                     join(rules.files(), "` and no file `"), listing(handed.others),
                     wanted_files(rules));
}

// One of several files by its name; what is missing costs its own cases.
void choose_named(const std::string& name, SubmittedFile& file, Submission& submission,
                  const Handed& handed, const SubmissionRules& rules) {
  const auto [exact, one] = sources_called(name, handed);
  if (one) {
    take_file(file, exact.front(), handed);
    if (exact.size() > 1) {
      add_note(submission, fmt::format("of {} the one with the fewest folders around it was taken",
                                       listing(exact)));
    }
  } else if (!exact.empty()) {
    file.refusal = several_of(name, exact);
  } else if (handed.notebook() != nullptr) {
    take_file(file, *handed.notebook(), handed);
  } else {
    std::vector<HandedFile> others;
    for (const HandedFile& other : handed.sources) {
      if (!is_wanted_file(rules, other.base())) others.push_back(other);
    }
    file.refusal = missing_file(name, others.empty() ? "" : listing(others));
    for (const std::string& problem : handed.problems) file.refusal += " " + problem;
  }
  file.file = name;
}

void choose_each(Submission& submission, const Handed& handed, const SubmissionRules& rules) {
  submission.file = join(rules.files(), ", ");
  for (const std::string& name : rules.files()) {
    choose_named(name, submission.files.emplace_back(), submission, handed, rules);
  }
  const bool nothing = std::ranges::all_of(
      submission.files, [](const SubmittedFile& file) { return file.path.empty(); });
  if (!nothing) return;
  if (handed.sources.empty() && handed.notebooks.empty()) {
    submission.refusal = why_nothing(handed, rules);
  } else {
    std::vector<std::string> reasons;
    for (const SubmittedFile& file : submission.files) reasons.push_back(file.refusal);
    submission.refusal = join(reasons, " ");
  }
  for (SubmittedFile& file : submission.files) file.refusal = submission.refusal;
}

void choose_one(Submission& submission, const Handed& handed, const SubmissionRules& rules) {
  const auto [exact, one] = sources_called(rules.file, handed);
  if (one) {
    take_file(submission, exact.front(), handed);
    if (handed.sources.size() > 1) {
      add_note(submission, fmt::format("of {} the one of the assignment's name was taken",
                                       listing(handed.sources)));
    }
  } else if (exact.size() > 1) {
    submission.refusal = several_of(rules.file, exact);
  } else if (handed.sources.size() == 1) {
    take_file(submission, handed.sources.front(), handed);
    if (submission.file != rules.file) {
      add_note(submission,
               fmt::format("`{}` was taken for `{}`, as the only .cu file",
                           printable(student_name(handed.sources.front().name)), rules.file));
    }
  } else if (handed.sources.empty() && handed.notebook() != nullptr) {
    take_file(submission, *handed.notebook(), handed);
    add_note(submission, fmt::format("`{}` was taken from a cell of the notebook `{}`", rules.file,
                                     printable(student_name(handed.notebook()->name))));
  } else if (handed.sources.empty() && !handed.notebooks.empty()) {
    submission.refusal =
        fmt::format("There are {} notebooks, {}. Hand in one of them, or {}.",
                    handed.notebooks.size(), listing(handed.notebooks), wanted_files(rules));
  } else if (!handed.sources.empty()) {
    submission.refusal = fmt::format(
        "There are {} files, {}, and none is called `{}`. Hand in one file of that name.",
        handed.sources.size(), listing(handed.sources), rules.file);
  } else {
    submission.refusal = why_nothing(handed, rules);
  }
}

}  // namespace

void Handed::add(HandedFile file) {
  auto& kind = is_source_file(rules, file.path) ? sources
               : is_notebook(file.path)         ? notebooks
                                                : others;
  kind.push_back(std::move(file));
}

bool is_source_file(const SubmissionRules& rules, const fs::path& path) {
  return lower_case(path.extension().string()) ==
         fs::path(rules.files().front()).extension().string();
}

bool may_have_source(const SubmissionRules& rules, const fs::path& path) {
  return is_source_file(rules, path) || is_notebook(path);
}

bool is_wanted_file(const SubmissionRules& rules, const std::string& name) {
  const std::vector<std::string> names = rules.files();
  return std::ranges::find(names, name) != names.end();
}

std::string listing(const std::vector<HandedFile>& files) {
  constexpr size_t kMost = 5;  // of names that a sentence can hold
  std::vector<std::string> names;
  for (const HandedFile& file : files) {
    if (names.size() < kMost) names.push_back("`" + printable(student_name(file.name)) + "`");
  }
  if (files.size() > kMost) names.push_back("…");
  return join(names, ", ");
}

void add_note(Submission& submission, const std::string& note) {
  submission.note += (submission.note.empty() ? "" : "; ") + note;
}

void take_file(SubmittedFile& submission, const HandedFile& file) {
  submission.path = file.path;
  submission.file = student_name(file.base());
}

void choose_sources(Submission& submission, const Handed& handed, const SubmissionRules& rules) {
  if (rules.several()) {
    choose_each(submission, handed, rules);
  } else {
    choose_one(submission, handed, rules);
  }
  for (const std::string& problem : handed.problems) {
    if (submission.refusal.empty()) add_note(submission, problem);
  }
}

}  // namespace warpmark
