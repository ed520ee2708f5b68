// Handling of the first Ctrl-C, SIGTERM or SIGHUP; the second one kills.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "base/error.hpp"

namespace warpmark {

/// While a guard lives, the first SIGINT, SIGTERM or SIGHUP calls `on_interrupt`, and a second one,
/// of any of the three, ends the process as it does by default. A signal within kTogetherS of the
/// first counts as the same request: timeout(1) signals its child and then the child's whole group,
/// a shell passes SIGHUP on beside the kernel. A signal that was ignored when the process started
/// (SIGINT for a job in the background of a script, SIGHUP under nohup) stays ignored. At most one
/// guard may live at a time: another throws an internal error. The destructor restores the earlier
/// actions.
class InterruptGuard {
 public:
  static constexpr double kTogetherS = 0.25;

  /// `on_interrupt` runs inside the signal handler, on the thread that made the guard, so that it
  /// never meets an object which that thread has half destroyed. It must be async-signal-safe
  /// (signal-safety(7)) and must not throw. An empty function is not called.
  explicit InterruptGuard(std::function<void()> on_interrupt = {});
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// True if one of the signals has come.
  bool interrupted() const noexcept { return signal() != 0; }
  /// The number of the first signal; 0 for none.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  /// The shell's exit code of a process that the signal ended, 128 + its number: 130, 143 or 129.
  ExitCode exit_code() const noexcept;

 private:
  static void handle(int signal);
  void take(int signal) noexcept;

  std::function<void()> on_interrupt_;
  pthread_t owner_ = ::pthread_self();
  std::atomic<int> signal_ = 0;
  std::atomic<int64_t> first_ns_ = 0;  ///< time of the first signal; 0 for none yet
  std::array<struct sigaction, 3> before_ = {};
};

/// The exit code of a run that this signal interrupted.
ExitCode interrupted_by(int signal) noexcept;

}  // namespace warpmark
