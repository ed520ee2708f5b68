#include "runtime/findings_text.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

nlohmann::ordered_json report(const char* kind, int line, const std::string& message) {
  return {{"kind", kind},
          {"file", "k.cu"},
          {"line", static_cast<unsigned>(line)},
          {"message", message}};
}

TEST(FindingsText, OneMistakeIsReportedOnceWithItsNumber) {
  std::vector<nlohmann::ordered_json> reports;
  for (int i = 0; i < 77; ++i) reports.push_back(report("race", 6, "race " + std::to_string(i)));
  reports.push_back(report("uninitialised", 6, "no value"));
  reports.push_back(report("race", 9, "another race"));
  EXPECT_EQ(findings_text(reports), "race 0 (76 more like it)\nno value\nanother race");
}

TEST(FindingsText, OtherWordsAtTheSameLineAreAnotherMistake) {
  EXPECT_EQ(findings_text({report("illegal_address", 4, "read at x[1000], by thread (1,0,0)"),
                           report("illegal_address", 4, "write at y[1000], by thread (1,0,0)"),
                           report("illegal_address", 4, "read at x[1001], by thread (2,0,0)")}),
            "read at x[1000], by thread (1,0,0) (1 more like it)\n"
            "write at y[1000], by thread (1,0,0)");
}

TEST(FindingsText, WithoutALineOnlyTheSameWordsAreOne) {
  EXPECT_EQ(findings_text({{{"kind", "race"}, {"message", "a"}},
                           {{"kind", "race"}, {"message", "b"}},
                           {{"kind", "race"}, {"message", "a"}}}),
            "a (1 more like it)\nb");
}

TEST(FindingsText, ManyLinesAreCounted) {
  std::vector<nlohmann::ordered_json> reports;
  for (int i = 0; i < 20; ++i) reports.push_back(report("race", i / 2, "r" + std::to_string(i)));
  const std::string text = findings_text(reports);
  EXPECT_NE(text.find("r14 (1 more like it)"), std::string::npos);
  EXPECT_EQ(text.find("r16"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\nand 4 more; --journal has them all")) << text;
}

TEST(FindingsText, StrangeReportsAreLeftOut) {
  EXPECT_EQ(findings_text({}), "");
  EXPECT_EQ(findings_text({7, {{"kind", "race"}}, {{"message", 3.5}}, {{"message", "a\x1b"}}}),
            "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace warpmark
