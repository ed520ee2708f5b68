#include "cli/request/problem_formats.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/run/junit.hpp"

namespace warpmark {

namespace {

constexpr const char* kKnown =
    "there are github, gitlab=FILE, junit=FILE, sarif=FILE and html=FILE";

}  // namespace

void ProblemFormats::read(const Located& word, const std::string& what,
                          const std::filesystem::path& folder) {
  const size_t equals = word.text.find('=');
  const std::string kind = word.text.substr(0, equals);
  if (kind == "github") {
    if (equals != std::string::npos) {
      throw usage_error(what + " github names no file: GitHub reads the standard error",
                        word.where);
    }
    annotations = AnnotationMode::github;
    return;
  }
  std::vector<std::string> kinds = {"junit", "github"};
  std::optional<ProblemFormat> format;
  for (const ProblemFormat value : each_value<ProblemFormat>()) {
    kinds.emplace_back(to_text(value));
    if (kinds.back() == kind) format = value;
  }
  if (!format && kind != "junit") {
    const std::string near = nearest(kind, kinds);
    throw usage_error(fmt::format("{} knows no `{}`", what, printable(kind)), word.where,
                      near.empty() ? kKnown : fmt::format("did you mean `{}`?", near));
  }
  if (equals == std::string::npos || equals + 1 == word.text.size()) {
    throw usage_error(fmt::format("{} {} needs a file: {}=FILE", what, kind, kind), word.where);
  }
  const std::filesystem::path file = word.text.substr(equals + 1);
  const std::filesystem::path whole = folder.empty() ? file : (folder / file).lexically_normal();
  if (format) {
    outputs.push_back({*format, whole});
  } else {
    junit = whole;
  }
}

void ProblemFormats::read_annotations(const Located& word, const std::string& what) {
  const auto mode = annotation_mode(word.text);
  if (!mode) {
    throw usage_error(
        fmt::format("{} must be auto, github or off, and is `{}`", what, printable(word.text)),
        word.where);
  }
  annotations = *mode;
}

ProblemFormats formats_given(const std::vector<std::string>& words, const std::string& junit,
                             const std::string& annotations) {
  ProblemFormats formats;
  for (const std::string& word : words) formats.read({word, {}}, "--format");
  if (!junit.empty()) formats.junit = junit;
  if (!annotations.empty()) formats.read_annotations({annotations, {}}, "--annotations");
  return formats;
}

void add_format_options(const ArgumentParser& app, std::vector<std::string>& words,
                        std::string* junit, std::string& annotations) {
  if (junit != nullptr) {
    app.add_option("--junit", *junit, "Write a JUnit XML report").value_name("FILE");
  }
  app.add_option("--format", words, kFormatHelp).value_name("KIND=FILE").one_value_each_time();
  app.add_option("--annotations", annotations, kAnnotationsHelp).value_name("HOW");
}

std::vector<OutputFile> files_of(const ProblemFormats& formats) {
  std::vector<OutputFile> files = {{"--junit", formats.junit}};
  for (const ProblemOutput& output : formats.outputs) {
    files.push_back({"--format " + std::string(to_text(output.format)), output.file});
  }
  return files;
}

void write_outputs(const ProblemFormats& formats, const std::vector<Problem>& problems,
                   const ProblemRun& run) {
  for (const ProblemOutput& output : formats.outputs) {
    write_file_atomically(output.file, problems_text(output.format, problems, run));
  }
}

void write_problems(const ProblemFormats& formats, const std::vector<Problem>& problems,
                    const ProblemRun& run) {
  write_outputs(formats, problems, run);
  if (formats.junit.empty()) return;
  JunitDocument document;
  JunitSuite& suite = document.suite(run.verb);
  for (const Problem& problem : problems) {
    JunitCase one{problem.title};
    one.where = problem.where;
    one.type = problem.rule;
    // A warning fails nothing.
    if (problem.is_warning) {
      one.out = problem.text;
    } else {
      one.set(JunitCase::Result::failure, problem.text);
    }
    suite.cases.push_back(std::move(one));
  }
  if (problems.empty()) suite.cases.push_back({run.verb});
  if (!run.error.empty()) document.add_own("run", JunitCase::Result::error, run.error);
  write_file_atomically(formats.junit, junit_text(document));
}

}  // namespace warpmark
