// The one writer of JUnit XML, as check, bench and grade use it; WARPMARK_UPDATE_GOLDEN=1 rewrites the
// golden files.
#include "report/run/junit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <regex>

#include "base/file.hpp"
#include "report/grade/grade_junit.hpp"
#include "report/run/case_run.hpp"
#include "report/run/junit_part.hpp"
#include "unit/results/example_grade.hpp"
#include "unit/results/example_outcome.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing_results::outcome;

const std::string kHostile =
    "first <a href=\"x\">&amp; it's --> ]]> -- "
    "\x1b[31m\xff\xEF\xBF\xBF\tend\n::error::forged\n##[x]";

class Silent : public RunReport {
  void end_case(const EndedCase&) override {}
};

class FullDisk : public RunReport {
  void end_case(const EndedCase&) override {}
  void finish(const RunEnd&) override { throw environment_error("the disk is full <&>"); }
};

std::vector<Outcome> one_of_each() {
  std::vector<Outcome> all = {outcome("doublify", "n=1", Verdict::passed),
                              testing_results::wrong_outcome()};
  all.push_back(outcome("doublify", "n=2", Verdict::failed));
  all.back().message = kHostile;
  all.push_back(outcome("scan/up", "n=1", Verdict::skipped));
  all.back().reason = "needs 80 GiB, the device has 4 GiB";
  all.push_back(outcome("scan/up", "n=2", Verdict::interrupted));
  all.back().reason = "interrupted";
  all.push_back(outcome("scan/up", "n=3", Verdict::not_run));
  all.back().reason = "not run: the run stops after 2 failures";
  return all;
}

CaseWork work_of(const Outcome& one, size_t position) {
  auto suite = std::make_shared<Suite>();
  suite->name = one.suite;
  suite->file = "/suites/" + one.suite + ".yaml";
  suite->where = {suite->file.string(), 2, 1};
  CaseWork work;
  work.which.suite = suite;
  work.which.id = one.case_id;
  work.position = position;
  return work;
}

class JunitOfARun : public testing::Test {
 protected:
  // The file after each case, and at the end.
  std::vector<std::string> texts(const std::vector<Outcome>& outcomes, RunContext context,
                                 RunReport* more = nullptr, size_t first = 0, size_t step = 1) {
    RunOptions options;
    options.junit = file_;
    if (more != nullptr) options.reports.push_back(more);
    std::ostringstream out;
    CaseRun run([] {}, outcomes.size(), context, options, [] { return std::make_unique<Silent>(); },
                out);
    std::vector<std::string> all = {read_file(file_)};
    for (size_t i = first; i < outcomes.size(); i += step) {
      const CaseWork work = work_of(outcomes[i], i);
      std::optional<CaseRun::Attempt> ran;
      if (run.begin(work)) ran = CaseRun::Attempt{outcomes[i], {}};
      run.end(std::move(ran));
      all.push_back(read_file(file_));
    }
    run.finish({});
    all.push_back(read_file(file_));
    return all;
  }

  std::string steady(const std::string& text) {
    static const std::regex kTime("timestamp=\"[^\"]+\"");
    return std::regex_replace(text, kTime, "timestamp=\"T\"");
  }

  void expect_golden(const std::string& name, const std::string& text) {
    const fs::path golden =
        fs::path(WARPMARK_SOURCE_DIR) / "tests/unit/report/junit_golden" / (name + ".xml");
    if (std::getenv("WARPMARK_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, text);
    EXPECT_EQ(read_file(golden), text) << "WARPMARK_UPDATE_GOLDEN=1 accepts the change";
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "junit.xml";
};

RunContext context_of(const std::string& verb) {
  RunContext context = testing_results::context();
  context.verb = verb;
  return context;
}

TEST_F(JunitOfARun, Golden) {
  expect_golden("check", steady(texts(one_of_each(), context_of("check")).back()));
  FullDisk full;
  expect_golden("bench", steady(texts(one_of_each(), context_of("bench"), &full).back()));
  const std::vector<GradeResult> states = testing_results::every_state();
  GradeResult hostile = testing_results::with_credit();
  hostile.log = hostile.student = kHostile;
  expect_golden("grade", grade_junit({states[0], states[3], states[6], hostile}));
}

TEST_F(JunitOfARun, IsValidFromTheFirstCaseOn) {
  const std::vector<std::string> all = texts(one_of_each(), context_of("check"));
  for (size_t i = 0; i < all.size(); ++i) {
    const bool ended = i + 1 == all.size();
    EXPECT_TRUE(all[i].ends_with("</testsuites>\n"));
    const std::string tests = fmt::format(" tests=\"{}\"", ended ? i - 1 : i + 1);
    EXPECT_NE(all[i].substr(0, all[i].find('\n', 60)).find(tests), std::string::npos) << all[i];
    EXPECT_EQ(all[i].find("did not come to its end") == std::string::npos, ended);
  }
}

TEST_F(JunitOfARun, PartsAreTheWhole) {
  const std::string whole = texts(one_of_each(), context_of("check")).back();
  std::vector<fs::path> parts;
  for (size_t index = 1; index <= 2; ++index) {
    RunContext context = context_of("check");
    context.shard = ShardContext{index, 2, one_of_each().size(), "d", "warpmark -- --"};
    parts.push_back(folder_.path() / fmt::format("part{}.xml", index));
    const std::string part = texts(one_of_each(), context, nullptr, index - 1, 2).back();
    const size_t comment = part.find("<!--");
    EXPECT_EQ(part.find("--", comment + 4), part.find("-->", comment));
    write_file_atomically(parts.back(), part);
  }
  const MergedFile merged = merge_junit({parts[1], parts[0]});
  EXPECT_EQ(steady(merged.text), steady(whole));
  EXPECT_EQ(merged.code, ExitCode::verdict);
}

}  // namespace
}  // namespace warpmark
