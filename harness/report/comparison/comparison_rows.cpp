#include "report/comparison/comparison_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/page/figure_text.hpp"

namespace warpmark {

namespace {

std::string interval_text(const Ratio& ratio) {
  return fmt::format("{} … {} %", change_percent(ratio.low, 1), change_percent(ratio.high, 1));
}

std::string count_of(const std::optional<int64_t>& value) {
  return value ? whole_text(*value) : "-";
}

std::vector<std::string> notes_of(const ComparedPoint& point) {
  std::vector<std::string> notes;
  if (!point.reason.empty()) notes.push_back(point.reason);
  const bool moved = point.verdict == ChangeVerdict::slower ||
                     point.verdict == ChangeVerdict::mixed ||
                     point.verdict == ChangeVerdict::faster;
  if (moved && point.sources_known && !point.sources_differ) {
    notes.emplace_back(point.counted ? "of the same sources: look at compiler and device"
                                     : "of the same sources: look at the machine");
  }
  notes.insert(notes.end(), point.notes.begin(), point.notes.end());
  return notes;
}

void add_counter_rows(const ComparedPoint& point, ComparisonRow row,
                      std::vector<ComparisonRow>& rows) {
  if (point.counters.empty()) {
    rows.push_back(std::move(row));
    return;
  }
  for (const CounterChange& change : point.counters) {
    row.what = change.name;
    row.baseline = count_of(change.baseline);
    row.contender = count_of(change.contender);
    row.change = "new";
    if (change.baseline && change.contender) {
      row.change =
          change_of_count(*change.baseline == 0 ? INFINITY
                                                : static_cast<double>(*change.contender) /
                                                      static_cast<double>(*change.baseline));
    } else if (change.baseline) {
      row.change = "gone";
    }
    row.interval = change.counts || change.least_effect <= 0
                       ? ""
                       : fmt::format("within {:.3g} %", 100 * change.least_effect);
    rows.push_back(row);
    row.first = false;
    row.notes.clear();
  }
  rows.back().lines = line_texts(point);
}

void add_rows(const ComparedPoint& point, std::vector<ComparisonRow>& rows) {
  ComparisonRow row;
  row.verdict = point.verdict;
  row.id = point.id;
  row.notes = notes_of(point);
  if (point.counted) {
    add_counter_rows(point, std::move(row), rows);
    return;
  }
  if (point.mode) row.what = to_text(*point.mode);
  if (point.baseline) row.baseline = time_text(point.baseline->median);
  if (point.contender) row.contender = time_text(point.contender->median);
  if (point.ratio) {
    row.change = change_of_time(point.ratio->value);
    row.interval = interval_text(*point.ratio);
  }
  rows.push_back(std::move(row));
}

std::string file_text(const BenchResult& result) {
  std::string text = display_path(result.file);
  text += result.date.empty() ? ", counts of NVRTC " + result.nvrtc_version : ", " + result.date;
  if (result.commit) {
    text += ", " + result.commit->substr(0, 12) + (result.dirty ? " and changes" : "");
  }
  return text;
}

size_t cases_of(const BenchComparison& comparison) {
  std::set<std::string> ids;
  for (const ComparedPoint& point : comparison.points) ids.insert(point.id);
  return ids.size();
}

// The command that repeats the first case of that verdict.
std::string repeat_command(const ComparedBenches& compared, ChangeVerdict verdict) {
  for (const ComparedPoint& point : compared.comparison.points) {
    if (point.verdict != verdict) continue;
    const BenchCase* one = compared.contender.find(point.id);
    return one != nullptr ? one->reproduce : "";
  }
  return "";
}

// How the baseline becomes what is measured now.
std::string update_text(const ComparedBenches& compared) {
  const std::string baseline = display_path(compared.baseline.file);
  if (compared.comparison.counted && !compared.command.empty()) {
    return "if that is meant: " + compared.command + " --update-baseline";
  }
  if (compared.comparison.counted && compared.baseline.date.empty()) {
    return fmt::format("if that is meant, let bench --compare {} --update-baseline write it",
                       baseline);
  }
  return fmt::format("if that is meant, let {} take the place of {}",
                     display_path(compared.contender.file), baseline);
}

}  // namespace

bool ComparedBenches::fails(ChangeVerdict verdict) const {
  if (verdict == ChangeVerdict::slower || verdict == ChangeVerdict::lost ||
      verdict == ChangeVerdict::mixed)
    return true;
  return fail_on.contains(verdict) || (verdict == ChangeVerdict::missing && !allow_missing);
}

int ComparedBenches::exit_code() const {
  const bool any = std::ranges::any_of(comparison.points,
                                       [&](const auto& point) { return fails(point.verdict); });
  return any ? 1 : 0;
}

bool has_growth(const ComparedPoint& point) {
  return !point.lines.empty() && point.lines.front().counters.front().baseline.has_value();
}

std::string growth_text(const GrownLine& line) {
  std::vector<std::string> parts;
  for (const CounterChange& change : line.counters) {
    const int64_t now = change.contender.value_or(0);
    parts.push_back(change.baseline
                        ? fmt::format("+{} {} ({} → {})", whole_text(now - *change.baseline),
                                      change.name, whole_text(*change.baseline), whole_text(now))
                        : fmt::format("{} {}", whole_text(now), change.name));
    if (parts.size() == kMostCounters) break;
  }
  const size_t more = line.counters.size() - parts.size();
  return join(parts, ", ") +
         (more > 0 ? fmt::format(", and {} more", counted(more, "counter")) : "");
}

std::vector<std::string> line_texts(const ComparedPoint& point) {
  std::vector<std::string> texts;
  if (point.lines.empty()) return texts;
  if (!has_growth(point)) {
    texts.push_back(fmt::format("the baseline has no lines; most of {} is now in",
                                point.lines.front().counters.front().name));
  }
  const size_t shown = std::min(point.lines.size(), kMostGrownLines);
  for (size_t i = 0; i < shown; ++i) {
    const GrownLine& line = point.lines[i];
    texts.push_back(fmt::format("{}:{}: {}", line.file, line.number, growth_text(line)));
  }
  if (shown < point.lines.size()) {
    texts.push_back("and " + counted(point.lines.size() - shown, "line") + " more");
  }
  return texts;
}

std::vector<FailedChange> failed_changes(const ComparedBenches& compared) {
  std::vector<FailedChange> failed;
  for (const ChangeVerdict verdict : kChangeVerdicts) {  // the gravest first
    if (!compared.fails(verdict)) continue;
    for (const ComparedPoint& point : compared.comparison.points) {
      if (point.verdict != verdict) continue;
      FailedChange one;
      one.suite = point.suite;
      one.id = point.id;
      one.verdict = verdict;
      std::vector<ComparisonRow> rows;
      add_rows(point, rows);
      one.text = std::string(to_text(verdict));
      for (const std::string& note : rows.front().notes) one.text += "; " + note;
      if (verdict == ChangeVerdict::missing && point.reason.empty()) {
        one.text += ": the baseline has it, and this run knows no such case";
      }
      for (const ComparisonRow& row : rows) {
        if (row.what.empty()) continue;
        one.text += fmt::format("\n{}: {} before, {} now", row.what,
                                row.baseline.empty() ? "-" : row.baseline,
                                row.contender.empty() ? "-" : row.contender);
        if (row.change.empty()) continue;
        // The interval of a time is for people who look at tables.
        const bool within = point.counted && !row.interval.empty();
        one.text += " (" + row.change + (within ? ", " + row.interval : "") + ")";
      }
      for (const std::string& text : line_texts(point)) one.text += "\n" + text;
      if (has_growth(point)) {
        one.line = {point.lines.front().file, static_cast<int>(point.lines.front().number), 0};
      }
      const BenchCase* now = compared.contender.find(point.id);
      if (now != nullptr && !now->reproduce.empty()) one.text += "\nrepeat: " + now->reproduce;
      if (const BenchCase* before = compared.baseline.find(point.id)) {
        const bool of_several = !before->file.empty();
        one.where = {display_path(of_several ? before->file : compared.baseline.file), before->line,
                     0};
      }
      failed.push_back(std::move(one));
    }
  }
  return failed;
}

std::vector<ComparisonRow> rows_of(const BenchComparison& comparison, ChangeVerdict verdict) {
  std::vector<const ComparedPoint*> points;
  for (const ComparedPoint& point : comparison.points) {
    if (point.verdict == verdict) points.push_back(&point);
  }
  if (verdict == ChangeVerdict::slower || verdict == ChangeVerdict::mixed ||
      verdict == ChangeVerdict::faster) {
    std::ranges::stable_sort(points, [](const ComparedPoint* a, const ComparedPoint* b) {
      return std::abs(std::log(a->ratio->value)) > std::abs(std::log(b->ratio->value));
    });
  }
  std::vector<ComparisonRow> rows;
  for (const ComparedPoint* point : points) add_rows(*point, rows);
  return rows;
}

std::string sum_text(const ComparedBenches& compared) {
  const BenchComparison& comparison = compared.comparison;
  std::vector<std::string> parts;
  for (const ChangeVerdict verdict : kChangeVerdicts) {
    const size_t count = comparison.count(verdict);
    if (count == 0) continue;
    const std::string word(to_text(verdict));
    parts.push_back(
        fmt::format("{} {}", count, verdict == ChangeVerdict::same ? "the same" : word));
  }
  const double effect =
      comparison.counted ? compared.options.least_count_effect : compared.options.least_effect;
  std::string limit = effect > 0 ? fmt::format("a change counts from {:.3g} % on", effect * 100)
                                 : "every change counts";
  if (comparison.counted) {
    for (const CounterEffect& one : compared.options.count_effects) {
      limit += one.least > 0
                   ? fmt::format(", of {} from {:.3g} % on", one.counters, one.least * 100)
                   : fmt::format(", of {} every change", one.counters);
    }
  }
  return join(parts, ", ") + " (" + limit + ")";
}

std::vector<std::string> head_lines(const ComparedBenches& compared) {
  const BenchComparison& comparison = compared.comparison;
  const size_t cases = cases_of(comparison);
  std::string devices = compared.contender.device_name;
  if (compared.baseline.device_name != devices) {
    devices = compared.baseline.device_name + " and on " + devices;
  }
  std::vector<std::string> lines = {fmt::format("{} on {}, by {}", counted(cases, "case"), devices,
                                                comparison.counted ? "exact counters" : "times"),
                                    "baseline:  " + file_text(compared.baseline),
                                    "contender: " + file_text(compared.contender)};
  std::set<std::string> changed;
  for (const ComparedPoint& point : comparison.points) {
    if (point.sources_known && point.sources_differ) changed.insert(point.id);
  }
  if (!changed.empty()) {
    lines.push_back(fmt::format("kernel, plan or options differ in {} of {}", changed.size(),
                                counted(cases, "case")));
  }
  return lines;
}

std::vector<std::string> advice(const ComparedBenches& compared) {
  const BenchComparison& comparison = compared.comparison;
  std::vector<std::string> lines;
  if (!compared.advises) return lines;
  for (const ChangeVerdict verdict :
       {ChangeVerdict::slower, ChangeVerdict::lost, ChangeVerdict::mixed}) {
    const std::string command = repeat_command(compared, verdict);
    if (!command.empty()) lines.push_back("repeat the first one: " + command);
    if (!command.empty()) break;
  }
  const size_t missing = compared.allow_missing ? 0 : comparison.count(ChangeVerdict::missing);
  const bool moved = comparison.count(ChangeVerdict::slower) +
                         comparison.count(ChangeVerdict::mixed) +
                         comparison.count(ChangeVerdict::faster) >
                     0;
  if (missing > 0 || (comparison.counted && moved)) {
    lines.push_back(update_text(compared) +
                    (missing > 0 ? "; --allow-missing lets it pass this once" : ""));
  }
  if (comparison.count(ChangeVerdict::mixed) > 0) {
    lines.emplace_back(
        "in mixed ones some counters grew and others shrank; --min-effect COUNTER=PCT says how "
        "much "
        "one may change");
  }
  if (comparison.count(ChangeVerdict::inconclusive) > 0) {
    lines.emplace_back(
        "inconclusive ones need more samples in both runs (--budget-s), or a quieter machine");
  }
  return lines;
}

}  // namespace warpmark
