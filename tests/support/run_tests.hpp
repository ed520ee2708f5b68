// Exit codes of GoogleTest programs, for ctest.
#pragma once

#include <gtest/gtest.h>

namespace warpmark::test {

/// Runs all tests: 77, ctest's skip, where some were skipped and none passed or failed. GoogleTest
/// itself calls that a success, and prints "SKIPPED" also where another test failed. A filter that
/// fits no test fails.
inline int run_tests() {
  constexpr int kSkipped = 77;
  const int result = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (result != 0 || GTEST_FLAG_GET(list_tests)) return result;
  if (tests.test_to_run_count() == 0) return 1;
  return tests.successful_test_count() == 0 ? kSkipped : 0;
}

}  // namespace warpmark::test
