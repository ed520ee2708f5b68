#include "results/baseline_records.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/record_field.hpp"
#include "base/text.hpp"
#include "results/counted_lines.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Later versions of a baseline are text.
constexpr int kRecordsVersion = 1;
constexpr const char* kSchema = "schema/baseline.json";

Json head_json(const BenchResult& result, const std::vector<std::string>& names) {
  Json head = {{"type", "baseline"},
               {"baseline", kRecordsVersion},
               {"warpmark", result.version},
               {"device", result.device_name},
               {"kind", result.device_kind},
               {"architecture", result.architecture},
               {"nvrtc_version", result.nvrtc_version},
               {"seed", result.seed.empty() ? Json() : try_parse_ordered_json(result.seed)},
               {"counters", names}};
  if (result.pinned) head["pinned"] = true;
  return head;
}

Json case_json(const BenchCase& one, const std::vector<std::string>& names) {
  Json counters = Json::object();
  for (const std::string& name : names) {
    if (const auto value = one.counter(name); value && *value != 0) counters[name] = *value;
  }
  Json record = {{"type", "case"},
                 {"suite", one.suite},
                 {"case", one.id},
                 {"sources", one.sources},
                 {"counters", std::move(counters)}};
  if (!one.lines.empty()) record["lines"] = lines_json(one.lines);
  return record;
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
    result_.version = head.member("warpmark").text();
    result_.device_name = head.member("device").text();
    result_.device_kind = head.member("kind").text();
    result_.architecture = head.member("architecture").integer();
    result_.nvrtc_version = head.member("nvrtc_version").text();
    if (const auto seed = head.find("seed")) result_.seed = seed->plain();
    if (const auto pinned = head.find("pinned")) result_.pinned = pinned->boolean();
    names_ = head.member("counters").texts();
  }

  void add_case(const RecordField& record, const Position& where) {
    BenchCase one;
    one.suite = record.member("suite").text();
    one.id = record.member("case").text();
    one.sources = record.member("sources").text();
    one.line = where.line;
    const RecordField counters = record.member("counters");
    for (const std::string& name : names_) {
      const auto value = counters.find(name.c_str());
      one.counters.emplace_back(name, value ? value->integer() : 0);
    }
    if (const auto lines = record.find("lines")) one.lines = read_lines(*lines);
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
  std::string text = record_text(strict_json(head_json(result, names))) + "\n";
  for (const BenchCase* one : cases)
    text += record_text(strict_json(case_json(*one, names))) + "\n";
  return text + record_text({{"type", "end"}}) + "\n";
}

bool is_conflict_marker(std::string_view line) {
  return line.starts_with("<<<<<<<") || line.starts_with("|||||||") ||
         line.starts_with("=======") || line.starts_with(">>>>>>>");
}

}  // namespace warpmark
