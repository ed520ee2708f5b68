#include "grade/assignment/assignment_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/characters.hpp"
#include "base/date_time.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/ptx_registers.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

double read_number(const YamlNode& node, const std::string& what) {
  const Expression expression = read_expression(node, what);
  const ArithmeticValue value = expression.evaluate({});
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  throw usage_error(fmt::format("{} must be a number, and is {}", what, to_text(value)),
                    expression.where());
}

// A whole number, 0 among them: nothing is allowed then.
uint64_t read_any_count(const YamlNode& node, const std::string& what, uint64_t most) {
  const double number = read_number(node, what);
  if (number >= 0 && number <= static_cast<double>(most) && number == std::floor(number)) {
    return static_cast<uint64_t>(number);
  }
  throw usage_error(
      fmt::format("{} must be a whole number from 0 to {}, and is {:.15g}", what, most, number),
      node.content);
}

// A list that may be empty: `headers: []` allows none.
void require_any_list(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::list) require_list(node, what);
}

fs::path read_header(const YamlNode& node, const fs::path& folder,
                     const std::vector<fs::path>& before) {
  fs::path file = read_file_name(node, "a header", folder);
  for (const fs::path& other : before) {
    if (other.filename() != file.filename()) continue;
    throw usage_error(fmt::format("two headers are called `{}`", file.filename().string()),
                      node.content, "submissions include them by their file names");
  }
  return file;
}

std::string read_toolkit_header(const YamlNode& node) {
  std::string name = read_line(node, "a toolkit header");
  const bool fits =
      consists_of(name, "_-./+") && name.front() != '/' && name.find("..") == std::string::npos;
  if (fits) return name;
  throw usage_error(fmt::format("`{}` is no name of a toolkit header", name), node.content,
                    "write it as between < >, as in cooperative_groups/reduce.h");
}

Located read_ptx_name(const YamlNode& node, const std::string& what) {
  static const std::vector<std::string> kKeywords = {"writable_globals", "entries"};
  Located name = read_text(node, "a name of " + what);
  if (!consists_of(name.text, "_.%$:")) {
    throw usage_error(
        fmt::format("PTX has nothing called `{}`", name.text), name.where,
        "opcodes, special registers and functions, as in atom, \"%clock64\", vprintf");
  }
  if (name.text.front() == '%') {
    if (!is_special_register(name.text)) {
      throw unknown_word("special register", name.text, name.where, special_registers());
    }
  } else if (std::find(kKeywords.begin(), kKeywords.end(), name.text) == kKeywords.end()) {
    // A function may be called anything, and a slip of a keyword would forbid nothing.
    if (const std::string near = nearest(name.text, kKeywords); !near.empty()) {
      throw usage_error(fmt::format("compiled code has nothing called `{}`", name.text), name.where,
                        fmt::format("did you mean `{}`?", near));
    }
  }
  return name;
}

SelfTest read_must_fail(const YamlNode& node, const fs::path& folder,
                        const std::vector<AssignmentCase>& cases) {
  SelfTest test;
  test.must_pass = false;
  test.where = node.where;
  if (node.kind != YamlNode::Kind::map) {
    test.file = read_solution_name(node, "a solution", folder);
    return test;
  }
  require_map(node, "`must_fail`", {"file", "case", "word"});
  const YamlNode* file = node.find("file");
  if (file == nullptr) throw usage_error("`must_fail` needs `file`", node.where);
  test.file = read_solution_name(*file, "`file`", folder);
  if (const YamlNode* name = node.find("case")) {
    std::vector<std::string> known;
    known.reserve(cases.size());
    for (const AssignmentCase& one : cases) known.push_back(one.name);
    test.case_name = read_word(*name, "`case`", known);
  }
  const YamlNode* word = node.find("word");
  if (word == nullptr) return test;
  std::vector<std::string> known;
  for (int i = 1; i <= static_cast<int>(GradeWord::not_launched); ++i) {
    known.emplace_back(to_text(static_cast<GradeWord>(i)));
  }
  const auto read = [&](const YamlNode& one) {
    const std::string chosen = read_word(one, "`word`", known);
    const auto index = std::find(known.begin(), known.end(), chosen) - known.begin();
    test.words.push_back(static_cast<GradeWord>(index + 1));
  };
  if (word->kind == YamlNode::Kind::list) {
    for (const YamlNode& one : word->elements) read(one);
    if (test.words.empty()) throw usage_error("`word` lists no word", word->where);
  } else {
    read(*word);
  }
  return test;
}

}  // namespace

std::string read_line(const YamlNode& node, const std::string& what) {
  const Located text = read_text(node, what);
  if (text.text.find('\n') != std::string::npos || text.text.find('\t') != std::string::npos ||
      printable(text.text) != text.text) {
    throw usage_error(what + " must be one line without control characters", node.where);
  }
  return std::string(trim(text.text));
}

double read_positive(const YamlNode& node, const std::string& what, double most) {
  const double number = read_number(node, what);
  // A NaN fails the comparison.
  if (number > 0 && number <= most) return number;
  throw usage_error(
      fmt::format("{} must be more than 0 and at most {:.15g}, and is {:.15g}", what, most, number),
      node.content);
}

double read_not_negative(const YamlNode& node, const std::string& what, double most) {
  const double number = read_number(node, what);
  if (number >= 0 && number <= most) return number;
  throw usage_error(fmt::format("{} must be from 0 to {:.15g}, and is {:.15g}", what, most, number),
                    node.content);
}

uint64_t read_count(const YamlNode& node, const std::string& what, uint64_t most) {
  const double number = read_number(node, what);
  if (number >= 1 && number <= static_cast<double>(most) && number == std::floor(number)) {
    return static_cast<uint64_t>(number);
  }
  throw usage_error(
      fmt::format("{} must be a whole number from 1 to {}, and is {:.15g}", what, most, number),
      node.content);
}

fs::path read_file_name(const YamlNode& node, const std::string& what, const fs::path& folder) {
  const Located name = read_text(node, what);
  if (fs::path(name.text).is_absolute()) {
    throw usage_error(what + " must be relative to the assignment's folder", name.where,
                      "so that the folder can be copied to another machine");
  }
  fs::path file = (folder / name.text).lexically_normal();
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored)) return file;
  throw usage_error(fmt::format("there is no file `{}` in {}", name.text, display_path(folder)),
                    name.where, "paths are relative to the assignment's folder");
}

fs::path read_solution_name(const YamlNode& node, const std::string& what, const fs::path& folder) {
  const Located name = read_text(node, what);
  std::error_code ignored;
  if (fs::path(name.text).is_relative() && fs::is_directory(folder / name.text, ignored)) {
    fs::path found = (folder / name.text).lexically_normal();
    return found.has_filename() ? found : found.parent_path();
  }
  return read_file_name(node, what, folder);
}

std::string read_submitted_name(const YamlNode& node) {
  std::string name = read_line(node, "`file`");
  const bool fits = (name.ends_with(".cu") || name.ends_with(".py")) && name.size() > 3 &&
                    name.find_first_of("/\\") == std::string::npos && name.front() != '.' &&
                    name.front() != '-';
  if (fits) return name;
  throw usage_error(
      fmt::format("`{}` is no name for a submitted file", name), node.content,
      "it ends in .cu, or in .py for a kernel in Python, and has no folder before it");
}

Located read_template(const YamlNode& node, const fs::path& folder) {
  const fs::path file = read_file_name(node, "`template`", folder);
  const fs::path inside = file.lexically_relative(folder);
  if (inside.empty() || *inside.begin() == "..") {
    throw usage_error("`template` must be a file in the assignment's folder", node.content);
  }
  return {inside.generic_string(), node.content};
}

std::string read_assignment_id(const YamlNode& node) {
  std::string id = read_line(node, "`assignment`");
  if (consists_of(id, "_-") && id.front() != '-') return id;
  throw usage_error(fmt::format("`{}` is no name of an assignment", id), node.content,
                    "it names results: use letters, digits, _ and -; `title` is for people");
}

SubmissionRules read_submission(const YamlNode& node, const fs::path& folder) {
  require_map(node, "`submission`",
              {"file", "max_kib", "own_headers", "headers", "toolkit_headers", "accept"});
  SubmissionRules rules;
  rules.where = node.where;
  if (const YamlNode* file = node.find("file")) rules.file = read_submitted_name(*file);
  if (const YamlNode* size = node.find("max_kib")) {
    rules.max_bytes = read_count(*size, "`max_kib`", 16384) << 10;
  }
  if (const YamlNode* own = node.find("own_headers")) {
    rules.own_headers = read_any_count(*own, "`own_headers`", 1000);
  }
  if (const YamlNode* headers = node.find("headers")) {
    require_any_list(*headers, "`headers`");
    for (const YamlNode& header : headers->elements) {
      rules.headers.push_back(read_header(header, folder, rules.headers));
    }
  }
  rules.toolkit_headers = default_toolkit_headers();
  if (const YamlNode* headers = node.find("toolkit_headers")) {
    require_any_list(*headers, "`toolkit_headers`");
    rules.toolkit_headers.clear();
    for (const YamlNode& header : headers->elements) {
      rules.toolkit_headers.push_back(read_toolkit_header(header));
    }
  }
  if (const YamlNode* forms = node.find("accept")) {
    require_list(*forms, "`accept`");
    for (const YamlNode& form : forms->elements) {
      const bool ptx = read_word(form, "`accept`", {"ptx", "host_code"}) == "ptx";
      (ptx ? rules.accepts_ptx : rules.accepts_host_code) = true;
    }
  }
  return rules;
}

PtxPolicy read_ptx_policy(const YamlNode& node) {
  require_map(node, "`ptx`", {"forbid", "flag"});
  PtxPolicy policy;
  std::set<std::string> seen;
  const auto read = [&](const char* key, std::vector<Located>& into) {
    const YamlNode* names = node.find(key);
    if (names == nullptr) return;
    const std::string what = fmt::format("`{}`", key);
    require_list(*names, what);
    for (const YamlNode& one : names->elements) {
      into.push_back(read_ptx_name(one, what));
      if (!seen.insert(into.back().text).second) {
        throw usage_error(fmt::format("`{}` is here a second time", into.back().text),
                          into.back().where, "what is forbidden need not be flagged");
      }
    }
  };
  read("forbid", policy.forbid);
  read("flag", policy.flag);
  return policy;
}

GradeLimits read_grade_limits(const YamlNode& node) {
  require_map(node, "`limits`",
              {"instructions", "timeout_s", "total_s", "compile_cpu_s", "compile_s", "compile_mib",
               "memory_mib"});
  constexpr double kDay = 86'400;                   // s
  constexpr uint64_t kMostMib = uint64_t{1} << 20;  // 1 TiB
  GradeLimits limits;
  const auto seconds = [&](const char* key, double& into) {
    const YamlNode* value = node.find(key);
    if (value != nullptr) into = read_positive(*value, fmt::format("`{}`", key), kDay);
  };
  const auto count = [&](const char* key, uint64_t most, uint64_t& into) {
    const YamlNode* value = node.find(key);
    if (value != nullptr) into = read_count(*value, fmt::format("`{}`", key), most);
  };
  count("instructions", 1'000'000'000'000'000, limits.instructions);
  limits.gives_instructions = node.find("instructions") != nullptr;
  seconds("timeout_s", limits.timeout_s);
  seconds("total_s", limits.total_s);
  seconds("compile_cpu_s", limits.compile_cpu_s);
  seconds("compile_s", limits.compile_s);
  count("compile_mib", kMostMib, limits.compile_mib);
  count("memory_mib", kMostMib, limits.memory_mib);
  return limits;
}

LatePolicy read_late_policy(const YamlNode* due, const YamlNode* late) {
  LatePolicy policy;
  if (due != nullptr) {
    const std::string text = read_line(*due, "`due`");
    policy.due = parse_time(text);
    if (!policy.due) {
      throw usage_error(fmt::format("`{}` is no time with a zone", text), due->content,
                        "as in 2026-11-20T23:59:00+01:00");
    }
  }
  if (late == nullptr) return policy;
  if (due == nullptr) throw usage_error("`late` needs `due`", late->where);
  require_map(*late, "`late`", {"per_day", "days", "grace_min"});
  const YamlNode* each = late->find("per_day");
  const YamlNode* days = late->find("days");
  if (each == nullptr || days == nullptr) {
    throw usage_error("`late` needs `per_day` and `days`", late->where,
                      "as in {per_day: 10%, days: 3}: after three days there are no points");
  }
  YamlNode number = *each;
  const bool share = number.text.ends_with('%');
  if (share) number.text.pop_back();
  const double lost = read_positive(number, "`per_day`", share ? 100 : 1e6);
  (share ? policy.share_per_day : policy.points_per_day) = share ? lost / 100 : lost;
  policy.days = static_cast<int64_t>(read_count(*days, "`days`", 365));
  if (const YamlNode* grace = late->find("grace_min")) {
    policy.grace_s = static_cast<int64_t>(read_count(*grace, "`grace_min`", 1440)) * 60;
  }
  return policy;
}

std::vector<Located> read_fixed(const YamlNode& node,
                                const std::vector<std::shared_ptr<const Suite>>& suites) {
  require_list(node, "`fixed`");
  std::vector<std::string> known;
  for (const auto& suite : suites) {
    for (const Axis& axis : suite->axes) known.push_back(axis.name);
    for (const Argument& argument : suite->arguments) {
      if (argument.kind == ArgumentKind::scalar) known.push_back(argument.name);
    }
  }
  std::vector<Located> names;
  for (const YamlNode& one : node.elements) {
    const Located name = read_text(one, "a name in `fixed`");
    if (std::find(known.begin(), known.end(), name.text) == known.end()) {
      const std::string near = nearest(name.text, known);
      throw usage_error(
          fmt::format("`{}` is no axis and no number among the arguments", printable(name.text)),
          name.where, near.empty() ? "" : fmt::format("did you mean `{}`?", near));
    }
    names.push_back(name);
  }
  return names;
}

std::vector<SelfTest> read_self_test(const YamlNode& node, const fs::path& folder,
                                     const std::vector<AssignmentCase>& cases) {
  require_map(node, "`self_test`", {"must_pass", "must_fail"});
  std::vector<SelfTest> tests;
  std::set<fs::path> good;
  if (const YamlNode* passes = node.find("must_pass")) {
    require_list(*passes, "`must_pass`");
    for (const YamlNode& one : passes->elements) {
      tests.push_back({read_solution_name(one, "a solution", folder), one.content, true, "", {}});
      if (!good.insert(tests.back().file).second) {
        throw usage_error(fmt::format("`{}` is here a second time", one.text), one.content);
      }
    }
  }
  if (const YamlNode* fails = node.find("must_fail")) {
    require_list(*fails, "`must_fail`");
    for (const YamlNode& one : fails->elements) {
      tests.push_back(read_must_fail(one, folder, cases));
      if (good.count(tests.back().file) > 0) {
        throw usage_error(
            fmt::format("`{}` must pass, and must fail", display_path(tests.back().file)),
            tests.back().where);
      }
    }
  }
  return tests;
}

}  // namespace warpmark
