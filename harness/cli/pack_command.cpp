// `warpmark pack`: an assignment as Gradescope, GitHub and an auditor take it.
#include <memory>

#include "cli/grading/pack_job.hpp"
#include "cli/program/command.hpp"

namespace warpmark {
namespace {

constexpr int kMostLimit_s = 24 * 3600;

void add_common(const ArgumentParser& app, PackRequest& request) {
  app.add_option("ASSIGNMENT", request.assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_flag("--list", request.list, "Print the files and their bytes, and write nothing");
}

void add_more(const ArgumentParser& app, std::vector<std::filesystem::path>& more) {
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
