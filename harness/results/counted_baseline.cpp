#include "results/counted_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "results/counted_lines.hpp"
#include "results/outcome_record.hpp"
#include "results/record_field.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "schema/baseline.json";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The names of all counters, in the device's order.
std::vector<std::string> names_of(const BenchResult& result) {
  std::vector<std::string> names;
  for (const BenchCase& one : result.cases) {
    for (const auto& [name, value] : one.counters) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Json head_json(const BenchResult& result, const std::vector<std::string>& names) {
  Json head = {{"type", "baseline"},
               {"baseline", kBaselineVersion},
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
      const bool conflict =
          text.starts_with("<<<<<<<") || text.starts_with("=======") || text.starts_with(">>>>>>>");
      throw usage_error(
          "this line of the baseline is not JSON", where,
          conflict ? "a merge left a conflict here: take either side of the file, and write it "
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
    if (version.integer() < 1 || version.integer() > kBaselineVersion) {
      throw usage_error(
          fmt::format("the baseline is of version {}, and this Warpmark knows versions up to {}",
                      version.integer(), kBaselineVersion),
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

bool is_counted_baseline(std::string_view text) {
  const Json record = try_parse_ordered_json(text.substr(0, text.find('\n')));
  return record.is_object() && record.value("type", Json()) == "baseline";
}

// Names how the counts of the two were made differently; "" if they were not.
std::string difference(const BenchResult& a, const BenchResult& b) {
  const auto differ = [](const char* what, const std::string& one, const std::string& other) {
    return one == other ? "" : fmt::format("{} differ: {} and {}", what, one, other);
  };
  for (const std::string& text :
       {differ("the devices", a.device_name, b.device_name),
        differ("the architectures", fmt::format("sm_{}", a.architecture),
               fmt::format("sm_{}", b.architecture)),
        differ("the compilers", "NVRTC " + a.nvrtc_version, "NVRTC " + b.nvrtc_version),
        differ("the versions of Warpmark", a.version, b.version),
        differ("the seeds", a.seed, b.seed)}) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

bool is_before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [](const std::string& text, size_t& at) {
      const size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      const std::string digits = text.substr(begin, at - begin);
      return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    };
    const std::string first = number(a, i), second = number(b, j);
    if (first.size() != second.size()) return first.size() < second.size();
    if (first != second) return first < second;
  }
  // Ids that differ only in leading zeros are ordered, too.
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::string counted_baseline_text(const BenchResult& result) {
  const std::vector<std::string> names = names_of(result);
  std::vector<const BenchCase*> cases;
  for (const BenchCase& one : result.cases) {
    if (!one.counters.empty()) cases.push_back(&one);
  }
  std::sort(cases.begin(), cases.end(),
            [](const BenchCase* a, const BenchCase* b) { return is_before(a->id, b->id); });
  std::string text = record_text(strict_json(head_json(result, names))) + "\n";
  for (const BenchCase* one : cases)
    text += record_text(strict_json(case_json(*one, names))) + "\n";
  return text + record_text({{"type", "end"}}) + "\n";
}

BenchResult read_baseline(const fs::path& file) {
  const std::string text = read_file(file);
  if (!is_counted_baseline(text)) return read_bench_result(file);
  return BaselineReader(file).read(text);
}

BaselineUpdate updated_baseline(const BenchResult& old, const BenchResult& run) {
  BaselineUpdate update;
  update.result = run;
  std::erase_if(update.result.cases, [](const BenchCase& one) { return one.counters.empty(); });
  for (const BenchCase& one : update.result.cases) {
    const BenchCase* before = old.find(one.id);
    const bool known = before != nullptr && !before->counters.empty();
    size_t& count = !known                             ? update.added
                    : before->counters == one.counters ? update.same
                                                       : update.changed;
    ++count;
  }
  bool kept = false;
  for (const BenchCase& one : old.cases) {
    if (one.counters.empty() || update.result.find(one.id) != nullptr) continue;
    if (run.asked_for(one.id)) {
      ++update.removed;
      continue;
    }
    ++update.same;
    kept = true;
    update.result.cases.push_back(one);
  }
  const std::string text = kept ? difference(old, run) : "";
  if (!text.empty()) {
    throw usage_error(
        fmt::format("{} cannot be updated in a part: {}", display_path(old.file), text), {},
        "choose all cases: without --case and -k");
  }
  return update;
}

}  // namespace warpmark
