// The disk cache: damage, folders that cannot be written, clearing.
#include "compiler/cache.hpp"
#include "base/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/file.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Cache : public testing::Test {
 protected:
  fs::path entry() const { return folder_.path() / "kernels" / (key_ + ".kernel"); }

  TemporaryFolder folder_;
  CompileCache cache_{folder_.path()};
  std::string key_ = std::string(63, 'a') + "0";
  CachedCompilation value_{std::string("\0cu\nbin", 7), "ptx\n", "log", "k\t(float*)", ""};
};

TEST_F(Cache, GivesBackWhatWasStored) {
  EXPECT_FALSE(cache_.find(key_).found);
  EXPECT_EQ(cache_.store(key_, value_), "");
  EXPECT_EQ(cache_.find(key_).found, value_);
  EXPECT_FALSE(cache_.find(std::string(64, 'b')).found);
}

TEST_F(Cache, EveryTruncationAndEveryAlteredByteIsAMissWithANotice) {
  cache_.store(key_, value_);
  const std::string whole = read_file(entry());
  for (size_t length = 0; length < whole.size(); ++length) {
    write_file_atomically(entry(), whole.substr(0, length));
    const CacheLookup lookup = cache_.find(key_);
    ASSERT_FALSE(lookup.found) << "cut to " << length;
    ASSERT_THAT(lookup.notice, HasSubstr("damaged"));
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x20);
    write_file_atomically(entry(), altered);
    ASSERT_FALSE(cache_.find(key_).found) << "byte " << at;
  }
  write_file_atomically(entry(), whole + "x");
  EXPECT_FALSE(cache_.find(key_).found);
  write_file_atomically(entry(), whole);
  EXPECT_TRUE(cache_.find(key_).found);
}

TEST_F(Cache, AnEntryUnderAnothersNameIsNotTaken) {
  cache_.store(key_, value_);
  const std::string other(64, 'c');
  fs::copy_file(entry(), folder_.path() / "kernels" / (other + ".kernel"));
  EXPECT_FALSE(cache_.find(other).found);
}

TEST_F(Cache, AnUnreadableFolderOrAFileInItsPlaceIsANotice) {
  const fs::path file = folder_.path() / "file";
  write_file_atomically(file, "x");
  const CompileCache blocked(file);
  EXPECT_THAT(blocked.store(key_, value_), HasSubstr("not kept"));
  EXPECT_FALSE(blocked.find(key_).found);
  fs::create_directories(entry());  // a folder where the entry should be
  EXPECT_FALSE(cache_.find(key_).found);
  EXPECT_THAT(cache_.find(key_).notice, HasSubstr("cannot read"));
  EXPECT_THAT(cache_.store(key_, value_), HasSubstr("not kept"));
}

TEST_F(Cache, ClearingRemovesOnlyItsOwnFiles) {
  cache_.store(key_, value_);
  const fs::path kernels = folder_.path() / "kernels";
  const std::string other(64, 'd');
  write_file_atomically(kernels / (other + ".kernel.aB3xYz"), "left by a killed process");
  fs::last_write_time(kernels / (other + ".kernel.aB3xYz"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  write_file_atomically(kernels / (other + ".kernel.QQQQQQ"), "being written");
  for (const char* name : {"notes.txt", "abc.kernel", "x.kernel.tmp"}) {
    write_file_atomically(kernels / name, "mine");
  }
  fs::create_directory(kernels / (other + ".kernel"));
  const uint64_t bytes = fs::file_size(entry()) + 24;
  EXPECT_EQ(cache_.entries().kernels, 1U);
  EXPECT_EQ(cache_.entries().bytes, fs::file_size(entry()));
  const CacheEntries removed = cache_.clear();
  EXPECT_EQ(removed.kernels, 2U);
  EXPECT_EQ(removed.bytes, bytes);
  for (const char* name : {"notes.txt", "abc.kernel", "x.kernel.tmp"}) {
    EXPECT_TRUE(fs::exists(kernels / name)) << name;
  }
  EXPECT_TRUE(fs::exists(kernels / (other + ".kernel.QQQQQQ")));
  EXPECT_EQ(cache_.clear().kernels, 0U);
  EXPECT_EQ(cache_.entries().kernels, 0U);
  EXPECT_EQ(CompileCache("/nowhere/at/all").entries().kernels, 0U);
  EXPECT_EQ(CompileCache("/nowhere/at/all").clear().kernels, 0U);
}

TEST_F(Cache, ThreadsThatStoreAndReadAtATimeSeeWholeEntries) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        if (!cache_.store(key_, value_).empty()) ++wrong;
        const CacheLookup lookup = cache_.find(key_);
        if (lookup.found != value_ || !lookup.notice.empty()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Cache, ProcessesThatStoreReadAndClearAtATimeSeeWholeEntriesOrNone) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int wrong = 0;
      for (int k = 0; k < 25; ++k) {
        if (!cache_.store(key_, value_).empty()) wrong = 1;
        const CacheLookup lookup = cache_.find(key_);
        if (!lookup.notice.empty() || (lookup.found && *lookup.found != value_)) wrong = 2;
        if (i == 0 && k % 5 == 0) cache_.clear();
      }
      _exit(wrong);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(CacheFolder, FollowsTheEnvironment) {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  setenv("WARPMARK_CACHE_DIR", "/w", 1);
  setenv("XDG_CACHE_HOME", "/x", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(cache_folder(), "/w");
  unsetenv("WARPMARK_CACHE_DIR");
  EXPECT_EQ(cache_folder(), "/x/warpmark");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(cache_folder(), "/h/.cache/warpmark");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_FALSE(CompileCache(cache_folder()).enabled());
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace warpmark
