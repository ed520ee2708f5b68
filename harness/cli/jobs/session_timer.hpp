// A session as what measures the cases of a bench.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "bench/bench.hpp"
#include "runtime/session.hpp"

namespace warpmark {

class SessionTimer : public CaseTimer {
 public:
  explicit SessionTimer(std::unique_ptr<Session> session)
      : session_(std::move(session)), live_(session_.get()) {}

  size_t measure(std::span<TimingJob> jobs) override;
  void close() override;
  void interrupt() noexcept override;

 private:
  std::unique_ptr<Session> session_;
  std::atomic<Session*> live_;  ///< what a signal may interrupt
};

}  // namespace warpmark
