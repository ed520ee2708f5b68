#include "results/bench_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/record_field.hpp"
#include "results/journal.hpp"
#include "results/measurement_fields.hpp"
#include "results/run_fields.hpp"
#include "suite/select_expression.hpp"

namespace warpmark {

void check_record(const RecordField& record, const BenchSeries& series) {
  const Summary& summary = series.summary;
  if (!record.find("cache")) record.member("mode");
  if (summary.interval.low > summary.median || summary.interval.high < summary.median) {
    throw record.member("median_s").wrong("lies outside its interval");
  }
  if (series.samples.size() != summary.count) {
    throw record.member("samples_s")
        .wrong(fmt::format("has {} samples, but `count` says {}", series.samples.size(),
                           summary.count));
  }
  size_t count = 0;
  for (const BenchProcess& process : series.processes) count += process.count;
  if (record.find("processes") && count != summary.count) {
    throw record.member("processes")
        .wrong(fmt::format("does not have the {} samples that there are", summary.count));
  }
}

void check_record(const RecordField& record, const CaseMeasurement& measurement) {
  for (size_t i = 0; i < measurement.series.size(); ++i) {
    const TimingMode mode = measurement.series[i].mode;
    if (measurement.find_series(mode) == &measurement.series[i]) continue;
    throw record.member("series").elements()[i].wrong(
        fmt::format("is a second series of mode `{}`", to_text(mode)));
  }
}

RecordJson RecordedValue::json() const {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* whole = std::get_if<int64_t>(&value)) return *whole;
  if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
  return to_text(value);
}

void RecordedValue::read(const RecordField& record, const FieldInfo&) {
  const RecordJson& json = record.json();
  if (json.is_boolean()) {
    value = record.boolean();
  } else if (json.is_number_float()) {
    value = record.number();
  } else if (json.is_number()) {
    value = record.integer();
  } else {
    value = record.text();
  }
}

std::string RecordedValue::text() const {
  const RecordJson as_json = json();
  return as_json.is_string() ? as_json.get<std::string>() : as_json.dump();
}

std::optional<int64_t> CaseMeasurement::counter(const std::string& name) const {
  for (const auto& [known, value] : counters) {
    if (known == name) return value;
  }
  return std::nullopt;
}

namespace {

// Reads what results need of a case's record.
BenchCase bench_case_of(const RecordField& record) {
  BenchCase one;
  one.suite = record.member("suite").text();
  one.id = record.member("case").text();
  one.verdict = record.member("verdict").word<Verdict>();
  one.reason = record.member("reason").text();
  one.reproduce = record.member("reproduce").text();
  if (const auto measurement = record.find("measurement"))
    read_record(*measurement, static_cast<CaseMeasurement&>(one));
  for (const auto& [axis, value] : one.axes) one.point.emplace_back(axis, value.text());
  return one;
}

void read_run(const RecordField& field, BenchResult& into) {
  RunRecord record;
  read_record(field, record);
  RunContext& run = record.run;
  into.version = run.version;
  into.date = run.date;
  into.command = run.command;
  into.seed = std::to_string(run.seed);
  into.asked_ids = run.asked_ids;
  into.asked_select = run.asked_select;
  if (!into.asked_select.empty()) {
    (void)SelectExpression::parse(into.asked_select, "`asked_select`",
                                  Position{display_path(into.file), 1, 0});
  }
  into.device_kind = run.device.kind;
  into.device_name = run.device.name;
  into.device_uuid = run.device.uuid;
  into.driver_version = run.device.driver_version;
  into.nvrtc_version = run.device.nvrtc_version;
  into.architecture = run.device.architecture;
  into.target = run.device.target;
  into.capabilities = run.device.capabilities;
  if (!run.bench) {
    throw usage_error(
        fmt::format("{} is the journal of a check, which has no times", display_path(into.file)),
        {}, "`warpmark bench` makes one that has");
  }
  into.system = run.bench->host.system;
  into.processor = run.bench->host.processor;
  if (run.bench->git) {
    into.commit = run.bench->git->commit;
    into.dirty = run.bench->git->dirty;
  }
  into.ceilings = run.bench->ceilings;
}

// Reads how the run ended; a killed one has no end.
void read_end(const JournalContents& contents, const Position& where, BenchResult& into) {
  if (!contents.end) return;
  EndRecord end;
  read_record(RecordField(*contents.end, where), end);
  into.error = end.error;
  if (into.error.empty() && end.totals.interrupted > 0) into.error = "interrupted";
  into.complete = into.error.empty();
}

}  // namespace

double launches_within(TimingMode mode, uint64_t batch, size_t launches) {
  if (is_graph(mode)) return 1 / static_cast<double>(batch);
  return batch > 1 ? static_cast<double>(launches) : 1;
}

const BenchSeries* find_series(const std::vector<BenchSeries>& series, TimingMode mode) {
  const auto found = std::ranges::find(series, mode, &BenchSeries::mode);
  return found == series.end() ? nullptr : &*found;
}

std::string point_text(const std::string& suite, const std::string& id) {
  const std::string prefix = suite + ".";
  return id.starts_with(prefix) ? id.substr(prefix.size()) : id;
}

const BenchCase* BenchResult::find(const std::string& id) const {
  const auto found = std::ranges::find(cases, id, &BenchCase::id);
  return found == cases.end() ? nullptr : &*found;
}

bool BenchResult::asked_for(const std::string& id) const {
  const bool named = asked_ids.empty() || std::ranges::find(asked_ids, id) != asked_ids.end();
  return named && (asked_select.empty() ||
                   SelectExpression::parse(asked_select, "`asked_select`").matches(id));
}

bool BenchResult::counted() const {
  return std::ranges::find(capabilities, "counters") != capabilities.end() ||
         std::ranges::any_of(cases, [](const BenchCase& one) { return !one.counters.empty(); });
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
    LinesRecord record;
    read_record(RecordField(contents.lines[i], where), record);
    for (BenchCase& one : result.cases) {
      if (one.id != record.case_id) continue;
      one.folder = record.folder;
      one.lines = record.lines;
    }
  }
  read_end(contents, Position{name, 0, 0}, result);
  return result;
}

}  // namespace

BenchResult read_bench_result(const std::filesystem::path& file) {
  return result_of(file, read_journal(file));
}

std::vector<BenchResult> read_bench_results(const std::filesystem::path& file) {
  std::vector<JournalContents> runs = read_journal_runs(file);
  const bool any = std::ranges::any_of(runs, is_bench);
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
