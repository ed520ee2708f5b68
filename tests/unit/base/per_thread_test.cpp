// Values of a thread, also after the end of its destructors.
#include "warpmark/per_thread.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

namespace warpmark {
namespace {

struct Second;

const char* const kLong = "a text that is too long to be stored inside of a string";

TEST(PerThread, EachThreadHasItsOwn) {
  per_thread<std::string>() = kLong;
  std::string elsewhere = "not asked";
  std::thread([&] { elsewhere = per_thread<std::string>(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_EQ(per_thread<std::string>(), kLong);
  EXPECT_EQ((per_thread<std::string, Second>()), "");
}

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  static inline int alive = 0;
};

TEST(PerThread, EndsWithItsThread) {
  std::thread([] {
    per_thread<Counted>();
    EXPECT_EQ(Counted::alive, 1);
  }).join();
  EXPECT_EQ(Counted::alive, 0);
}

// Functions of atexit run after the destructors of the thread: a plain thread_local string would be
// read and written after its end there.
TEST(PerThread, IsThereWhileTheProcessEnds) {
  const auto end = [] {
    std::atexit([] {
      const bool is_new = per_thread<std::string>().empty();
      per_thread<std::string>() = kLong;
      std::_Exit(is_new && per_thread<std::string>() == kLong ? 0 : 1);
    });
    per_thread<std::string>() = kLong;
    std::exit(2);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace warpmark
