#include "grade/pack/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/class/grade_files.hpp"
#include "grade/pack/pack_files.hpp"
#include "grade/pack/pack_scripts.hpp"
#include "results/reproduce.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

// Collects what lies below the paths that `grade` was given, as it lies there.
class SubmittedFiles {
 public:
  explicit SubmittedFiles(const std::function<void(const std::string&)>& warn) : warn_(warn) {}

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
      std::ranges::sort(inside);
      // A student who handed in nothing has a grade, too.
      if (inside.empty()) files_.push_back({place + "/", {}, ""});
      for (const fs::path& one : inside) add(one, place + "/" + one.filename().string());
    } else {
      warn_(fmt::format("left out: {} is neither a file nor a folder", display_path(path)));
    }
  }

  const std::function<void(const std::string&)>& warn_;
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

}  // namespace

std::vector<PackedFile> audit_files(const Assignment& assignment, const AuditRequest& request,
                                    const std::function<void(const std::string&)>& warn) {
  const bool no_sandbox = require_repeatable(read_grades(request.grades), request, assignment);
  SubmittedFiles submitted(warn);
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
  about.arguments = arguments;
  about.grades = "grades";
  std::vector<PackedFile> files = {{"regrade", {}, pack_script("regrade", about), kScriptMode},
                                   packed_secret(request.secret)};
  for (PackedFile& file : submitted.take()) files.push_back(std::move(file));
  for (PackedFile& file : rules) files.push_back(std::move(file));
  std::vector<PackedFile> grades;
  for (const auto& entry : fs::recursive_directory_iterator(request.grades)) {
    if (!entry.is_regular_file()) continue;
    const fs::path way = entry.path().lexically_relative(request.grades);
    grades.push_back({"grades/" + way.generic_string(), entry.path(), ""});
  }
  std::ranges::sort(grades, {}, &PackedFile::place);
  for (const std::vector<PackedFile>* part : std::initializer_list<const std::vector<PackedFile>*>{
           &grades, &packed.files, &program.files}) {
    files.insert(files.end(), part->begin(), part->end());
  }
  return files;
}

}  // namespace warpmark
