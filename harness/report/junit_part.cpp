#include "report/junit_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Result = JunitCase::Result;

constexpr std::string_view kBegin = "<!-- warpmark: ", kEnd = " -->\n";

Json record_of(const JunitCase& one) {
  Json record = {{"name", one.name}, {"seconds", one.seconds}};
  if (one.result != Result::passed) {
    record["result"] = static_cast<int>(one.result);
    record["message"] = one.message;
  }
  if (one.where.known()) record["where"] = {one.where.file, one.where.line};
  if (!one.started.empty()) record["started"] = one.started;
  if (one.position) record["position"] = *one.position;
  return record;
}

JunitCase case_of(const Json& record) {
  JunitCase one{record.at("name").get<std::string>(), record.at("seconds").get<double>()};
  const int result = record.value("result", 0);
  if (result < 0 || result > static_cast<int>(Result::error)) {
    throw usage_error("a case has no such result");
  }
  if (result != 0) {
    one.set(static_cast<Result>(result), record.at("message").get<std::string>());
    if (one.result == Result::error) one.text.clear();
  }
  if (const auto where = record.find("where"); where != record.end()) {
    one.where = {where->at(0).get<std::string>(), where->at(1).get<int>()};
  }
  one.started = record.value("started", "");
  if (record.contains("position")) one.position = record["position"].get<size_t>();
  return one;
}

Error broken(const fs::path& file, const std::string& why) {
  return usage_error(fmt::format("{}: {}", display_path(file), why), {},
                     "--junit of a run with --shard writes it");
}

Json comment_of(const fs::path& file) {
  const std::string text = read_file(file);
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd, begin);
  if (begin == std::string::npos || end == std::string::npos) {
    throw broken(file, "it is no JUnit report of a shard");
  }
  const size_t from = begin + kBegin.size();
  return try_parse_ordered_json(std::string_view(text).substr(from, end - from));
}

JunitDocument document_of(const Json& comment, const fs::path& file) {
  JunitDocument document;
  try {
    for (const Json& suite : comment.at("suites")) {
      const std::string name = suite.at("name").get<std::string>();
      JunitSuite& last = document.suites.emplace_back(JunitSuite{name, name});
      for (const Json& one : suite.at("cases")) last.cases.push_back(case_of(one));
    }
  } catch (const nlohmann::json::exception&) {
    throw broken(file, "it does not say which cases it has");
  }
  return document;
}

struct ShardReport {
  ShardPart part;
  JunitDocument document;
  std::vector<std::pair<const JunitSuite*, const JunitCase*>> cases;  ///< those with a position
};

ShardReport read_shard(const fs::path& file) {
  const Json comment = comment_of(file);
  ShardReport report;
  report.part.file = file;
  report.part.shard =
      shard_from(comment.is_object() ? comment.value("shard", Json()) : Json(), file);
  report.document = document_of(comment, file);
  for (const JunitSuite& suite : report.document.suites) {
    for (const JunitCase& one : suite.cases) {
      if (!one.position) continue;
      report.part.positions.push_back(*one.position);
      report.cases.emplace_back(&suite, &one);
    }
  }
  return report;
}

bool is_bad(const JunitSuite& suite) {
  return std::ranges::any_of(suite.cases, [](const JunitCase& one) {
    return one.result == Result::failure || one.result == Result::error;
  });
}

}  // namespace

std::string junit_part_comment(const JunitDocument& document,
                               const std::optional<ShardContext>& shard) {
  Json comment;
  if (shard) {
    comment["shard"] = shard_record(*shard);
    comment["shard"].erase("command");
  }
  comment["suites"] = Json::array();
  for (const JunitSuite& suite : document.suites) {
    Json cases = Json::array();
    for (const JunitCase& one : suite.cases) cases.push_back(record_of(one));
    comment["suites"].push_back({{"name", suite.name}, {"cases", std::move(cases)}});
  }
  // A comment has no "--", and JSON has it in texts alone.
  std::string text = json_line(strict_json(comment));
  for (size_t at = 0; (at = text.find("--", at)) != std::string::npos;) {
    text.replace(at, 2, "-\\u002d");
  }
  return fmt::format("{}{} -->", kBegin, text);
}

JunitDocument read_junit_part(const fs::path& file) {
  return document_of(comment_of(file), file);
}

MergedFile merge_junit(const std::vector<fs::path>& files) {
  std::vector<ShardReport> reports;
  reports.reserve(files.size());
  for (const fs::path& file : files) reports.push_back(read_shard(file));
  std::ranges::stable_sort(reports, {},
                           [](const ShardReport& one) { return one.part.shard.index; });
  std::vector<ShardPart> parts;
  for (const ShardReport& report : reports) parts.push_back(report.part);
  JunitDocument whole;
  for (const CasePlace& place : whole_run(parts)) {
    const auto& [suite, one] = reports[place.part].cases[place.index];
    whole.suite(suite->name).cases.push_back(*one);
  }
  for (const ShardReport& report : reports) {
    for (const JunitSuite& suite : report.document.suites) {
      const bool of_run = !suite.cases.empty() && !suite.cases.front().position;
      if (of_run) whole.suites.push_back(suite);
    }
  }
  return {junit_text(whole),
          std::ranges::any_of(whole.suites, is_bad) ? ExitCode::verdict : ExitCode::success};
}

}  // namespace warpmark
