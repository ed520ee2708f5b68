#include "report/page/report_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "report/page/figure_text.hpp"
#include "results/standings.hpp"

namespace warpmark {

namespace {

// The key of a row: a case in one mode, or one without times.
struct RowKey {
  std::string id, point;
  std::optional<TimingMode> mode;
  friend bool operator==(const RowKey&, const RowKey&) = default;
};

// A case of one result, and the series that the row shows.
struct Found {
  const BenchCase* one = nullptr;
  const BenchSeries* series = nullptr;
  Standing standing;  ///< among the points of its result
};

// A result's own points of one suite, held against each other.
class Standings {
 public:
  Standings(const BenchResult& result, const std::string& suite) {
    std::vector<RankedPoint> points;
    for (const BenchCase& one : result.cases) {
      if (one.suite != suite) continue;
      if (base_.empty()) base_ = base_text(one.sweep);
      add_ranked(points, one.id, one.sweep, one.series, one.counter("ptx_thread_instructions"));
    }
    const std::vector<Standing> all = standings(points);
    for (size_t i = 0; i < points.size(); ++i) known_[{points[i].id, points[i].series}] = all[i];
  }

  Standing of(const Found& found) const {
    if (found.one == nullptr) return {};
    for (const BenchSeries* series : {found.series, static_cast<const BenchSeries*>(nullptr)}) {
      const auto known = known_.find({found.one->id, series});
      if (known != known_.end()) return known->second;
    }
    return {};
  }
  /// "kernel=naive"; "" if nothing is compared.
  const std::string& base() const { return base_; }

 private:
  /// Standings by case and series; on a device that counts, by case and null, since each case
  /// occurs once.
  std::map<std::pair<std::string, const BenchSeries*>, Standing> known_;
  std::string base_;
};

std::string best_cell(const Found& found) {
  const Standing& standing = found.standing;
  if (standing.best) return "best";
  if (!standing.to_best) return "";
  return standing.as_good ? "as good" : ratio_text(*standing.to_best);
}

std::string base_cell(const Found& found) {
  if (found.standing.is_base) return "base";
  return found.standing.to_base ? ratio_text(*found.standing.to_base) : "";
}

Found find(const BenchResult& result, const RowKey& key) {
  Found found;
  found.one = result.find(key.id);
  if (found.one != nullptr && key.mode) found.series = found.one->find_series(*key.mode);
  return found;
}

std::string optional_text(const std::optional<double>& value, double unit) {
  return value ? rate_text(*value / unit) : "";
}

std::string counter_text(const Found& found, const std::string& name) {
  const std::optional<int64_t> value = found.one->counter(name);
  return value ? whole_text(*value) : "";
}

std::string time_cell(const Found& found) {
  if (found.series != nullptr) return time_text(found.series->summary.median);
  // A case with two series in another result may have only one here.
  return found.one->verdict == Verdict::passed ? "" : in_words(found.one->verdict);
}

// "40" for one launch, "40, 32" for two that differ.
std::string of_kernels(const Found& found,
                       const std::function<std::string(const KernelFacts&)>& text) {
  std::vector<std::string> parts;
  for (const KernelFacts& kernel : found.one->kernels) parts.push_back(text(kernel));
  const bool all_same =
      std::adjacent_find(parts.begin(), parts.end(), std::not_equal_to<>()) == parts.end();
  if (all_same && parts.size() > 1) parts.resize(1);
  return join(parts, ", ");
}

std::string occupancy_text(const KernelFacts& kernel) {
  return kernel.active_blocks > 0 ? fmt::format("{:.0f} %", kernel.occupancy * 100) : "";
}

std::vector<std::string> notes_of_series(const BenchSeries& series) {
  std::vector<std::string> notes;
  if (series.stop == StopReason::budget) notes.emplace_back("the budget ended it");
  if (series.summary.count < 6) notes.emplace_back("unstable: few samples");
  if (!series.latency_hidden) notes.emplace_back("with launch latency");
  if (std::string clock = changed_clock(series); !clock.empty()) notes.push_back(std::move(clock));
  return notes;
}

std::vector<std::string> notes_of_case(const BenchCase& one) {
  std::vector<std::string> notes;
  if (!one.reason.empty()) notes.push_back(one.reason);
  if (std::string text = relative_text(one); !text.empty()) notes.push_back(std::move(text));
  for (const std::string& what : one.untested) notes.push_back(untested_text(what));
  std::set<std::string> reasons;
  for (const DeviceState* state : {&one.before, &one.after}) {
    reasons.insert(state->throttle_reasons.begin(), state->throttle_reasons.end());
  }
  reasons.erase("gpu_idle");
  if (!reasons.empty()) notes.push_back(fmt::format("throttled: {}", fmt::join(reasons, ", ")));
  for (const KernelFacts& kernel : one.kernels) {
    if (kernel.local_bytes > 0) {
      notes.push_back(fmt::format("{} spills {} bytes a thread", kernel.entry, kernel.local_bytes));
    }
  }
  return notes;
}

// Notes in a separate column, which only the table of a single result has room for.
std::string notes_cell(const Found& found) {
  if (found.one == nullptr) return "";
  std::vector<std::string> notes = notes_of_case(*found.one);
  if (found.series != nullptr) {
    for (std::string& note : notes_of_series(*found.series)) notes.push_back(std::move(note));
  }
  return join(notes, "; ");
}

// Adds notes below the table; notes on the whole case are added once.
void add_notes(const RowKey& key, const Found& found, const std::string& name,
               std::vector<std::string>& notes) {
  if (found.one == nullptr) return;
  const auto add = [&](const std::string& mode, const std::string& note) {
    std::string line = fmt::format("{}{} of {}: {}", key.point, mode, name, note);
    if (std::ranges::find(notes, line) == notes.end()) notes.push_back(line);
  };
  for (const std::string& note : notes_of_case(*found.one)) add("", note);
  if (found.series == nullptr) return;
  for (const std::string& note : notes_of_series(*found.series)) {
    add(" " + std::string(to_text(found.series->mode)), note);
  }
}

struct Figure {
  std::string title;
  std::function<std::string(const Found&)> text;
};

std::vector<Figure> time_figures() {
  return {{"time", time_cell},
          {"±",
           [](const Found& found) {
             return found.series != nullptr ? half_width_text(found.series->summary.half_width())
                                            : "";
           }},
          {"GB/s",
           [](const Found& found) {
             return found.series != nullptr ? optional_text(found.series->bytes_per_s, 1e9) : "";
           }},
          {"of copy",
           [](const Found& found) {
             const bool known = found.series != nullptr && found.series->copy_share;
             return known ? share_text(*found.series->copy_share) : "";
           }},
          {"GFLOP/s",
           [](const Found& found) {
             return found.series != nullptr ? optional_text(found.series->flops_per_s, 1e9) : "";
           }},
          {"of peak", [](const Found& found) {
             const bool known = found.series != nullptr && found.series->peak_share;
             return known ? share_text(*found.series->peak_share) : "";
           }}};
}

// Figures of a result on a device that counts: counts, and how they changed since `first`, if that
// is another result. Its times mean nothing.
std::vector<Figure> count_figures(const BenchResult& result, const BenchResult* first,
                                  bool single) {
  struct Counted {
    const char* name;
    const char* title;
    bool always;  ///< also where there is little room
  };
  // `compare` shows the other counters; a table of all would be too wide.
  static constexpr Counted kCounted[] = {{"ptx_thread_instructions", "thread instructions", true},
                                         {"ptx_warp_instructions", "warp instructions", false},
                                         {"global_load_bytes", "bytes loaded", true},
                                         {"global_store_bytes", "bytes stored", true},
                                         {"global_atomic_bytes", "bytes of atomics", true}};
  std::vector<Figure> all;
  for (const Counted& counted : kCounted) {
    const std::string name = counted.name;
    const bool leads = &counted == &kCounted[0];
    const bool any = std::ranges::any_of(
        result.cases, [&](const BenchCase& one) { return one.counter(name).value_or(0) > 0; });
    if ((!any && !leads) || (!single && !counted.always)) continue;
    all.push_back({counted.title, [name, leads](const Found& found) {
                     const bool passed = found.one->verdict == Verdict::passed;
                     if (leads && !passed) return in_words(found.one->verdict);
                     return counter_text(found, name);
                   }});
    if (first == nullptr) continue;
    all.push_back({"change", [name, first](const Found& found) -> std::string {
                     const BenchCase* before = first->find(found.one->id);
                     const auto then = before != nullptr ? before->counter(name) : std::nullopt;
                     const auto now = found.one->counter(name);
                     if (!then || !now || *then == *now) return "";
                     return change_of_count(static_cast<double>(*now) / static_cast<double>(*then));
                   }});
  }
  return all;
}

// `first` is the result that others are held against; null if this is the first one that counts.
std::vector<Figure> figures(bool single, const BenchResult& result, const BenchResult* first) {
  const bool counted = result.counted();
  std::vector<Figure> all = counted ? count_figures(result, first, single) : time_figures();
  if (!single) return all;
  all.push_back(
      {"occupancy", [](const Found& found) { return of_kernels(found, occupancy_text); }});
  all.push_back({"registers", [](const Found& found) {
                   return of_kernels(found, [](const KernelFacts& kernel) {
                     return kernel.registers > 0 ? std::to_string(kernel.registers) : "";
                   });
                 }});
  if (counted) return all;
  all.push_back({"samples", [](const Found& found) {
                   if (found.series == nullptr) return std::string();
                   return whole_text(static_cast<int64_t>(found.series->summary.count));
                 }});
  return all;
}

// All rows of a suite in the order of the results that name them first.
std::vector<RowKey> row_keys(const std::vector<NamedResult>& results, const std::string& suite) {
  std::vector<RowKey> keys;
  const auto add = [&](RowKey key) {
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
  };
  for (const NamedResult& named : results) {
    if (named.result.counted()) continue;
    for (const BenchCase& one : named.result.cases) {
      if (one.suite != suite) continue;
      for (const BenchSeries& series : one.series) add({one.id, one.point_text(), series.mode});
    }
  }
  // Adds cases without times, such as all that are counted: beside their times in another result,
  // or in a separate row.
  for (const NamedResult& named : results) {
    for (const BenchCase& one : named.result.cases) {
      const bool known =
          std::ranges::any_of(keys, [&](const RowKey& key) { return key.id == one.id; });
      if (one.suite == suite && !known) add({one.id, one.point_text(), std::nullopt});
    }
  }
  return keys;
}

void drop_empty_columns(ReportTable& table) {
  for (size_t i = table.columns.size(); i-- > 0;) {
    const bool empty =
        std::ranges::all_of(table.rows, [&](const auto& row) { return row[i].empty(); });
    if (!empty) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<std::string>& row : table.rows) row.erase(row.begin() + at);
  }
}

ReportTable table_of(const std::vector<NamedResult>& results, const std::string& suite) {
  const bool single = results.size() == 1;
  ReportTable table;
  table.suite = suite;
  table.columns = {{"case"}, {"mode"}};
  std::vector<std::pair<size_t, Figure>> cells;
  std::vector<Standings> ranks;
  const BenchResult* first = nullptr;
  for (size_t i = 0; i < results.size(); ++i) {
    ranks.emplace_back(results[i].result, suite);
    std::vector<Figure> shown = figures(single, results[i].result, first);
    const auto place = std::min<ptrdiff_t>(2, std::ssize(shown));  // behind the time
    shown.insert(shown.begin() + place,
                 {{"of best", best_cell}, {"of " + ranks.back().base(), base_cell}});
    for (Figure& figure : shown) {
      table.columns.push_back({figure.title, i, true, true});
      cells.emplace_back(i, std::move(figure));
    }
    if (first == nullptr && results[i].result.counted()) first = &results[i].result;
  }
  if (single) table.columns.push_back({"notes"});
  for (const RowKey& key : row_keys(results, suite)) {
    std::vector<std::string> row = {key.point, key.mode ? std::string(to_text(*key.mode)) : ""};
    std::vector<Found> found;
    found.reserve(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      found.push_back(find(results[i].result, key));
      found.back().standing = ranks[i].of(found.back());
    }
    for (const auto& [index, figure] : cells) {
      row.push_back(found[index].one != nullptr ? figure.text(found[index]) : "");
    }
    if (single) row.push_back(notes_cell(found[0]));
    for (size_t i = 0; i < results.size() && !single; ++i) {
      add_notes(key, found[i], results[i].name, table.notes);
    }
    table.rows.push_back(std::move(row));
  }
  drop_empty_columns(table);
  return table;
}

// "1980 MHz", "1755 to 1980 MHz (at most 1980)" over all cases.
std::string clock_text(const BenchResult& result) {
  std::optional<int64_t> low, high, most;
  for (const BenchCase& one : result.cases) {
    const std::optional<int64_t> clock = one.after.sm_clock_mhz;
    if (one.after.max_sm_clock_mhz) most = one.after.max_sm_clock_mhz;
    if (!clock) continue;
    low = low ? std::min(*low, *clock) : *clock;
    high = high ? std::max(*high, *clock) : *clock;
  }
  if (!low) return "";
  std::string text =
      *low == *high ? fmt::format("{} MHz", *low) : fmt::format("{} to {} MHz", *low, *high);
  if (most && *most != *high) text += fmt::format(" (at most {})", *most);
  return text;
}

// "float32 60400 GFLOP/s, float16 121000 GFLOP/s"; "" in journals of before.
std::string peaks_text(const Ceilings& ceilings) {
  std::vector<std::string> parts;
  for (const char* dtype : {"float64", "float32", "float16"}) {
    const std::optional<double> rate = ceilings.flops_per_s(dtype);
    if (rate) parts.push_back(fmt::format("{} {} GFLOP/s", dtype, rate_text(*rate / 1e9)));
  }
  return join(parts, ", ");
}

std::string count_text(const BenchResult& result) {
  std::map<Verdict, size_t> counts;
  size_t timed = 0;
  for (const BenchCase& one : result.cases) {
    if (one.measured()) {
      ++timed;
    } else {
      ++counts[one.verdict];
    }
  }
  std::string text = fmt::format("{} measured", timed);
  for (const auto& [verdict, count] : counts) {
    text += fmt::format(", {} {}", count,
                        verdict == Verdict::passed ? "without times" : in_words(verdict));
  }
  return text;
}

}  // namespace

std::vector<NamedResult> name_results(std::vector<BenchResult> results) {
  std::vector<NamedResult> named;
  named.reserve(results.size());
  const auto stem = [](const BenchResult& result) { return result.file.stem().string(); };
  std::map<std::string, size_t> stems, paths;
  for (const BenchResult& result : results) ++stems[stem(result)];
  for (BenchResult& result : results) {
    std::string name = stem(result);
    if (stems[name] > 1) name = display_path(result.file);
    // The same file twice.
    const size_t again = paths[name]++;
    if (again > 0) name += fmt::format(" ({})", again + 1);
    named.push_back({std::move(name), std::move(result)});
  }
  return named;
}

std::vector<ReportTable> report_tables(const std::vector<NamedResult>& results) {
  std::vector<std::string> suites;
  for (const NamedResult& named : results) {
    for (const BenchCase& one : named.result.cases) {
      if (std::ranges::find(suites, one.suite) == suites.end()) {
        suites.push_back(one.suite);
      }
    }
  }
  std::vector<ReportTable> tables;
  tables.reserve(suites.size());
  for (const std::string& suite : suites) tables.push_back(table_of(results, suite));
  return tables;
}

std::vector<std::pair<std::string, std::string>> context_of(const BenchResult& result) {
  std::vector<std::pair<std::string, std::string>> context;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) context.emplace_back(name, std::move(value));
  };
  add("device", result.architecture > 0
                    ? fmt::format("{} (sm_{})", result.device_name, result.architecture)
                    : result.device_name);
  add("driver and NVRTC",
      fmt::format("{}, {}", cuda_version_text(result.driver_version), result.nvrtc_version));
  if (result.ceilings) {
    add("copy", fmt::format("{} GB/s, device to device, of {}",
                            rate_text(result.ceilings->copy_bytes_per_s / 1e9),
                            format_bytes(result.ceilings->array_bytes)));
    add("read", fmt::format("{} GB/s", rate_text(result.ceilings->read_bytes_per_s / 1e9)));
    add("fused multiply-adds", peaks_text(*result.ceilings));
  }
  add("SM clock", clock_text(result));
  add("host", result.processor + (result.system.empty() ? "" : ", " + result.system));
  add("date", result.date);
  if (result.commit) {
    add("commit", result.commit->substr(0, 12) + (result.dirty ? ", and changes" : ""));
  }
  add("cases", count_text(result));
  if (!result.complete) {
    add("ended early", result.error.empty() ? "the run did not come to its end" : result.error);
  }
  add("command", result.command);
  add("Warpmark", result.version);
  return context;
}

}  // namespace warpmark
