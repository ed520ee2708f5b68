#include "report/annotations.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

TEST(Annotation, IsEscapedAsTheRunnerReadsIt) {
  EXPECT_EQ(annotation({"suites/x.yaml", 14, 3}, "x.n=1,m=2", "50% wrong\nat: a,b"),
            "::error file=suites/x.yaml,line=14,col=3,title=x.n=1%2Cm=2::50%25 wrong%0Aat: a,b");
  EXPECT_EQ(annotation({}, "t", "u"), "::error title=t::u");
  EXPECT_EQ(annotation({"a.cu", 5, 0}, "t", ""), "::error file=a.cu,line=5,title=t::");
}

TEST(Annotation, HostileTextStaysOneLineOfText) {
  const std::string line =
      annotation({"a,line=1::b\n::error::c", 1, 1}, "::\r\n::", "\n::set-env::x\r");
  EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos);
  EXPECT_EQ(line,
            "::error file=a%2Cline=1%3A%3Ab%0A%3A%3Aerror%3A%3Ac,line=1,col=1,"
            "title=%3A%3A\uFFFD%0A%3A%3A::%0A::set-env::x\uFFFD");
}

TEST(Annotation, OnlyFailuresAndNotTooMany) {
  Annotations report;
  report.end_case({testing_results::outcome("a", "n=1", Verdict::passed), ""});
  std::ostringstream none;
  report.write(none);
  EXPECT_EQ(none.str(), "");
  for (int i = 0; i < 53; ++i) report.end_case({testing_results::wrong_outcome(), "again"});
  std::ostringstream out;
  report.write(out);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 51);
  EXPECT_TRUE(text.ends_with("\n::error title=warpmark::3 more failures\n")) << text;
}

TEST(CommandsStopped, EndsWithTheWordOfItsBeginning) {
  const auto words = [] {
    std::ostringstream out;
    {
      const CommandsStopped stopped(out);
      out << "no newline";
    }
    return out.str();
  };
  const std::string text = words();
  constexpr std::string_view kHead = "::stop-commands::";
  ASSERT_TRUE(text.starts_with(kHead));
  const std::string word = text.substr(kHead.size(), text.find('\n') - kHead.size());
  EXPECT_GE(word.size(), 32U);
  EXPECT_TRUE(text.ends_with("no newline\n::" + word + "::\n")) << text;
  EXPECT_NE(text, words());
}

}  // namespace
}  // namespace warpmark
