#include "results/database_tables.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "results/database_text.hpp"
#include "results/standings.hpp"
#include "suite/case.hpp"

namespace warpmark {

namespace {

using Cell = DatabaseCell;
using Row = DatabaseRow;
using Json = nlohmann::ordered_json;

constexpr Cell kNull;

enum class Kind : uint8_t {
  text,     ///< "" is NULL
  integer,  ///< also true and false
  place,    ///< a line or column; 0 becomes NULL
  number,
  digits  ///< of a number, as a text
};

// A column, and the path of its member: "device/name".
struct Column {
  const char* name;
  const char* path;
  Kind kind;
  bool required = false;
};

constexpr bool kRequired = true;

const std::vector<Column>& run_columns() {
  static const std::vector<Column> kColumns = {
      {"date", "date", Kind::text, kRequired},
      {"warpmark", "warpmark", Kind::text, kRequired},
      {"command", "command", Kind::text, kRequired},
      {"seed", "seed", Kind::digits},
      {"cases", "cases", Kind::integer, kRequired},
      {"deselected", "deselected", Kind::integer},
      {"trials", "trials", Kind::integer},
      {"shard_index", "shard/index", Kind::integer},
      {"shard_count", "shard/count", Kind::integer},
      {"device_kind", "device/kind", Kind::text},
      {"device_name", "device/name", Kind::text},
      {"device_uuid", "device/uuid", Kind::text},
      {"architecture", "device/architecture", Kind::place},  // 0 without a device
      {"driver_version", "device/driver_version", Kind::place},
      {"nvrtc_version", "device/nvrtc_version", Kind::text},
      {"host_system", "bench/host/system", Kind::text},
      {"host_processor", "bench/host/processor", Kind::text},
      {"host_processors", "bench/host/processors", Kind::integer},
      {"host_memory_bytes", "bench/host/memory_bytes", Kind::integer},
      {"git_commit", "bench/git/commit", Kind::text},
      {"git_dirty", "bench/git/dirty", Kind::integer},
      {"copy_bytes_per_s", "bench/ceilings/copy_bytes_per_s", Kind::number},
      {"read_bytes_per_s", "bench/ceilings/read_bytes_per_s", Kind::number},
      {"launch_s", "bench/ceilings/launch_s", Kind::number},
      {"float64_flops_per_s", "bench/ceilings/float64_flops_per_s", Kind::number},
      {"float32_flops_per_s", "bench/ceilings/float32_flops_per_s", Kind::number},
      {"float16_flops_per_s", "bench/ceilings/float16_flops_per_s", Kind::number}};
  return kColumns;
}

const std::vector<Column>& end_columns() {
  static const std::vector<Column> kColumns = {
      {"passed", "passed", Kind::integer},       {"failed", "failed", Kind::integer},
      {"skipped", "skipped", Kind::integer},     {"interrupted", "interrupted", Kind::integer},
      {"not_run", "not_run", Kind::integer},     {"seconds", "seconds", Kind::number},
      {"exit_code", "exit_code", Kind::integer}, {"error", "error", Kind::text}};
  return kColumns;
}

const std::vector<Column>& result_columns() {
  static const std::vector<Column> kColumns = {
      {"suite", "suite", Kind::text, kRequired},
      {"case_id", "case", Kind::text, kRequired},
      {"verdict", "verdict", Kind::text, kRequired},
      {"failure", "failure", Kind::text, kRequired},
      {"reason", "reason", Kind::text},
      {"message", "message", Kind::text},
      {"where_file", "where/file", Kind::text},
      {"where_line", "where/line", Kind::place},
      {"where_column", "where/column", Kind::place},
      {"compiled_from_cache", "compiled_from_cache", Kind::integer},
      {"seconds", "seconds", Kind::number},
      {"trial", "trial", Kind::integer},
      {"reproduce", "reproduce", Kind::text},
      {"sources", "measurement/sources", Kind::text},
      {"restore", "measurement/restore", Kind::text},
      {"budget_s", "measurement/budget_s", Kind::number},
      {"precision", "measurement/precision", Kind::number},
      {"bytes", "measurement/bytes", Kind::number},
      {"flops", "measurement/flops", Kind::number},
      {"peak_flops_per_s", "measurement/peak_flops_per_s", Kind::number},
      {"sampling_s", "measurement/seconds", Kind::number}};
  return kColumns;
}

const std::vector<Column>& series_columns() {
  static const std::vector<Column> kColumns = {{"batch", "batch", Kind::integer},
                                               {"stop", "stop", Kind::text},
                                               {"latency_hidden", "latency_hidden", Kind::integer},
                                               {"late", "late", Kind::integer},
                                               {"count", "count", Kind::integer, kRequired},
                                               {"median_s", "median_s", Kind::number, kRequired},
                                               {"low_s", "low_s", Kind::number},
                                               {"high_s", "high_s", Kind::number},
                                               {"confidence", "confidence", Kind::number},
                                               {"q1_s", "q1_s", Kind::number},
                                               {"q3_s", "q3_s", Kind::number},
                                               {"min_s", "min_s", Kind::number},
                                               {"max_s", "max_s", Kind::number},
                                               {"bytes_per_s", "bytes_per_s", Kind::number},
                                               {"flops_per_s", "flops_per_s", Kind::number},
                                               {"copy_share", "copy_share", Kind::number},
                                               {"read_share", "read_share", Kind::number},
                                               {"peak_share", "peak_share", Kind::number},
                                               {"moved_bytes", "moved_bytes", Kind::integer}};
  return kColumns;
}

const std::vector<Column>& process_columns() {
  static const std::vector<Column> kColumns = {{"count", "count", Kind::integer, kRequired},
                                               {"median_s", "median_s", Kind::number, kRequired},
                                               {"overhead_s", "overhead_s", Kind::number},
                                               {"clock_mhz", "clock_mhz", Kind::number},
                                               {"clock_change", "clock_change", Kind::number}};
  return kColumns;
}

const std::vector<Column>& kernel_columns() {
  static const std::vector<Column> kColumns = {{"entry", "entry", Kind::text, kRequired},
                                               {"registers", "registers", Kind::integer},
                                               {"shared_bytes", "shared_bytes", Kind::integer},
                                               {"local_bytes", "local_bytes", Kind::integer},
                                               {"active_blocks", "active_blocks", Kind::integer},
                                               {"occupancy", "occupancy", Kind::number}};
  return kColumns;
}

const std::vector<Column>& output_columns() {
  static const std::vector<Column> kColumns = {
      {"name", "name", Kind::text, kRequired},
      {"dtype", "dtype", Kind::text},
      {"elements", "elements", Kind::integer},
      {"wrong", "wrong", Kind::integer},
      {"unwritten", "unwritten", Kind::integer},
      {"doubtful", "doubtful", Kind::integer},
      {"first_kind", "first/kind", Kind::text},
      {"first_index", "first/index", Kind::integer},
      {"first_actual", "first/actual", Kind::text},
      {"first_expected", "first/expected", Kind::text},
      {"first_error", "first/error", Kind::text},
      {"first_bound", "first/bound", Kind::text},
      {"sufficient_tolerance", "sufficient_tolerance", Kind::text}};
  return kColumns;
}

// In the order of database.sql.
enum Table : uint8_t {
  kRun,
  kResult,
  kAxis,
  kSeries,
  kProcess,
  kSample,
  kKernel,
  kCounter,
  kOutput,
  kFinding,
  kNotice
};

DatabaseRows table(const char* name, std::vector<std::string> columns,
                   std::initializer_list<const std::vector<Column>*> more = {}) {
  for (const std::vector<Column>* list : more) {
    for (const Column& column : *list) columns.emplace_back(column.name);
  }
  return {name, std::move(columns), {}};
}

std::vector<DatabaseRows> empty_tables() {
  return {
      table("run", {"id", "file", "number", "verb"}, {&run_columns(), &end_columns()}),
      table("result", {"id", "run_id", "number"}, {&result_columns()}),
      table("axis", {"result_id", "position", "name", "label", "text", "number"}),
      table("series", {"id", "result_id", "mode"}, {&series_columns()}),
      table("process", {"series_id", "number"}, {&process_columns()}),
      table("sample", {"series_id", "number", "seconds"}),
      table("kernel",
            {"result_id", "number", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"},
            {&kernel_columns()}),
      table("counter", {"result_id", "launch", "kernel", "step", "name", "value"}),
      table("output", {"result_id", "number", "shape"}, {&output_columns()}),
      table("finding", {"result_id", "number", "kind", "severity", "kernel", "argument", "file",
                        "message", "line", "record"}),
      table("notice", {"result_id", "number", "text"})};
}

Cell cell_of(const RecordField& field, Kind kind) {
  switch (kind) {
    case Kind::text: {
      std::string text = printable(field.text());
      return text.empty() ? kNull : Cell(std::move(text));
    }
    case Kind::integer:
      return field.json().is_boolean() ? Cell(int64_t{field.boolean()}) : Cell(field.integer());
    case Kind::place:
      return field.integer() == 0 ? kNull : Cell(field.integer());
    case Kind::number:
      return field.number();
    case Kind::digits:
      break;
  }
  return printable(field.plain());
}

Cell cell_at(const RecordField& record, const Column& column) {
  std::optional<RecordField> field = record;
  for (const std::string& name : split(column.path, '/')) {
    field = column.required ? field->member(name.c_str()) : field->find(name.c_str());
    if (!field) return kNull;
  }
  // An empty text is a value where one is required.
  if (column.required && column.kind == Kind::text) return printable(field->text());
  return cell_of(*field, column.kind);
}

void append(Row& row, const RecordField& record, const std::vector<Column>& columns) {
  for (const Column& column : columns) row.push_back(cell_at(record, column));
}

// The value of an axis that a label in a case id means.
ArithmeticValue value_of(const std::string& label) {
  for (const bool truth : {true, false}) {
    if (id_text(truth) == label) return truth;
  }
  std::string text = label;
  std::replace(text.begin(), text.end(), '~', '-');
  const char* const end = text.data() + text.size();
  int64_t whole = 0;
  // 007 is no number, since a number would be written 7.
  if (std::from_chars(text.data(), end, whole).ptr == end && id_text(whole) == label) return whole;
  double number = 0;
  if (std::from_chars(text.data(), end, number).ptr == end && std::isfinite(number) &&
      id_text(number) == label) {
    return number;
  }
  return label;
}

ArithmeticValue value_of(const RecordField& field) {
  const Json& value = field.json();
  if (value.is_boolean()) return field.boolean();
  if (value.is_number_float()) return field.number();
  if (value.is_number()) return field.integer();
  return field.text();
}

Cell number_of(const ArithmeticValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1.0 : 0.0;
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return kNull;
}

// Finds a member of a value from a device, which may have any form.
const Json* find(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? &*found : nullptr;
}

Cell text_of(const Json& object, const char* name) {
  const Json* found = find(object, name);
  if (found == nullptr || !found->is_string()) return kNull;
  return printable(found->get_ref<const std::string&>());
}

Cell line_of(const Json& object) {
  const Json* found = find(object, "line");
  if (found == nullptr || !found->is_number_integer()) return kNull;
  return found->get<int64_t>();
}

}  // namespace

std::string database_schema() {
  return kDatabaseText;
}

DatabaseTables::DatabaseTables(bool samples) : samples_(samples), tables_(empty_tables()) {}

std::vector<DatabaseRows> DatabaseTables::take() {
  return std::exchange(tables_, empty_tables());
}

void DatabaseTables::add(const JournalContents& run, const std::string& file, int number) {
  const Position where{file, run.run_line, 0};
  const RecordField record(run.run, where);
  const bool bench = record.find("bench").has_value();
  Row row = {++runs_, printable(file), int64_t{number}, bench ? "bench" : "check"};
  append(row, record, run_columns());
  if (run.end) {
    const Position end{file, run.end_line, 0};
    append(row, RecordField(*run.end, end), end_columns());
  } else {
    row.resize(row.size() + end_columns().size());
    ++unfinished_;
  }
  tables_[kRun].rows.push_back(std::move(row));
  for (size_t i = 0; i < run.cases.size(); ++i) {
    const Position line{file, run.case_lines[i], 0};
    add_case(RecordField(run.cases[i], line), static_cast<int64_t>(i) + 1);
  }
}

void DatabaseTables::add_case(const RecordField& record, int64_t number) {
  Row row = {++results_, runs_, number};
  append(row, record, result_columns());
  tables_[kResult].rows.push_back(std::move(row));
  add_axes(record, record.member("case").text());
  if (const auto measurement = record.find("measurement")) add_measurement(*measurement);
  if (const auto launches = record.find("counters")) add_launches(*launches);
  if (const auto findings = record.find("findings")) add_findings(*findings);
  if (const auto outputs = record.find("outputs")) {
    int64_t place = 0;
    for (const RecordField& output : outputs->elements()) {
      const auto shape = output.find("shape");
      Row one = {results_, ++place, shape ? Cell(json_line(shape->json())) : kNull};
      append(one, output, output_columns());
      tables_[kOutput].rows.push_back(std::move(one));
    }
  }
  if (const auto notices = record.find("notices")) {
    int64_t place = 0;
    for (const std::string& text : notices->texts())
      tables_[kNotice].rows.push_back({results_, ++place, printable(text)});
  }
}

void DatabaseTables::add_axes(const RecordField& record, const std::string& id) {
  std::vector<std::pair<std::string, ArithmeticValue>> known;  // the values that the record has
  const auto measurement = record.find("measurement");
  if (const auto point = measurement ? measurement->find("point") : std::nullopt) {
    for (const RecordField& axis : point->elements())
      known.emplace_back(axis.member("name").text(), value_of(axis.member("value")));
  }
  int64_t place = 0;
  const auto add = [&](const std::string& name, Cell label, const ArithmeticValue& value) {
    tables_[kAxis].rows.push_back({results_, ++place, printable(name), std::move(label),
                                   printable(to_text(value)), number_of(value)});
  };
  for (const auto& axis : labels_of(id)) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& one) { return one.first == axis.first; });
    add(axis.first, printable(axis.second),
        found == known.end() ? value_of(axis.second) : found->second);
    if (found != known.end()) known.erase(found);
  }
  for (const auto& [name, value] : known) add(name, kNull, value);
}

void DatabaseTables::add_measurement(const RecordField& measurement) {
  for (const RecordField& series : measurement.member("series").elements()) add_series(series);
  int64_t place = 0;
  if (const auto kernels = measurement.find("kernels")) {
    for (const RecordField& kernel : kernels->elements()) {
      Row row = {results_, ++place};
      for (const char* extent : {"grid", "block"}) {
        const RecordField field = kernel.member(extent);
        const std::vector<RecordField> sizes = field.elements();
        if (sizes.size() != 3) throw field.wrong("must be three integers");
        for (const RecordField& size : sizes) row.emplace_back(size.integer());
      }
      append(row, kernel, kernel_columns());
      tables_[kKernel].rows.push_back(std::move(row));
    }
  }
  if (const auto counters = measurement.find("counters")) {
    for (const RecordField& counter : counters->elements()) {
      tables_[kCounter].rows.push_back({results_, kNull, kNull, kNull,
                                        printable(counter.member("name").text()),
                                        counter.member("value").integer()});
    }
  }
}

void DatabaseTables::add_series(const RecordField& series) {
  // Journals from before 2026-12 name the mode `cache`.
  const auto cache = series.find("cache");
  Row row = {++series_, results_, printable((cache ? *cache : series.member("mode")).text())};
  append(row, series, series_columns());
  tables_[kSeries].rows.push_back(std::move(row));
  int64_t place = 0;
  if (const auto processes = series.find("processes")) {
    for (const RecordField& process : processes->elements()) {
      Row one = {series_, ++place};
      append(one, process, process_columns());
      tables_[kProcess].rows.push_back(std::move(one));
    }
  }
  if (!samples_) return;
  place = 0;
  for (const double seconds : series.member("samples_s").numbers())
    tables_[kSample].rows.push_back({series_, ++place, seconds});
}

// Every number of a launch is a counter, except the launch's own number.
void DatabaseTables::add_launches(const RecordField& launches) {
  int64_t number = 0;
  for (const RecordField& launch : launches.elements()) {
    ++number;
    for (const auto& [name, value] : launch.members()) {
      if (name == "launch" || !value.json().is_number_integer()) continue;
      tables_[kCounter].rows.push_back({results_, number, text_of(launch.json(), "kernel"),
                                        text_of(launch.json(), "step"), printable(name),
                                        value.integer()});
    }
  }
}

void DatabaseTables::add_findings(const RecordField& findings) {
  int64_t place = 0;
  for (const RecordField& finding : findings.elements()) {
    const Json& record = finding.json();
    Row row = {results_, ++place};
    for (const char* name : {"kind", "severity", "kernel", "argument", "file", "message"})
      row.push_back(text_of(record, name));
    row.push_back(line_of(record));
    row.emplace_back(json_line(record));
    tables_[kFinding].rows.push_back(std::move(row));
  }
}

}  // namespace warpmark
