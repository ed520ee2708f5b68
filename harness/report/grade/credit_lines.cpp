#include "report/grade/credit_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/grade/grade_text.hpp"
#include "report/page/text_line.hpp"

namespace warpmark {
namespace {

// Each item's share of the points of its case.
double item_points(const GradedCase& one) {
  return one.max_points / static_cast<double>(std::max<size_t>(1, one.items.size()));
}

std::string ratio_text(double ratio) {
  if (!std::isfinite(ratio)) return "∞ ×";
  return fmt::format("{:.3g} ×", ratio);
}

std::string rough_time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::string dropped_text(const GradedItem& item, const DroppedTrial& dropped) {
  const std::string_view why = first_sentence(dropped.explanation);
  return fmt::format("trial {} of {} is dropped, {}{}", dropped.trial + 1, item.trials,
                     to_text(dropped.word), why.empty() ? "" : ": " + in_one_line(why));
}

std::string degree_text(const GradedCase& one, const Degree& degree) {
  const double most = item_points(one);
  const bool counts = degree.share >= one.from;
  return fmt::format("{:.0f} % {}{}: {} of {} points", degree.share * 100, in_one_line(degree.what),
                     counts ? "" : fmt::format(", less than {:.4g} %", one.from * 100),
                     points_text(counts ? most * degree.share : 0), points_text(most));
}

std::string measured_text(const PerformanceRule& rule, const Performance& measured) {
  if (!rule.by_counters()) {
    return fmt::format(
        "{}, baseline {} ({}; {} to {} in {} rounds, of which the bound in your favour counts)",
        rough_time_text(measured.value), rough_time_text(measured.baseline),
        ratio_text(measured.median), ratio_text(measured.low), ratio_text(measured.high),
        measured.rounds);
  }
  std::string name = join(rule.counters, " + ");
  std::ranges::replace(name, '_', ' ');
  return fmt::format("{}: {:.0f}, baseline {:.0f} ({})", name, measured.value, measured.baseline,
                     ratio_text(measured.ratio));
}

// Points for performance are given only if all items of the case pass.
std::string performance_text(const GradedCase& one, const Performance& measured) {
  const double share = 1 / static_cast<double>(std::max<size_t>(1, one.items.size()));
  const bool passed = one.word() == GradeWord::pass;
  const double points =
      passed ? one.performance->points(measured.ratio, one.max_points) * share : 0;
  std::string why = passed ? "" : ", because not all of the case is right";
  const double most = item_points(one);
  if (const auto better = one.performance->next(measured.ratio, one.max_points); passed && better) {
    why = fmt::format("; {} of {} up to {}", points_text(better->points * share), points_text(most),
                      ratio_text(better->ratio));
  }
  return fmt::format("{}: {} of {} points{}", measured_text(*one.performance, measured),
                     points_text(points), points_text(most), why);
}

}  // namespace

std::vector<std::string> credit_lines(const GradedCase& one) {
  std::vector<std::string> lines;
  for (const GradedItem& item : one.items) {
    const auto add = [&](const std::string& text) {
      lines.push_back(in_one_line(item.case_id) + ": " + text);
    };
    for (const DroppedTrial& dropped : item.dropped) add(dropped_text(item, dropped));
    if (item.degree && one.credit == Credit::degree) add(degree_text(one, *item.degree));
    if (item.performance && one.performance)
      add(performance_text(one, *item.performance) +
          (item.timed_on.empty() ? "" : "; timed on " + in_one_line(item.timed_on)));
  }
  if (!one.open.empty()) {
    lines.push_back(fmt::format("{} points are open, and not lost: {}", points_text(one.max_points),
                                in_one_line(one.open)));
  }
  return lines;
}

std::vector<std::string> credit_lines(const GradeResult& result) {
  std::vector<std::string> lines;
  for (const GradedCase& one : result.cases) {
    for (const std::string& line : credit_lines(one)) {
      lines.push_back(in_one_line(one.name) + ": " + line);
    }
  }
  return lines;
}

std::string case_title(const GradedCase& one) {
  return in_one_line(one.name) + (one.extra ? " (extra credit)" : "");
}

std::string case_points_text(const GradedCase& one) {
  return fmt::format("{} of {}", one.open.empty() ? points_text(one.points) : "open,",
                     points_text(one.max_points));
}

}  // namespace warpmark
