#include "results/standings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace warpmark {

namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string text_of(const Labels& labels) {
  std::string text;
  for (const auto& [axis, label] : labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", axis, label);
  }
  return text;
}

// The key that a point shares with the points it is compared with: suite, mode and the labels that
// are left.
std::string group_of(const RankedPoint& point, const Labels& labels) {
  const std::string mode(point.series != nullptr ? to_text(point.series->mode) : "");
  return point.id.substr(0, point.id.find('.')) + ' ' + mode + ' ' + text_of(labels);
}

Ratio ratio_between(const RankedPoint& one, const RankedPoint& other) {
  if (!one.instructions || !other.instructions) return ratio_of_times(*one.series, *other.series);
  const double exact =
      static_cast<double>(*one.instructions) / static_cast<double>(*other.instructions);
  return {exact, exact, exact};
}

// True if the point has the data for a comparison; others have no part in it.
bool comparable(const RankedPoint& point) {
  return point.instructions ? *point.instructions > 0 : point.series != nullptr;
}

void rank_sweeps(const std::vector<RankedPoint>& points, std::vector<Standing>& standings) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < points.size(); ++i) {
    const RankedPoint& point = points[i];
    if (point.sweep == nullptr || point.sweep->axes.empty()) continue;
    // Counts are left out: fewer instructions need not mean a shorter time.
    if (point.instructions || !comparable(point)) continue;
    Labels labels = labels_of(point.id);
    std::erase_if(labels, [&](const auto& one) { return contains(point.sweep->axes, one.first); });
    groups[group_of(point, labels)].push_back(i);
  }
  for (const auto& [name, members] : groups) {
    if (members.size() < 2) continue;
    const size_t best = *std::ranges::min_element(members, [&](size_t a, size_t b) {
      return points[a].series->summary.median < points[b].series->summary.median;
    });
    standings[best].best = true;
    for (const size_t member : members) {
      if (member == best) continue;
      const Ratio ratio = ratio_between(points[member], points[best]);
      standings[member].to_best = ratio;
      standings[member].as_good = ratio.low <= 1;
    }
  }
}

void compare_with_bases(const std::vector<RankedPoint>& points, std::vector<Standing>& standings) {
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < points.size(); ++i) {
    if (comparable(points[i])) known.emplace(group_of(points[i], labels_of(points[i].id)), i);
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const RankedPoint& point = points[i];
    if (point.sweep == nullptr || point.sweep->relative_to.empty() || !comparable(point)) {
      continue;
    }
    Labels labels = labels_of(point.id);
    for (auto& [axis, label] : labels) {
      for (const auto& [of, base] : point.sweep->relative_to) {
        if (of == axis) label = base;
      }
    }
    const auto base = known.find(group_of(point, labels));
    if (base == known.end()) continue;
    if (base->second == i) {
      standings[i].is_base = true;
    } else {
      standings[i].to_base = ratio_between(point, points[base->second]);
    }
  }
}

}  // namespace

void add_ranked(std::vector<RankedPoint>& points, const std::string& id, const SweepSettings& sweep,
                const std::vector<BenchSeries>& series, std::optional<int64_t> instructions) {
  if (instructions) {
    points.push_back({id, &sweep, nullptr, instructions});
    return;
  }
  for (const BenchSeries& one : series) {
    if (!is_transfer(one.mode)) points.push_back({id, &sweep, &one, std::nullopt});
  }
}

std::vector<Standing> standings(const std::vector<RankedPoint>& points) {
  std::vector<Standing> all(points.size());
  rank_sweeps(points, all);
  compare_with_bases(points, all);
  return all;
}

std::vector<std::pair<std::string, std::string>> labels_of(const std::string& id) {
  Labels labels;
  const size_t dot = id.find('.');
  if (dot == std::string::npos) return labels;
  for (const std::string& part : split(std::string_view(id).substr(dot + 1), ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) continue;
    labels.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return labels;
}

std::string labels_text(const std::string& id, const std::vector<std::string>& axes) {
  Labels labels = labels_of(id);
  std::erase_if(labels, [&](const auto& one) { return !contains(axes, one.first); });
  return text_of(labels);
}

std::string ratio_text(const Ratio& ratio) {
  std::string text = fmt::format("{:.4g}×", ratio.value);
  const double half = (ratio.high - ratio.low) / 2 / ratio.value;
  if (half > 0) text += fmt::format(" ±{:.2g} %", 100 * half);
  return text;
}

std::string base_text(const SweepSettings& sweep) {
  return text_of(sweep.relative_to);
}

}  // namespace warpmark
