#include "report/run/junit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.hpp"
#include "base/log_text.hpp"
#include "base/text.hpp"

namespace warpmark {

namespace {

using Result = JunitCase::Result;

// Text that XML 1.0 can hold; not escaped.
std::string xml_text(std::string_view text) {
  std::string out = printable(text);
  // printable() leaves U+FFFE and U+FFFF in, which are no XML characters.
  for (const char* bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (size_t at = 0; (at = out.find(bad, at)) != std::string::npos;) {
      out.replace(at, 3, "\xEF\xBF\xBD");
    }
  }
  return out;
}

// Line breaks, too, which are blanks to a reader else.
std::string attribute(const char* name, std::string_view text) {
  return fmt::format(
      " {}=\"{}\"", name,
      escape(xml_text(text),
             {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#x0A;"}}));
}

std::string content(std::string_view text) {
  return escape(xml_text(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

// The sums of a suite, or of all suites.
struct Sums {
  size_t tests = 0, failures = 0, skipped = 0, errors = 0;
  double seconds = 0;
  std::string started;  ///< the earliest

  void add(const Sums& other) {
    tests += other.tests;
    failures += other.failures;
    skipped += other.skipped;
    errors += other.errors;
    seconds += other.seconds;
    if (started.empty() || (!other.started.empty() && other.started < started)) {
      started = other.started;
    }
  }
  std::string text() const {
    return fmt::format(
               R"( tests="{}" failures="{}" disabled="0" skipped="{}" errors="{}" time="{:.3f}")",
               tests, failures, skipped, errors, seconds) +
           (started.empty() ? "" : attribute("timestamp", started));
  }
};

Sums sums_of(const JunitSuite& suite) {
  Sums all;
  for (const JunitCase& one : suite.cases) {
    all.add({1, one.result == Result::failure, one.result == Result::skipped,
             one.result >= Result::error, one.seconds, one.started});
  }
  if (suite.seconds) all.seconds = *suite.seconds;
  if (!suite.started.empty()) all.started = suite.started;
  return all;
}

std::string problem(const JunitCase& one) {
  if (one.result == Result::passed) return "";
  const char* name = one.result == Result::failure   ? "failure"
                     : one.result == Result::skipped ? "skipped"
                                                     : "error";
  std::string xml = fmt::format("      <{}", name) + attribute("message", one.message);
  if (one.result != Result::skipped || !one.type.empty()) xml += attribute("type", one.type);
  return xml + (one.text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", content(one.text), name));
}

std::string output(const char* indent, const std::string& text) {
  if (text.empty()) return "";
  return fmt::format("{}<system-out>{}</system-out>\n", indent, content(text));
}

std::string case_text(const JunitSuite& suite, const JunitCase& one) {
  std::string xml = "    <testcase" + attribute("name", one.name);
  if (one.where.known()) xml += attribute("file", one.where.file);
  if (one.where.line > 0) xml += fmt::format(" line=\"{}\"", one.where.line);
  xml += fmt::format(R"( status="run" result="{}" time="{:.3f}")",
                     one.result == Result::skipped ? "skipped" : "completed", one.seconds);
  if (!one.started.empty()) xml += attribute("timestamp", one.started);
  xml += attribute("classname", suite.class_name);
  const std::string inside = problem(one) + output("      ", one.out);
  return xml + (inside.empty() ? "/>\n" : ">\n" + inside + "    </testcase>\n");
}

std::string suite_text(const JunitSuite& suite, const Sums& sums) {
  std::string xml = "  <testsuite" + attribute("name", suite.name) + sums.text() + ">\n";
  if (!suite.properties.empty()) {
    xml += "    <properties>\n";
    for (const auto& [name, value] : suite.properties) {
      xml += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
    }
    xml += "    </properties>\n";
  }
  for (const JunitCase& one : suite.cases) xml += case_text(suite, one);
  return xml + output("    ", suite.out) + "  </testsuite>\n";
}

}  // namespace

void JunitCase::set(Result what, const std::string& why) {
  result = what;
  message = text = why;
}

JunitSuite& JunitDocument::suite(const std::string& wanted) {
  // Most cases are of the last one.
  const auto found = std::find_if(suites.rbegin(), suites.rend(),
                                  [&](const JunitSuite& one) { return one.name == wanted; });
  return found != suites.rend() ? *found : suites.emplace_back(JunitSuite{wanted, wanted});
}

void JunitDocument::add_own(const std::string& case_name, Result result,
                            const std::string& message) {
  JunitCase one{case_name};
  one.result = result;
  one.message = message;
  suites.emplace_back(JunitSuite{"warpmark", "warpmark"}).cases.push_back(std::move(one));
}

std::string junit_text(const JunitDocument& document, const std::string& comment) {
  Sums all;
  std::string suites;
  for (const JunitSuite& suite : document.suites) {
    const Sums sums = sums_of(suite);
    all.add(sums);
    suites += suite_text(suite, sums);
  }
  return without_commands(fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}{}<testsuites{}{}>\n{}</testsuites>\n",
      comment, comment.empty() ? "" : "\n", all.text(), attribute("name", document.name), suites));
}

}  // namespace warpmark
