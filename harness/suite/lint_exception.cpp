#include "suite/lint_exception.hpp"

#include <fmt/format.h>

#include "suite/suite_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {
namespace {

LintException read_rule(const YamlNode& node) {
  const KeyedMap map(node, "`lint`", lint_keys());
  LintException rule;
  rule.where = node.where;
  require_list(map.at("allow"), "`allow`");
  for (const YamlNode& element : map.at("allow").elements) {
    if (element.kind == YamlNode::Kind::map) {
      const KeyedMap mutant(element, "`allow`", mutant_keys());
      rule.mutants.push_back({mutant.text("mutant")->text, mutant.at("mutant").content});
      continue;
    }
    const auto answer = read_word<TrivialAnswer>(element, "`allow`");
    for (const LintException::Allowed& earlier : rule.allow) {
      if (earlier.answer != answer) continue;
      throw usage_error(fmt::format("`{}` is here a second time", to_text(answer)),
                        element.content);
    }
    rule.allow.push_back({answer, element.content});
  }
  const YamlNode* when = map.find("when");
  if (when != nullptr && !rule.mutants.empty()) {
    throw usage_error("`when` goes with answers: a mutant lives if it passes every case",
                      when->where);
  }
  rule.when = map.expression("when");
  rule.reason = map.text("reason")->text;
  return rule;
}

}  // namespace

bool is_nearly_right(TrivialAnswer answer) {
  return answer >= TrivialAnswer::low_precision;
}

std::vector<LintException> read_lint_exceptions(const YamlNode& node) {
  std::vector<LintException> rules;
  read_one_or_more(node, "`lint`", [&](const YamlNode& rule) { rules.push_back(read_rule(rule)); });
  return rules;
}

}  // namespace warpmark
