#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/characters.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "report/problems/problem_files.hpp"
#include "results/outcome_record.hpp"

namespace warpmark {

namespace {

using Json = nlohmann::ordered_json;

// Code scanning takes 25,000 results of a run and shows 5,000.
constexpr size_t kMostResults = 5000;
constexpr size_t kMostText = 8000;

// A file's name as a URI reference (RFC 3986).
std::string uri_of(const std::string& name) {
  const std::string path = std::filesystem::path(name).lexically_normal().generic_string();
  std::string uri = path.starts_with('/') ? "file://" : "";
  // A colon in the first part would be read as a scheme.
  if (!path.starts_with('/') && path.substr(0, path.find('/')).find(':') != std::string::npos) {
    uri = "./";
  }
  constexpr std::string_view kPlain = "-._~/!$&'()*+,;=:@";
  for (const char c : path) {
    const bool plain = is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json message(const std::string& text) {
  std::string whole = printable(text);
  if (whole.size() > kMostText) whole = printable(whole.substr(0, kMostText)) + " …";
  return {{"text", std::move(whole)}};
}

Json location_of(const Position& where) {
  Json artifact = {{"uri", uri_of(name_in_checkout(where.file))}};
  if (!artifact["uri"].get<std::string>().starts_with("file:")) {
    artifact["uriBaseId"] = "%SRCROOT%";
  }
  Json region = {{"startLine", std::max(where.line, 1)}};
  if (where.column > 0) region["startColumn"] = where.column;
  return {{"physicalLocation", {{"artifactLocation", artifact}, {"region", region}}}};
}

Json notification(const std::string& text, const char* level) {
  return {{"level", level}, {"message", message(text)}};
}

const char* level_of(const Problem& problem) {
  return problem.is_warning ? "warning" : "error";
}

// The rules of the problems, in their order, and where each is.
struct Rules {
  std::vector<std::string> names;
  Json descriptions = Json::array();

  size_t index_of(const Problem& problem) {
    const auto found = std::ranges::find(names, problem.rule);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    names.push_back(problem.rule);
    const std::string text = rule_text(problem.rule);
    descriptions.push_back({{"id", problem.rule},
                            {"shortDescription", {{"text", text}}},
                            {"fullDescription", {{"text", text}}},
                            {"defaultConfiguration", {{"level", level_of(problem)}}}});
    return names.size() - 1;
  }
};

}  // namespace

std::string sarif_text(const std::vector<Problem>& problems, const ProblemRun& run) {
  Rules rules;
  Json results = Json::array(), notifications = Json::array();
  const std::vector<std::string> prints = fingerprints(problems);
  size_t left = 0;
  for (size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    const std::string text = problem.title + ": " + problem.text;
    if (!problem.where.known()) {
      notifications.push_back(notification(text, level_of(problem)));
      continue;
    }
    if (results.size() == kMostResults) {
      ++left;
      continue;
    }
    results.push_back({{"ruleId", problem.rule},
                       {"ruleIndex", rules.index_of(problem)},
                       {"level", level_of(problem)},
                       {"message", message(text)},
                       {"locations", {location_of(problem.where)}},
                       {"partialFingerprints", {{"warpmarkProblem/v1", prints[i]}}}});
  }
  if (left > 0) {
    notifications.push_back(notification(
        fmt::format("{} more problems are left out: code hosts show {}", left, kMostResults),
        "warning"));
  }
  if (!run.error.empty()) notifications.push_back(notification(run.error, "error"));
  if (!run.ended) {
    notifications.push_back(notification("the run did not come to its end", "error"));
  }
  Json invocation = {{"commandLine", printable(run.command)},
                     {"executionSuccessful", run.ended && run.error.empty()}};
  if (run.ended) invocation["exitCode"] = run.exit_code;
  if (!run.date.empty()) invocation["startTimeUtc"] = run.date;
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  const Json driver = {{"name", "Warpmark"},
                       {"version", warpmark_version()},
                       {"rules", std::move(rules.descriptions)}};
  const Json whole = {{"tool", {{"driver", driver}}},
                      {"automationDetails", {{"id", "warpmark " + run.verb + "/"}}},
                      {"columnKind", "utf16CodeUnits"},
                      {"invocations", {std::move(invocation)}},
                      {"results", std::move(results)}};
  return json_document(strict_json({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                    {"version", "2.1.0"},
                                    {"runs", {whole}}}));
}

}  // namespace warpmark
