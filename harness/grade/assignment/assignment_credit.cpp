#include "grade/assignment/assignment_credit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "grade/assignment/assignment_keys.hpp"
#include "suite/suite_reader.hpp"

namespace warpmark {

namespace {

std::vector<GradeWord> read_dropped_words(const YamlNode& node) {
  // A memory error may have changed what later trials saw, and what never ran is nothing to drop.
  const std::vector<GradeWord> all = {GradeWord::wrong, GradeWord::race, GradeWord::barrier,
                                      GradeWord::limit};
  std::vector<std::string> known;
  for (const GradeWord word : all) known.emplace_back(to_text(word));
  require_list(node, "`words`");
  std::vector<GradeWord> words;
  for (const YamlNode& one : node.elements) {
    if (one.text == to_text(GradeWord::memory_error)) {
      throw usage_error("a trial with a memory error cannot be dropped", one.content,
                        "`words` may have " + join(known, ", "));
    }
    const std::string chosen = read_word(one, "a word of `words`", known);
    words.push_back(all[std::ranges::find(known, chosen) - known.begin()]);
  }
  return words;
}

void read_counters(const YamlNode& node, PerformanceRule& rule) {
  std::vector<std::string> known = counter_names();
  // More of it is better, and it adds up to nothing.
  std::erase(known, "occupancy");
  const auto read = [&](const YamlNode& one) {
    const Located name = read_text(one, "a counter");
    if (std::ranges::find(known, name.text) == known.end()) {
      throw unknown_word("counter", name.text, name.where, known);
    }
    rule.counters.push_back(name.text);
  };
  read_one_or_more(node, "`counters`", read);
}

void read_steps(const YamlNode& node, const AssignmentCase& one, PerformanceRule& rule) {
  require_list(node, "`steps`");
  for (const YamlNode& entry : node.elements) {
    const KeyedMap map(entry, "a step", performance_step_keys());
    const PerformanceStep step = {
        map.number("ratio"),
        KeyForm::from(0, one.points).read_number(map.at("points"), "`points`")};
    if (!rule.steps.empty()) {
      const PerformanceStep& before = rule.steps.back();
      if (step.ratio <= before.ratio || step.points >= before.points) {
        throw usage_error(
            "each step must have a greater ratio than the one before it, and fewer "
            "points",
            entry.where, "a ratio is that of the submission to the baseline: less is better");
      }
    }
    rule.steps.push_back(step);
  }
  if (rule.steps.front().points < one.points) {
    throw usage_error(
        fmt::format("the first step must give all {:.10g} points of the case", one.points),
        node.elements.front().where, "else nobody can get them");
  }
}

bool expects_composites(const AssignmentCase& one) {
  return std::ranges::all_of(one.items,
                             [](const Case& item) { return item.suite->composites.any(); });
}

}  // namespace

TrialRules read_trials(const YamlNode& node) {
  TrialRules rules;
  if (node.kind != YamlNode::Kind::map) {
    rules.count = static_cast<size_t>(trials_keys().form("count").read_number(node, "`trials`"));
    return rules;
  }
  const KeyedMap map(node, "`trials`", trials_keys());
  map.read_number("count", rules.count);
  map.read_number("drop", rules.drop);
  const YamlNode* drop = map.find("drop");
  if (rules.drop >= rules.count) {
    throw usage_error(fmt::format("of {} trials {} cannot be dropped", rules.count, rules.drop),
                      drop->content, "at least the last one counts");
  }
  if (const YamlNode* words = map.find("words")) {
    if (drop == nullptr) throw usage_error("`words` needs `drop`", words->where);
    rules.words = read_dropped_words(*words);
  }
  return rules;
}

void read_credit(const YamlNode& node, AssignmentCase& one) {
  if (node.kind != YamlNode::Kind::map) {
    one.credit = read_word<Credit>(node, "`credit`");
    return;
  }
  const KeyedMap map(node, "`credit`", degree_keys());
  one.credit = Credit::degree;
  one.degree_of = *map.word<DegreeOf>("degree");
  map.read_number("from", one.from);
}

void read_performance(const YamlNode& node, AssignmentCase& one) {
  const KeyedMap map(node, "`performance`", performance_keys());
  PerformanceRule rule;
  const bool by_counters = map.word("by") == "counters";
  const YamlNode* counters = map.find("counters");
  if (by_counters != (counters != nullptr)) {
    throw usage_error(
        by_counters ? "`by: counters` needs `counters`" : "times of a GPU have no `counters`",
        by_counters ? node.where : counters->where,
        by_counters ? "as in `counters: moved_sectors`; several are added up"
                    : "remove it, or write `by: counters`");
  }
  if (counters != nullptr) read_counters(*counters, rule);
  const YamlNode* full = map.find("full");
  const YamlNode* zero = map.find("zero");
  const YamlNode* steps = map.find("steps");
  if (steps != nullptr ? full != nullptr || zero != nullptr : full == nullptr || zero == nullptr) {
    throw usage_error("`performance` needs either `full` and `zero`, or `steps`", node.where,
                      "as in `full: 1.1, zero: 4`: all points up to 1.1 times the baseline, none "
                      "from 4 times");
  }
  if (steps != nullptr) {
    read_steps(*steps, one, rule);
  } else {
    rule.full = map.number("full");
    rule.zero = map.number("zero");
    if (rule.zero <= rule.full) {
      throw usage_error(fmt::format("`zero` must be more than `full`, and is {:.15g}", rule.zero),
                        zero->content,
                        "both are ratios of the submission to the baseline: less is better");
    }
  }
  one.performance = std::move(rule);
}

void check_credit(const YamlNode& node, AssignmentCase& one) {
  const YamlNode* credit = node.find("credit");
  if (one.performance && one.credit != Credit::all) {
    throw usage_error("a case with `performance` has no `credit`", credit->where,
                      "its points follow from the ratio, once all of its items pass");
  }
  if (one.credit != Credit::degree) return;
  const bool composites = expects_composites(one);
  if (credit->kind != YamlNode::Kind::map) {
    one.degree_of = composites ? DegreeOf::composites : DegreeOf::elements;
  } else if (one.degree_of == DegreeOf::composites && !composites) {
    throw usage_error("the suite expects no composite, so that none has a degree",
                      credit->find("degree")->content,
                      "write `degree: elements`, or add a composite to the suite's `expect`");
  }
}

LeaderboardRule read_leaderboard(const YamlNode& node, const std::vector<AssignmentCase>& cases) {
  const KeyedMap map(node, "`leaderboard`", leaderboard_keys());
  LeaderboardRule rule;
  if (const YamlNode* by = map.find("by")) {
    std::vector<std::string> known = {"points"};
    for (const AssignmentCase& one : cases) {
      if (one.performance) known.push_back(one.name);
    }
    const std::string word = read_word(*by, "`by`", known);
    for (const AssignmentCase& one : cases) {
      if (one.name != word || one.visibility == Visibility::visible) continue;
      throw usage_error(
          fmt::format("`{}` is hidden, and a leaderboard would show its ratios", word), by->content,
          "choose a visible case, or points");
    }
    if (word != "points") rule.by = word;
  }
  rule.chosen = map.word("names") == "chosen";
  map.read_number("top", rule.top);
  return rule;
}

std::string trials_text(const TrialRules& trials) {
  std::string text = counted(trials.count, "trial") + " each";
  if (trials.drop > 0) text += fmt::format(", of which {} may be dropped", trials.drop);
  return text;
}

}  // namespace warpmark
