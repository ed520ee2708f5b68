#include "grade/pack/pack.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "grade/pack/pack_files.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "results/reproduce.hpp"
#include "results/run_context.hpp"

namespace warpmark {

namespace {

constexpr const char* kWorkflowPlace = ".github/workflows/grade.yml";

// Tries the files on the visible cases, on each push; failures become annotations.
std::string workflow_text(const std::vector<std::string>& files, const std::string& version) {
  std::vector<std::string> words;
  for (const std::string& file : files) words.push_back(shell_word(file));
  return fmt::format(
      R"text(# Tries the kernel on the visible cases on each push. Made by `warpmark pack github`.
name: Warpmark

on:
  push:
  workflow_dispatch:

permissions:
  contents: read

env:
  # A version from the package index, or the address of a wheel of a release (https://…/warpmark-….whl).
  WARPMARK: warpmark=={}

jobs:
  visible-cases:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065  # v5.6.0
        with:
          python-version: "3.12"
      - name: Install Warpmark
        run: python -m pip install "$WARPMARK"
      # Failures become annotations at their lines. Exit code 1: points are lost.
      - name: Try the visible cases
        run: |
          warpmark try assignment.yaml {} --device cpu
)text",
      version, join(words, " "));
}

}  // namespace

std::vector<PackedFile> gradescope_files(const Assignment& assignment, const GradescopePack& pack) {
  const PackedAssignment packed = pack_assignment(assignment, pack.more, "assignment");
  const PackedProgram program = pack_program(*Nvrtc::open(), assignment, packed.files, "program");
  PackScripts about = scripts_of(program, packed);
  about.no_sandbox = pack.no_sandbox;
  about.limit_s = pack.limit_s;
  std::vector<PackedFile> files = {{"setup.sh", {}, setup_script(about), kScriptMode},
                                   {"run_autograder", {}, run_script(about), kScriptMode}};
  if (!pack.secret.empty()) files.push_back(packed_secret(pack.secret));
  files.insert(files.end(), packed.files.begin(), packed.files.end());
  files.insert(files.end(), program.files.begin(), program.files.end());
  return files;
}

Handout make_repository(const Assignment& assignment, const HandoutOptions& options,
                        Interpreter& python) {
  Handout made = make_handout(assignment, options, python);
  made.files[kWorkflowPlace] = workflow_text(assignment.submission.files(), warpmark_version());
  return made;
}

}  // namespace warpmark
