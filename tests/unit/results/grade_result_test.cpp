#include "results/grade_result.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/file.hpp"
#include "unit/results/example_grade.hpp"

namespace warpmark {
namespace {

using Json = nlohmann::ordered_json;
using testing_results::every_state;
using testing_results::graded;
using testing_results::with_credit;

TEST(GradeResult, TheFirstFailureIsTheWord) {
  const GradeResult result = graded();
  EXPECT_EQ(result.cases[0].word(), GradeWord::pass);
  EXPECT_EQ(result.cases[1].word(), GradeWord::wrong);
  EXPECT_EQ(result.cases[2].word(), GradeWord::race);
  EXPECT_EQ(GradedCase().word(), GradeWord::not_launched) << "where nothing ran, nothing passed";
}

TEST(GradeResult, PointsAreRoundedOnce) {
  EXPECT_EQ(points_text(10), "10");
  EXPECT_EQ(points_text(7.5), "7.5");
  EXPECT_EQ(points_text(10.0 / 3), "3.33");
  EXPECT_EQ(points_text(20.0 / 3), "6.67");
  EXPECT_EQ(points_text(0.125), "0.13");
  EXPECT_EQ(points_text(0), "0");
  EXPECT_EQ(points_text(-0.001), "0");
  EXPECT_EQ(points_text(1000000), "1000000");
  EXPECT_EQ(points_text(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(points_text(std::numeric_limits<double>::infinity()), "0");
  EXPECT_EQ(shown_points(0.1 + 0.2), 0.3);
}

TEST(GradeJson, ComesBackAsItWas) {
  for (const GradeResult& result : every_state()) {
    const Json json = Json::parse(to_json(result).dump());
    EXPECT_EQ(to_json(grade_result_from_json(json)).dump(), json.dump()) << result.student;
  }
  const Json json = to_json(every_state()[0]);
  EXPECT_EQ(json["cases"][1]["items"][0]["error"], "nan");
  EXPECT_EQ(json["cases"][1]["items"][0]["bound"], "inf");
  EXPECT_EQ(json["cases"][1]["points"].get<double>(), 5.0 / 3) << "not rounded";
  EXPECT_EQ(json["cases"][2]["word"], "race");
}

TEST(GradeJson, IsStrictWhateverTheNamesAre) {
  GradeResult result = graded("\xff\x1b[31m\u202E\"\n");
  result.seconds = std::numeric_limits<double>::quiet_NaN();
  result.cases[0].items[0].seconds = -1;
  const GradeResult back = grade_result_from_json(Json::parse(to_json(result).dump()));
  EXPECT_EQ(back.student, "\uFFFD\uFFFD[31m\uFFFD\"\n");
  EXPECT_EQ(back.seconds, 0);
  EXPECT_EQ(back.cases[0].items[0].seconds, 0);
}

std::string read_error(const Json& json) {
  try {
    grade_result_from_json(json, {"out/anna/result.json", 0, 0});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "";
}

TEST(GradeJson, EveryMemberIsNeededAndTyped) {
  const Json good = to_json(every_state()[0]);
  // The places of all members, those of the first case, and those of a failed item.
  for (const char* folder : {"", "/context", "/cases/1", "/cases/1/items/0"}) {
    const Json part = good.at(Json::json_pointer(folder));
    for (const auto& member : part.items()) {
      const Json::json_pointer at(std::string(folder) + "/" + member.key());
      Json without = good;
      without.at(Json::json_pointer(folder)).erase(member.key());
      EXPECT_NE(read_error(without).find("has no `" + at.to_string().substr(1) + "`"),
                std::string::npos)
          << at << ": " << read_error(without);
      for (const Json& wrong : {Json(Json::object()), Json(-1), Json("xyz")}) {
        if (wrong.type() == good.at(at).type()) continue;
        if (wrong.is_number() && good.at(at) == "nan") continue;  // a number is as good
        if (wrong.is_number() && good.at(at) == "inf") continue;
        Json bad = good;
        bad.at(at) = wrong;
        EXPECT_NE(read_error(bad), "") << at << " " << wrong;
      }
    }
  }
}

TEST(GradeJson, MembersThatOnlySomeHaveComeBack) {
  const GradeResult whole = with_credit();
  const Json json = to_json(whole);
  EXPECT_EQ(to_json(grade_result_from_json(json)).dump(), json.dump());
  EXPECT_EQ(json["cases"][0]["items"][0]["dropped"][0]["trial"], 1);
  EXPECT_EQ(json["cases"][1]["from"], 0.5);
  EXPECT_EQ(json["cases"][3]["performance"]["by"], "counters");
  EXPECT_EQ(json["cases"][5]["performance"]["by"], "gpu");
  EXPECT_EQ(json["leaderboard"]["order"], "asc");
  // Where there is nothing of them a result is as it has always been.
  const std::string plain = to_json(graded()).dump();
  for (const char* name : {"dropped", "degree", "performance", "open", "from", "leaderboard"}) {
    EXPECT_EQ(plain.find("\"" + std::string(name) + "\""), std::string::npos) << name;
  }
  Json bad = json;
  bad["cases"][1]["items"][0]["degree"]["share"] = 1.5;
  EXPECT_NE(read_error(bad), "");
  bad = json;
  bad["cases"][3]["items"][0]["performance"].erase("ratio");
  EXPECT_NE(read_error(bad), "");
  bad = json;
  bad["leaderboard"].erase("name");
  EXPECT_NE(read_error(bad), "");
}

// A result as it was written before there were tables of members.
TEST(GradeJson, ReadsAnOlderResult) {
  const std::string text =
      read_file(std::filesystem::path(WARPMARK_SOURCE_DIR) / "tests/results/grade.json");
  EXPECT_EQ(to_json(grade_result_from_json(Json::parse(text))).dump() + "\n", text);
}

TEST(StudentView, OfAHiddenCaseTheRuleIsSeenAndNoMeasurement) {
  const GradeResult whole = with_credit();
  const Json seen = to_json(StudentView(whole));
  EXPECT_EQ(seen["cases"][2]["credit"], to_json(whole)["cases"][2]["credit"]);
  EXPECT_FALSE(seen["cases"][4].contains("performance"));
  EXPECT_EQ(seen["cases"][4]["points"], 2);
  EXPECT_TRUE(seen["cases"][3].contains("performance"));
}

TEST(GradeJson, SaysWhatIsWrong) {
  Json json = to_json(graded());
  json["grade"] = 2;
  EXPECT_EQ(read_error(json), "out/anna/result.json: error: `grade` must be 1, not 2");
  json = to_json(graded());
  json.erase("points");
  EXPECT_EQ(read_error(json),
            "out/anna/result.json: error: the record has no `points`\n"
            "  hint: schema/grade.json says what a record has");
  json = to_json(graded());
  json["cases"][1]["points"] = -0.5;
  EXPECT_EQ(read_error(json), "out/anna/result.json: error: `cases/1/points` must not be negative");
  json = to_json(graded());
  json["cases"][1]["word"] = "pass";
  EXPECT_EQ(read_error(json),
            "out/anna/result.json: error: `cases/1/word` is not what its items say");
  EXPECT_NE(read_error(to_json(StudentView(graded()))), "")
      << "a student's copy is no whole result";
  EXPECT_NE(read_error(Json::array()), "");
  EXPECT_NE(read_error(nullptr), "");
}

TEST(StudentView, OfHiddenCasesWordAndHintRemain) {
  GradeResult whole = every_state()[0];
  whole.cases[2].credit = Credit::each;
  const StudentView view(whole);
  ASSERT_EQ(view.words().size(), 3U);
  EXPECT_EQ(view.words()[2], GradeWord::race);
  const GradedCase& hidden = view.result().cases[2];
  EXPECT_TRUE(hidden.items.empty());
  EXPECT_EQ(hidden.name, "other data");
  EXPECT_EQ(hidden.hint, whole.cases[2].hint);
  EXPECT_EQ(hidden.max_points, 10);
  EXPECT_EQ(hidden.credit, Credit::each);
  EXPECT_EQ(view.result().cases[1].items.size(), 3U);
  EXPECT_EQ(to_json(view)["cases"][2]["word"], "race");
}

TEST(StudentView, TimeShowsNothingOfHiddenItems) {
  GradeResult whole = graded();
  const double before = StudentView(whole).result().seconds;
  EXPECT_EQ(before, 5 * 0.25);
  whole.seconds = 1000;
  whole.cases[2].items[0].seconds = 900;
  EXPECT_EQ(StudentView(whole).result().seconds, before);
  EXPECT_EQ(to_json(StudentView(whole)).dump(), to_json(StudentView(graded())).dump());
}

TEST(GradeResultText, HasFilesWhereThereAreSeveral) {
  GradeResult whole = every_state()[3];
  EXPECT_FALSE(to_json(whole).contains("files"));
  whole.files = {{"scale.cu", std::string(64, 'a'), ""}, {"shift.cu", "", "is missing"}};
  EXPECT_EQ(grade_result_from_json(to_json(whole)).files, whole.files);
  EXPECT_EQ(to_json(StudentView(whole)).at("files").size(), 2U);
}

TEST(StudentView, KeepsWhatIsTheStudents) {
  const GradeResult whole = every_state()[3];
  const GradeResult seen = StudentView(whole).result();
  EXPECT_EQ(seen.log, whole.log);
  EXPECT_EQ(seen.message, whole.message);
  EXPECT_EQ(seen.submission_sha256, whole.submission_sha256);
  EXPECT_EQ(seen.points, whole.points);
}

}  // namespace
}  // namespace warpmark
