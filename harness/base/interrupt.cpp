#include "base/interrupt.hpp"

#include <sched.h>

#include <cerrno>

#include "base/error.hpp"

namespace warpmark {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<InterruptGuard*> current_guard = nullptr;
std::atomic<int> handlers_running = 0;

static_assert(std::atomic<InterruptGuard*>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

InterruptGuard::InterruptGuard(std::function<void()> on_interrupt)
    : on_interrupt_(std::move(on_interrupt)) {
  InterruptGuard* none = nullptr;
  if (!current_guard.compare_exchange_strong(none, this)) {
    throw internal_error("two InterruptGuards at a time");
  }
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = &InterruptGuard::handle;
  // SA_RESETHAND: the second SIGINT kills, even if it comes while the first is being handled.
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &before_, nullptr);
  current_guard.store(nullptr);
  // Another thread may still be inside the handler, with a pointer to this.
  while (handlers_running.load() != 0) ::sched_yield();
}

void InterruptGuard::handle(int) {
  const int saved = errno;
  handlers_running.fetch_add(1);
  if (InterruptGuard* guard = current_guard.load()) {
    guard->interrupted_.store(true);
    if (guard->on_interrupt_) guard->on_interrupt_();
  }
  handlers_running.fetch_sub(1);
  errno = saved;
}

}  // namespace warpmark
