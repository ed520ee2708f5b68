// Queues of asynchronous copies, against the standard library's.
#include "machine/copy_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace warpmark::cpu {
namespace {

AsyncCopy copy_of(std::uint64_t number) {
  AsyncCopy copy;
  copy.group = number;
  return copy;
}

std::vector<std::uint64_t> numbers_of(CopyQueue& queue) {
  std::vector<std::uint64_t> numbers;
  queue.each([&](const AsyncCopy& copy) { numbers.push_back(copy.group); });
  return numbers;
}

// Two queues of one pool grow and shrink, and lose copies from their middles.
TEST(CopyQueue, KeepsCopiesInOrder) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  CopyPool pool;
  CopyQueue queues[2];
  std::deque<std::uint64_t> known[2];
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::size_t at = random() % 2;
    const bool grows = step / 50 % 2 == 0;
    if (random() % 4 < (grows ? 3u : 1u)) {
      queues[at].push_back(pool, copy_of(step));
      known[at].push_back(step);
    } else if (!known[at].empty()) {
      ASSERT_EQ(queues[at].front().group, known[at].front());
      queues[at].pop_front(pool);
      known[at].pop_front();
    }
    if (random() % 40 == 0) {
      const std::uint64_t part = random() % 3;
      const auto leaves = [&](std::uint64_t number) { return number % 3 == part; };
      std::uint64_t taken = 0;
      queues[at].take_out(
          pool, [&](const AsyncCopy& copy) { return leaves(copy.group); },
          [&](AsyncCopy&) { ++taken; });
      ASSERT_EQ(std::erase_if(known[at], leaves), taken);
    }
    ASSERT_EQ(queues[at].size(), known[at].size());
    ASSERT_EQ(queues[at].empty(), known[at].empty());
    ASSERT_EQ(numbers_of(queues[at]), std::vector(known[at].begin(), known[at].end()));
  }
}

TEST(CopyQueue, StopsWhereItIsTold) {
  CopyPool pool;
  CopyQueue queue;
  for (std::uint64_t i = 0; i < 100; ++i) queue.push_back(pool, copy_of(i));
  std::uint64_t seen = 0;
  queue.each_while([&](const AsyncCopy& copy) { return ++seen, copy.group < 41; });
  EXPECT_EQ(seen, 42u);
}

// A copy that has left keeps nothing of what its record had elsewhere.
TEST(CopyQueue, LetsGoOfWhatACopyHad) {
  CopyPool pool;
  CopyQueue queue;
  const auto plan = std::make_shared<const CopyPlan>();
  for (int i = 0; i < 20; ++i) {
    AsyncCopy copy = copy_of(0);
    copy.plan = plan;
    copy.flight.emplace();
    queue.push_back(pool, std::move(copy));
  }
  EXPECT_EQ(plan.use_count(), 21);
  while (!queue.empty()) queue.pop_front(pool);
  EXPECT_EQ(plan.use_count(), 1);
}

TEST(CopyPool, HandsOutItsPiecesAgain) {
  CopyPool pool;
  CopyPiece* const first = pool.take();
  CopyPiece* const second = pool.take();
  EXPECT_NE(first, second);
  pool.give(first);
  EXPECT_EQ(pool.take(), first);
  pool.reset(sizeof(CopyPiece));
  EXPECT_EQ(pool.take(), first) << "what is within the limit stays";
  pool.reset(0);
  EXPECT_NE(pool.take(), nullptr);
}

}  // namespace
}  // namespace warpmark::cpu
