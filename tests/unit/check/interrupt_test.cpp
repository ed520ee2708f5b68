#include "base/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"

namespace warpmark {
namespace {

TEST(InterruptGuard, CallsBackOnceAndLeavesTheSecondSignalToKill) {
  EXPECT_EXIT(
      {
        std::atomic<int> calls = 0;
        const InterruptGuard guard([&] { ++calls; });
        std::raise(SIGINT);
        if (calls != 1 || !guard.interrupted()) std::exit(1);
        std::raise(SIGINT);
        std::exit(2);
      },
      testing::KilledBySignal(SIGINT), "");
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
  struct sigaction before {};
  ::sigaction(SIGINT, nullptr, &before);
  std::signal(SIGINT, SIG_IGN);
  {
    const InterruptGuard guard;
    std::raise(SIGINT);
    EXPECT_FALSE(guard.interrupted());
  }
  ::sigaction(SIGINT, &before, nullptr);
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
