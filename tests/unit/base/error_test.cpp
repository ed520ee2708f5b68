#include "base/error.hpp"

#include <gtest/gtest.h>

namespace warpmark {
namespace {

TEST(Error, TextHasPlaceMessageAndHint) {
  const Error error =
      usage_error("unknown key `blocks`", {"suites/x.yaml", 12, 5}, "did you mean `block`?");
  EXPECT_STREQ(error.what(),
               "suites/x.yaml:12:5: error: unknown key `blocks`\n  hint: did you mean `block`?");
  EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(Error, UnknownPartsOfThePlaceAreLeftOut) {
  EXPECT_STREQ(environment_error("no device").what(), "error: no device");
  EXPECT_EQ((Position{"a.cu", 3, 0}).text(), "a.cu:3");
  EXPECT_EQ((Position{"a.cu", 0, 7}).text(), "a.cu");
}

TEST(Error, AtKeepsAPlaceThatIsThere) {
  EXPECT_EQ(usage_error("m", {"a", 1, 1}).at({"b", 2, 2}).where().file, "a");
  EXPECT_EQ(usage_error("m").at({"b", 2, 2}).where().file, "b");
}

}  // namespace
}  // namespace warpmark
