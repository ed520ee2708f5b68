#include "report/run/junit_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "base/json_text.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

template <typename Visit>
void each_field(JunitCase& one, const Visit& visit) {
  visit("name", one.name);
  visit("seconds", one.seconds);
  visit("result", one.result);
  visit("message", one.message);
  visit("file", one.where.file);
  visit("line", one.where.line);
  visit("started", one.started);
  visit("position", one.position);
}

namespace {

namespace fs = std::filesystem;
using Result = JunitCase::Result;

constexpr std::string_view kBegin = "<!-- warpmark: ", kEnd = " -->\n";

JunitCase case_of(const nlohmann::json& record) {
  auto one = object_from<JunitCase>(record);
  if (one.result == Result::failure || one.result == Result::skipped) one.text = one.message;
  return one;
}

Error broken(const fs::path& file, const std::string& why) {
  return usage_error(fmt::format("{}: {}", display_path(file), why), {},
                     "--junit of a run with --shard writes it");
}

nlohmann::json comment_of(const fs::path& file) {
  const std::string text = read_file(file);
  const size_t begin = text.find(kBegin);
  const size_t end = text.find(kEnd, begin);
  if (begin == std::string::npos || end == std::string::npos) {
    throw broken(file, "it is no JUnit report of a shard");
  }
  const size_t from = begin + kBegin.size();
  return try_parse_json(std::string_view(text).substr(from, end - from));
}

JunitDocument document_of(const nlohmann::json& comment, const fs::path& file) {
  JunitDocument document;
  try {
    for (const nlohmann::json& suite : comment.at("suites")) {
      const std::string name = suite.at("name").get<std::string>();
      JunitSuite& last = document.suites.emplace_back(JunitSuite{name, name});
      for (const nlohmann::json& one : suite.at("cases")) last.cases.push_back(case_of(one));
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
  const nlohmann::json comment = comment_of(file);
  ShardReport report;
  report.part.file = file;
  report.part.shard =
      shard_from(comment.contains("shard") ? comment.at("shard") : nlohmann::json(), file);
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
    return one.result != Result::passed && one.result != Result::skipped;
  });
}

}  // namespace

std::string junit_part_comment(const JunitDocument& document,
                               const std::optional<ShardContext>& shard) {
  nlohmann::json comment;
  if (shard) {
    comment["shard"] = shard_record(*shard);
    comment["shard"].erase("command");
  }
  comment["suites"] = nlohmann::json::array();
  for (const JunitSuite& suite : document.suites) {
    nlohmann::json cases = nlohmann::json::array();
    for (const JunitCase& one : suite.cases) cases.push_back(json_of<nlohmann::json>(one));
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
