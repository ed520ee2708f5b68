#include "results/database_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/json_text.hpp"
#include "base/record_columns.hpp"
#include "base/template.hpp"
#include "base/text.hpp"
#include "results/database_text.hpp"
#include "results/outcome_fields.hpp"
#include "results/run_fields.hpp"
#include "results/standings.hpp"
#include "suite/case.hpp"

namespace warpmark {

namespace {

using Cell = DatabaseCell;
using Row = DatabaseRow;
using Json = nlohmann::ordered_json;

constexpr Cell kNull;

using Columns = std::vector<RecordColumn>;
using Kind = RecordColumn::Kind;

// The columns that come from records: of the table that `database.sql` fills in by that name.
template <typename Object>
const Columns& columns_of() {
  static const Columns kColumns = record_columns<Object>();
  return kColumns;
}

// "  name TYPE,   -- The sentence of its field", as the other lines of database.sql.
std::string column_lines(const Columns& columns) {
  constexpr size_t kComment = 37, kWidth = 100;
  std::string text;
  for (const RecordColumn& column : columns) {
    const bool is_integer = column.kind == Kind::integer;
    std::string line = fmt::format("  {} {}{},", column.name,
                                   is_integer                    ? "INTEGER"
                                   : column.kind == Kind::number ? "REAL"
                                                                 : "TEXT",
                                   column.field.is_in_each_row ? " NOT NULL" : "");
    bool begins = true;
    const auto add_line = [&] {
      text += (text.empty() ? "" : "\n") + line;
      line.clear();
      begins = true;
    };
    for (const std::string& word : split(column.says, ' ')) {
      if (word.empty()) continue;
      if (line.size() + 1 + word.size() > kWidth) add_line();
      if (begins) line = fmt::format("{:<{}}--", line, std::max(kComment, line.size() + 2));
      line += " " + word;
      begins = false;
    }
    add_line();
  }
  return text;
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
                   std::initializer_list<const Columns*> more = {}) {
  for (const Columns* list : more) {
    for (const RecordColumn& column : *list) columns.push_back(column.name);
  }
  return {name, std::move(columns), {}};
}

std::vector<DatabaseRows> empty_tables() {
  return {table("run", {"id", "file", "number", "verb"},
                {&columns_of<RunRecord>(), &columns_of<EndRecord>()}),
          table("result", {"id", "run_id", "number"}, {&columns_of<CaseRecord>()}),
          table("axis", {"result_id", "position", "name", "label", "text", "number"}),
          table("series", {"id", "result_id", "mode"}, {&columns_of<BenchSeries>()}),
          table("process", {"series_id", "number"}, {&columns_of<BenchProcess>()}),
          table("sample", {"series_id", "number", "seconds"}),
          table("kernel", {"result_id", "number"}, {&columns_of<KernelFacts>()}),
          table("counter", {"result_id", "launch", "kernel", "step", "name", "value"}),
          table("output", {"result_id", "number"}, {&columns_of<OutputVerdict>()}),
          table("finding", {"result_id", "number", "kind", "severity", "kernel", "argument", "file",
                            "message", "line", "record"}),
          table("notice", {"result_id", "number", "text"})};
}

Cell cell_of(const RecordField& field, const RecordColumn& column) {
  switch (column.kind) {
    case Kind::text: {
      std::string text = printable(field.text());
      // An empty text is a value where one is required.
      return text.empty() && !column.field.is_in_each_row ? kNull : Cell(std::move(text));
    }
    case Kind::integer:
      if (field.json().is_boolean()) return int64_t{field.boolean()};
      return column.field.is_null_for_0 && field.integer() == 0 ? kNull : Cell(field.integer());
    case Kind::number:
      return field.number();
    case Kind::list:
      return json_line(field.json());
    case Kind::digits:
      break;
  }
  return printable(field.plain());
}

Cell cell_at(const RecordField& record, const RecordColumn& column) {
  std::optional<RecordField> field = record;
  for (const std::string& name : column.path) {
    if (field->json().is_array()) {
      const std::vector<RecordField> elements = field->elements();
      const auto index = static_cast<size_t>(std::stoi(name));
      field = index < elements.size() ? std::optional(elements[index]) : std::nullopt;
    } else {
      field = column.field.is_in_each_row ? field->member(name.c_str()) : field->find(name.c_str());
    }
    if (!field) return kNull;
  }
  return cell_of(*field, column);
}

void append(Row& row, const RecordField& record, const Columns& columns) {
  for (const RecordColumn& column : columns) row.push_back(cell_at(record, column));
}

// The value of an axis that a label in a case id means.
ArithmeticValue value_of(const std::string& label) {
  for (const bool truth : {true, false}) {
    if (id_text(truth) == label) return truth;
  }
  std::string text = label;
  std::ranges::replace(text, '~', '-');
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
  RecordedValue recorded;
  recorded.read(field, "");
  return recorded.value;
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
  return filled(kDatabaseText, {{"run", column_lines(columns_of<RunRecord>())},
                                {"end", column_lines(columns_of<EndRecord>())},
                                {"result", column_lines(columns_of<CaseRecord>())},
                                {"series", column_lines(columns_of<BenchSeries>())},
                                {"process", column_lines(columns_of<BenchProcess>())},
                                {"kernel", column_lines(columns_of<KernelFacts>())},
                                {"output", column_lines(columns_of<OutputVerdict>())}});
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
  append(row, record, columns_of<RunRecord>());
  if (run.end) {
    const Position end{file, run.end_line, 0};
    append(row, RecordField(*run.end, end), columns_of<EndRecord>());
  } else {
    row.resize(row.size() + columns_of<EndRecord>().size());
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
  append(row, record, columns_of<CaseRecord>());
  tables_[kResult].rows.push_back(std::move(row));
  add_axes(record, record.member("case").text());
  if (const auto measurement = record.find("measurement")) add_measurement(*measurement);
  if (const auto launches = record.find("counters")) add_launches(*launches);
  if (const auto findings = record.find("findings")) add_findings(*findings);
  if (const auto outputs = record.find("outputs")) {
    int64_t place = 0;
    for (const RecordField& output : outputs->elements()) {
      Row one = {results_, ++place};
      append(one, output, columns_of<OutputVerdict>());
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
    const auto found =
        std::ranges::find_if(known, [&](const auto& one) { return one.first == axis.first; });
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
      append(row, kernel, columns_of<KernelFacts>());
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
  append(row, series, columns_of<BenchSeries>());
  tables_[kSeries].rows.push_back(std::move(row));
  int64_t place = 0;
  if (const auto processes = series.find("processes")) {
    for (const RecordField& process : processes->elements()) {
      Row one = {series_, ++place};
      append(one, process, columns_of<BenchProcess>());
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
