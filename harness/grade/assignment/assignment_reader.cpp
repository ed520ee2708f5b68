#include "grade/assignment/assignment_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/characters.hpp"
#include "base/date_time.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "compiler/ptx_registers.hpp"
#include "grade/assignment/assignment_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

namespace fs = std::filesystem;

namespace {

bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

bool consists_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return is_alphanumeric(c) || others.find(c) != std::string_view::npos; });
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
  } else if (std::ranges::find(kKeywords, name.text) == kKeywords.end()) {
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
  const KeyedMap map(node, "`must_fail`", must_fail_keys());
  test.file = read_solution_name(map.at("file"), "`file`", folder);
  if (const YamlNode* name = map.find("case")) {
    std::vector<std::string> known;
    known.reserve(cases.size());
    for (const AssignmentCase& one : cases) known.push_back(one.name);
    test.case_name = read_word(*name, "`case`", known);
  }
  const auto read = [&](const YamlNode& one) {
    const std::vector<std::string>& known = failing_words();
    const std::string chosen = read_word(one, "`word`", known);
    const auto index = std::ranges::find(known, chosen) - known.begin();
    test.words.push_back(static_cast<GradeWord>(index + 1));
  };
  if (const YamlNode* word = map.find("word")) read_one_or_more(*word, "`word`", read);
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
  const KeyedMap map(node, "`submission`", submission_keys());
  SubmissionRules rules;
  rules.where = node.where;
  if (const YamlNode* file = map.find("file")) rules.file = read_submitted_name(*file);
  if (map.find("max_kib") != nullptr)
    rules.max_bytes = static_cast<uint64_t>(map.number("max_kib")) << 10;
  map.read_number("own_headers", rules.own_headers);
  if (const YamlNode* headers = map.find("headers")) {
    require_any_list(*headers, "`headers`");
    for (const YamlNode& header : headers->elements) {
      rules.headers.push_back(read_header(header, folder, rules.headers));
    }
  }
  rules.toolkit_headers = default_toolkit_headers();
  if (const YamlNode* headers = map.find("toolkit_headers")) {
    require_any_list(*headers, "`toolkit_headers`");
    rules.toolkit_headers.clear();
    for (const YamlNode& header : headers->elements) {
      rules.toolkit_headers.push_back(read_toolkit_header(header));
    }
  }
  if (const YamlNode* forms = map.find("accept")) {
    require_list(*forms, "`accept`");
    for (const YamlNode& form : forms->elements) {
      const bool ptx = read_word(form, "`accept`", {"ptx", "host_code"}) == "ptx";
      (ptx ? rules.accepts_ptx : rules.accepts_host_code) = true;
    }
  }
  return rules;
}

PtxPolicy read_ptx_policy(const YamlNode& node) {
  const KeyedMap map(node, "`ptx`", ptx_keys());
  PtxPolicy policy;
  std::set<std::string> seen;
  const auto read = [&](const char* key, std::vector<Located>& into) {
    const YamlNode* names = map.find(key);
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
  const KeyedMap map(node, "`limits`", grade_limits_keys());
  GradeLimits limits;
  map.read_number("instructions", limits.instructions);
  limits.gives_instructions = map.find("instructions") != nullptr;
  map.read_number("timeout_s", limits.timeout_s);
  map.read_number("total_s", limits.total_s);
  map.read_number("compile_cpu_s", limits.compile_cpu_s);
  map.read_number("compile_s", limits.compile_s);
  map.read_number("compile_mib", limits.compile_mib);
  map.read_number("memory_mib", limits.memory_mib);
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
  const KeyedMap map(*late, "`late`", late_keys());
  YamlNode number = map.at("per_day");
  const bool share = number.text.ends_with('%');
  if (share) number.text.pop_back();
  const double lost = KeyForm::above(0, share ? 100 : 1e6).read_number(number, "`per_day`");
  (share ? policy.share_per_day : policy.points_per_day) = share ? lost / 100 : lost;
  policy.days = static_cast<int64_t>(map.number("days"));
  if (map.find("grace_min") != nullptr)
    policy.grace_s = static_cast<int64_t>(map.number("grace_min")) * 60;
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
    if (std::ranges::find(known, name.text) == known.end()) {
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
  const KeyedMap map(node, "`self_test`", self_test_keys());
  std::vector<SelfTest> tests;
  std::set<fs::path> good;
  if (const YamlNode* passes = map.find("must_pass")) {
    require_list(*passes, "`must_pass`");
    for (const YamlNode& one : passes->elements) {
      tests.push_back({read_solution_name(one, "a solution", folder), one.content, true, "", {}});
      if (!good.insert(tests.back().file).second) {
        throw usage_error(fmt::format("`{}` is here a second time", one.text), one.content);
      }
    }
  }
  if (const YamlNode* fails = map.find("must_fail")) {
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
