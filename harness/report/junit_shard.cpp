#include "report/junit_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"
#include "results/outcome_record.hpp"
#include "results/shard_merge.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kComment = "<!-- warpmark: ";
constexpr std::string_view kEnd = " -->\n";

struct Attributes {
  std::string text;  ///< ' name="a" tests="3" …'

  std::string value(std::string_view name) const {
    const std::string opening = fmt::format(" {}=\"", name);
    const size_t at = text.find(opening);
    if (at == std::string::npos) return "";
    const size_t begin = at + opening.size();
    return text.substr(begin, text.find('"', begin) - begin);
  }
  void set(std::string_view name, const std::string& value) {
    const std::string opening = fmt::format(" {}=\"", name);
    const size_t at = text.find(opening);
    if (at == std::string::npos) return;
    const size_t begin = at + opening.size();
    text.replace(begin, text.find('"', begin) - begin, value);
  }
};

template <typename Number>
Number number_in(const Attributes& element, std::string_view name) {
  const std::string text = element.value(name);
  Number number{};
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc{} && rest == text.data() + text.size()) return number;
  throw usage_error(
      fmt::format("a JUnit report has `{}` as `{}`, which is no number", printable(text), name), {},
      "--junit of a run with --shard writes such reports");
}

// Adds counts and times of one element to those of another; the earliest time stamp stays.
void add(Attributes& into, const Attributes& other) {
  for (const char* name : {"tests", "failures", "disabled", "skipped", "errors"}) {
    if (into.value(name).empty()) continue;
    into.set(name,
             std::to_string(number_in<uint32_t>(into, name) + number_in<uint32_t>(other, name)));
  }
  const double seconds = number_in<double>(into, "time") + number_in<double>(other, "time");
  into.set("time", fmt::format("{:.3f}", seconds));
  if (!other.value("timestamp").empty()) {
    into.set("timestamp", std::min(into.value("timestamp"), other.value("timestamp")));
  }
}

struct TestCase {
  Attributes suite;    ///< of its test suite in this file
  bool first = false;  ///< of that suite
  std::string text;
};

struct Report {
  ShardPart part;
  std::string head;  ///< up to the attributes of all
  Attributes all;
  std::vector<TestCase> cases;
  std::string rest;  ///< test suites that have no case of a suite: an error of the run
};

// Reads what GoogleTest writes, and we. Elements begin lines of their own; only text in CDATA, which
// is passed over, may look like one.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)), text_(read_file(file_)) {}

  Report read() {
    Report report;
    const size_t begin = text_.find(kComment);
    const size_t end = text_.find(kEnd);
    const size_t all = text_.find("<testsuites");
    if (begin == std::string::npos || end == std::string::npos || all == std::string::npos ||
        end > all) {
      throw broken("it is no JUnit report of a shard");
    }
    const auto json = try_parse_ordered_json(
        text_.substr(begin + kComment.size(), end - begin - kComment.size()));
    report.part.file = file_;
    report.part.shard = shard_from(json, file_);
    try {
      report.part.positions = json.at("positions").get<std::vector<size_t>>();
    } catch (const nlohmann::json::exception&) {
      throw broken("it does not say which cases it has");
    }
    report.head = text_.substr(0, begin) + text_.substr(end + kEnd.size(), all - end - kEnd.size());
    at_ = all;
    report.all = element("<testsuites");
    while (next() == "testsuite") read_suite(report);
    if (report.cases.size() != report.part.positions.size()) {
      throw broken("it has other cases than it says");
    }
    return report;
  }

 private:
  Error broken(const std::string& why) const {
    return usage_error(fmt::format("{}: {}", display_path(file_), why), {},
                       "--junit of a run with --shard writes it");
  }

  // The name of the next element, or that which ends; "" at the end.
  std::string next() {
    at_ = text_.find('<', at_);
    if (at_ == std::string::npos) return "";
    const size_t end = text_.find_first_of(" >/", at_ + 2);
    return end == std::string::npos ? "" : text_.substr(at_ + 1, end - at_ - 1);
  }

  Attributes element(std::string_view opening) {
    const size_t end = text_.find('>', at_);
    if (end == std::string::npos) throw broken("it is cut off");
    Attributes attributes{text_.substr(at_ + opening.size(), end - at_ - opening.size())};
    at_ = end + 1;
    return attributes;
  }

  void read_suite(Report& report) {
    const size_t begin = at_;
    const Attributes suite = element("<testsuite");
    const bool of_run = suite.value("name") == "warpmark";
    bool first = true;
    while (next() == "testcase") {
      const size_t from = at_;
      skip_case();
      if (of_run) continue;
      report.cases.push_back({suite, first, text_.substr(from, at_ - from)});
      first = false;
    }
    if (next() != "/testsuite") throw broken("a test suite has no end");
    at_ = text_.find('>', at_) + 1;
    if (of_run) report.rest += "  " + text_.substr(begin, at_ - begin) + "\n";
  }

  void skip_case() {
    const size_t end = text_.find('>', at_);
    if (end == std::string::npos) throw broken("it is cut off");
    at_ = end + 1;
    if (text_[end - 1] == '/') return;
    constexpr std::string_view kLast = "</testcase>";
    for (;;) {
      const size_t last = text_.find(kLast, at_);
      const size_t data = text_.find("<![CDATA[", at_);
      if (last == std::string::npos) throw broken("a test case has no end");
      if (data > last) {
        at_ = last + kLast.size();
        return;
      }
      at_ = text_.find("]]>", data);
      if (at_ == std::string::npos) throw broken("it is cut off");
    }
  }

  fs::path file_;
  std::string text_;
  size_t at_ = 0;
};

}  // namespace

std::string junit_shard_comment(const ShardContext& shard, const std::vector<size_t>& positions) {
  auto json = shard_record(shard);
  json.erase("command");  // may hold what a comment must not
  json["positions"] = positions;
  return std::string(kComment) + json_line(json) + " -->";
}

MergedFile merge_junit(const std::vector<fs::path>& files) {
  std::vector<Report> reports;
  std::vector<ShardPart> parts;
  reports.reserve(files.size());
  for (const fs::path& file : files) reports.push_back(Reader(file).read());
  std::stable_sort(reports.begin(), reports.end(), [](const Report& a, const Report& b) {
    return a.part.shard.index < b.part.shard.index;
  });
  parts.reserve(reports.size());
  for (const Report& report : reports) parts.push_back(report.part);
  const std::vector<CasePlace> places = whole_run(parts);
  Attributes all = reports.front().all;
  for (size_t i = 1; i < reports.size(); ++i) add(all, reports[i].all);

  struct WholeSuite {
    Attributes attributes;
    std::string cases;
  };
  std::vector<std::string> order;
  std::map<std::string, WholeSuite> suites;
  for (const CasePlace& place : places) {
    const TestCase& one = reports[place.part].cases[place.index];
    const std::string name = one.suite.value("name");
    const auto found = suites.find(name);
    if (found == suites.end()) {
      order.push_back(name);
      suites[name].attributes = one.suite;
    } else if (one.first) {
      add(found->second.attributes, one.suite);
    }
    suites[name].cases += "    " + one.text + "\n";
  }
  std::string xml = reports.front().head + "<testsuites" + all.text + ">\n";
  for (const std::string& name : order) {
    xml += fmt::format("  <testsuite{}>\n{}  </testsuite>\n", suites[name].attributes.text,
                       suites[name].cases);
  }
  for (const Report& report : reports) xml += report.rest;
  const bool passed =
      number_in<uint32_t>(all, "failures") == 0 && number_in<uint32_t>(all, "errors") == 0;
  return {without_commands(xml + "</testsuites>\n"),
          passed ? ExitCode::success : ExitCode::verdict};
}

}  // namespace warpmark
