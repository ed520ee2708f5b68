#include "results/baseline_records.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "results/measurement_fields.hpp"
#include "results/outcome_record.hpp"
#include "worker/counters.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Later versions of a baseline are text.
constexpr int kRecordsVersion = 1;
constexpr const char* kSchema = "schema/baseline.json";

// A whole number as its digits.
struct Digits {
  std::string& value;
  RecordJson json() const { return try_parse_ordered_json(value); }
  void read(const RecordField& record, const FieldInfo&) { value = record.plain(); }
  RecordJson schema(const FieldInfo& field) const {
    return record_schema(uint64_t{0}, true, field);
  }
};

// The first line of a result, and the names of all counters.
struct BaselineHead {
  BenchResult& result;
  std::vector<std::string>& counters;
};
template <typename Visit>
void each_field(BaselineHead& head, const Visit& visit) {
  BenchResult& result = head.result;
  visit("type", Constant{"baseline"});
  visit({"baseline", "The version of this format."}, Constant{kRecordsVersion});
  visit({"warpmark", "The version of the program that counted."}, result.version);
  visit({"device", "Its name."}, result.device_name);
  visit({"kind", "cpu, or the driver library's name."}, result.device_kind);
  visit({"architecture", "90 for sm_90."}, result.architecture);
  visit("nvrtc_version", result.nvrtc_version);
  visit(FieldInfo("seed", "Of the inputs.").or_null(!result.seed.empty()), Digits{result.seed});
  visit({"counters", "The names of all counters; those that a case leaves out are 0."},
        head.counters);
  visit(FieldInfo("pinned",
                  "Only the version that counted may compare with it: --update-baseline=pinned.")
            .when(result.pinned),
        result.pinned);
}

// The line of a case, in the order of the ids.
struct CountedCase {
  BenchCase& one;
  CounterSums counters;
};
template <typename Visit>
void each_field(CountedCase& counted, const Visit& visit) {
  visit("type", Constant{"case"});
  visit("suite", counted.one.suite);
  visit({"case", "The case id."}, counted.one.id);
  visit(FieldInfo("sources", "SHA-256 of the plan and the sources.").like("^[0-9a-f]{64}$"),
        counted.one.sources);
  visit(FieldInfo("counters", "Those that are not 0, in the order of the first line.").at_least(1),
        ByName{counted.counters});
  visit(FieldInfo("lines",
                  "What each line of the source counted, so that lines that grew can be named. "
                  "They are found again by their text.")
            .if_set(),
        counted.one.lines);
}

// The last line, without which the file is cut off.
struct BaselineEnd {};
template <typename Visit>
void each_field(BaselineEnd&, const Visit& visit) {
  visit("type", Constant{"end"});
}

template <typename Object>
std::string line_of(const Object& object) {
  return record_text(strict_json(record_json(object))) + "\n";
}

// Reads the records of a counted baseline in their order.
class BaselineReader {
 public:
  explicit BaselineReader(const fs::path& file) : name_(display_path(file)) { result_.file = file; }

  BenchResult read(std::string_view text) {
    bool ended = false;
    size_t begin = 0;
    for (int line = 1; begin < text.size(); ++line) {
      const size_t end = text.find('\n', begin);
      if (end == std::string::npos) break;
      if (ended) throw usage_error("there is a line behind that of type `end`", {name_, line, 0});
      ended = read_line(text.substr(begin, end - begin), {name_, line, 0});
      begin = end + 1;
    }
    if (!ended) {
      throw usage_error("the baseline is cut off: its last line is not that of type `end`",
                        {name_, 0, 0}, "take the whole file from version control");
    }
    result_.capabilities = {"counters"};
    result_.complete = true;
    return std::move(result_);
  }

 private:
  // Returns true if the line was the last one.
  bool read_line(std::string_view text, const Position& where) {
    const Json record = try_parse_ordered_json(text);
    if (record.is_discarded()) {
      throw usage_error(
          "this line of the baseline is not JSON", where,
          is_conflict_marker(text)
              ? "a merge left a conflict here: take either side of the file, and write it "
                "again with --update-baseline"
              : "");
    }
    const RecordField field(record, where, kSchema);
    const std::string type = field.member("type").text();
    if (where.line == 1) {
      read_head(field);
    } else if (type == "case") {
      add_case(field, where);
    } else {
      return type == "end";  // other types are for later versions to add
    }
    return false;
  }

  void read_head(const RecordField& head) {
    const RecordField version = head.member("baseline");
    if (version.integer() < 1 || version.integer() > kRecordsVersion) {
      throw usage_error(
          fmt::format("the baseline is of version {}, and this Warpmark knows versions up to {}",
                      version.integer(), kRecordsVersion),
          {name_, 1, 0}, "read it with the Warpmark that wrote it, or a newer one");
    }
    read_record(head, BaselineHead{result_, names_});
  }

  void add_case(const RecordField& record, const Position& where) {
    BenchCase one;
    CountedCase counted{one, {}};
    read_record(record, counted);
    one.line = where.line;
    for (const std::string& name : names_)
      one.counters.emplace_back(name, counter_value(counted.counters, name));
    const auto [other, is_new] = lines_.emplace(one.id, where.line);
    if (!is_new) {
      throw usage_error(fmt::format("a second line of the case {}", printable(one.id)), where,
                        fmt::format("the first is line {}", other->second));
    }
    result_.cases.push_back(std::move(one));
  }

  std::string name_;
  BenchResult result_;
  std::vector<std::string> names_;
  std::map<std::string, int> lines_;
};

}  // namespace

bool is_baseline_records(std::string_view text) {
  const Json record = try_parse_ordered_json(text.substr(0, text.find('\n')));
  return record.is_object() && record.value("type", Json()) == "baseline";
}

BenchResult read_baseline_records(const fs::path& file, std::string_view text) {
  return BaselineReader(file).read(text);
}

std::string baseline_records_text(const BenchResult& result, const std::vector<std::string>& names,
                                  const std::vector<const BenchCase*>& cases) {
  // Writing changes none of them.
  std::vector<std::string> all = names;
  std::string text = line_of(BaselineHead{const_cast<BenchResult&>(result), all});
  for (const BenchCase* one : cases) {
    CountedCase counted{const_cast<BenchCase&>(*one), {}};
    for (const std::string& name : names) {
      if (const int64_t value = one->counter(name).value_or(0); value != 0)
        counted.counters.emplace_back(name, value);
    }
    text += line_of(counted);
  }
  return text + line_of(BaselineEnd());
}

RecordJson baseline_schema() {
  BenchResult result;
  BenchCase one;
  std::vector<std::string> counters;
  return schema_document(
      "baseline",
      "One line of a baseline's lines file (FILE.lines), as `warpmark bench --update-baseline` "
      "writes it; also of a baseline of counters as it was before it was text",
      "The first line says what the counts depend on. Without the last one the file is cut off.",
      types_schema({{"baseline", record_schema(BaselineHead{result, counters}, /*closed=*/true)},
                    {"case", record_schema(CountedCase{one, {}}, /*closed=*/true)},
                    {"end", record_schema(BaselineEnd(), /*closed=*/true)}}));
}

bool is_conflict_marker(std::string_view line) {
  return line.starts_with("<<<<<<<") || line.starts_with("|||||||") ||
         line.starts_with("=======") || line.starts_with(">>>>>>>");
}

}  // namespace warpmark
