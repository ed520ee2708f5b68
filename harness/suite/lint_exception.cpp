#include "suite/lint_exception.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

const std::vector<std::string>& answer_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const TrivialAnswer answer : trivial_answers()) names.emplace_back(to_text(answer));
    return names;
  }();
  return kNames;
}

LintException read_rule(const YamlNode& node) {
  require_map(node, "`lint`", {"allow", "when", "reason"});
  const YamlNode* allow = node.find("allow");
  const YamlNode* when = node.find("when");
  const YamlNode* reason = node.find("reason");
  if (allow == nullptr || reason == nullptr) {
    throw usage_error("`lint` needs `allow` and `reason`", node.where);
  }
  LintException rule;
  rule.where = node.where;
  require_list(*allow, "`allow`");
  for (const YamlNode& element : allow->elements) {
    if (element.kind == YamlNode::Kind::map) {
      require_map(element, "`allow`", {"mutant"});
      const YamlNode* line = element.find("mutant");
      if (line == nullptr) throw usage_error("`allow` needs a word or `mutant`", element.where);
      rule.mutants.push_back({read_text(*line, "`mutant`").text, line->content});
      continue;
    }
    const std::string word = read_word(element, "`allow`", answer_names());
    const auto answer = *std::find_if(trivial_answers().begin(), trivial_answers().end(),
                                      [&](TrivialAnswer one) { return to_text(one) == word; });
    for (const LintException::Allowed& earlier : rule.allow) {
      if (earlier.answer != answer) continue;
      throw usage_error(fmt::format("`{}` is here a second time", word), element.content);
    }
    rule.allow.push_back({answer, element.content});
  }
  if (when != nullptr && !rule.mutants.empty()) {
    throw usage_error("`when` goes with answers: a mutant lives if it passes every case",
                      when->where);
  }
  if (when != nullptr) rule.when = read_expression(*when, "`when`");
  rule.reason = read_text(*reason, "`reason`").text;
  return rule;
}

}  // namespace

std::string_view to_text(TrivialAnswer answer) {
  switch (answer) {
    case TrivialAnswer::unwritten:
      return "unwritten";
    case TrivialAnswer::zeros:
      return "zeros";
    case TrivialAnswer::ones:
      return "ones";
    case TrivialAnswer::copy:
      return "copy";
    case TrivialAnswer::constant:
      return "constant";
    case TrivialAnswer::nan:
      return "nan";
    case TrivialAnswer::stale:
      return "stale";
    case TrivialAnswer::low_precision:
      return "low_precision";
    case TrivialAnswer::float16:
      return "float16";
    case TrivialAnswer::float32:
      return "float32";
    case TrivialAnswer::tf32:
      return "tf32";
    case TrivialAnswer::one_percent:
      return "one_percent";
    case TrivialAnswer::dropped:
      return "dropped";
    case TrivialAnswer::one_wrong:
      return "one_wrong";
  }
  return "";
}

bool is_nearly_right(TrivialAnswer answer) {
  return answer >= TrivialAnswer::low_precision;
}

const std::vector<TrivialAnswer>& trivial_answers() {
  using enum TrivialAnswer;
  static const std::vector<TrivialAnswer> kAll = {
      unwritten,     zeros,   ones,    copy, constant,    nan,     stale,
      low_precision, float16, float32, tf32, one_percent, dropped, one_wrong};
  return kAll;
}

std::vector<LintException> read_lint_exceptions(const YamlNode& node) {
  std::vector<LintException> rules;
  read_one_or_more(node, "`lint`", [&](const YamlNode& rule) { rules.push_back(read_rule(rule)); });
  return rules;
}

}  // namespace warpmark
