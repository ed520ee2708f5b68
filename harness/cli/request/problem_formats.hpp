// `--format KIND=FILE`: the forms in which a command gives what it found to code hosts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program/argument_parser.hpp"
#include "cli/request/output_file.hpp"
#include "report/problems/annotations.hpp"
#include "report/problems/problem_files.hpp"
#include "suite/suite_steps.hpp"

namespace warpmark {

/// The forms that were asked for.
struct ProblemFormats {
  AnnotationMode annotations = AnnotationMode::automatic;
  std::filesystem::path junit;         ///< "" for none
  std::vector<ProblemOutput> outputs;  ///< the others

  /// Reads "github", "gitlab=FILE", "junit=FILE", "sarif=FILE" or "html=FILE". `what` names the
  /// option in errors, and a relative FILE is below `folder`. Throws a usage error.
  void read(const Located& word, const std::string& what, const std::filesystem::path& folder = {});
  /// Reads "auto", "github" or "off".
  void read_annotations(const Located& word, const std::string& what);
  bool any_file() const { return !junit.empty() || !outputs.empty(); }
};

/// From the values of the options, as they were given. Throws a usage error.
ProblemFormats formats_given(const std::vector<std::string>& words, const std::string& junit,
                             const std::string& annotations);

/// Adds `--format`, `--junit` if it is asked for, and `--annotations`.
void add_format_options(const ArgumentParser& app, std::vector<std::string>& words,
                        std::string* junit, std::string& annotations);

/// The files, with the option that names each.
std::vector<OutputFile> files_of(const ProblemFormats& formats);

/// Writes problems to the outputs; JUnit's file has more of the cases, and is left to its writer.
void write_outputs(const ProblemFormats& formats, const std::vector<Problem>& problems,
                   const ProblemRun& run);
/// The same for a command without cases, with the problems as failures of one suite, named after the
/// command, in JUnit's file.
void write_problems(const ProblemFormats& formats, const std::vector<Problem>& problems,
                    const ProblemRun& run);

/// The helps of the options.
constexpr const char* kFormatHelp =
    "Write failures: github, gitlab=FILE, junit=FILE, sarif=FILE, html=FILE";
constexpr const char* kAnnotationsHelp =
    "Annotate failures for a code host: auto (default), github, off";

}  // namespace warpmark
