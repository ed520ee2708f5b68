// A session as what measures the cases of a bench.
#pragma once

#include "bench/bench.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class SessionTimer : public CaseTimer {
 public:
  explicit SessionTimer(Session& session) : session_(session) {}

  Outcome measure(const Case& which, const PlannedCase& planned, const TimingOptions& options,
                  Measurement& into) override;
  void interrupt() noexcept override { session_.interrupt(); }

 private:
  Session& session_;
};

}  // namespace warpmark
