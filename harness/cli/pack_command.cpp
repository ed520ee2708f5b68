// `warpmark pack`: an assignment as Gradescope, GitHub and an auditor take it.
#include <fmt/format.h>

#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/draft/folder_draft.hpp"
#include "cli/grading/grade_lint.hpp"
#include "cli/program/command.hpp"
#include "cli/program/lazy_python.hpp"
#include "grade/pack/audit.hpp"
#include "grade/pack/pack.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLimit_s = 24 * 3600;

struct PackRequest {
  fs::path assignment;
  fs::path out;
  bool list = false;
  GradescopePack gradescope;
  HandoutOptions handout;
  std::vector<std::string> wheels;
  std::string python;
  AuditRequest audit;
};

// Prints each file's bytes and place, and their sum.
void print_list(const std::vector<PackedFile>& files, Output& out) {
  uintmax_t all = 0;
  for (const PackedFile& file : files) {
    const uintmax_t bytes = file.source.empty() ? file.text.size() : fs::file_size(file.source);
    out.print("{:>10} {}\n", bytes, file.place);
    all += bytes;
  }
  out.print("{:>10} bytes in {} files\n", all, files.size());
}

void write_archive(const PackRequest& request, const std::string& name,
                   const std::vector<PackedFile>& files, LazyPython& python, Output& out) {
  const fs::path archive = request.out.empty() ? fs::path(name) : request.out;
  write_zip(python.interpreter(), archive, files);
  out.print("{}: {} files, {:.0f} MB\n", display_path(archive), files.size(),
            static_cast<double>(fs::file_size(archive)) / 1e6);
}

ExitCode pack_gradescope(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files = gradescope_files(*assignment, request.gradescope);
  if (request.list) {
    print_list(files, out);
    return ExitCode::success;
  }
  // Once, here: not for each submission. Self-tests run where the image is made.
  require_lint(*assignment, python, "cpu", nullptr, out);
  write_archive(request, assignment->id + "-gradescope.zip", files, python, out);
  return ExitCode::success;
}

ExitCode pack_audit(const PackRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files =
      audit_files(*assignment, request.audit,
                  [&](const std::string& text) { print_error(out, "warning: " + text); });
  if (request.list) {
    print_list(files, out);
  } else {
    write_archive(request, assignment->id + "-audit.zip", files, python, out);
  }
  return ExitCode::success;
}

ExitCode pack_github(const PackRequest& request, Output& out) {
  HandoutOptions options = request.handout;
  for (const std::string& wheel : request.wheels) options.wheels.push_back(read_wheel(wheel));
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  Handout made = make_repository(*assignment, options, request.python, python.interpreter());
  const fs::path folder = request.out.empty() ? fs::path(assignment->id) : request.out;
  if (request.list) {
    for (const auto& [place, text] : made.files) out.print("{:>10} {}\n", text.size(), place);
    return ExitCode::success;
  }
  FolderDraft draft(folder);
  for (const auto& [place, text] : made.files) write_file_atomically(draft.path() / place, text);
  const std::string warning = prove_handout(*assignment, draft.path(), options,
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

void add_more(const ArgumentParser& app, std::vector<fs::path>& more) {
  app.add_option("--with", more,
                 "A file or folder that the course's Python files read; may be repeated")
      .value_name("PATH");
}

Command gradescope_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<PackRequest>();
  const ArgumentParser app = kinds.add_subcommand(
      "gradescope", "Write the zip of an autograder for Gradescope, with this program in it");
  add_common(app, *request);
  app.add_option("-o,--output", request->out, "The archive (default: ID-gradescope.zip)")
      .value_name("FILE.zip");
  app.add_option("--secret", request->gradescope.secret,
                 "The course's secret, to go along (default: each image makes its own)")
      .value_name("FILE");
  add_more(app, request->gradescope.more);
  app.add_option("--limit-s", request->gradescope.limit_s,
                 "Seconds for each submission, fewer than Gradescope's limit (default: 570)")
      .value_name("N")
      .in_range(1, kMostLimit_s);
  app.add_flag("--no-sandbox", request->gradescope.no_sandbox,
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
  app.add_option("--wheel", request->wheels,
                 "A wheel, one for each Python: a file, or https://….whl#sha256=HASH")
      .value_name("WHEEL");
  app.add_option("--python", request->python,
                 "The Python of the workflow, as 3.12 (default: the wheel's)")
      .value_name("VERSION");
  app.add_flag("--hidden-points", request->handout.hidden_points,
               "Tell students how many points hidden cases give");
  return {app, [request](Output& out) { return pack_github(*request, out); }};
}

Command audit_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<PackRequest>();
  const ArgumentParser app = kinds.add_subcommand(
      "audit", "Write a zip that grades a class again elsewhere, and compares");
  app.add_option("ASSIGNMENT", request->assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_option("SUBMISSIONS", request->audit.submissions, "As `warpmark grade` was given them")
      .required()
      .value_name("");
  app.add_option("--grades", request->audit.grades, "The folder that `warpmark grade` had as -o")
      .required()
      .value_name("OUT");
  app.add_option("--secret", request->audit.secret, "The course's secret, which goes along")
      .required()
      .value_name("FILE");
  for (const auto& [option, file] : {std::pair{"--roster", &request->audit.roster},
                                     {"--extensions", &request->audit.rules.extensions},
                                     {"--adjustments", &request->audit.rules.adjustments},
                                     {"--times", &request->audit.rules.times}}) {
    app.add_option(option, *file, "As `warpmark grade` was given it").value_name("FILE");
  }
  app.add_option("--student", request->audit.student, "As `warpmark grade` was given it")
      .value_name("NAME");
  add_more(app, request->audit.more);
  app.add_option("-o,--output", request->out, "The archive (default: ID-audit.zip)")
      .value_name("FILE.zip");
  app.add_flag("--list", request->list, "Print the files and their bytes, and write nothing");
  return {app, [request](Output& out) { return pack_audit(*request, out); }};
}

}  // namespace

Command pack_command(const ArgumentParser& program) {
  const ArgumentParser app = program.add_subcommand(
      "pack",
      "Pack an assignment: an autograder for Gradescope, a repository for GitHub, an audit");
  app.require_subcommand(1, 1);
  const std::vector<Command> kinds = {gradescope_command(app), github_command(app),
                                      audit_command(app)};
  return {app, [kinds](Output& out) {
            for (const Command& kind : kinds) {
              if (kind.app.parsed()) return kind.run(out);
            }
            throw internal_error("`pack` was read without its kind");
          }};
}

}  // namespace warpmark
