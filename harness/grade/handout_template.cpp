#include "grade/handout_template.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/kernel_template.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

fs::path kernel_file(const Suite& suite) {
  return (suite.folder / suite.kernel.file->text).lexically_normal();
}

// A file of students' name beside the assignment, if it is no kernel and no solution.
fs::path template_beside(const Assignment& assignment) {
  const fs::path file = assignment.folder / assignment.submission.file;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  for (const auto& suite : assignment.suites) {
    if (kernel_file(*suite) == file) return {};
  }
  for (const SelfTest& test : assignment.self_tests) {
    if (test.must_pass && test.file == file) return {};
  }
  return file;
}

HandoutTemplate made_template(const Assignment& assignment) {
  const Suite& suite = *assignment.suites.front();
  const fs::path file = kernel_file(suite);
  const std::string& entry = suite.kernel.entry->text();
  const std::string todo = suite.about.empty() ? "write the kernel" : printable(suite.about);
  const auto text = kernel_template(read_file(file), entry, todo);
  if (text) return {*text, fmt::format("what was made of {}", display_path(file))};
  throw usage_error(fmt::format("no template can be made: the kernel `{}` was not found in {}",
                                printable(entry), display_path(file)),
                    assignment.where, "write one, and name it with `template: FILE`");
}

}  // namespace

bool is_solution(const Assignment& assignment, const std::string& text) {
  return std::any_of(
      assignment.self_tests.begin(), assignment.self_tests.end(),
      [&](const SelfTest& test) { return test.must_pass && read_file(test.file) == text; });
}

HandoutTemplate handout_template(const Assignment& assignment) {
  fs::path file;
  Position where = assignment.where;
  if (assignment.template_file) {
    file = assignment.folder / assignment.template_file->text;
    where = assignment.template_file->where;
  } else {
    file = template_beside(assignment);
  }
  if (file.empty()) return made_template(assignment);
  HandoutTemplate found{read_file(file), display_path(file)};
  if (is_solution(assignment, found.text)) {
    throw usage_error(
        fmt::format("the template {} is a solution: it is in `must_pass`", found.origin), where,
        "name another file with `template: FILE`");
  }
  return found;
}

}  // namespace warpmark
