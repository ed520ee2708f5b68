#include "grade/handout/handout_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/assignment/kernel_template.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

fs::path kernel_file(const Suite& suite) {
  return (suite.folder / suite.kernel.file->text).lexically_normal();
}

// A file of students' name beside the assignment, if it is no kernel and no solution.
fs::path template_beside(const Assignment& assignment, const std::string& name) {
  const fs::path file = assignment.folder / name;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  for (const auto& suite : assignment.suites) {
    if (kernel_file(*suite) == file) return {};
  }
  for (const SelfTest& test : assignment.self_tests) {
    if (!test.must_pass) continue;
    const std::vector<fs::path> files = Assignment::files_of(test);
    if (std::ranges::find(files, file) != files.end()) return {};
  }
  return file;
}

HandoutTemplate made_template(const Assignment& assignment, const std::string& name) {
  HandoutTemplate made;
  std::vector<std::vector<std::string>> known;
  for (const auto& suite : assignment.suites) {
    const std::vector<std::string> entries = own_entries(*suite);
    if (std::ranges::count(known, entries) > 0 || assignment.file_of(*suite) != name) continue;
    known.push_back(entries);
    const fs::path file = kernel_file(*suite);
    std::string missing;
    const auto text = kernels_template(read_file(file), *suite, &missing);
    if (!text) {
      throw usage_error(fmt::format("no template can be made: the kernel `{}` was not found in {}",
                                    printable(missing), display_path(file)),
                        assignment.where, "write one, and name it with `template: FILE`");
    }
    // Directives before a second kernel are those before the first, for all that can be known.
    made.text += (made.text.empty() ? "" : "\n") + *text;
    made.origin += made.origin.empty() ? "what was made of " : " and ";
    made.origin += display_path(file);
  }
  return made;
}

}  // namespace

bool is_solution(const Assignment& assignment, const std::string& text) {
  return std::ranges::any_of(assignment.self_tests, [&](const SelfTest& test) {
    if (!test.must_pass) return false;
    const std::vector<fs::path> files = Assignment::files_of(test);
    return std::ranges::any_of(files, [&](const fs::path& file) {
      return (file == test.file || file.extension() == ".cu") && read_file(file) == text;
    });
  });
}

HandoutTemplate handout_template(const Assignment& assignment, const std::string& name) {
  fs::path file;
  Position where = assignment.where;
  if (const auto start = assignment.templates.find(name); start != assignment.templates.end()) {
    file = assignment.folder / start->second.text;
    where = start->second.where;
  } else {
    file = template_beside(assignment, name);
  }
  if (file.empty()) return made_template(assignment, name);
  HandoutTemplate found{read_file(file), display_path(file)};
  if (is_solution(assignment, found.text)) {
    throw usage_error(
        fmt::format("the template {} is a solution: it is in `must_pass`", found.origin), where,
        "name another file with `template: FILE`");
  }
  return found;
}

}  // namespace warpmark
