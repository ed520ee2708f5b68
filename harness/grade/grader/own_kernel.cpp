#include "grade/grader/own_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grade/submission/graded_plan.hpp"
#include "runtime/artifacts.hpp"
#include "worker/counters.hpp"

namespace warpmark {

Session& OwnKernel::session() {
  if (!session_) session_ = std::make_unique<Session>(python_, options_);
  return *session_;
}

ArgumentTypes OwnKernel::types(const Case& which, const PlannedCase& planned) {
  ArgumentTypes types;
  const Outcome outcome = session().examine(which, planned, [&](const ReadyCase& ready) {
    types = ready.inputs;
    return false;
  });
  if (outcome.verdict == Verdict::failed) {
    throw usage_error(fmt::format("{} cannot be graded: {}", which.id, outcome.error->message()),
                      outcome.error->where(),
                      "the suite's own kernel, or a template of it, must compile and fit: it says "
                      "the types of the arguments that have no `dtype`");
  }
  return types;
}

void OwnKernel::compile(const Case& which, const PlannedCase& planned) {
  CaseArtifacts artifacts;
  // A kernel that does not compile is the failure of each submission, as if it came later.
  session().compile(which, planned, artifacts);
}

const CompiledRequests& OwnKernel::compiled() {
  return session().compiled();
}

Outcome OwnKernel::verify(const Case& which, const PlannedCase& planned, Trial trial) {
  return session().verify(which, planned, trial);
}

uint64_t OwnKernel::instructions(const Case& which, const PlannedCase& planned) {
  session_.reset();
  if (!counting_) {
    SessionOptions options = options_;
    options.counters = {"traffic"};
    counting_ = std::make_unique<Session>(python_, std::move(options));
  }
  const Outcome outcome = counting_->verify(which, unmeasured(planned), Trial{0, 0});
  if (outcome.verdict != Verdict::passed) return 0;
  const int64_t count = counter_value(sum_counters(outcome.counters), "ptx_thread_instructions");
  return static_cast<uint64_t>(std::max<int64_t>(count, 0));
}

void OwnKernel::leave_device() {
  if (session_ && !session_->require().has("deterministic")) close();
}

void OwnKernel::close() {
  session_.reset();
  counting_.reset();
}

}  // namespace warpmark
