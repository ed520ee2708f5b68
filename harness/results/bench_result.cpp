#include "results/bench_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/file.hpp"
#include "base/record_field.hpp"
#include "results/journal.hpp"
#include "suite/select_expression.hpp"
#include "worker/measurement_json.hpp"

namespace warpmark {

namespace {

std::optional<double> optional_number(const RecordField& record, const char* name) {
  const auto field = record.find(name);
  return field ? std::optional(field->number()) : std::nullopt;
}

std::optional<int64_t> optional_integer(const RecordField& record, const char* name) {
  const auto field = record.find(name);
  return field ? std::optional(field->integer()) : std::nullopt;
}

std::optional<bool> optional_boolean(const RecordField& record, const char* name) {
  const auto field = record.find(name);
  return field ? std::optional(field->boolean()) : std::nullopt;
}

// The clock that takes the times has steps, so that a short time may read as 0.
double seconds_of(const RecordField& record, const char* name) {
  const RecordField field = record.member(name);
  const double seconds = field.number();
  if (seconds < 0) throw field.wrong("must not be negative");
  return seconds;
}

// The record's summary, as the statistics that wrote it computed it.
Summary summary_of(const RecordField& record) {
  Summary summary;
  const RecordField count = record.member("count");
  if (count.integer() < 1) throw count.wrong("must be 1 or more");
  summary.count = static_cast<size_t>(count.integer());
  summary.median = seconds_of(record, "median_s");
  // A median of 0 would make rates and ratios meaningless.
  if (summary.median == 0) throw record.member("median_s").wrong("must be more than 0");
  summary.interval = {seconds_of(record, "low_s"), seconds_of(record, "high_s"),
                      record.member("confidence").number()};
  summary.q1 = seconds_of(record, "q1_s");
  summary.q3 = seconds_of(record, "q3_s");
  summary.min = seconds_of(record, "min_s");
  summary.max = seconds_of(record, "max_s");
  if (summary.interval.low > summary.median || summary.interval.high < summary.median) {
    throw record.member("median_s").wrong("lies outside its interval");
  }
  return summary;
}

BenchProcess process_of(const RecordField& record) {
  BenchProcess process;
  const RecordField count = record.member("count");
  if (count.integer() < 1) throw count.wrong("must be 1 or more");
  process.count = static_cast<size_t>(count.integer());
  process.median_s = seconds_of(record, "median_s");
  process.overhead_s = optional_number(record, "overhead_s");
  process.clock_mhz = optional_number(record, "clock_mhz");
  process.clock_change = optional_number(record, "clock_change");
  return process;
}

BenchSeries series_of(const RecordField& record) {
  BenchSeries series;
  // Journals from before 2026-12 name the mode `cache`.
  const auto cache = record.find("cache");
  series.mode = (cache ? *cache : record.member("mode")).word<TimingMode>();
  const RecordField batch = record.member("batch");
  if (batch.integer() < 1) throw batch.wrong("must be 1 or more");
  series.batch = static_cast<uint64_t>(batch.integer());
  if (const auto moved = optional_integer(record, "moved_bytes"))
    series.moved_bytes = static_cast<uint64_t>(*moved);
  series.stop = record.member("stop").word<StopReason>();
  series.latency_hidden = record.member("latency_hidden").boolean();
  series.summary = summary_of(record);
  const RecordField samples = record.member("samples_s");
  series.samples = samples.numbers();
  if (series.samples.size() != series.summary.count) {
    throw samples.wrong(fmt::format("has {} samples, but `count` says {}", series.samples.size(),
                                    series.summary.count));
  }
  if (const auto processes = record.find("processes")) {
    size_t count = 0;
    for (const RecordField& process : processes->elements()) {
      series.processes.push_back(process_of(process));
      count += series.processes.back().count;
    }
    if (count != series.summary.count) {
      throw processes->wrong(
          fmt::format("does not have the {} samples that there are", series.summary.count));
    }
  }
  series.bytes_per_s = optional_number(record, "bytes_per_s");
  series.flops_per_s = optional_number(record, "flops_per_s");
  series.copy_share = optional_number(record, "copy_share");
  series.read_share = optional_number(record, "read_share");
  series.peak_share = optional_number(record, "peak_share");
  return series;
}

std::array<int64_t, 3> extent_of(const RecordField& field) {
  const std::vector<RecordField> sizes = field.elements();
  if (sizes.size() != 3) throw field.wrong("must be three integers");
  return {sizes[0].integer(), sizes[1].integer(), sizes[2].integer()};
}

// Absent and null figures of a kernel are unknown, which is 0.
void read_field(const RecordField& record, const char* name, std::string& into) {
  into = record.member(name).text();
}
void read_field(const RecordField& record, const char* name, std::vector<std::string>& into) {
  into = record.member(name).texts();
}
void read_field(const RecordField& record, const char* name, std::array<int64_t, 3>& into) {
  into = extent_of(record.member(name));
}
void read_field(const RecordField& record, const char* name, int64_t& into) {
  into = optional_integer(record, name).value_or(0);
}
void read_field(const RecordField& record, const char* name, double& into) {
  into = optional_number(record, name).value_or(0);
}
void read_field(const RecordField& record, const char* name, std::optional<int64_t>& into) {
  into = optional_integer(record, name);
}
void read_field(const RecordField& record, const char* name, std::optional<double>& into) {
  into = optional_number(record, name);
}
void read_field(const RecordField& record, const char* name, std::optional<bool>& into) {
  into = optional_boolean(record, name);
}

// As json_of wrote it.
template <typename Object>
Object recorded(const RecordField& record) {
  Object object;
  each_field(object, [&](const char* name, auto& value) { read_field(record, name, value); });
  return object;
}

void read_measurement(const RecordField& record, BenchCase& into) {
  for (const RecordField& axis : record.member("point").elements()) {
    into.point.emplace_back(axis.member("name").text(), axis.member("value").plain());
  }
  if (const auto sweep = record.find("sweep")) into.sweep.axes = sweep->texts();
  if (const auto relative = record.find("relative_to")) {
    for (const RecordField& axis : relative->elements()) {
      into.sweep.relative_to.emplace_back(axis.member("name").text(), axis.member("label").text());
    }
  }
  into.sources = record.member("sources").text();
  into.bytes = optional_number(record, "bytes");
  into.flops = optional_number(record, "flops");
  into.peak_flops_per_s = optional_number(record, "peak_flops_per_s");
  if (const auto dtype = record.find("peak_dtype")) into.peak_dtype = dtype->text();
  for (const RecordField& series : record.member("series").elements()) {
    BenchSeries one = series_of(series);
    if (into.find_series(one.mode) != nullptr) {
      throw series.wrong(fmt::format("is a second series of mode `{}`", to_text(one.mode)));
    }
    into.series.push_back(std::move(one));
  }
  for (const RecordField& kernel : record.member("kernels").elements()) {
    into.kernels.push_back(recorded<KernelFacts>(kernel));
  }
  for (const RecordField& counter : record.member("counters").elements()) {
    into.counters.emplace_back(counter.member("name").text(), counter.member("value").integer());
  }
  into.before = recorded<DeviceState>(record.member("before"));
  into.after = recorded<DeviceState>(record.member("after"));
  if (const auto relative = record.find("relative_to_baseline"))
    into.relative = recorded<RelativeTime>(*relative);
  if (const auto untested = record.find("untested")) into.untested = untested->texts();
}

BenchCase bench_case_of(const RecordField& record) {
  BenchCase one;
  one.suite = record.member("suite").text();
  one.id = record.member("case").text();
  one.verdict = record.member("verdict").word<Verdict>();
  one.reason = record.member("reason").text();
  one.reproduce = record.member("reproduce").text();
  if (const auto measurement = record.find("measurement")) read_measurement(*measurement, one);
  return one;
}

void read_bench(const RecordField& record, BenchResult& into) {
  const RecordField host = record.member("host");
  into.system = host.member("system").text();
  into.processor = host.member("processor").text();
  if (const auto git = record.find("git")) {
    into.commit = git->member("commit").text();
    into.dirty = git->member("dirty").boolean();
  }
  if (const auto ceilings = record.find("ceilings")) {
    Ceilings& best = into.ceilings.emplace();
    best.copy_bytes_per_s = ceilings->member("copy_bytes_per_s").number();
    best.read_bytes_per_s = ceilings->member("read_bytes_per_s").number();
    best.array_bytes = static_cast<uint64_t>(ceilings->member("array_bytes").integer());
    // Older journals lack these members.
    const auto newer = [&](const char* name) {
      return optional_number(*ceilings, name).value_or(0);
    };
    best.launch_s = newer("launch_s");
    best.memory_bytes_per_s = newer("memory_bytes_per_s");
    best.float64_flops_per_s = newer("float64_flops_per_s");
    best.float32_flops_per_s = newer("float32_flops_per_s");
    best.float16_flops_per_s = newer("float16_flops_per_s");
    best.clock_headroom = newer("clock_headroom");
  }
}

void read_run(const RecordField& record, BenchResult& into) {
  into.version = record.member("warpmark").text();
  into.date = record.member("date").text();
  into.command = record.member("command").text();
  if (const auto seed = record.find("seed")) into.seed = seed->plain();
  if (const auto ids = record.find("asked_cases")) into.asked_ids = ids->texts();
  if (const auto select = record.find("asked_select")) {
    into.asked_select = select->text();
    (void)SelectExpression::parse(into.asked_select, "`asked_select`",
                                  Position{display_path(into.file), 1, 0});
  }
  const RecordField device = record.member("device");
  into.device_kind = device.member("kind").text();
  into.device_name = device.member("name").text();
  if (const auto uuid = device.find("uuid")) into.device_uuid = uuid->text();
  into.driver_version = device.member("driver_version").integer();
  into.nvrtc_version = device.member("nvrtc_version").text();
  into.architecture = device.member("architecture").integer();
  if (const auto capabilities = device.find("capabilities")) {
    into.capabilities = capabilities->texts();
  }
  const auto bench = record.find("bench");
  if (!bench) {
    throw usage_error(
        fmt::format("{} is the journal of a check, which has no times", display_path(into.file)),
        {}, "`warpmark bench` makes one that has");
  }
  read_bench(*bench, into);
}

// Reads how the run ended; a killed one has no end.
void read_end(const JournalContents& contents, const Position& where, BenchResult& into) {
  if (!contents.end) return;
  const RecordField end(*contents.end, where);
  if (const auto error = end.find("error")) into.error = error->text();
  if (into.error.empty() && end.member("interrupted").integer() > 0) into.error = "interrupted";
  into.complete = into.error.empty();
}

}  // namespace

double launches_within(TimingMode mode, uint64_t batch, size_t launches) {
  if (is_graph(mode)) return 1 / static_cast<double>(batch);
  return batch > 1 ? static_cast<double>(launches) : 1;
}

const BenchSeries* find_series(const std::vector<BenchSeries>& series, TimingMode mode) {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const BenchSeries& one) { return one.mode == mode; });
  return found == series.end() ? nullptr : &*found;
}

std::string point_text(const std::string& suite, const std::string& id) {
  const std::string prefix = suite + ".";
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

std::optional<int64_t> BenchCase::counter(const std::string& name) const {
  for (const auto& [known, value] : counters) {
    if (known == name) return value;
  }
  return std::nullopt;
}

const BenchCase* BenchResult::find(const std::string& id) const {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const BenchCase& one) { return one.id == id; });
  return found == cases.end() ? nullptr : &*found;
}

bool BenchResult::asked_for(const std::string& id) const {
  const bool named =
      asked_ids.empty() || std::find(asked_ids.begin(), asked_ids.end(), id) != asked_ids.end();
  return named && (asked_select.empty() ||
                   SelectExpression::parse(asked_select, "`asked_select`").matches(id));
}

bool BenchResult::counted() const {
  return std::find(capabilities.begin(), capabilities.end(), "counters") != capabilities.end() ||
         std::any_of(cases.begin(), cases.end(),
                     [](const BenchCase& one) { return !one.counters.empty(); });
}

namespace {

bool is_bench(const JournalContents& run) {
  return run.run.contains("bench");
}

BenchResult result_of(const std::filesystem::path& file, const JournalContents& contents) {
  const std::string name = display_path(file);
  BenchResult result;
  result.file = file;
  const Position first{name, 1, 0};
  read_run(RecordField(contents.run, first), result);
  std::map<std::string, int> lines;
  for (size_t i = 0; i < contents.cases.size(); ++i) {
    const Position where{name, contents.case_lines[i], 0};
    BenchCase one = bench_case_of(RecordField(contents.cases[i], where));
    one.line = where.line;
    const auto [other, is_new] = lines.emplace(one.id, where.line);
    if (!is_new) {
      throw usage_error(fmt::format("a second record of the case {}", printable(one.id)), where,
                        fmt::format("the first is on line {}", other->second));
    }
    result.cases.push_back(std::move(one));
  }
  for (size_t i = 0; i < contents.lines.size(); ++i) {
    const Position where{name, contents.line_lines[i], 0};
    const RecordField record(contents.lines[i], where);
    const std::string id = record.member("case").text();
    for (BenchCase& one : result.cases) {
      if (one.id != id) continue;
      one.folder = record.member("folder").text();
      one.lines = read_lines(record.member("lines"));
    }
  }
  read_end(contents, Position{name, 0, 0}, result);
  return result;
}

}  // namespace

std::vector<CountedLine> read_lines(const RecordField& lines) {
  std::vector<CountedLine> all;
  for (const RecordField& record : lines.elements()) {
    CountedLine& line = all.emplace_back();
    line.file = record.member("file").text();
    line.number = record.member("line").integer();
    line.text = record.member("text").text();
    for (const auto& [name, value] : record.member("counters").members()) {
      line.counters.emplace_back(name, value.integer());
    }
  }
  return all;
}

BenchResult read_bench_result(const std::filesystem::path& file) {
  return result_of(file, read_journal(file));
}

std::vector<BenchResult> read_bench_results(const std::filesystem::path& file) {
  std::vector<JournalContents> runs = read_journal_runs(file);
  const bool any = std::any_of(runs.begin(), runs.end(), is_bench);
  // Without any the first one says what the journal is of.
  if (any) std::erase_if(runs, [](const JournalContents& run) { return !is_bench(run); });
  std::vector<BenchResult> results;
  results.reserve(runs.size());
  for (const JournalContents& run : runs) results.push_back(result_of(file, run));
  return results;
}

BenchResult read_last_bench_result(const std::filesystem::path& file) {
  return result_of(file, read_journal(file, JournalRun::last));
}

}  // namespace warpmark
