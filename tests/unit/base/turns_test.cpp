// The order of turns.
#include "base/turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warpmark {
namespace {

const auto kAsTheyAre = [](std::vector<size_t>&) {};

TEST(Turns, EverySecondRoundIsTheOneBeforeInReverse) {
  std::string order;
  take_turns(3, 3, kAsTheyAre, [&](uint64_t round, size_t party) {
    order += std::to_string(round) + static_cast<char>('a' + party) + " ";
    return true;
  });
  EXPECT_EQ(order, "0a 0b 0c 1c 1b 1a 2a 2b 2c ");
}

TEST(Turns, AShuffleChangesEveryOtherRound) {
  std::string order;
  const auto swap = [](std::vector<size_t>& parties) { std::swap(parties[0], parties[1]); };
  take_turns(4, 3, swap, [&](uint64_t, size_t party) {
    order += static_cast<char>('a' + party);
    return true;
  });
  EXPECT_EQ(order,
            "bac"
            "cab"
            "abc"
            "cba");
}

TEST(Turns, ATurnMayEndThem) {
  int turns = 0;
  take_turns(5, 2, kAsTheyAre, [&](uint64_t, size_t) { return ++turns < 3; });
  EXPECT_EQ(turns, 3);
}

}  // namespace
}  // namespace warpmark
