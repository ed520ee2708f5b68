#include "report/grade/item_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/characters.hpp"

namespace warpmark {
namespace {

constexpr size_t kFailures = 3;
constexpr double kGroup = 0.27;

size_t index_of(GradeWord word) {
  return static_cast<size_t>(std::ranges::find(kGradeWords, word) - kGradeWords.begin());
}

// The same mistake is on another line in another file.
std::string without_digits(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool digit = is_digit(c);
    if (!digit || !out.ends_with('#')) out += digit ? '#' : c;
  }
  return out;
}

std::optional<double> pearson(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  // Sums of thirds that are equal for all may differ by roundings.
  constexpr double kNothing = 1e-12;
  if (xx <= kNothing * n || yy <= kNothing * n) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

// The mean share of the `size` students whose totals come first in `order`.
double group_mean(const std::vector<size_t>& order, const std::vector<double>& totals,
                  const std::vector<double>& shares, size_t size) {
  double sum = 0;
  for (size_t begin = 0; begin < size;) {
    size_t end = begin;
    double tied = 0;
    while (end < order.size() && totals[order[end]] == totals[order[begin]]) {
      tied += shares[order[end++]];
    }
    const auto count = static_cast<double>(end - begin);
    sum += tied * std::min(1.0, static_cast<double>(size - begin) / count);
    begin = end;
  }
  return sum / static_cast<double>(size);
}

double upper_lower(const std::vector<double>& totals, const std::vector<double>& shares) {
  std::vector<size_t> order(totals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return totals[a] > totals[b]; });
  const auto size =
      static_cast<size_t>(std::max(1.0, std::round(kGroup * static_cast<double>(totals.size()))));
  const double upper = group_mean(order, totals, shares, size);
  std::ranges::reverse(order);
  return upper - group_mean(order, totals, shares, size);
}

// A case of a file that failed, and the same case of the file that came after it.
using Attempts = std::vector<std::pair<const GradedCase*, const GradedCase*>>;

const GradedItem* first_failed(const GradedCase& one) {
  const auto failed = std::ranges::find_if(
      one.items, [](const GradedItem& item) { return item.word != GradeWord::pass; });
  return failed == one.items.end() ? nullptr : &*failed;
}

using Kinds = std::map<std::pair<GradeWord, std::string>, CommonFailure>;

CommonFailure& kind_of(const GradedItem& failed, Kinds& kinds) {
  CommonFailure& kind = kinds[{failed.word, without_digits(cause_text(failed))}];
  if (kind.cause.empty()) kind.cause = first_sentence(failed.explanation);
  kind.word = failed.word;
  return kind;
}

std::vector<CommonFailure> common_failures(const std::vector<const GradedCase*>& cases,
                                           const Attempts& attempts) {
  Kinds kinds;
  for (const GradedCase* one : cases) {
    const GradedItem* failed = first_failed(*one);
    if (failed == nullptr) {
      if (!one->performance || one->points >= one->max_points) continue;
      CommonFailure& slow = kinds[{GradeWord::pass, ""}];
      slow.word = GradeWord::pass;
      slow.cause = "right, but not fast enough for all points";
      ++slow.students;
      continue;
    }
    ++kind_of(*failed, kinds).students;
  }
  for (const auto& [before, now] : attempts) {
    CommonFailure& kind = kind_of(*first_failed(*before), kinds);
    ++kind.retried;
    kind.mended += now->word() == GradeWord::pass ? 1 : 0;
  }
  std::vector<CommonFailure> failures;
  failures.reserve(kinds.size());
  for (auto& [key, kind] : kinds) failures.push_back(std::move(kind));
  std::ranges::stable_sort(failures, [](const auto& a, const auto& b) {
    return a.students + a.retried > b.students + b.retried;
  });
  failures.resize(std::min(failures.size(), kFailures));
  return failures;
}

// A file that is missing, or does not compile, says nothing of the cases over it.
bool has_run(const GradedCase& one) {
  return std::ranges::any_of(
      one.items, [](const GradedItem& item) { return item.word != GradeWord::not_launched; });
}

CaseStatistics statistics_of(const std::string& name, const std::vector<const GradeResult*>& ran,
                             const std::map<std::string, const GradeResult*>& earlier) {
  CaseStatistics statistics;
  statistics.name = name;
  std::vector<const GradedCase*> cases;
  Attempts attempts;
  std::vector<double> shares, totals, others;
  for (const GradeResult* result : ran) {
    const GradedCase* one = find_case(*result, name);
    if (one == nullptr || !one->open.empty() || !has_run(*one)) continue;
    cases.push_back(one);
    const auto before = earlier.find(result->student);
    if (before != earlier.end() && before->second->submission_sha256 != result->submission_sha256) {
      const GradedCase* old = find_case(*before->second, name);
      if (old != nullptr && has_run(*old) && first_failed(*old) != nullptr)
        attempts.push_back({old, one});
    }
    statistics.max_points = one->max_points;
    statistics.hidden = one->visibility == Visibility::hidden;
    const GradeWord word = one->word();
    if (word == GradeWord::pass) ++statistics.passed;
    if (const size_t at = index_of(word); at < kGradeWords.size()) ++statistics.words[at];
    shares.push_back(one->max_points > 0 ? one->points / one->max_points : 0);
    totals.push_back(shown_points(result->points));
    others.push_back(result->points - one->points);
  }
  statistics.students = cases.size();
  if (cases.empty()) return statistics;
  statistics.share =
      std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
  if (cases.size() >= kFewestStudents) {
    statistics.correlation = pearson(shares, others);
    statistics.upper_lower = upper_lower(totals, shares);
  }
  statistics.failures = common_failures(cases, attempts);
  statistics.retried = attempts.size();
  for (const auto& attempt : attempts)
    statistics.mended += attempt.second->word() == GradeWord::pass ? 1 : 0;
  return statistics;
}

}  // namespace

ItemAnalysis analyse_items(const std::vector<GradeResult>& results,
                           const std::vector<GradeResult>& earlier) {
  std::map<std::string, const GradeResult*> before;
  for (const GradeResult& result : earlier) before.emplace(result.student, &result);
  ItemAnalysis analysis;
  std::vector<const GradeResult*> ran;
  for (const GradeResult& result : results) {
    if (result.state == GradeState::graded) {
      ran.push_back(&result);
    } else {
      ++(has_points(result) ? analysis.not_run : analysis.not_graded);
    }
  }
  analysis.ran = ran.size();
  for (const std::string& name : case_names(results)) {
    analysis.cases.push_back(statistics_of(name, ran, before));
  }
  return analysis;
}

}  // namespace warpmark
