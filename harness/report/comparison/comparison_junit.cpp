#include "report/comparison/comparison_junit.hpp"

#include <algorithm>

#include "report/comparison/comparison_rows.hpp"

namespace warpmark {

namespace {

using Result = JunitCase::Result;

std::string name_in(const std::string& suite, const std::string& id) {
  return id.starts_with(suite + ".") ? id.substr(suite.size() + 1) : id;
}

JunitDocument cases_of(const BenchResult& result) {
  JunitDocument document;
  for (const BenchCase& one : result.cases) {
    JunitCase& test =
        document.suite(one.suite).cases.emplace_back(JunitCase{name_in(one.suite, one.id)});
    std::string text = one.reason.empty() ? std::string(to_text(one.verdict)) : one.reason;
    if (one.verdict == Verdict::failed) {
      if (!one.reproduce.empty()) text += "\nreproduce: " + one.reproduce;
      test.set(Result::failure, text);
    } else if (one.verdict != Verdict::passed) {
      test.set(Result::skipped, text);
    }
  }
  return document;
}

}  // namespace

JunitDocument comparison_junit(const ComparedBenches& compared) {
  JunitDocument document = cases_of(compared.contender);
  for (const FailedChange& change : failed_changes(compared)) {
    std::vector<JunitCase>& cases = document.suite(change.suite).cases;
    const std::string name = name_in(change.suite, change.id);
    const auto known = std::ranges::find(cases, name, &JunitCase::name);
    JunitCase& one = known != cases.end() ? *known : cases.emplace_back(JunitCase{name});
    const bool failed = one.result == Result::failure;
    one.set(Result::failure, (failed ? one.message + "\n" : "") + change.text);
  }
  const BenchResult& result = compared.contender;
  if (!result.complete) {
    document.add_own("run", Result::error,
                     result.error.empty() ? "the run did not come to its end" : result.error);
  }
  return document;
}

JunitDocument bench_junit(const BenchResult& result, const std::string& error) {
  JunitDocument document = cases_of(result);
  document.add_own("run", Result::error, error);
  return document;
}

}  // namespace warpmark
