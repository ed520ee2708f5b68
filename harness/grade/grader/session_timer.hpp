// Times a submission and the baseline on a device, each in a worker of its own.
#pragma once

#include <functional>

#include "grade/grader/item_performance.hpp"
#include "runtime/session.hpp"

namespace warpmark {

/// The two never meet in a process, nor in memory: that of the submission is confined as while it
/// is graded, and the baseline has other inputs of the same kind, so that no right answer lies
/// about. What is timed is `cold`: the last-level cache is flushed before each launch, and lines
/// that were told to persist there are ordinary ones again.
class SessionRoundTimer : public RoundTimer {
 public:
  struct Kernels {
    const Case* which = nullptr;
    PlannedCase submission, baseline;
  };
  /// `watch` is told of each session before it is used, and of null after that: whom an interrupt
  /// ends.
  SessionRoundTimer(Interpreter& python, SessionOptions submission, SessionOptions baseline,
                    Kernels kernels, std::function<void(Session*)> watch);
  ~SessionRoundTimer() override;

  TimedRun submission() override;
  TimedRun baseline() override;

 private:
  TimedRun time(Session& session, const PlannedCase& planned);

  Kernels kernels_;
  std::function<void(Session*)> watch_;
  Session submission_, baseline_;
};

}  // namespace warpmark
