// What the first Ctrl-C, SIGTERM or SIGHUP does; the second one kills.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

#include "base/error.hpp"

namespace warpmark {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP calls `on_interrupt`, and a second one, of
/// whichever kind, ends the process as it does by default. What comes within kTogetherS of the
/// first is the same wish: timeout(1) signals its child and then the child's whole group, a shell
/// passes SIGHUP on beside the kernel. A signal that was ignored when the process started (SIGINT
/// for a job in the background of a script, SIGHUP under nohup) stays ignored. At most one guard
/// may live at a time: another throws an internal error. The destructor restores the actions that
/// were there before.
class InterruptGuard {
 public:
  static constexpr double kTogetherS = 0.25;

  /// `on_interrupt` runs inside the signal handler, on the thread that made the guard: what that
  /// thread has ended the handler does not meet half-ended. It must be async-signal-safe
  /// (signal-safety(7)) and must not throw. An empty one is left out.
  explicit InterruptGuard(std::function<void()> on_interrupt = {});
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether one of the signals has come.
  bool interrupted() const noexcept { return signal() != 0; }
  /// The first that came; 0 for none.
  int signal() const noexcept { return signal_.load(std::memory_order_relaxed); }
  /// What a shell calls a process that the signal ended, 128 + its number: 130, 143 or 129.
  ExitCode exit_code() const noexcept;

 private:
  static void handle(int signal);
  void take(int signal) noexcept;

  std::function<void()> on_interrupt_;
  pthread_t owner_ = ::pthread_self();
  std::atomic<int> signal_ = 0;
  std::atomic<int64_t> first_ns_ = 0;  ///< when it came; 0 for not yet
  std::array<struct sigaction, 3> before_ = {};
};

/// The exit code of a run that this signal interrupted.
ExitCode interrupted_by(int signal) noexcept;

}  // namespace warpmark
