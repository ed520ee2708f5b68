#include "report/grade/grade_junit.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/grade/credit_lines.hpp"
#include "report/grade/grade_text.hpp"
#include "report/run/junit.hpp"

namespace warpmark {
namespace {

using Result = JunitCase::Result;

JunitCase case_of(const GradeResult& result, const GradedCase& one) {
  JunitCase test{one.name};
  std::string notes;
  for (const GradedItem& item : one.items) {
    test.seconds += item.seconds;
    if (!item.note.empty()) notes += item.case_id + ": " + item.note + "\n";
  }
  const GradeWord word = one.word();
  if (word != GradeWord::pass) test.type = to_text(word);
  if (word != GradeWord::pass && !has_points(result)) {
    // The grader's fault is reported once; nothing here is the student's.
    test.result = Result::skipped;
    test.message = "not judged";
    test.text = notes;
  } else if (word != GradeWord::pass) {
    test.result = Result::failure;
    test.message = fmt::format("{}: {} of {} points", to_text(word), points_text(one.points),
                               points_text(one.max_points));
    test.text = lost_text(result, one, word);
  } else if (!one.open.empty()) {
    test.result = Result::skipped;
    test.message = one.open;
    test.type = "open";
  }
  test.out = join(credit_lines(one), "\n");
  return test;
}

std::vector<std::pair<std::string, std::string>> properties_of(const GradeResult& result) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"state", std::string(to_text(result.state))}};
  if (has_points(result)) all.emplace_back("points", points_text(result.points));
  all.emplace_back("max_points", points_text(result.max_points));
  all.emplace_back("submission_sha256", result.submission_sha256);
  for (const std::string& flag : result.flags) all.emplace_back("flag", flag);
  if (result.context.no_sandbox) all.emplace_back("flag", "graded without a sandbox");
  return all;
}

JunitSuite suite_of(const GradeResult& result) {
  JunitSuite suite{result.student, result.assignment + "." + result.student};
  for (const GradedCase& one : result.cases) suite.cases.push_back(case_of(result, one));
  const std::string message = message_text(result);
  if (!has_points(result)) {
    JunitCase& fault = suite.cases.emplace_back(JunitCase{"grading"});
    fault.result = Result::error;
    fault.message = message;
    fault.type = to_text(result.state);
    fault.text = result.staff;
  }
  suite.properties = properties_of(result);
  suite.out = message.empty() ? result.log : message + "\n" + result.log;
  suite.started = result.context.date;
  suite.seconds = result.seconds;
  return suite;
}

}  // namespace

std::string grade_junit(const std::vector<GradeResult>& results) {
  JunitDocument document{"grades"};
  for (const GradeResult& result : results) document.suites.push_back(suite_of(result));
  return junit_text(document);
}

}  // namespace warpmark
