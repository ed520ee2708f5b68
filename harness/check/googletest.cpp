#include "check/googletest.hpp"

#include <cstdlib>

namespace warpmark {
namespace {

// Warpmark decides what runs, how often and in which order: a filter or a shard from somebody's
// environment would leave cases out and report success.
void neutralise() {
  // Read when the tests run.
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE",
                               "TEST_PREMATURE_EXIT_FILE"}) {
    ::unsetenv(variable);
  }
  // Read before main(), into flags.
  GTEST_FLAG_SET(filter, "*");
  GTEST_FLAG_SET(also_run_disabled_tests, true);  // a suite may be called DISABLED_x
  GTEST_FLAG_SET(list_tests, false);
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(random_seed, 0);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, true);
  GTEST_FLAG_SET(stack_trace_depth, 0);
  GTEST_FLAG_SET(stream_result_to, "");
  GTEST_FLAG_SET(install_failure_signal_handler, false);
#if GTEST_USE_OWN_FLAGFILE_FLAG_
  GTEST_FLAG_SET(flagfile, "");
#endif
  GTEST_FLAG_SET(output, "");  // JUnit XML is ours, from the outcomes
}

}  // namespace

void register_tests(const std::vector<RegisteredTest>& tests) {
  testing::UnitTest& program = *testing::UnitTest::GetInstance();
  if (program.total_test_count() > 0) throw internal_error("GoogleTest was started twice");
  for (const RegisteredTest& test : tests) {
    testing::RegisterTest(test.suite.c_str(), test.name.c_str(), nullptr, nullptr,
                          test.where.file.c_str(), test.where.line, test.make);
  }
  // The XML writer is made from the flags by InitGoogleTest, so they come first.
  neutralise();
  std::string name = "warpmark";
  char* arguments[] = {name.data(), nullptr};
  int count = 1;
  testing::InitGoogleTest(&count, arguments);
  testing::TestEventListeners& listeners = program.listeners();
  delete listeners.Release(listeners.default_result_printer());
}

void report_result(const TestReport& report) {
  const char* file = report.where.file.c_str();
  if (!report.failure.empty()) {
    ADD_FAILURE_AT(file, report.where.line) << report.failure;
  } else if (!report.skip.empty()) {
    // GTEST_SKIP() would name this file instead of the suite's place.
    GTEST_MESSAGE_AT_(file, report.where.line, "", testing::TestPartResult::kSkip) << report.skip;
  }
}

}  // namespace warpmark
