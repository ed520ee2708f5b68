#include "grade/feedback/item_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "grade/feedback/explanation.hpp"
#include "grade/feedback/item_verdict.hpp"
#include "grade/submission/graded_plan.hpp"
#include "runtime/line_texts.hpp"

namespace warpmark {

namespace {

constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;

std::string without(std::string text, const std::string& word) {
  if (word.empty()) return text;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.erase(at, word.size());
  return text;
}

// The text of such an outcome comes from a worker, which knows none of our folders, and may contain
// text of the student's: removing a path from it would tell the student that the path is the
// suite's.
bool is_workers_text(const Outcome& outcome) {
  constexpr std::array kKinds = {FailureKind::compile, FailureKind::signature, FailureKind::fault,
                                 FailureKind::finding, FailureKind::limit,     FailureKind::crash,
                                 FailureKind::driver};
  return outcome.verdict == Verdict::failed && std::ranges::count(kKinds, outcome.failure) != 0;
}

// Returns the text with files named as the student knows them.
std::string without_folders(std::string text, const Outcome& outcome, const Suite& suite) {
  if (is_workers_text(outcome)) return text;
  const std::string shown = display_path(suite.folder);
  text = without(std::move(text), suite.folder.string() + "/");
  return shown == "." ? text : without(std::move(text), shown + "/");
}

}  // namespace

std::string explain_item(const Outcome& outcome, const ItemTexts& texts) {
  ExplainContext context;
  context.file = texts.file;
  context.source = texts.source;
  if (texts.planned != nullptr) {
    context.plan = &texts.planned->plan;
    context.wanted = signature_text(texts.planned->plan);
  }
  // Both must outlive the context, which points into them.
  std::map<std::string, ReferenceValue> expected;
  if (texts.artifacts != nullptr && texts.planned != nullptr) {
    expected = references(*texts.python, *texts.planned, *texts.artifacts);
    add_values(context, *texts.artifacts, expected);
  }
  const std::string text = explain(outcome, context);
  return printable(without_folders(text.empty() ? outcome.reason : text, outcome, *texts.suite));
}

std::string detail_of(const Outcome& outcome, const ItemTexts& texts) {
  if (!outcome.error) return printable(outcome.reason);
  const Error& error = *outcome.error;
  // Lines of the suite are left out, since a student cannot change them.
  std::vector<std::string> files = texts.file.headers;
  files.insert(files.begin(), texts.file.file);
  const std::filesystem::path said(error.where().file);
  std::string place;
  for (const std::string& file : files) {
    if (error.where().line <= 0 || !place.empty()) break;
    if (said.filename() == file || (&file != &files.front() && said.string().ends_with("/" + file)))
      place = fmt::format("{}:{}: ", file, error.where().line);
  }
  return printable(without_folders(place + error.message(), outcome, *texts.suite));
}

// The device works on what a student handed in: only what is drawn is kept, and texts of lines come
// from the submitted file alone.
std::vector<nlohmann::ordered_json> evidence_of(const Outcome& outcome, const ItemTexts& texts) {
  constexpr size_t kMost = 2, kLongest = 20'000;  // bytes of JSON
  const std::vector<SourceText> sources = {{texts.file.file, texts.source}};
  std::vector<nlohmann::ordered_json> evidence;
  const auto add = [&](nlohmann::ordered_json one) {
    if (evidence.size() >= kMost || one.dump(-1, ' ', true, kReplace).size() > kLongest) return;
    add_line_texts(one, sources);
    evidence.push_back(std::move(one));
  };
  const auto kept = [](const nlohmann::ordered_json& report, auto names) {
    nlohmann::ordered_json one = nlohmann::ordered_json::object();
    for (const char* name : names) {
      if (report.is_object() && report.contains(name)) one[name] = report[name];
    }
    return one;
  };
  constexpr std::array kAccess = {"thread", "block", "file", "line", "instruction"};
  for (const nlohmann::ordered_json& report : weighed_reports(outcome)) {
    if (!report.is_object() || report.value("kind", nlohmann::ordered_json()) != "race") continue;
    nlohmann::ordered_json race = kept(report, std::array{"kind", "hazard", "both_orders", "space",
                                                          "argument", "index", "variable"});
    race.update(kept(report, kAccess));
    if (report.contains("other")) race["other"] = kept(report["other"], kAccess);
    add(std::move(race));
  }
  if (outcome.failure != FailureKind::counter) return evidence;
  for (const nlohmann::ordered_json& launch : outcome.counters)
    add(kept(launch, std::array{"samples"}));
  return evidence;
}

}  // namespace warpmark
