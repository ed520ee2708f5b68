// Reads `check`, and holds it against the suite's outputs.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

std::vector<std::string> CheckForm::values() const {
  std::vector<std::string> all = needed;
  all.insert(all.end(), one_of.begin(), one_of.end());
  all.insert(all.end(), optional.begin(), optional.end());
  return all;
}

const std::vector<CheckForm>& check_forms() {
  static const std::vector<CheckForm> kForms = {
      {CheckKind::function, "function", {}, {}, {}, "", {}},
      {CheckKind::sorted, "sorted", {}, {}, {}, "order", {"ascending", "descending"}},
      {CheckKind::permutation, "permutation", {"of"}, {}, {}, "", {}},
      {CheckKind::within, "within", {}, {"low", "high"}, {}, "", {}},
      {CheckKind::moments, "moments", {}, {"mean", "variance"}, {"sigmas"}, "", {}},
      {CheckKind::distribution, "distribution", {}, {}, {"p"}, "cdf", {}, true},
      {CheckKind::written, "written", {}, {}, {}, "", {}}};
  return kForms;
}

const CheckForm& form_of(CheckKind kind) {
  return *std::ranges::find(check_forms(), kind, &CheckForm::kind);
}

std::vector<std::string> check_names() {
  std::vector<std::string> names;
  for (const CheckForm& form : check_forms()) names.push_back(form.key);
  return names;
}

namespace {

// The kind whose key the map has; one, and no other.
const CheckForm& read_form(const YamlNode& node) {
  require_named_map(node, "`check`");
  const CheckForm* found = nullptr;
  for (const YamlMember& member : node.members) {
    const auto form = std::ranges::find(check_forms(), member.key, &CheckForm::key);
    if (form == check_forms().end()) continue;
    if (found != nullptr) {
      throw usage_error(
          fmt::format("a check is one thing, and here are `{}` and `{}`", found->key, form->key),
          member.where, "write a list of two checks");
    }
    found = &*form;
  }
  if (found != nullptr) return *found;
  if (node.members.empty()) {
    throw usage_error("`check` needs one of " + join(check_names(), ", "), node.where);
  }
  const YamlMember& first = node.members.front();
  throw unknown_word("check", first.key, first.where, check_names());
}

Located read_name(const YamlNode& node, const std::string& what) {
  Located name = read_text(node, what);
  if (is_identifier(name.text)) return name;
  throw usage_error(fmt::format("{} must be a name, and is `{}`", what, name.text), name.where);
}

SuiteCheck read_check(const YamlNode& node) {
  const CheckForm& form = read_form(node);
  std::vector<std::string> known = form.values();
  known.push_back(form.key);
  if (!form.word.empty()) known.push_back(form.word);
  if (form.has_args) known.emplace_back("args");
  const std::string what = "`" + form.key + "`";
  require_map(node, what, known);
  SuiteCheck check;
  check.kind = form.kind;
  check.where = node.where;
  check.subject = form.kind == CheckKind::function ? read_python(node, what)
                                                   : read_name(*node.find(form.key), what);
  for (const std::string& key : form.values()) {
    const YamlNode* value = node.find(key);
    const bool is_needed = std::ranges::find(form.needed, key) != form.needed.end();
    if (value == nullptr && is_needed) {
      throw usage_error(fmt::format("{} needs `{}`", what, key), node.where);
    }
    if (value == nullptr) continue;
    check.values.push_back({key, value->where, {read_text(*value, "`" + key + "`")}});
  }
  const auto is_there = [&](const std::string& key) { return node.find(key) != nullptr; };
  if (!form.one_of.empty() && std::ranges::none_of(form.one_of, is_there)) {
    throw usage_error(fmt::format("{} needs {}, or both", what, join(form.one_of, " or ")),
                      node.where);
  }
  if (const YamlNode* word = form.word.empty() ? nullptr : node.find(form.word)) {
    if (form.words.empty()) {
      check.word = read_name(*word, "`" + form.word + "`");
    } else {
      check.word = Located{read_word(*word, "`" + form.word + "`", form.words), word->content};
    }
  } else if (!form.word.empty() && form.words.empty()) {
    throw usage_error(fmt::format("{} needs `{}`", what, form.word), node.where);
  }
  if (const YamlNode* args = node.find("args")) {
    require_list(*args, "`args`");
    for (const YamlNode& one : args->elements) {
      check.args.push_back(read_text(one, "an element of `args`"));
    }
  }
  return check;
}

}  // namespace

void read_checks(const YamlNode& node, Suite& suite) {
  read_one_or_more(node, "`check`",
                   [&](const YamlNode& check) { suite.checks.push_back(read_check(check)); });
}

void check_checks(const Suite& suite) {
  std::vector<std::string> outputs;
  for (const Argument* argument : all_arguments(suite)) {
    if (is_output(argument->kind)) outputs.push_back(argument->name);
  }
  const auto is_before = [](const auto& named) { return named.name == "before"; };
  for (const SuiteCheck& check : suite.checks) {
    if (suite.fault || suite.compile_error) {
      throw usage_error(suite.fault ? "a case that must fault has no outputs to check"
                                    : "a case that must not compile has no outputs to check",
                        check.where, "remove `check`");
    }
    if (check.kind == CheckKind::function) {
      if (std::ranges::any_of(suite.arguments, is_before) ||
          std::ranges::any_of(suite.axes, is_before)) {
        throw usage_error("the name `before` is taken: functions of `check` get all inputs as it",
                          check.subject.where, "give the argument or axis another name");
      }
      continue;
    }
    const std::string& name = check.subject.text;
    if (std::ranges::find(outputs, name) != outputs.end()) continue;
    const auto argument = std::ranges::find(suite.arguments, name, &Argument::name);
    if (argument != suite.arguments.end()) {
      throw usage_error(fmt::format("`{}` is no output, and checks are about outputs", name),
                        check.subject.where,
                        outputs.empty() ? "the suite has none" : "outputs: " + join(outputs, ", "));
    }
    throw unknown_word("output in `check`", name, check.subject.where, outputs);
  }
}

bool is_checked(const Suite& suite, const std::string& output) {
  return std::ranges::any_of(suite.checks, [&](const SuiteCheck& check) {
    return check.kind == CheckKind::function || check.subject.text == output;
  });
}

}  // namespace warpmark
