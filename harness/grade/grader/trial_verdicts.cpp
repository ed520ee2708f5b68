#include "grade/grader/trial_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpmark {

namespace {

double share_of(const FailedTrial& trial) {
  return trial.degree ? trial.degree->share : 0;
}

// True if the trial decides, whatever the other trials are.
bool is_final(const FailedTrial& trial) {
  return !trial.may_be_dropped && share_of(trial) == 0;
}

// Returns the degree of the output with the least share of right elements.
std::optional<Degree> degree_of_elements(const Outcome& outcome) {
  std::optional<Degree> least;
  for (const OutputVerdict& output : outcome.outputs) {
    const Comparison& found = output.comparison;
    if (found.passed() || found.elements == 0) continue;
    const double share = degree_share(static_cast<double>(found.elements - found.wrong) /
                                      static_cast<double>(found.elements));
    if (least && least->share <= share) continue;
    least = Degree{share, fmt::format("of the elements of `{}` are right", output.output)};
  }
  return least;
}

}  // namespace

bool may_be_dropped(const TrialRules& rules, uint64_t trial, GradeWord word,
                    const Outcome& outcome) {
  if (trial + 1 >= rules.count) return false;
  if (std::find(rules.words.begin(), rules.words.end(), word) == rules.words.end()) return false;
  if (word != GradeWord::wrong) return true;
  return outcome.failure == FailureKind::wrong || outcome.failure == FailureKind::unwritten ||
         outcome.failure == FailureKind::check || outcome.failure == FailureKind::counter;
}

std::optional<Degree> degree_of(Credit credit, DegreeOf of, const Outcome& outcome) {
  if (credit != Credit::degree) return std::nullopt;
  const bool by_values =
      outcome.failure == FailureKind::wrong || outcome.failure == FailureKind::unwritten;
  if (of == DegreeOf::elements) return by_values ? degree_of_elements(outcome) : std::nullopt;
  if (outcome.failure != FailureKind::counter || !outcome.nearness) return std::nullopt;
  return Degree{
      degree_share(outcome.nearness->share),
      fmt::format("of what the composite `{}` asks for is met", outcome.nearness->composite)};
}

bool TrialVerdicts::decided() const {
  uint64_t lost = 0;
  for (const FailedTrial& one : failed_) {
    if (is_final(one)) return true;
    if (share_of(one) == 0) ++lost;
  }
  return lost > drop_;
}

void TrialVerdicts::decide(GradedItem& item) const {
  std::vector<const FailedTrial*> all;
  for (const FailedTrial& one : failed_) all.push_back(&one);
  const auto by_share = [](const FailedTrial* a, const FailedTrial* b) {
    return share_of(*a) < share_of(*b);
  };
  // The sort is stable: of equal trials the first is dropped, and the first of the rest decides.
  std::stable_sort(all.begin(), all.end(), by_share);
  std::vector<const FailedTrial*> rest, dropped;
  for (const FailedTrial* one : all) {
    (one->may_be_dropped && dropped.size() < drop_ ? dropped : rest).push_back(one);
  }
  std::sort(dropped.begin(), dropped.end(),
            [](const FailedTrial* a, const FailedTrial* b) { return a->trial < b->trial; });
  for (const FailedTrial* one : dropped) {
    item.dropped.push_back({*one->trial, one->word, one->explanation});
  }
  item.word = GradeWord::pass;
  if (rest.empty()) return;
  // A trial that ends the matter precedes one whose share is only as small.
  const auto final =
      std::find_if(rest.begin(), rest.end(), [](const FailedTrial* one) { return is_final(*one); });
  static_cast<TrialVerdict&>(item) = final == rest.end() ? *rest.front() : **final;
}

}  // namespace warpmark
