#include "base/interrupt.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

namespace warpmark {
namespace {

TEST(InterruptGuard, ASignalToAnyThreadIsHandledOnTheThreadThatMadeTheGuard) {
  std::atomic<int> calls = 0;
  std::atomic<bool> on_owner = false;
  const pthread_t owner = ::pthread_self();
  const InterruptGuard guard([&] {
    on_owner = ::pthread_equal(::pthread_self(), owner) != 0;
    ++calls;
  });
  std::thread([] { ::pthread_kill(::pthread_self(), SIGTERM); }).join();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(on_owner);
  EXPECT_EQ(guard.signal(), SIGTERM);
  EXPECT_EQ(static_cast<int>(guard.exit_code()), 143);
}

TEST(InterruptGuard, WhatComesTogetherIsOneWish) {
  int calls = 0;
  const InterruptGuard guard([&] { ++calls; });
  ::raise(SIGTERM);
  std::thread([] { ::pthread_kill(::pthread_self(), SIGHUP); }).join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(guard.signal(), SIGTERM);
}

TEST(InterruptGuard, AnIgnoredSignalStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const InterruptGuard guard;
    ::raise(SIGHUP);
    EXPECT_FALSE(guard.interrupted());
  }
  ::signal(SIGHUP, before);
}

}  // namespace
}  // namespace warpmark
