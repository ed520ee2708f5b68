// Readers of the keys that give points for more than a pass: `trials`, `credit`, `performance`, and
// `leaderboard`.
#pragma once

#include "grade/assignment/assignment.hpp"
#include "suite/yaml_node.hpp"

namespace warpmark {

/// A count, or {count: 5, drop: 1, words: [wrong]}.
TrialRules read_trials(const YamlNode& node);

/// A word, or {degree: elements, from: 0.5}.
void read_credit(const YamlNode& node, AssignmentCase& one);

/// {counters: …} or {gpu: …}, with `full` and `zero`, or `steps`.
void read_performance(const YamlNode& node, AssignmentCase& one);

/// Checks both against the case's items, which are known by then, and sets the kind of degree if
/// the assignment leaves it open. Throws usage errors.
void check_credit(const YamlNode& node, AssignmentCase& one);

/// {by: points, names: pseudonyms, top: 10}.
LeaderboardRule read_leaderboard(const YamlNode& node, const std::vector<AssignmentCase>& cases);

/// "3 trials each", "5 trials each, of which 1 may be dropped".
std::string trials_text(const TrialRules& trials);

}  // namespace warpmark
