#include "report/bench/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"
#include "results/standings.hpp"

namespace warpmark {

namespace {

struct Ranked {
  RankedPoint point;
  Standing standing;
};

std::vector<Ranked> ranked(const std::vector<SweptCase>& cases) {
  std::vector<RankedPoint> points;
  for (const SweptCase& one : cases) {
    add_ranked(points, one.id, one.sweep, one.series, one.instructions);
  }
  const std::vector<Standing> found = standings(points);
  std::vector<Ranked> all;
  for (size_t i = 0; i < points.size(); ++i) all.push_back({points[i], found[i]});
  return all;
}

// The id without the axes of its sweep, which names its group.
std::string problem_of(const RankedPoint& point) {
  std::vector<std::string> others;
  for (const auto& [axis, label] : labels_of(point.id)) {
    const std::vector<std::string>& swept = point.sweep->axes;
    if (std::ranges::find(swept, axis) == swept.end()) others.push_back(axis);
  }
  const std::string suite = point.id.substr(0, point.id.find('.'));
  return others.empty() ? suite : suite + "." + labels_text(point.id, others);
}

// " hot" if it is not the default mode of a bench.
std::string mode_word(const RankedPoint& point) {
  const bool usual = point.series == nullptr || point.series->mode == TimingMode::cold;
  return usual ? "" : " " + std::string(to_text(point.series->mode));
}

// The results of one sweep.
struct Sweep {
  const Ranked* best = nullptr;
  const Ranked* slowest = nullptr;
  std::vector<std::string> as_good;
};

std::vector<std::string> best_points(const std::vector<Ranked>& all) {
  std::vector<std::string> names;  // of groups, in the order of the cases
  std::map<std::string, Sweep> sweeps;
  for (const Ranked& one : all) {
    if (!one.standing.best && !one.standing.to_best) continue;
    const std::string name = problem_of(one.point) + mode_word(one.point);
    if (sweeps.count(name) == 0) names.push_back(name);
    Sweep& sweep = sweeps[name];
    if (one.standing.best) {
      sweep.best = &one;
      continue;
    }
    if (one.standing.as_good) {
      sweep.as_good.push_back(labels_text(one.point.id, one.point.sweep->axes));
    }
    const bool slower = sweep.slowest == nullptr ||
                        sweep.slowest->standing.to_best->value < one.standing.to_best->value;
    if (slower) sweep.slowest = &one;
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const Sweep& sweep = sweeps[name];
    if (sweep.best == nullptr) continue;
    const RankedPoint& best = sweep.best->point;
    std::string line = fmt::format("{}: {}, {}", name, labels_text(best.id, best.sweep->axes),
                                   time_text(best.series->summary.median));
    if (!sweep.as_good.empty()) line += "; as good: " + join(sweep.as_good, " ");
    if (!sweep.slowest->standing.as_good) {
      const RankedPoint& slowest = sweep.slowest->point;
      line += fmt::format("; slowest: {}, {:.3g} times as long",
                          labels_text(slowest.id, slowest.sweep->axes),
                          sweep.slowest->standing.to_best->value);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> against_bases(const std::vector<Ranked>& all) {
  std::vector<std::string> lines;
  for (const Ranked& one : all) {
    if (!one.standing.to_base) continue;
    lines.push_back(fmt::format(
        "{}{}: {}{} of {}", one.point.id, mode_word(one.point), ratio_text(*one.standing.to_base),
        one.point.instructions ? " the instructions" : " the time", base_text(*one.point.sweep)));
  }
  return lines;
}

}  // namespace

SweptCase swept_case(const std::string& id, const TimedCase& timed) {
  SweptCase swept{id, timed.sweep, timed.series, timed.counter("ptx_thread_instructions")};
  for (BenchSeries& series : swept.series) series.samples.clear();
  return swept;
}

std::vector<std::string> sweep_summary(const std::vector<SweptCase>& cases) {
  const std::vector<Ranked> all = ranked(cases);
  std::vector<std::string> lines;
  const auto add = [&](const char* title, const std::vector<std::string>& part) {
    if (part.empty()) return;
    lines.insert(lines.end(), {"", title});
    for (const std::string& line : part) lines.push_back("  " + line);
  };
  add("best of each sweep", best_points(all));
  add("compared", against_bases(all));
  return lines;
}

}  // namespace warpmark
