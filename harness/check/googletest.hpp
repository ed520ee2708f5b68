// GoogleTest as a library: our selection, our reports.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmark {

/// The report of a test; at most one of the texts is not empty.
struct TestReport {
  std::string failure;
  std::string skip;
  Position where;  ///< place of the cause
};

struct RegisteredTest {
  std::string suite;  ///< the full name is SUITE.NAME
  std::string name;
  Position where;                        ///< place of the test itself
  std::function<testing::Test*()> make;  ///< makes its object, which GoogleTest owns
};

/// Makes RUN_ALL_TESTS() run these tests, each once, whatever GTEST_* variables say: suites in the
/// order in which they first come (GoogleTest moves those that end in "DeathTest" to the front),
/// and in each the order given. It prints and writes nothing. Throws an internal error if
/// GoogleTest has tests already: it can run once in a process.
void register_tests(const std::vector<RegisteredTest>& tests);

/// Tells GoogleTest the result of the test that runs.
void report_result(const TestReport& report);

}  // namespace warpmark
