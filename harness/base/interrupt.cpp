#include "base/interrupt.hpp"

#include <sched.h>
#include <time.h>

#include <cerrno>
#include <csignal>

namespace warpmark {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but globals.
std::atomic<InterruptGuard*> current_guard = nullptr;
std::atomic<int> handlers_running = 0;

static_assert(std::atomic<InterruptGuard*>::is_always_lock_free);
static_assert(std::atomic<int64_t>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

// std::chrono is not among what signal-safety(7) allows; this is.
int64_t now_ns() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec + 1;  // never 0
}

}  // namespace

InterruptGuard::InterruptGuard(std::function<void()> on_interrupt)
    : on_interrupt_(std::move(on_interrupt)) {
  InterruptGuard* none = nullptr;
  if (!current_guard.compare_exchange_strong(none, this)) {
    throw internal_error("two InterruptGuards at a time");
  }
  struct sigaction action {};
  action.sa_handler = &InterruptGuard::handle;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
  current_guard.store(nullptr);
  // Another thread may still be inside the handler, with a pointer to this.
  while (handlers_running.load() != 0) ::sched_yield();
}

ExitCode InterruptGuard::exit_code() const noexcept {
  return interrupted() ? interrupted_by(signal()) : ExitCode::success;
}

void InterruptGuard::handle(int signal) {
  const int saved = errno;
  handlers_running.fetch_add(1);
  if (InterruptGuard* guard = current_guard.load()) guard->take(signal);
  handlers_running.fetch_sub(1);
  errno = saved;
}

void InterruptGuard::take(int signal) noexcept {
  // The kernel gives a process's signal to any thread of it, a library's (OpenBLAS's) too.
  if (::pthread_equal(::pthread_self(), owner_) == 0) {
    ::pthread_kill(owner_, signal);
    return;
  }
  const int64_t now = now_ns();
  int64_t first = 0;
  if (first_ns_.compare_exchange_strong(first, now)) {
    signal_.store(signal);
    if (on_interrupt_) on_interrupt_();
  } else if (static_cast<double>(now - first) * 1e-9 >= kTogetherS) {
    // Delivered when the handler returns, where it is blocked no more.
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

ExitCode interrupted_by(int signal) noexcept {
  return static_cast<ExitCode>(128 + signal);
}

}  // namespace warpmark
