#include "suite/selection.hpp"

#include <gtest/gtest.h>

#include "unit/suite/suite_text.hpp"

namespace warpmark {
namespace {

std::vector<Case> example_cases() {
  return cases(testing_suites::parse(testing_suites::good()));
}

std::vector<std::string> ids_of(const std::vector<Case>& selected) {
  std::vector<std::string> ids;
  for (const Case& which : selected) ids.push_back(which.id);
  return ids;
}

TEST(Selection, NoIdsSelectAll) {
  EXPECT_EQ(ids_of(select_cases(example_cases(), {})),
            (std::vector<std::string>{"example.n=1", "example.n=16"}));
}

TEST(Selection, IsLiteralOrderedAndOnceEach) {
  EXPECT_EQ(ids_of(select_cases(example_cases(), {"example.n=16", "example.n=1", "example.n=16"})),
            (std::vector<std::string>{"example.n=1", "example.n=16"}));
  // A prefix and a pattern select nothing.
  EXPECT_THROW((void)select_cases(example_cases(), {"example.n="}), Error);
  EXPECT_THROW((void)select_cases(example_cases(), {"*"}), Error);
}

TEST(Selection, OneUnknownIdRefusesAllAndNamesTheNearest) {
  try {
    (void)select_cases(example_cases(), {"example.n=1", "exmaple.n=16"});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(error.message(), "no case is called `exmaple.n=16`");
    EXPECT_EQ(error.hint(), "did you mean `example.n=16`?");
  }
}

}  // namespace
}  // namespace warpmark
