#include "cli/pack_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/grade_lint.hpp"
#include "cli/lazy_python.hpp"
#include "cli/pack_files.hpp"
#include "grade/assignment/seeds.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/class/grade_rules.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "results/reproduce.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

struct AuditRequest {
  fs::path assignment;
  std::vector<fs::path> submissions;
  fs::path grades, secret, roster, out;
  GradeRuleFiles rules;
  std::string student;
  std::vector<fs::path> more;
  bool list = false;
};

// Collects what lies below the paths that `grade` was given, as it lies there.
class SubmittedFiles {
 public:
  explicit SubmittedFiles(Output& out) : out_(out) {}

  // Returns the path's place in the archive.
  std::string add(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    const std::string name =
        (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    std::string place = "submissions/" + name;
    if (!fs::exists(path)) {
      throw usage_error("there is no file " + printable(path.string()), {},
                        "name the submissions as `warpmark grade` was given them");
    }
    if (!places_.insert(place).second) {
      throw usage_error(fmt::format("two of the submissions are called `{}`", printable(name)), {},
                        "put them into one folder, and grade and pack that");
    }
    add(whole, place);
    return place;
  }

  std::vector<PackedFile> take() { return std::move(files_); }

 private:
  void add(const fs::path& path, const std::string& place) {
    const fs::file_status status = fs::symlink_status(path);
    if (fs::is_regular_file(status)) {
      files_.push_back({place, path, ""});
    } else if (fs::is_directory(status)) {
      std::vector<fs::path> inside;
      for (const auto& entry : fs::directory_iterator(path)) inside.push_back(entry.path());
      std::sort(inside.begin(), inside.end());
      // A student who handed in nothing has a grade, too.
      if (inside.empty()) files_.push_back({place + "/", {}, ""});
      for (const fs::path& one : inside) add(one, place + "/" + one.filename().string());
    } else {
      print_error(out_, fmt::format("warning: left out: {} is neither a file nor a folder",
                                    display_path(path)));
    }
  }

  Output& out_;
  std::set<std::string> places_;
  std::vector<PackedFile> files_;
};

// Only what the CPU device found is the same on any machine.
bool require_repeatable(const std::vector<GradeResult>& grades, const AuditRequest& request,
                        const Assignment& assignment) {
  if (grades.empty()) {
    throw usage_error(
        fmt::format("--grades: there are no grades in {}", display_path(request.grades)), {},
        "name the folder that `warpmark grade` had as -o");
  }
  bool no_sandbox = false;
  for (const GradeResult& one : grades) {
    if (one.assignment != assignment.id) {
      throw usage_error(
          fmt::format("--grades: these are grades of the assignment `{}`, and this "
                      "one is `{}`",
                      printable(one.assignment), assignment.id));
    }
    const std::string& device = one.context.device;
    if (!device.empty() && device.find("CPU device") == std::string::npos) {
      throw usage_error(
          fmt::format("{} was graded on {}, and only grades of the CPU device are the same on "
                      "another machine",
                      printable(one.student), printable(device)),
          {}, "grade with --device cpu");
    }
    no_sandbox = no_sandbox || one.context.no_sandbox;
  }
  return no_sandbox;
}

std::vector<PackedFile> audit_files(const AuditRequest& request, const Assignment& assignment,
                                    Output& out) {
  const bool no_sandbox = require_repeatable(read_grades(request.grades), request, assignment);
  SubmittedFiles submitted(out);
  std::string arguments;
  for (const fs::path& path : request.submissions) {
    arguments += shell_word(submitted.add(path)) + " ";
  }
  arguments += "--device cpu";
  std::vector<PackedFile> rules;
  const auto add_rule = [&](const char* option, const fs::path& file) {
    if (file.empty()) return;
    rules.push_back({fmt::format("rules/{}.csv", option), {}, read_file(file)});
    arguments += fmt::format(" --{} {}", option, rules.back().place);
  };
  add_rule("roster", request.roster);
  add_rule("extensions", request.rules.extensions);
  add_rule("adjustments", request.rules.adjustments);
  add_rule("times", request.rules.times);
  if (!request.student.empty()) arguments += " --student " + shell_word(request.student);

  const PackedAssignment packed = pack_assignment(assignment, request.more, "assignment");
  const PackedProgram program = pack_program(*Nvrtc::open(), assignment, packed.files, "program");
  PackScripts about = scripts_of(program, packed);
  about.no_sandbox = no_sandbox;
  constexpr unsigned kScriptMode = 0755;
  constexpr unsigned kSecretMode = 0600;
  std::vector<PackedFile> files = {
      {"regrade", {}, regrade_script(about, arguments, "grades"), kScriptMode},
      {"secret", {}, read_secret(request.secret).secret.bytes(), kSecretMode}};
  for (PackedFile& file : submitted.take()) files.push_back(std::move(file));
  for (PackedFile& file : rules) files.push_back(std::move(file));
  std::vector<PackedFile> grades;
  for (const auto& entry : fs::recursive_directory_iterator(request.grades)) {
    if (!entry.is_regular_file()) continue;
    const fs::path way = entry.path().lexically_relative(request.grades);
    grades.push_back({"grades/" + way.generic_string(), entry.path(), ""});
  }
  std::sort(grades.begin(), grades.end(),
            [](const PackedFile& a, const PackedFile& b) { return a.place < b.place; });
  for (const std::vector<PackedFile>* part : std::initializer_list<const std::vector<PackedFile>*>{
           &grades, &packed.files, &program.files}) {
    files.insert(files.end(), part->begin(), part->end());
  }
  return files;
}

ExitCode pack_audit(const AuditRequest& request, Output& out) {
  LazyPython python;
  const auto assignment = load_assignment(request.assignment, python.list_evaluator());
  require_whole(*assignment);
  const std::vector<PackedFile> files = audit_files(request, *assignment, out);
  if (request.list) {
    print_list(files, out);
    return ExitCode::success;
  }
  const fs::path archive =
      request.out.empty() ? fs::path(assignment->id + "-audit.zip") : request.out;
  write_zip(python.interpreter(), archive, files);
  out.print("{}: {} files, {:.0f} MB\n", display_path(archive), files.size(),
            static_cast<double>(fs::file_size(archive)) / 1e6);
  return ExitCode::success;
}

}  // namespace

Command pack_audit_command(const ArgumentParser& kinds) {
  const auto request = std::make_shared<AuditRequest>();
  const ArgumentParser app = kinds.add_subcommand(
      "audit", "Write a zip that grades a class again elsewhere, and compares");
  app.add_option("ASSIGNMENT", request->assignment, "The assignment's YAML file")
      .required()
      .value_name("");
  app.add_option("SUBMISSIONS", request->submissions, "As `warpmark grade` was given them")
      .required()
      .value_name("");
  app.add_option("--grades", request->grades, "The folder that `warpmark grade` had as -o")
      .required()
      .value_name("OUT");
  app.add_option("--secret", request->secret, "The course's secret, which goes along")
      .required()
      .value_name("FILE");
  for (const auto& [option, file] : {std::pair{"--roster", &request->roster},
                                     {"--extensions", &request->rules.extensions},
                                     {"--adjustments", &request->rules.adjustments},
                                     {"--times", &request->rules.times}}) {
    app.add_option(option, *file, "As `warpmark grade` was given it").value_name("FILE");
  }
  app.add_option("--student", request->student, "As `warpmark grade` was given it")
      .value_name("NAME");
  app.add_option("--with", request->more,
                 "A file or folder that the course's Python files read; may be repeated")
      .value_name("PATH");
  app.add_option("-o,--output", request->out, "The archive (default: ID-audit.zip)")
      .value_name("FILE.zip");
  app.add_flag("--list", request->list, "Print the files and their bytes, and write nothing");
  return {app, [request](Output& out) { return pack_audit(*request, out); }};
}

}  // namespace warpmark
