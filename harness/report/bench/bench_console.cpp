#include "report/bench/bench_console.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "report/page/figure_text.hpp"
#include "results/comparable_times.hpp"

namespace warpmark {
namespace {

constexpr size_t kTooFew = 5;  // samples: fewer than 6 give no 95 % interval of the median

bool is_precise(const BenchSeries& series, const TimingOptions& options) {
  return series.stop == StopReason::precise || series.summary.half_width() <= options.precision;
}

std::string precision_cell(const BenchSeries& series, bool precise) {
  const std::string text = half_width_text(series.summary.half_width());
  if (text.empty()) return "-";
  return precise ? text + " " : text + "!";
}

std::string cell(const std::optional<double>& value, double unit = 1) {
  return value ? rate_text(*value / unit) : "-";
}

// Returns the bytes that one run moved in the device's global memory, if they are counted.
std::optional<int64_t> counted_bytes(const TimedCase& timed) {
  std::optional<int64_t> bytes;
  for (const char* name : {"global_load_bytes", "global_store_bytes", "global_atomic_bytes"}) {
    if (const auto value = timed.counter(name)) bytes = bytes.value_or(0) + *value;
  }
  return bytes;
}

std::string whole_cell(const std::optional<int64_t>& value) {
  return value ? whole_text(*value) : "-";
}

std::string line_of(const BenchSeries& series) {
  const Summary& summary = series.summary;
  std::string line = fmt::format(
      "{}: {} to {}, half of them {} to {}, {} in batches of {}, stopped: {}", to_text(series.mode),
      time_text(summary.min), time_text(summary.max), time_text(summary.q1), time_text(summary.q3),
      summary.count, series.batch, to_text(series.stop));
  if (series.read_share) line += ", " + share_text(*series.read_share) + " of reading";
  return line;
}

std::string line_of(const KernelFacts& kernel) {
  std::string line = fmt::format(
      "{}: grid {} x {} x {}, block {} x {} x {}, {} registers, {} of shared memory", kernel.entry,
      kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1],
      kernel.block[2], kernel.registers, format_bytes(static_cast<uint64_t>(kernel.shared_bytes)));
  if (kernel.local_bytes > 0) line += fmt::format(", {} local bytes", kernel.local_bytes);
  if (kernel.active_blocks > 0) line += ", occupancy " + share_text(kernel.occupancy);
  return line;
}

}  // namespace

BenchConsole::BenchConsole(std::ostream& out, const ConsoleStyle& style, const BenchTable& table,
                           const RunContext& context)
    : frame_(out, style, table.suites, table.cases, context),
      table_(table),
      share_(context.bench && context.bench->ceilings && table.bytes) {
  if (table_.profile) return;
  add_columns();
  table_.name_width = std::max(table_.name_width, std::string_view("case").size());
  if (style.verbosity == Verbosity::quiet) return;
  if (context.bench && context.bench->ceilings) {
    const Ceilings& best = *context.bench->ceilings;
    frame_.write(fmt::format("copy {} GB/s, read {} GB/s, measured in this run\n\n",
                             rate_text(best.copy_bytes_per_s / 1e9),
                             rate_text(best.read_bytes_per_s / 1e9)));
  }
  std::string header = fmt::format("{:<{}}", "case", table_.name_width);
  for (const Column& column : columns_) {
    header += fmt::format("  {:>{}}", column.title, column.width);
  }
  frame_.write(coloured(style, Colour::dim, header) + "\n");
}

// A device that counts takes times only to see that the case can be repeated: its times mean
// nothing.
void BenchConsole::add_columns() {
  if (table_.counted) {
    columns_ = {{"instructions", 15}, {"bytes", 15}};
    return;
  }
  columns_ = {{"time", 9}, {"±", 8}};
  for (const TimingMode mode : table_.further_modes)
    columns_.push_back({std::string(to_text(mode)), std::max<size_t>(9, to_text(mode).size())});
  if (table_.bytes) columns_.push_back({"GB/s", 7});
  if (share_) columns_.push_back({"of copy", 7});
  if (table_.flops) columns_.push_back({"GFLOP/s", 7});
  if (table_.peak) columns_.push_back({"of peak", 7});
  columns_.push_back({"samples", 7});
}

void BenchConsole::start_case(const std::string& case_id) {
  frame_.show_progress(case_id);
}

void BenchConsole::end_case(const EndedCase& ended) {
  frame_.add(ended);
  const Outcome& outcome = ended.outcome;
  const ConsoleStyle& style = frame_.style();
  if (style.verbosity == Verbosity::quiet) return;
  if (ended.timed != nullptr) {
    if (ended.timed->sweep.any()) swept_.push_back(swept_case(outcome.case_id, *ended.timed));
    write_row(outcome, *ended.timed);
    if (style.verbosity == Verbosity::verbose) write_details(*ended.timed);
    return;
  }
  // Interrupted cases are in the sum; hundreds of rows would only push the times away.
  if (outcome.verdict == Verdict::interrupted || outcome.verdict == Verdict::not_run) return;
  const bool failed = outcome.verdict == Verdict::failed;
  const std::string word = outcome.verdict != Verdict::passed
                               ? std::string(to_text(outcome.verdict))
                           : table_.profile ? "ran"
                                            : "not timed";
  frame_.write(fmt::format("{:<{}}  ", outcome.case_id, table_.name_width) +
               coloured(style, failed ? Colour::red : Colour::yellow,
                        fmt::format("{:>{}}", word, columns_.empty() ? 9 : columns_[0].width)) +
               "\n");
}

void BenchConsole::write_row(const Outcome& outcome, const TimedCase& timed) {
  const ConsoleStyle& style = frame_.style();
  std::string line = fmt::format("{:<{}}", outcome.case_id, table_.name_width);
  const std::vector<std::string> texts = cells(timed);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string text = fmt::format("{:>{}}", texts[i], columns_[i].width);
    const Colour colour = i == 0                    ? Colour::bold
                          : texts[i].ends_with('!') ? Colour::yellow
                                                    : Colour::plain;
    line += "  " + coloured(style, colour, text);
  }
  const std::vector<std::string> warnings = marks(timed);
  if (!warnings.empty()) line += "  " + coloured(style, Colour::yellow, join(warnings, ", "));
  if (const std::string text = relative_text(timed); !text.empty()) line += "  " + text;
  frame_.write(line + "\n");
  write_transfers(timed);
}

// "  upload of 12 MiB: 230.1 µs (54.7 GB/s), pageable 1.02 ms (12.3 GB/s)".
void BenchConsole::write_transfers(const TimedCase& timed) {
  const std::pair<TimingMode, TimingMode> directions[] = {
      {TimingMode::upload, TimingMode::pageable_upload},
      {TimingMode::download, TimingMode::pageable_download}};
  const auto figures = [](const BenchSeries& series) {
    return fmt::format("{} ({} GB/s)", time_text(series.summary.median),
                       cell(series.bytes_per_s, 1e9));
  };
  for (const auto& [pinned, pageable] : directions) {
    const BenchSeries* fast = timed.find_series(pinned);
    const BenchSeries* slow = timed.find_series(pageable);
    if (fast == nullptr || slow == nullptr) continue;
    frame_.write(fmt::format("  {} of {}: pinned {}, pageable {}\n", to_text(pinned),
                             format_bytes(fast->moved_bytes.value_or(0)), figures(*fast),
                             figures(*slow)));
  }
}

std::vector<std::string> BenchConsole::cells(const TimedCase& timed) const {
  if (table_.counted) {
    return {whole_cell(timed.counter("ptx_thread_instructions")), whole_cell(counted_bytes(timed))};
  }
  const BenchSeries& first = timed.series.front();
  std::vector<std::string> texts = {time_text(first.summary.median),
                                    precision_cell(first, is_precise(first, timed.options))};
  for (const TimingMode mode : table_.further_modes) {
    const BenchSeries* series = timed.find_series(mode);
    // Where only one mode is taken of a case, its time is in the first column.
    const bool is_there = series != nullptr && series != &first;
    texts.push_back(is_there ? time_text(series->summary.median) : "-");
  }
  if (table_.bytes) texts.push_back(cell(first.bytes_per_s, 1e9));
  const auto share = [](const std::optional<double>& of) { return of ? share_text(*of) : "-"; };
  if (share_) texts.push_back(share(first.copy_share));
  if (table_.flops) texts.push_back(cell(first.flops_per_s, 1e9));
  if (table_.peak) texts.push_back(share(first.peak_share));
  texts.push_back(whole_text(static_cast<int64_t>(first.summary.count)));
  return texts;
}

std::vector<std::string> BenchConsole::marks(const TimedCase& timed) {
  std::vector<std::string> words;
  if (table_.counted) return words;
  for (const BenchSeries& series : timed.series) {
    const bool first = &series == &timed.series.front();
    const std::string which = first ? "" : std::string(to_text(series.mode)) + " ";
    if (!is_precise(series, timed.options)) {
      missed_precision_ = true;
      if (!first) words.push_back(which + precision_cell(series, false));
    }
    if (series.summary.count < kTooFew) words.push_back(which + "unstable");
    if (!series.latency_hidden) words.push_back(which + "with launch latency");
    if (std::string clock = changed_clock(series); !clock.empty()) words.push_back(which + clock);
  }
  for (const TimingMode mode : timed.options.modes) {
    if (timed.find_series(mode) != nullptr) continue;
    words.push_back("no time for " + std::string(to_text(mode)));
    missed_precision_ = true;
  }
  const bool only_hot = timed.series.front().mode == TimingMode::hot;
  if (only_hot) words.insert(words.begin(), "hot");
  const std::vector<std::string> reasons = throttling(timed.measurement);
  if (!reasons.empty()) words.push_back("throttled: " + join(reasons, " "));
  for (const std::string& what : timed.measurement.honest.untested)
    words.push_back(untested_text(what));
  return words;
}

void BenchConsole::write_details(const TimedCase& timed) {
  std::string lines;
  if (!table_.counted) {
    for (const BenchSeries& series : timed.series) lines += "  " + line_of(series) + "\n";
  }
  for (const KernelFacts& kernel : timed.measurement.kernels) {
    lines += "  " + printable(line_of(kernel)) + "\n";
  }
  for (const auto& [name, value] : timed.measurement.counters) {
    lines += fmt::format("  {}: {}\n", printable(name), whole_text(value));
  }
  frame_.write(lines);
}

void BenchConsole::finish(const RunEnd& end) {
  for (const std::string& line : sweep_summary(swept_)) frame_.write(line + "\n");
  if (missed_precision_) {
    frame_.write("\n! the time is not known as well as was asked for: see --budget-s\n");
  }
  frame_.finish(end);
}

}  // namespace warpmark
