// Grades as JSON (schema/grade.json), and back.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "results/grade_result.hpp"
#include "results/outcome_record.hpp"
#include "results/record_field.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

// A clock that went wrong must not make the result invalid.
double seconds_of(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 ? seconds : 0;
}

void add_dropped(const GradedItem& item, Json& json) {
  if (item.dropped.empty()) return;
  Json all = Json::array();
  for (const DroppedTrial& one : item.dropped) {
    all.push_back(
        {{"trial", one.trial}, {"word", to_text(one.word)}, {"explanation", one.explanation}});
  }
  json["dropped"] = std::move(all);
}

Json json_of(const GradedItem& item) {
  Json json = {{"case", item.case_id},
               {"word", to_text(item.word)},
               {"trials", item.trials},
               {"trial", item.trial ? Json(*item.trial) : Json(nullptr)},
               {"explanation", item.explanation},
               {"detail", item.detail},
               {"reproduce", item.reproduce},
               {"note", item.note},
               {"error", json_of(item.error)},
               {"bound", json_of(item.bound)},
               {"seconds", seconds_of(item.seconds)}};
  add_dropped(item, json);
  if (item.degree) json["degree"] = to_json(*item.degree);
  if (item.performance) json["performance"] = to_json(*item.performance);
  if (!item.open.empty()) json["open"] = item.open;
  return json;
}

Json json_of(const GradedCase& one, GradeWord word) {
  Json items = Json::array();
  for (const GradedItem& item : one.items) items.push_back(json_of(item));
  Json json = {{"name", one.name},
               {"points", one.points},
               {"max_points", one.max_points},
               {"visibility", to_text(one.visibility)},
               {"credit", to_text(one.credit)},
               {"hint", one.hint},
               {"extra", one.extra},
               {"word", to_text(word)},
               {"items", std::move(items)}};
  if (one.credit == Credit::degree) json["from"] = one.from;
  if (one.performance) json["performance"] = to_json(*one.performance);
  if (!one.open.empty()) json["open"] = one.open;
  return json;
}

Json json_of(const GradeAdjustment& one) {
  return {{"name", one.name}, {"points", one.points}, {"reason", one.reason}};
}

Json json_of(const LeaderboardEntry& entry) {
  return {{"by", entry.by},
          {"name", entry.name},
          {"pseudonym", entry.pseudonym},
          {"value", entry.value},
          {"order", entry.ascending ? "asc" : "desc"},
          {"top", entry.top}};
}

Json json_of(const GradeContext& context) {
  return {{"warpmark", context.warpmark},
          {"assignment_sha256", context.assignment_sha256},
          {"assignment_version", context.assignment_version},
          {"device", context.device},
          {"driver_version", context.driver_version},
          {"nvrtc_version", context.nvrtc_version},
          {"date", context.date},
          {"sandbox", context.sandbox},
          {"no_sandbox", context.no_sandbox}};
}

Json json_of(const GradedFile& one) {
  return {{"name", one.name}, {"sha256", one.sha256}, {"problem", one.problem}};
}

Json json_of(const GradeResult& result, const std::vector<GradeWord>& words) {
  Json cases = Json::array();
  for (size_t i = 0; i < result.cases.size(); ++i) {
    cases.push_back(json_of(result.cases[i], words[i]));
  }
  Json adjustments = Json::array();
  for (const GradeAdjustment& one : result.adjustments) adjustments.push_back(json_of(one));
  Json json = {{"grade", kGradeVersion},
               {"assignment", result.assignment},
               {"title", result.title},
               {"student", result.student},
               {"file", result.file},
               {"submission_sha256", result.submission_sha256},
               {"key", result.key},
               {"state", to_text(result.state)},
               {"message", result.message},
               {"log", result.log},
               {"staff", result.staff},
               {"points", result.points},
               {"max_points", result.max_points},
               {"cases", std::move(cases)},
               {"handed_in", result.handed_in},
               {"adjustments", std::move(adjustments)},
               {"final_points", result.final_points()},
               {"flags", result.flags},
               {"ptx_prints", result.ptx_prints},
               {"seconds", seconds_of(result.seconds)},
               {"context", json_of(result.context)}};
  for (const PlatformId& id : result.ids) json["ids"].push_back(to_text(id));
  if (result.leaderboard) json["leaderboard"] = json_of(*result.leaderboard);
  // A result of a single file has its name and hash in other members.
  for (const GradedFile& one : result.files) json["files"].push_back(json_of(one));
  return strict_json(std::move(json));
}

double not_negative(const RecordField& field) {
  const double number = field.number();
  if (number < 0) throw field.wrong("must not be negative");
  return number;
}

uint64_t count_of(const RecordField& field) {
  const int64_t number = field.integer();
  if (number < 0) throw field.wrong("must not be negative");
  return static_cast<uint64_t>(number);
}

// A number, or the text that strict_json makes of a number that is not finite.
std::optional<double> any_number(const RecordField& record, const char* name) {
  record.member(name);
  const auto field = record.find(name);
  if (!field) return {};
  const std::string plain = field->plain();
  if (plain == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (plain == "inf") return std::numeric_limits<double>::infinity();
  if (plain == "-inf") return -std::numeric_limits<double>::infinity();
  return field->number();
}

GradeWord word_of(const RecordField& field) {
  return field.one_of({GradeWord::pass, GradeWord::wrong, GradeWord::memory_error, GradeWord::race,
                       GradeWord::barrier, GradeWord::limit, GradeWord::not_launched});
}

GradedItem item_of(const RecordField& record) {
  GradedItem item;
  item.case_id = record.member("case").text();
  item.word = word_of(record.member("word"));
  item.trials = count_of(record.member("trials"));
  record.member("trial");
  if (const auto trial = record.find("trial")) item.trial = count_of(*trial);
  item.explanation = record.member("explanation").text();
  item.detail = record.member("detail").text();
  item.reproduce = record.member("reproduce").text();
  item.note = record.member("note").text();
  item.error = any_number(record, "error");
  item.bound = any_number(record, "bound");
  item.seconds = not_negative(record.member("seconds"));
  if (const auto dropped = record.find("dropped")) {
    for (const RecordField& one : dropped->elements()) {
      item.dropped.push_back({count_of(one.member("trial")), word_of(one.member("word")),
                              one.member("explanation").text()});
    }
  }
  if (const auto degree = record.find("degree")) item.degree = degree_of(*degree);
  if (const auto measured = record.find("performance"))
    item.performance = performance_of(*measured);
  if (const auto open = record.find("open")) item.open = open->text();
  return item;
}

GradedCase graded_case_of(const RecordField& record) {
  GradedCase one;
  one.name = record.member("name").text();
  one.points = not_negative(record.member("points"));
  one.max_points = not_negative(record.member("max_points"));
  one.visibility = record.member("visibility").one_of({Visibility::visible, Visibility::hidden});
  one.credit = record.member("credit").one_of({Credit::all, Credit::each, Credit::degree});
  one.hint = record.member("hint").text();
  one.extra = record.member("extra").boolean();
  for (const RecordField& item : record.member("items").elements()) {
    one.items.push_back(item_of(item));
  }
  if (one.credit == Credit::degree) one.from = not_negative(record.member("from"));
  if (const auto rule = record.find("performance")) one.performance = performance_rule_of(*rule);
  if (const auto open = record.find("open")) one.open = open->text();
  // A student's view of a hidden case has a word and no items: it is no whole result.
  const RecordField word = record.member("word");
  if (word_of(word) != one.word()) throw word.wrong("is not what its items say");
  return one;
}

GradeContext context_of(const RecordField& record) {
  GradeContext context;
  context.warpmark = record.member("warpmark").text();
  context.assignment_sha256 = record.member("assignment_sha256").text();
  context.assignment_version = record.member("assignment_version").text();
  context.device = record.member("device").text();
  context.driver_version = record.member("driver_version").text();
  context.nvrtc_version = record.member("nvrtc_version").text();
  context.date = record.member("date").text();
  context.sandbox = record.member("sandbox").texts();
  context.no_sandbox = record.member("no_sandbox").boolean();
  return context;
}

LeaderboardEntry leaderboard_of(const RecordField& record) {
  LeaderboardEntry entry;
  entry.by = record.member("by").text();
  entry.name = record.member("name").text();
  entry.pseudonym = record.member("pseudonym").text();
  entry.value = record.member("value").number();
  entry.ascending = record.member("order").text() == "asc";
  entry.top = count_of(record.member("top"));
  return entry;
}

}  // namespace

Json to_json(const GradeResult& result) {
  std::vector<GradeWord> words;
  for (const GradedCase& one : result.cases) words.push_back(one.word());
  return json_of(result, words);
}

Json to_json(const StudentView& view) {
  return json_of(view.result(), view.words());
}

GradeResult grade_result_from_json(const Json& json, const Position& where) {
  const RecordField record(json, where, "schema/grade.json");
  const RecordField version = record.member("grade");
  if (version.integer() != kGradeVersion) {
    throw version.wrong(fmt::format("must be {}, not {}", kGradeVersion, version.integer()));
  }
  GradeResult result;
  result.assignment = record.member("assignment").text();
  result.title = record.member("title").text();
  result.student = record.member("student").text();
  result.file = record.member("file").text();
  result.submission_sha256 = record.member("submission_sha256").text();
  if (const auto files = record.find("files")) {
    for (const RecordField& one : files->elements()) {
      result.files.push_back(
          {one.member("name").text(), one.member("sha256").text(), one.member("problem").text()});
    }
  }
  result.key = record.member("key").text();
  result.state = record.member("state").one_of({GradeState::graded, GradeState::refused,
                                                GradeState::compile_error, GradeState::limit,
                                                GradeState::fault, GradeState::grader_error});
  result.message = record.member("message").text();
  result.log = record.member("log").text();
  result.staff = record.member("staff").text();
  result.points = not_negative(record.member("points"));
  result.max_points = not_negative(record.member("max_points"));
  for (const RecordField& one : record.member("cases").elements()) {
    result.cases.push_back(graded_case_of(one));
  }
  result.handed_in = record.member("handed_in").text();
  for (const RecordField& one : record.member("adjustments").elements()) {
    result.adjustments.push_back(
        {one.member("name").text(), one.member("points").number(), one.member("reason").text()});
  }
  not_negative(record.member("final_points"));  // the sum of the others
  result.flags = record.member("flags").texts();
  result.ptx_prints = record.member("ptx_prints").texts();
  result.seconds = not_negative(record.member("seconds"));
  result.context = context_of(record.member("context"));
  if (const auto ids = record.find("ids")) {
    for (const std::string& text : ids->texts()) {
      if (auto id = platform_id(text)) result.ids.push_back(std::move(*id));
    }
  }
  if (const auto entry = record.find("leaderboard")) result.leaderboard = leaderboard_of(*entry);
  return result;
}

}  // namespace warpmark
