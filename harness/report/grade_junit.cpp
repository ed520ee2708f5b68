#include "report/grade_junit.hpp"

#include <fmt/format.h>

#include "base/log_text.hpp"
#include "base/text.hpp"
#include "report/credit_lines.hpp"
#include "report/grade_text.hpp"
#include "report/xml.hpp"

namespace warpmark {
namespace {

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string attributes(const Counts& counts) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")",
                     counts.tests, counts.failures, counts.errors, counts.skipped, counts.seconds);
}

std::string property(const char* name, std::string_view value) {
  return fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml_attribute(value));
}

// An element of this name in a testcase: "failure", "error", "skipped".
std::string problem(const char* element, std::string_view type, const std::string& message,
                    const std::string& text) {
  return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", element,
                     xml_attribute(message), xml_attribute(type), xml_content(text));
}

class StudentReport {
 public:
  explicit StudentReport(const GradeResult& result) : result_(result) {
    for (const GradedCase& one : result.cases) add(one);
    if (!has_points(result)) {
      ++counts_.errors;
      add("grading", 0,
          problem("error", to_text(result.state), message_text(result), result.staff));
    }
    counts_.seconds = result.seconds;
  }

  const Counts& counts() const { return counts_; }

  std::string text() const {
    std::string xml = fmt::format(
        "  <testsuite name=\"{}\" {} timestamp=\"{}\">\n    <properties>\n",
        xml_attribute(result_.student), attributes(counts_), xml_attribute(result_.context.date));
    xml += property("state", to_text(result_.state));
    if (has_points(result_)) xml += property("points", points_text(result_.points));
    xml += property("max_points", points_text(result_.max_points));
    xml += property("submission_sha256", result_.submission_sha256);
    for (const std::string& flag : result_.flags) xml += property("flag", flag);
    if (result_.context.no_sandbox) xml += property("flag", "graded without a sandbox");
    xml += "    </properties>\n" + cases_;
    const std::string message = message_text(result_);
    std::string out = message.empty() ? result_.log : message + "\n" + result_.log;
    if (!out.empty()) xml += "    <system-out>" + xml_content(out) + "</system-out>\n";
    return xml + "  </testsuite>\n";
  }

 private:
  void add(const GradedCase& one) {
    const GradeWord word = one.word();
    double seconds = 0;
    std::string notes;
    for (const GradedItem& item : one.items) {
      seconds += item.seconds;
      if (!item.note.empty()) notes += item.case_id + ": " + item.note + "\n";
    }
    std::string content;
    if (word != GradeWord::pass && !has_points(result_)) {
      // The grader's fault is reported once; nothing here is the student's.
      ++counts_.skipped;
      content = problem("skipped", to_text(word), "not judged", notes);
    } else if (word != GradeWord::pass) {
      ++counts_.failures;
      content = problem("failure", to_text(word),
                        fmt::format("{}: {} of {} points", to_text(word), points_text(one.points),
                                    points_text(one.max_points)),
                        lost_text(result_, one, word));
    } else if (!one.open.empty()) {
      ++counts_.skipped;
      content = problem("skipped", "open", one.open, "");
    }
    const std::vector<std::string> lines = credit_lines(one);
    if (!lines.empty()) {
      content += "      <system-out>" + xml_content(join(lines, "\n")) + "</system-out>\n";
    }
    add(one.name, seconds, content);
  }

  void add(const std::string& name, double seconds, const std::string& content) {
    ++counts_.tests;
    cases_ += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.3f}\"",
                          xml_attribute(result_.assignment), xml_attribute(result_.student),
                          xml_attribute(name), seconds);
    cases_ += content.empty() ? "/>\n" : ">\n" + content + "    </testcase>\n";
  }

  const GradeResult& result_;
  Counts counts_;
  std::string cases_;
};

}  // namespace

std::string grade_junit(const std::vector<GradeResult>& results) {
  Counts all;
  std::string suites;
  for (const GradeResult& result : results) {
    const StudentReport suite(result);
    const Counts& counts = suite.counts();
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
    all.skipped += counts.skipped;
    all.seconds += counts.seconds;
    suites += suite.text();
  }
  // A platform that prints the file into its log must find no command in it.
  return without_commands(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"grades\" {}>\n{}"
                  "</testsuites>\n",
                  attributes(all), suites));
}

}  // namespace warpmark
