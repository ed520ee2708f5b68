#include "grade/grader/own_kernel.hpp"

#include <fmt/format.h>

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

Outcome OwnKernel::verify(const Case& which, const PlannedCase& planned, Trial trial) {
  return session().verify(which, planned, trial);
}

}  // namespace warpmark
