// `warpmark pack`: an assignment as Gradescope, GitHub and an auditor take it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/folder_draft.hpp"
#include "cli/grade_lint.hpp"
#include "cli/lazy_python.hpp"
#include "cli/pack_audit.hpp"
#include "cli/pack_files.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/handout/handout.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "grade/pack/pack_workflow.hpp"
#include "results/run_context.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kScriptMode = 0755;
constexpr unsigned kSecretMode = 0600;
constexpr int kDefaultLimit_s = 570;  // Gradescope ends an autograder after 10 minutes by default
constexpr int kMostLimit_s = 24 * 3600;

struct PackRequest {
  fs::path assignment;
  fs::path out;
  fs::path secret;
  std::vector<fs::path> more;
  int limit_s = kDefaultLimit_s;
  bool no_sandbox = false;
  bool list = false;
  HandoutOptions handout;
};

std::vector<PackedFile> gradescope_files(const PackRequest& request, const Assignment& assignment) {
  const PackedAssignment packed = pack_assignment(assignment, request.more, "assignment");
  const PackedProgram program = pack_program(*Nvrtc::open(), assignment, packed.files, "program");
  PackScripts about = scripts_of(program, packed);
  about.no_sandbox = request.no_sandbox;
  about.limit_s = request.limit_s;
  std::vector<PackedFile> files = {{"setup.sh", {}, setup_script(about), kScriptMode},
                                   {"run_autograder", {}, run_script(about), kScriptMode}};
  if (!request.secret.empty()) {
    files.push_back({"secret", {}, read_secret(request.secret).secret.bytes(), kSecretMode});
  }
  files.insert(files.end(), packed.files.begin(), packed.files.end());
  files.insert(files.end(), program.files.begin(), program.files.end());
  return files;
}

ExitCode pack_gradescope(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files = gradescope_files(request, *assignment);
  if (request.list) {
    print_list(files, out);
    return ExitCode::success;
  }
  // Once, here: not for each submission. Self-tests run where the image is made.
  require_lint(*assignment, python, "cpu", nullptr, out);
  const fs::path archive =
      request.out.empty() ? fs::path(assignment->id + "-gradescope.zip") : request.out;
  write_zip(python.interpreter(), archive, files);
  out.print("{}: {} files, {:.0f} MB\n", display_path(archive), files.size(),
            static_cast<double>(fs::file_size(archive)) / 1e6);
  return ExitCode::success;
}

ExitCode pack_github(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  Handout made = make_handout(*assignment, request.handout, python.interpreter());
  made.files[kWorkflowPlace] = workflow_text(assignment->submission.files(), warpmark_version());
  const fs::path folder = request.out.empty() ? fs::path(assignment->id) : request.out;
  if (request.list) {
    for (const auto& [place, text] : made.files) out.print("{:>10} {}\n", text.size(), place);
    return ExitCode::success;
  }
  FolderDraft draft(folder);
  for (const auto& [place, text] : made.files) write_file_atomically(draft.path() / place, text);
  const std::string warning = prove_handout(*assignment, draft.path(), request.handout,
                                            python.interpreter(), python.list_evaluator());
  if (!warning.empty()) made.warnings.push_back(warning);
  draft.keep();
  for (const auto& [place, text] : made.files) {
    out.print("{}/{}\n", display_path(draft.folder()), place);
  }
  out.flush();
  for (const std::string& text : made.warnings) print_error(out, "warning: " + text);
  return ExitCode::success;
}

void add_common(const ArgumentParser& app, PackRequest& request) {
  app.add_option("ASSIGNMENT", request.assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_flag("--list", request.list, "Print the files and their bytes, and write nothing");
}

Command gradescope_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<PackRequest>();
  const ArgumentParser app = kinds.add_subcommand(
      "gradescope", "Write the zip of an autograder for Gradescope, with this program in it");
  add_common(app, *request);
  app.add_option("-o,--output", request->out, "The archive (default: ID-gradescope.zip)")
      .value_name("FILE.zip");
  app.add_option("--secret", request->secret,
                 "The course's secret, to go along (default: each image makes its own)")
      .value_name("FILE");
  app.add_option("--with", request->more,
                 "A file or folder that the course's Python files read; may be repeated")
      .value_name("PATH");
  app.add_option("--limit-s", request->limit_s,
                 "Seconds for each submission, fewer than Gradescope's limit (default: 570)")
      .value_name("N")
      .in_range(1, kMostLimit_s);
  app.add_flag("--no-sandbox", request->no_sandbox,
               "Grade although the image cannot confine what students hand in");
  return {app, [request](Output& out) { return pack_gradescope(*request, out); }};
}

Command github_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<PackRequest>();
  const ArgumentParser app = kinds.add_subcommand(
      "github", "Write a students' repository: the hand-out, and a workflow that tries it");
  add_common(app, *request);
  app.add_option("-o,--output", request->out,
                 "The folder to write, which is not there yet (default: ID)")
      .value_name("DIR");
  app.add_flag("--hidden-points", request->handout.hidden_points,
               "Tell students how many points hidden cases give");
  return {app, [request](Output& out) { return pack_github(*request, out); }};
}

}  // namespace

Command pack_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand(
      "pack",
      "Pack an assignment: an autograder for Gradescope, a repository for GitHub, an audit");
  app.require_subcommand(1, 1);
  const std::vector<Command> kinds = {gradescope_command(app), github_command(app),
                                      pack_audit_command(app)};
  return {app, [kinds](Output& out) {
            for (const Command& kind : kinds) {
              if (kind.app.parsed()) return kind.run(out);
            }
            throw internal_error("`pack` was read without its kind");
          }};
}

}  // namespace warpmark
