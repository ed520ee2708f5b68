// GoogleTest as a library: our selection, our reports.
#pragma once

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
  Position where;  ///< place of the test itself
  std::function<TestReport()> body;
};

/// Runs all tests, each once, whatever GTEST_* variables say: suites in the order in which they
/// first come (GoogleTest moves those that end in "DeathTest" to the front), and in each the order
/// given. Prints and writes nothing. Throws an internal error if GoogleTest has tests already: it
/// can run once in a process.
void run_googletest(const std::vector<RegisteredTest>& tests);

}  // namespace warpmark
