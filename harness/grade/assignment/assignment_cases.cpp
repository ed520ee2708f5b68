#include "grade/assignment/assignment_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/assignment/assignment_credit.hpp"
#include "grade/assignment/assignment_keys.hpp"
#include "grade/assignment/assignment_reader.hpp"
#include "suite/axis_override.hpp"
#include "suite/select_expression.hpp"
#include "suite/selection.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

// The options that NVRTC may get for a file that nobody vouches for: macros, language, arithmetic,
// warnings. Nothing that names a file or a folder, links, or writes. One dash or two; "=" ends a
// name that takes a value.
constexpr std::array kOptions = {"D",
                                 "U",
                                 "define-macro=",
                                 "undefine-macro=",
                                 "std=",
                                 "use_fast_math",
                                 "fmad=",
                                 "ftz=",
                                 "prec-div=",
                                 "prec-sqrt=",
                                 "maxrregcount=",
                                 "restrict",
                                 "extra-device-vectorization",
                                 "device-as-default-execution-space",
                                 "default-device",
                                 "device-debug",
                                 "G",
                                 "generate-line-info",
                                 "lineinfo",
                                 "disable-warnings",
                                 "w",
                                 "diag-error=",
                                 "diag-suppress=",
                                 "diag-warn=",
                                 "display-error-number",
                                 "err-no"};

bool may_be_given(std::string_view option) {
  if (!option.starts_with('-')) return false;
  option.remove_prefix(option.starts_with("--") ? 2 : 1);
  return std::ranges::any_of(kOptions, [&](std::string_view known) {
    const bool macro = known == "D" || known == "U";
    if (macro || known.ends_with('=')) {
      return option.starts_with(known) && option.size() > known.size();
    }
    return option == known;
  });
}

// The reason why no submission can be graded with a suite, and what to do; both "" if one can.
std::pair<std::string, std::string> obstacle(const Suite& suite) {
  if (suite.plugin.text != "source") {
    return {fmt::format("its kernel is made by the plugin `{}`", suite.plugin.text),
            "a suite with `kernel: {file: …, entry: …}` can"};
  }
  if (!suite.kernel.file) {
    return {"its kernel is a text in the suite",
            "put the text into a file, and write `kernel: {file: …, entry: …}`"};
  }
  if (!suite.kernel.entry) return {"its kernel has no `entry`", "add it"};
  // The baseline is compiled where submissions are.
  for (const Kernel* kernel : kernels(suite)) {
    if (!kernel->link.empty()) {
      return {"its kernel is linked with further files",
              "a submission's files are compiled each by itself"};
    }
    if (kernel->compiler && kernel->compiler->text == "nvcc") {
      return {"its kernel is compiled by nvcc",
              "submissions are compiled by NVRTC: leave `compiler` out"};
    }
    if (kernel->compiler) continue;  // a compiler of another language knows its own options
    for (const Located& option : kernel->options) {
      if (may_be_given(option.text)) continue;
      return {fmt::format("its kernel has the option `{}`", printable(option.text)),
              "submissions are compiled with options for macros, language, arithmetic and warnings "
              "only; headers go into `submission.headers`"};
    }
  }
  if (suite.fault || suite.report || suite.compile_error) {
    return {"it expects a fault, a report or a compile error", "choose a suite without `expect`"};
  }
  return {};
}

std::vector<Axis> own_axes(const YamlNode& node, const Suite& suite) {
  std::vector<Axis> axes = read_axes(node);
  std::vector<std::string> known;
  for (const Axis& axis : suite.axes) known.push_back(axis.name);
  for (const Axis& axis : axes) {
    if (std::ranges::find(known, axis.name) != known.end()) continue;
    const std::string near = nearest(axis.name, known);
    throw usage_error(fmt::format("the suite `{}` has no axis `{}`", suite.name, axis.name),
                      axis.where,
                      !near.empty()   ? fmt::format("did you mean `{}`?", near)
                      : known.empty() ? "it has no axes"
                                      : "axes: " + join(known, ", "));
  }
  return axes;
}

void keep_matches(const YamlNode& where, std::vector<Case>& items) {
  const Located text = read_text(where, "`where`");
  const SelectExpression select = SelectExpression::parse(text.text, "`where`", text.where);
  std::vector<std::string> ids;
  ids.reserve(items.size());
  for (const Case& item : items) ids.push_back(item.id);
  std::erase_if(items, [&](const Case& item) { return !select.matches(item.id); });
  if (!items.empty()) return;
  const std::string hint = nearest_part(select.words(), ids);
  throw usage_error("`where` selects no case of the suite", text.where,
                    hint.empty() ? "`warpmark list` prints the ids" : hint);
}

}  // namespace

void require_gradable(const Suite& suite, const Position& where) {
  const auto [why, hint] = obstacle(suite);
  if (why.empty()) return;
  throw usage_error(fmt::format("`{}` cannot be graded: {}", display_path(suite.file), why), where,
                    hint);
}

std::shared_ptr<const Suite> AssignmentCaseReader::load(const YamlNode& node) {
  const std::filesystem::path file = read_file_name(node, "`suite`", folder_);
  for (const auto& known : suites_) {
    if (known->file != file) continue;
    if (!lists_) return known;
    throw usage_error(fmt::format("`{}` is here a second time", printable(node.text)), node.content,
                      "results are filed by case ids: two kernels need suites of different names");
  }
  std::shared_ptr<const Suite> suite = load_suite(file);
  require_gradable(*suite, node.content);
  for (const auto& other : suites_) {
    if (other->name == suite->name) {
      throw usage_error(fmt::format("two suites are called `{}`: {} and {}", suite->name,
                                    display_path(other->file), display_path(file)),
                        node.content, "rename one of the files: results are filed by case ids");
    }
    if (!lists_ && other->kernel.entry->text() != suite->kernel.entry->text()) {
      throw usage_error(
          fmt::format("the kernel of `{}` is `{}`, and that of `{}` is `{}`", suite->name,
                      suite->kernel.entry->text(), other->name, other->kernel.entry->text()),
          node.content,
          "all suites launch one kernel, unless `suites` lists them in the place of `suite`");
    }
  }
  suites_.push_back(suite);
  return suite;
}

void AssignmentCaseReader::read_suites(const YamlNode& list, const std::string& file) {
  require_list(list, "`suites`");
  lists_ = true;
  for (const YamlNode& entry : list.elements) read_entry(entry, file);
  for (size_t i = 0; i < suites_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      // A file system that ignores case cannot hold both files.
      if (suite_files_[i] == suite_files_[j] ||
          lower_case(suite_files_[i]) != lower_case(suite_files_[j])) {
        continue;
      }
      throw usage_error(fmt::format("`{}` and `{}` differ in upper and lower case alone",
                                    suite_files_[j], suite_files_[i]),
                        list.elements[i].where, "give the students' files other names");
    }
  }
}

// A suite's file, or `{suite: …, file: …, template: …}`.
void AssignmentCaseReader::read_entry(const YamlNode& entry, const std::string& file) {
  std::optional<KeyedMap> map;
  if (entry.kind == YamlNode::Kind::map)
    map.emplace(entry, "an entry of `suites`", suite_entry_keys());
  load(map ? map->at("suite") : entry);
  const YamlNode* own = map ? map->find("file") : nullptr;
  if (own != nullptr && !file.empty()) {
    throw usage_error("the students' file has a name here, and in `submission.file`", own->where,
                      "`submission.file` is for one file with all kernels");
  }
  std::string name = own != nullptr ? read_submitted_name(*own) : file;
  if (name.empty()) {
    name = std::filesystem::path(suites_.back()->kernel.file->text).filename().string();
  }
  if (const YamlNode* start = map ? map->find("template") : nullptr) {
    const Located text = read_template(*start, folder_);
    const auto [known, is_new] = templates_.emplace(name, text);
    if (!is_new && known->second.text != text.text) {
      throw usage_error(fmt::format("`{}` has two templates", name), start->content,
                        "give it with one of the suites of that file");
    }
  }
  suite_files_.push_back(std::move(name));
}

// Returns the suite of a case when `suites` lists them.
std::shared_ptr<const Suite> AssignmentCaseReader::listed(const YamlNode& node) const {
  const std::filesystem::path file = read_file_name(node, "`suite`", folder_);
  for (const auto& known : suites_) {
    if (known->file == file) return known;
  }
  throw usage_error(fmt::format("`{}` is not in `suites`", printable(node.text)), node.content,
                    "add it there, with the name of the students' file that has its kernel");
}

std::vector<AssignmentCase> AssignmentCaseReader::read_cases(const YamlNode& list) {
  require_list(list, "`cases`");
  std::vector<AssignmentCase> all;
  for (const YamlNode& node : list.elements) {
    AssignmentCase one = read_case(node);
    for (const AssignmentCase& other : all) {
      if (other.name != one.name) continue;
      throw usage_error(fmt::format("two cases are called `{}`", one.name), one.where,
                        fmt::format("the first is on line {}", other.where.line));
    }
    claim(one);
    all.push_back(std::move(one));
  }
  return all;
}

AssignmentCase AssignmentCaseReader::read_case(const YamlNode& node) {
  const KeyedMap map(node, "a case", assignment_case_keys());
  AssignmentCase one;
  one.where = node.where;
  one.name = read_line(map.at("name"), "`name`");
  one.points = map.number("points");
  one.visibility = map.word<Visibility>("visibility").value_or(one.visibility);
  if (const YamlNode* credit = map.find("credit")) read_credit(*credit, one);
  if (const auto hint = map.text("hint")) one.hint = printable(hint->text);
  one.extra = map.truth("extra").value_or(false);
  if (const YamlNode* performance = map.find("performance")) {
    read_performance(*performance, one);
  }
  one.items = read_items(node, one);
  check_credit(node, one);
  return one;
}

std::vector<Case> AssignmentCaseReader::read_items(const YamlNode& node,
                                                   const AssignmentCase& one) {
  const YamlNode* own = node.find("suite");
  if (own == nullptr && lists_) {
    throw usage_error("the case does not say of which suite it is", node.where,
                      "as in `suite: FILE`, one of `suites`");
  }
  const std::shared_ptr<const Suite> base = own == nullptr ? default_
                                            : lists_       ? listed(*own)
                                                           : load(*own);
  const YamlNode* axes = node.find("axes");
  const std::shared_ptr<const Suite> suite =
      axes != nullptr ? with_axes(base, own_axes(*axes, *base)) : base;
  std::vector<Case> items = cases(suite, python_);
  if (const YamlNode* where = node.find("where")) keep_matches(*where, items);
  for (const Case& item : items) {
    if (!item.skip) continue;
    throw usage_error(fmt::format("the suite skips `{}`: {}", item.id, *item.skip), one.where,
                      "choose cases that run, with `axes` or `where`");
  }
  return items;
}

// Throws for a case of the suite that is given points twice, which is a slip, or that is visible in
// one place and hidden in another.
void AssignmentCaseReader::claim(const AssignmentCase& one) {
  for (const Case& item : one.items) {
    const auto [owner, is_new] = owners_.try_emplace(item.id, one.name);
    if (is_new) continue;
    throw usage_error(fmt::format("`{}` is already in the case `{}`", item.id, owner->second),
                      one.where, "give each case different values, with `axes` or `where`");
  }
}

}  // namespace warpmark
