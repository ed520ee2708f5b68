#include "report/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/log_text.hpp"
#include "report/case_text.hpp"
#include "report/comparison_rows.hpp"
#include "report/junit_shard.hpp"
#include "report/xml.hpp"

namespace warpmark {

namespace {

constexpr const char* kNoEnd = "the run did not come to its end";

struct Counts {
  size_t tests = 0, failures = 0, skipped = 0, errors = 0;
  double seconds = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    skipped += other.skipped;
    errors += other.errors;
    seconds += other.seconds;
  }
  std::string text() const {
    return fmt::format(
        R"(tests="{}" failures="{}" disabled="0" skipped="{}" errors="{}" time="{:.3f}")", tests,
        failures, skipped, errors, seconds);
  }
};

std::string case_text(const JunitCase& one, Counts& counts) {
  ++counts.tests;
  counts.seconds += one.seconds;
  const std::string name =
      one.id.starts_with(one.suite + ".") ? one.id.substr(one.suite.size() + 1) : one.id;
  std::string xml = fmt::format(
      R"(    <testcase name="{}" status="run" result="{}" time="{:.3f}" classname="{}")",
      xml_attribute(name), one.skip.empty() ? "completed" : "skipped", one.seconds,
      xml_attribute(one.suite));
  if (!one.failure.empty()) {
    ++counts.failures;
    xml += fmt::format(">\n      <failure message=\"{}\" type=\"\">{}</failure>\n    </testcase>\n",
                       xml_attribute(one.failure), xml_content(one.failure));
  } else if (!one.skip.empty()) {
    ++counts.skipped;
    xml += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                       xml_attribute(one.skip));
  } else {
    xml += "/>\n";
  }
  return xml;
}

std::vector<JunitCase> cases_of(const BenchResult& result) {
  std::vector<JunitCase> cases;
  for (const BenchCase& one : result.cases) {
    JunitCase test{one.suite, one.id, 0, "", ""};
    std::string text = one.reason.empty() ? std::string(to_text(one.verdict)) : one.reason;
    if (one.verdict == Verdict::failed) {
      test.failure = text;
      if (!one.reproduce.empty()) test.failure += "\nreproduce: " + one.reproduce;
    } else if (one.verdict != Verdict::passed) {
      test.skip = std::move(text);
    }
    cases.push_back(std::move(test));
  }
  return cases;
}

std::string error_of(const BenchResult& result) {
  if (result.complete) return "";
  return result.error.empty() ? kNoEnd : result.error;
}

}  // namespace

std::string junit_text(const std::vector<JunitCase>& cases, const std::string& error) {
  std::vector<std::string> order;
  std::map<std::string, std::string> texts;
  std::map<std::string, Counts> counts;
  for (const JunitCase& one : cases) {
    if (counts.count(one.suite) == 0) order.push_back(one.suite);
    texts[one.suite] += case_text(one, counts[one.suite]);
  }
  Counts all;
  std::string suites;
  for (const std::string& name : order) {
    all.add(counts[name]);
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_attribute(name),
                          counts[name].text(), texts[name]);
  }
  if (!error.empty()) {
    Counts run;
    run.tests = run.errors = 1;
    all.add(run);
    suites += fmt::format(
        "  <testsuite name=\"warpmark\" {}>\n    <testcase name=\"run\" status=\"run\" "
        "result=\"completed\" time=\"0.\" classname=\"warpmark\">\n"
        "      <error message=\"{}\" type=\"\"/>\n    </testcase>\n  </testsuite>\n",
        run.text(), xml_attribute(error));
  }
  return without_commands(fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {} name=\"AllTests\">\n{}"
      "</testsuites>\n",
      all.text(), suites));
}

std::string comparison_junit(const ComparedBenches& compared) {
  std::vector<JunitCase> cases = cases_of(compared.contender);
  for (const FailedChange& change : failed_changes(compared)) {
    const auto known = std::find_if(cases.begin(), cases.end(),
                                    [&](const JunitCase& one) { return one.id == change.id; });
    JunitCase& one = known != cases.end()
                         ? *known
                         : cases.emplace_back(JunitCase{change.suite, change.id, 0, "", ""});
    one.failure += (one.failure.empty() ? "" : "\n") + change.text;
    one.skip.clear();
  }
  return junit_text(cases, error_of(compared.contender));
}

std::string bench_junit(const BenchResult& result, const std::string& error) {
  return junit_text(cases_of(result), error);
}

JunitReport::JunitReport(std::filesystem::path file, std::optional<ShardContext> shard, Last last)
    : file_(std::move(file)), shard_(std::move(shard)), last_(last) {
  require_writable(file_);
  std::error_code code;
  has_draft_ =
      !std::filesystem::exists(file_, code) || std::filesystem::is_regular_file(file_, code);
  write_draft();
}

void JunitReport::write(const std::string& error) const {
  std::string xml = junit_text(cases_, error);
  if (shard_) xml.insert(xml.find('\n') + 1, junit_shard_comment(*shard_, positions_) + "\n");
  write_file_atomically(file_, xml);
}

// Drafts of a long report take a tenth of the time, at most.
void JunitReport::write_draft() {
  if (!has_draft_ || drafts_s_ > 0.2 + 0.1 * seconds_since(begun_)) return;
  const auto start = Clock::now();
  try {
    write(kNoEnd);
  } catch (const Error&) {
    has_draft_ = false;  // the report itself will say why, at its end
  }
  drafts_s_ += seconds_since(start);
}

void JunitReport::end_case(const EndedCase& ended) {
  const Outcome& outcome = ended.outcome;
  JunitCase one{outcome.suite, outcome.case_id, outcome.seconds, "", ""};
  if (outcome.verdict == Verdict::failed) {
    one.failure = failure_text(outcome, ended.reproduce);
  } else if (outcome.verdict != Verdict::passed) {
    one.skip = outcome.reason.empty() ? std::string(to_text(outcome.verdict)) : outcome.reason;
  }
  cases_.push_back(std::move(one));
  positions_.push_back(ended.position.value_or(0));
  write_draft();
}

void JunitReport::finish(const RunEnd& end) {
  if (last_ == Last::own) write(end.error);
}

}  // namespace warpmark
