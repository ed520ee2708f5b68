#include "grade/pack/pack.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/template.hpp"
#include "base/text.hpp"
#include "grade/pack/pack_files.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "results/reproduce.hpp"

namespace warpmark {

namespace {

constexpr const char* kWorkflowPlace = ".github/workflows/grade.yml";

// The system of the workflow's runner, and the glibc that it has.
constexpr const char* kRunner = "ubuntu-24.04";
constexpr int kRunnerGlibc = 39;

// Tries the files on the visible cases, on each push; failures become annotations.
std::string workflow_text(const std::vector<std::string>& files, const Wheel& wheel) {
  std::vector<std::string> words;
  for (const std::string& file : files) words.push_back(shell_word(file));
  return filled_file("grade/pack/workflow.yaml.in",
                     {{"runner", kRunner},
                      {"python", wheel.python},
                      {"wheel", pip_argument(wheel, "${{ github.workspace }}")},
                      {"files", join(words, " ")}});
}

}  // namespace

std::vector<PackedFile> gradescope_files(const Assignment& assignment, const GradescopePack& pack) {
  const PackedAssignment packed = pack_assignment(assignment, pack.more, "assignment");
  const PackedProgram program = pack_program(*Nvrtc::open(), assignment, packed.files, "program");
  PackScripts about = scripts_of(program, packed);
  about.no_sandbox = pack.no_sandbox;
  about.limit_s = pack.limit_s;
  std::vector<PackedFile> files = {
      {"setup.sh", {}, pack_script("setup.sh", about), kScriptMode},
      {"run_autograder", {}, pack_script("run_autograder", about), kScriptMode},
      {"Dockerfile", {}, pack_script("Dockerfile", about)}};
  if (!pack.secret.empty()) files.push_back(packed_secret(pack.secret));
  files.insert(files.end(), packed.files.begin(), packed.files.end());
  files.insert(files.end(), program.files.begin(), program.files.end());
  return files;
}

Handout make_repository(const Assignment& assignment, const HandoutOptions& options,
                        const std::string& python_version, Interpreter& python) {
  if (options.wheels.empty()) {
    throw usage_error("the workflow needs a wheel of Warpmark to install: --wheel FILE or ADDRESS",
                      {}, "a release has one for each Python");
  }
  const auto wanted = std::ranges::find(options.wheels, python_version, &Wheel::python);
  const Wheel& wheel = wanted == options.wheels.end() ? options.wheels.front() : *wanted;
  require_fits(wheel,
               {kRunner, kRunnerGlibc, python_version.empty() ? wheel.python : python_version});
  Handout made = make_handout(assignment, options, python);
  made.files[kWorkflowPlace] = workflow_text(assignment.submission.files(), wheel);
  return made;
}

}  // namespace warpmark
