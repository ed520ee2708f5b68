// Reads `check`, and holds it against the suite's outputs.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "suite/key_table.hpp"

namespace warpmark {

CheckForm::CheckForm(CheckKind check, const KeyTable& table, std::vector<std::string> some_of)
    : kind(check),
      keys(std::make_shared<KeyTable>(some_of.empty() ? table : KeyTable(table).some_of(some_of))),
      key(table.keys().front().name),
      one_of(std::move(some_of)) {
  for (const Key& other : std::span(table.keys()).subspan(1)) {
    if (other.form.is_list()) {
      has_args = true;
    } else if (other.form.is_of("numpy")) {
      values.emplace_back(other.name);
    } else {
      word = other.name;
      words = other.form.words();
    }
  }
}

const std::vector<CheckForm>& check_forms() {
  static const KeyForm kName = KeyForm::like("^[A-Za-z_][A-Za-z0-9_]*$").needed(),
                       kFunction = KeyForm::like(R"(^.*\.py:[A-Za-z_][A-Za-z0-9_]*$)").needed();
  static const std::vector<CheckForm> kForms = {
      {CheckKind::function,
       std::vector<Key>{{"function",
                         "FILE.py:NAME: a function that returns True, False, or a text that says "
                         "what is wrong. Its parameters get axes, scalars and arrays as they are "
                         "after the launch; `before` gets a dict of all inputs.",
                         kFunction}}},
      {CheckKind::sorted,
       std::vector<Key>{
           {"sorted", "The output whose elements ascend along its last axis, NaN last.", kName},
           {"order", "Whether they ascend or descend.",
            KeyForm::words({"ascending", "descending"}).normally("\"ascending\"")}}},
      {CheckKind::permutation,
       std::vector<Key>{{"permutation",
                         "The output that has the elements of `of`, in any order; NaN are compared "
                         "by their bits.",
                         kName},
                        {"of", "An array of as many elements, of the inputs before the launch.",
                         KeyForm::of("numpy").needed()}}},
      {CheckKind::within,
       std::vector<Key>{
           {"within",
            "The output whose elements are at least `low` and at most `high`; NaN is not.", kName},
           {"low", "The least value.", KeyForm::of("numpy")},
           {"high", "The greatest value.", KeyForm::of("numpy")}},
       {"low", "high"}},
      {CheckKind::moments,
       std::vector<Key>{
           {"moments", "The output that is a sample of a distribution with this mean and variance.",
            kName},
           {"mean", "The mean of the distribution.", KeyForm::of("numpy")},
           {"variance", "Its variance.", KeyForm::of("numpy")},
           {"sigmas", "How many standard errors the sample's mean and variance may be off.",
            KeyForm::of("numpy").normally("6")}},
       {"mean", "variance"}},
      {CheckKind::distribution,
       std::vector<Key>{
           {"distribution",
            "The output that is a sample of a distribution, by the Kolmogorov-Smirnov "
            "test; needs SciPy.",
            kName},
           {"cdf", "The distribution's name in `scipy.stats`.", kName},
           {"args", "Its parameters, in SciPy's order.", KeyForm::list_of(KeyForm::of("numpy"))},
           {"p", "The least p-value that passes.", KeyForm::of("numpy").normally("1e-09")}}},
      {CheckKind::written,
       std::vector<Key>{{"written",
                         "The output whose elements must all be written, whatever their values.",
                         kName}}},
  };
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
  const std::string what = "`" + form.key + "`";
  const KeyedMap map(node, what, *form.keys);
  SuiteCheck check;
  check.kind = form.kind;
  check.where = node.where;
  check.subject = form.kind == CheckKind::function ? read_python(node, what)
                                                   : read_name(map.at(form.key), what);
  for (const std::string& key : form.values) {
    if (const auto value = map.text(key))
      check.values.push_back({key, map.at(key).where, {*value}});
  }
  const auto is_there = [&](const std::string& key) { return node.find(key) != nullptr; };
  if (!form.one_of.empty() && std::ranges::none_of(form.one_of, is_there)) {
    throw usage_error(fmt::format("{} needs {}, or both", what, join(form.one_of, " or ")),
                      node.where);
  }
  if (const YamlNode* word = form.word.empty() ? nullptr : map.find(form.word)) {
    const std::string quoted = "`" + form.word + "`";
    check.word = form.words.empty() ? read_name(*word, quoted)
                                    : Located{read_word(*word, quoted, form.words), word->content};
  }
  if (const YamlNode* args = map.find("args")) {
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
