// What the first Ctrl-C does; the second one kills.
#pragma once

#include <signal.h>
#include <atomic>
#include <functional>

namespace warpmark {

/// While it lives, the first SIGINT calls `on_interrupt` and puts the default action back, so that
/// the second SIGINT ends the process. A process that was started with SIGINT ignored (a job in the
/// background of a script) goes on ignoring it. At most one may live at a time: another throws an
/// internal error. The destructor restores the action that was there before.
class InterruptGuard {
 public:
  /// `on_interrupt` runs inside the signal handler, on any thread: it must be async-signal-safe
  /// (signal-safety(7)) and must not throw. An empty one is left out.
  explicit InterruptGuard(std::function<void()> on_interrupt = {});
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether SIGINT has come.
  bool interrupted() const noexcept { return interrupted_.load(std::memory_order_relaxed); }

 private:
  static void handle(int signal);

  std::function<void()> on_interrupt_;
  std::atomic<bool> interrupted_ = false;
  struct sigaction before_ {};
};

}  // namespace warpmark
