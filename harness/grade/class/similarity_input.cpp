#include "grade/class/similarity_input.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/handout/handout_template.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSource = "similar.txt";

fs::path template_file(const fs::path& folder) {
  return folder / "staff" / ".template";
}

// All that a student wrote. Of several files each has its name above it, as a comment.
std::string whole_text(const Submission& submission) {
  if (submission.files.empty() && submission.headers.empty()) return submission.text;
  std::string text;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name, const std::string& part) {
    if (part.empty() || !seen.insert(name + part).second) return;
    text += fmt::format("// {}\n{}{}", printable(name), part, part.ends_with('\n') ? "" : "\n");
  };
  for (const SubmittedFile* file : submission.sources()) add(file->file, file->text);
  for (const SubmittedFile* file : submission.sources()) {
    for (const OwnHeader& header : file->headers) add(header.name, header.text);
  }
  return text;
}

// The templates that students started from, by the names of their files; files without one are left
// out.
std::map<std::string, std::string> given_texts(const Assignment& assignment) {
  std::map<std::string, std::string> texts;
  for (const std::string& name : assignment.submission.files()) {
    try {
      texts[name] = handout_template(assignment, name).text;
    } catch (const Error&) {
      // Then students started from nothing.
    }
  }
  return texts;
}

// None of a template that does not compile.
std::vector<std::string> compiled_prints(const std::map<std::string, std::string>& texts,
                                         const GradeSetup& setup) {
  if (texts.empty()) return {};
  GraderOptions options;
  options.device = setup.grading.device;
  options.no_sandbox = setup.grading.no_sandbox;
  Submission given;
  read_submission(given, setup.assignment->submission, texts);
  return SubmissionGrader(*setup.python, setup.assignment, std::move(options))
      .grade(given)
      .ptx_prints;
}

}  // namespace

SimilarityInput similarity_input(std::vector<Submission> submissions, const GradeFiles& files,
                                 const GradeSetup& setup) {
  SimilarityInput input;
  for (Submission& one : submissions) {
    read_submission(one, setup.assignment->submission);
    std::string text = whole_text(one);
    if (text.empty()) continue;
    input.sources.push_back({one.student, std::move(text), {}});
    const auto result = files.read(one.student);
    // A grade that was kept is that of an older file.
    if (result && result->submission_sha256 == one.sha256)
      input.sources.back().ptx = result->ptx_prints;
  }
  const std::map<std::string, std::string> texts = given_texts(*setup.assignment);
  for (const auto& [name, text] : texts) input.template_text += text + "\n";
  input.template_ptx = compiled_prints(texts, setup);
  return input;
}

SimilarityInput kept_sources(const GradedParts& parts) {
  SimilarityInput all;
  std::vector<std::map<std::string, bool>> compiled(parts.shards.size());
  for (size_t i = 0; i < parts.shards.size(); ++i) {
    if (!parts.shards[i].sources) {
      throw usage_error(
          fmt::format("--similar: {} has no texts of submissions", display_path(parts.folders[i])),
          {}, "grade the shards with --similar, too");
    }
    for (const ShardSources::Source& one : parts.shards[i].sources->sources)
      compiled[i][one.student] = one.compiled;
  }
  for (size_t i = 0; i < parts.results.size(); ++i) {
    const GradeResult& result = parts.results[i];
    const auto found = compiled[parts.of[i]].find(result.student);
    if (found == compiled[parts.of[i]].end()) continue;  // nothing was read
    all.sources.push_back(
        {result.student, read_file(staff_file(parts.folders[parts.of[i]], result.student, kSource)),
         found->second ? result.ptx_prints : std::vector<std::string>()});
  }
  all.template_text = read_file(template_file(parts.folders.front()));
  all.template_ptx = parts.shards.front().sources->template_ptx;
  return all;
}

ShardSources keep_sources(const fs::path& folder, const SimilarityInput& input) {
  ShardSources kept;
  kept.template_ptx = input.template_ptx;
  for (const SimilaritySource& one : input.sources) {
    write_file_atomically(staff_file(folder, one.student, kSource), one.text);
    kept.sources.push_back({one.student, !one.ptx.empty()});
  }
  write_file_atomically(template_file(folder), input.template_text);
  return kept;
}

}  // namespace warpmark
