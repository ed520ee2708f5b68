#include "runtime/trivial_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "base/text.hpp"

namespace warpmark {
namespace {

bool is_constant(TrivialAnswer answer) {
  return answer == TrivialAnswer::ones || answer == TrivialAnswer::constant;
}

// The key of an answer: two cases with the same key accept the same kernel.
std::string key_of(const TrivialPass& pass) {
  return fmt::format("{}\n{}\n{}", pass.output, to_text(pass.answer), pass.detail);
}

// Cases of one output that accept the same answers.
struct Group {
  std::string output;
  std::vector<const TrivialFinding*> answers;  ///< answers of its first case
  std::vector<std::string> cases;
  bool in_every_case = true;  ///< for each of its answers

  bool any(auto condition) const {
    return std::ranges::any_of(answers, [&](const TrivialFinding* one) { return condition(*one); });
  }
  bool by_tolerance() const {
    return any([](const TrivialFinding& one) { return one.pass.by_tolerance; });
  }
};

Position place_of(const Suite& suite, const Group& group) {
  if (group.by_tolerance()) {
    for (const OutputTolerance& own : suite.output_tolerances) {
      if (own.output == group.output) return own.tolerance.where;
    }
    if (suite.tolerance.where.known()) return suite.tolerance.where;
  }
  for (const NamedText& reference : suite.reference) {
    if (reference.name == group.output) return reference.value.where;
  }
  for (const SuiteCheck& check : suite.checks) {
    if (check.kind == CheckKind::function || check.subject.text == group.output) {
      return check.subject.where;
    }
  }
  return suite.where;
}

std::string hint_for(const Suite& suite, const Group& group) {
  const auto has = [&](auto condition) { return group.any(condition); };
  std::string what;
  const bool is_compared = std::ranges::any_of(
      suite.reference, [&](const NamedText& one) { return one.name == group.output; });
  if (!group.output.empty() && !is_compared) {
    what = "add a check that refuses it, as `permutation` or `moments` do";
  } else if (group.output.empty()) {
    what = "give it an output with a reference";
  } else if (group.by_tolerance()) {
    what = "the tolerance lets it: make it tighter, or the expected values larger";
  } else if (group.in_every_case) {
    what = "add a case with another answer, or use `rng` in the inputs";
  } else if (has([](const TrivialFinding& one) {
               return one.pass.answer == TrivialAnswer::stale;
             })) {
    what = "give each case different inputs: `rng` does";
  } else {
    what = "choose inputs that lead to another answer";
  }
  std::vector<std::string> names;
  for (const TrivialFinding* one : group.answers) {
    const std::string name(to_text(one->pass.answer));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return fmt::format("{}; if it is meant so: `lint: {{allow: [{}], reason: …}}`", what,
                     join(names, ", "));
}

// "`z` would pass if the kernel wrote zeros or copied `x`".
std::string claim_of(const Group& group, bool one_case) {
  if (group.output.empty()) return "no output is compared, so that any kernel passes";
  std::vector<std::string> answers;
  for (const TrivialFinding* one : group.answers)
    answers.push_back(answer_words(one->pass, one_case));
  return fmt::format("`{}` would pass if the kernel {}", group.output, join(answers, " or "));
}

std::string message_for(const Group& group) {
  const size_t count = group.cases.size();
  if (count == 1) return fmt::format("{}: {}", group.cases.front(), claim_of(group, true));
  constexpr size_t kNamed = 3;
  std::vector<std::string> named = group.cases;
  if (count > kNamed) named.resize(kNamed);
  if (count > kNamed) named.emplace_back("…");
  return fmt::format("{}, in {} cases: {}", claim_of(group, false), count, join(named, " "));
}

}  // namespace

std::string answer_words(const TrivialPass& pass, bool one_case) {
  switch (pass.answer) {
    case TrivialAnswer::unwritten:
      return "wrote nothing";
    case TrivialAnswer::zeros:
      return "wrote zeros";
    case TrivialAnswer::ones:
      return "wrote ones";
    case TrivialAnswer::copy:
      return fmt::format("copied `{}`", pass.detail);
    case TrivialAnswer::constant:
      return fmt::format("wrote {} everywhere", one_case ? pass.detail : "one value");
    case TrivialAnswer::nan:
      return "wrote NaN";
    case TrivialAnswer::stale:
      return fmt::format("left what {} expects", one_case ? pass.detail : "another case");
    case TrivialAnswer::low_precision:
      return "computed with the 8 bits of a bfloat16";
    case TrivialAnswer::float16:
      return "computed with the 11 bits of a float16";
    case TrivialAnswer::float32:
      return "computed in float32";
    case TrivialAnswer::tf32:
      return "multiplied in tf32, with 11 bits of each input";
    case TrivialAnswer::one_percent:
      return "wrote values that are 1 % too large";
    case TrivialAnswer::dropped:
      return fmt::format("left out the last element of `{}`", pass.detail);
    case TrivialAnswer::one_wrong:
      return "wrote one wrong element";
  }
  return "";
}

std::vector<const LintException*> TrivialFindings::rules_of(const Case& which) const {
  std::vector<const LintException*> rules;
  for (const LintException& rule : suite_->lint) {
    if (rule.when) {
      const ArithmeticValue value = rule.when->evaluate(which.scope());
      const auto* holds = std::get_if<bool>(&value);
      if (holds == nullptr) {
        throw usage_error(fmt::format("`when` must be True or False, and is {}", to_text(value)),
                          rule.when->where(), "compare it, as in `n == 1`");
      }
      if (!*holds) continue;
    }
    rules.push_back(&rule);
  }
  return rules;
}

void TrivialFindings::add(const Case& which, const TrivialCheck& check) {
  const std::vector<const LintException*> rules = rules_of(which);
  std::map<std::string, bool> has_value;
  for (const TrivialCheck::Judged& judged : check.judged()) ++cases_[judged.output];
  for (const TrivialPass& pass : check.passes()) {
    const bool right_element = !pass.by_tolerance && pass.elements == 1;
    const bool right_constant =
        !pass.by_tolerance && !check.is_random() && is_constant(pass.answer);
    ++passed_[key_of(pass)];
    if (!is_nearly_right(pass.answer)) has_value[pass.output] = true;
    // One term of many may be smaller than the rounding errors of their sum, and a single number
    // may be near by luck.
    const bool is_small = is_nearly_right(pass.answer) &&
                          (pass.elements == 1 || pass.answer == TrivialAnswer::dropped);
    seen_.push_back({{which.id, pass, false}, right_element || right_constant || is_small, rules});
  }
  for (const TrivialCheck::Judged& judged : check.judged()) {
    // Single answers are equal by chance, and equal constants are reported as such.
    if (judged.elements == 1 || has_value[judged.output]) continue;
    const std::string key = fmt::format("{}\n{}", judged.output, judged.fingerprint);
    const auto [first, is_new] = same_.try_emplace(key, which.id);
    if (is_new) continue;
    const TrivialPass pass{judged.output, TrivialAnswer::stale, first->second, false,
                           judged.elements};
    seen_.push_back({{which.id, pass, false}, false, rules});
  }
}

void TrivialFindings::add_without_outputs(const Case& which) {
  seen_.push_back(
      {{which.id, {"", TrivialAnswer::unwritten, "", false, 0}, false}, false, rules_of(which)});
}

bool TrivialFindings::counts(const Seen& seen) const {
  if (!seen.only_in_every_case) return true;
  const TrivialPass& pass = seen.finding.pass;
  return passed_.at(key_of(pass)) == cases_.at(pass.output);
}

std::vector<TrivialFinding> TrivialFindings::findings() const {
  std::vector<TrivialFinding> left;
  for (const Seen& seen : seen_) {
    if (!counts(seen)) continue;
    const TrivialAnswer answer = seen.finding.pass.answer;
    const auto allows = [&](const LintException* rule) {
      return std::ranges::any_of(
          rule->allow, [&](const LintException::Allowed& one) { return one.answer == answer; });
    };
    if (std::ranges::any_of(seen.rules, allows)) continue;
    left.push_back(seen.finding);
    left.back().in_every_case = seen.only_in_every_case;
  }
  return left;
}

std::vector<LintException::Allowed> TrivialFindings::unneeded() const {
  std::vector<LintException::Allowed> idle;
  for (const LintException& rule : suite_->lint) {
    for (const LintException::Allowed& allowed : rule.allow) {
      const bool needed = std::ranges::any_of(seen_, [&](const Seen& seen) {
        return seen.finding.pass.answer == allowed.answer && counts(seen) &&
               std::ranges::find(seen.rules, &rule) != seen.rules.end();
      });
      if (!needed) idle.push_back(allowed);
    }
  }
  return idle;
}

std::vector<Error> trivial_problems(const Suite& suite,
                                    const std::vector<TrivialFinding>& findings) {
  // Groups by case and output first, then joins cases with the same text.
  std::vector<Group> groups;
  std::map<std::string, size_t> group_of;
  for (size_t i = 0; i < findings.size();) {
    Group group{findings[i].pass.output, {}, {findings[i].case_id}};
    for (; i < findings.size() && findings[i].case_id == group.cases.front() &&
           findings[i].pass.output == group.output;
         ++i) {
      group.answers.push_back(&findings[i]);
      group.in_every_case = group.in_every_case && findings[i].in_every_case;
    }
    const std::string key = claim_of(group, false) + (group.by_tolerance() ? " loosely" : "");
    const auto [known, is_new] = group_of.try_emplace(key, groups.size());
    if (is_new) {
      groups.push_back(std::move(group));
      continue;
    }
    Group& all = groups[known->second];
    all.cases.push_back(group.cases.front());
    all.in_every_case = all.in_every_case && group.in_every_case;
  }
  std::vector<Error> problems;
  problems.reserve(groups.size());
  for (const Group& group : groups) {
    problems.push_back(
        usage_error(message_for(group), place_of(suite, group), hint_for(suite, group)));
  }
  return problems;
}

Error unneeded_exception(const LintException::Allowed& allowed) {
  return usage_error(fmt::format("no case needs the exception `{}`", to_text(allowed.answer)),
                     allowed.where,
                     "remove it: an exception that is not needed hides the next finding");
}

}  // namespace warpmark
