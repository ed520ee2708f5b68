// Exports of a course's platforms: rosters, metadata, names of files, and results that were
// written.
#include <string>

#include "base/date_time.hpp"
#include "base/json_text.hpp"
#include "fuzz/input.hpp"
#include "grade/assignment/handout_store.hpp"
#include "grade/class/grade_rules.hpp"
#include "grade/submission/gradebook.hpp"
#include "grade/submission/gradescope.hpp"
#include "grade/submission/platform_name.hpp"
#include "grade/submission/roster.hpp"
#include "grade/submission/student_name.hpp"
#include "results/grade_result.hpp"

namespace {

using namespace warpmark;

void read_roster(std::string_view text) {
  const Roster roster = Roster::parse(text, "roster.csv");
  std::vector<GradeResult> results;
  for (const std::string& student : roster.students()) {
    roster.find_any(student);
    GradeResult result;
    result.student = student;
    results.push_back(std::move(result));
  }
  const Gradebook book = gradebook_of(roster, results);
  canvas_csv(roster, book);
  moodle_csv(roster, book);
}

void read_rules(const GradeRuleFiles& files) {
  Assignment assignment;
  assignment.late.due = 1741046400;
  GradeResult result;
  result.student = "ada";
  GradeRules rules(assignment, files);
  rules.settle({{"ada", {}}}, nullptr);
  rules.apply(result, std::nullopt);
}

void read_names(const std::string& text) {
  canvas_name(text);
  moodle_name(text);
  folder_name(student_name(text));
  parse_time(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const fuzz::InputFile file(text);
  fuzz::survives([&] { read_roster(text); });
  fuzz::survives([&] { read_gradescope_metadata(file.path()); });
  fuzz::survives([&] { read_gradescope_export(file.path()); });
  fuzz::survives([&] { read_handout_store(file.path()); });
  fuzz::survives([&] { read_rules({file.path(), {}, {}}); });
  fuzz::survives([&] { read_rules({{}, file.path(), {}}); });
  fuzz::survives([&] { read_rules({{}, {}, file.path()}); });
  fuzz::survives([&] { read_names(std::string(text)); });
  fuzz::survives([&] {
    const nlohmann::ordered_json json = try_parse_ordered_json(text);
    if (!json.is_discarded()) to_json(grade_result_from_json(json));
  });
  return 0;
}
