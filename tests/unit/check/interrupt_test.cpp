#include "base/interrupt.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.hpp"

namespace warpmark {
namespace {

constexpr std::array kAll = {SIGINT, SIGTERM, SIGHUP};

void wait_until_it_is_another_wish() {
  std::this_thread::sleep_for(std::chrono::duration<double>(InterruptGuard::kTogetherS * 1.2));
}

TEST(InterruptGuard, CallsBackOnceAndLeavesTheSecondSignalToKill) {
  for (const int first : kAll) {
    for (const int second : kAll) {
      EXPECT_EXIT(
          {
            std::atomic<int> calls = 0;
            const InterruptGuard guard([&] { ++calls; });
            std::raise(first);
            if (calls != 1 || guard.signal() != first) std::exit(1);
            wait_until_it_is_another_wish();
            std::raise(second);
            std::exit(2);
          },
          testing::KilledBySignal(second), "");
    }
  }
}

// timeout(1) sends to its child, and then to the group that the child is in.
TEST(InterruptGuard, TwoAtOnceAreOneWish) {
  for (const int signal : kAll) {
    std::atomic<int> calls = 0;
    const InterruptGuard guard([&] { ++calls; });
    std::raise(signal);
    std::raise(signal);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(guard.exit_code(), static_cast<ExitCode>(128 + signal));
  }
}

TEST(InterruptGuard, ExitCodesAreThoseOfShells) {
  EXPECT_EQ(InterruptGuard().exit_code(), ExitCode::success);
  EXPECT_EQ(interrupted_by(SIGINT), ExitCode::interrupted);
  EXPECT_EQ(static_cast<int>(interrupted_by(SIGTERM)), 143);
  EXPECT_EQ(static_cast<int>(interrupted_by(SIGHUP)), 129);
}

TEST(InterruptGuard, PutsTheActionBack) {
  struct sigaction mine {};
  mine.sa_handler = [](int) {};
  struct sigaction before {};
  ::sigaction(SIGINT, &mine, &before);
  {
    const InterruptGuard guard;
    EXPECT_FALSE(guard.interrupted());
    std::raise(SIGINT);
    EXPECT_TRUE(guard.interrupted());
  }
  struct sigaction after {};
  ::sigaction(SIGINT, &before, &after);
  EXPECT_EQ(after.sa_handler, mine.sa_handler);
}

TEST(InterruptGuard, LeavesAnIgnoredSignalIgnored) {
  for (const int signal : kAll) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    std::signal(signal, SIG_IGN);
    {
      const InterruptGuard guard;
      std::raise(signal);
      EXPECT_FALSE(guard.interrupted());
    }
    ::sigaction(signal, &before, nullptr);
  }
}

TEST(InterruptGuard, SignalsOnOtherThreadsAreSeen) {
  const InterruptGuard guard;
  std::thread([] { std::raise(SIGINT); }).join();
  EXPECT_TRUE(guard.interrupted());
}

TEST(InterruptGuard, OneAtATime) {
  const InterruptGuard guard;
  EXPECT_THROW(InterruptGuard(), Error);
}

}  // namespace
}  // namespace warpmark
