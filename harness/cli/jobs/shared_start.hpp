// `check --share`: the tests of one ctest, each of one case, share the start of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "check/check.hpp"
#include "cli/program/lazy_python.hpp"
#include "cli/request/job_request.hpp"
#include "jobs/shared_results.hpp"

namespace warpmark {

/// The share of a test that `check` reports as without sharing. To be made before the suite is
/// read.
class SharedStart {
 public:
  /// Waits for the test that runs the case, if another does. Throws a usage error for a request
  /// that cannot be shared; other errors leave the case to be run by itself, since sharing only
  /// saves time.
  explicit SharedStart(const JobRequest& request);

  struct Start {
    std::unique_ptr<CaseRunner> runner;
    DeviceFacts device;
  };
  /// A runner that has the result that another test left; or one that runs the case and then, for
  /// two seconds, others of the suite that no test has, and leaves their results. Nothing if the
  /// case is to be run by itself: the first of a suite, for which nobody knows yet whether others
  /// come; one that had no result; all of them where no ctest started the program. Throws what
  /// Session::require throws. The context and `python` must outlive the runner, and so must this.
  std::optional<Start> start(const JobRequest& request, const RunContext& context,
                             LazyPython& python, const SessionOptions& options);

 private:
  int64_t begin_ns_;
  std::optional<SharedResults> results_;
  std::optional<SharedCase> own_;  ///< held until the test ends
  std::optional<nlohmann::json> result_;
};

}  // namespace warpmark
