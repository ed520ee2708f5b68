// Results that tests of one ctest leave for each other: none is used that may not be true.
#include "jobs/shared_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

class SharedResultsTest : public testing::Test {
 protected:
  SharedResultsTest() {
    write_file_atomically(input_, "one");
    fs::create_directories(results_.folder());
  }

  // A case's own test has not had it yet.
  void put(std::vector<fs::path> inputs) {
    for (const auto& entry : fs::directory_iterator(results_.folder())) fs::remove(entry.path());
    auto held = results_.try_hold("s.n=1").value();
    ASSERT_TRUE(held.is_new());
    std::vector<FileStamp> stamps;
    for (const fs::path& one : inputs) stamps.push_back(FileStamp::of(one).value());
    held.put({{"log", "err\xff\n"}}, stamps);
  }
  void put() { put({input_}); }
  auto take() {
    SharedCase held = results_.await("s.n=1");
    EXPECT_FALSE(held.is_new());
    return held.take();
  }
  // The one result that is there.
  fs::path file() const { return fs::directory_iterator(results_.folder())->path(); }
  void change(const std::string& member, const nlohmann::json& value) {
    nlohmann::json record = nlohmann::json::parse(read_file(file()));
    ASSERT_TRUE(record.contains(member));
    record[member] = value;
    write_file_atomically(file(), record.dump());
  }

  TemporaryFolder folder_;
  fs::path input_ = folder_.path() / "input";
  SharedResults results_{folder_.path() / "results"};
};

TEST_F(SharedResultsTest, AResultIsTakenOnce) {
  put();
  const auto result = take();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->at("log"), "err\xef\xbf\xbd\n");
  EXPECT_FALSE(take());
}

TEST_F(SharedResultsTest, AChangedInputMakesItNone) {
  put();
  write_file_atomically(input_, "two");  // of the same size, in another inode
  EXPECT_FALSE(take());
  put();
  fs::last_write_time(input_, fs::last_write_time(input_) - std::chrono::hours(1));
  EXPECT_FALSE(take());
  put();
  fs::remove(input_);
  EXPECT_FALSE(take());
}

TEST_F(SharedResultsTest, OneWithoutInputsIsNone) {
  put({});
  EXPECT_FALSE(take());
}

TEST_F(SharedResultsTest, WhatIsDamagedOrOfAnotherCaseIsNone) {
  for (const char* text :
       {"\n", "{}", "[]", "3", "{\"case\": \"s.n=1\"", "{\"case\": \"s.n=1\"}"}) {
    put();
    write_file_atomically(file(), text);
    EXPECT_FALSE(take()) << text;
  }
  const std::pair<const char*, nlohmann::json> changes[] = {{"case", "s.n=2"},
                                                            {"inputs", 3},
                                                            {"inputs", nlohmann::json::array({3})},
                                                            {"made_ns", "today"}};
  for (const auto& [member, value] : changes) {
    put();
    change(member, value);
    EXPECT_FALSE(take()) << member << " " << value;
  }
}

TEST_F(SharedResultsTest, AnOldOneIsNone) {
  put();
  const auto made = nlohmann::json::parse(read_file(file())).at("made_ns").get<int64_t>();
  change("made_ns", made - 599'000'000'000);
  EXPECT_TRUE(take());
  put();
  change("made_ns", made - 601'000'000'000);
  EXPECT_FALSE(take());
  put();
  change("made_ns", made + 601'000'000'000);  // of another start of the machine
  EXPECT_FALSE(take());
}

TEST_F(SharedResultsTest, ACaseIsHeldByOne) {
  auto held = results_.try_hold("s.n=1");
  ASSERT_TRUE(held && held->is_new());
  EXPECT_FALSE(results_.try_hold("s.n=1"));
  EXPECT_TRUE(results_.try_hold("s.n=2").value().is_new());
  std::atomic<bool> waited = false;
  std::thread waiter([&] {
    EXPECT_TRUE(take());
    waited = true;
  });
  held->put({}, {FileStamp::of(input_).value()});
  EXPECT_FALSE(waited);
  held.reset();
  waiter.join();
  EXPECT_TRUE(waited);
  // It is free, but it is not new again.
  EXPECT_FALSE(results_.try_hold("s.n=1").value().is_new());
}

TEST_F(SharedResultsTest, OneThatIsLookedAtStays) {
  put();
  EXPECT_FALSE(results_.try_hold("s.n=1").value().is_new());
  EXPECT_TRUE(take());
}

// A fork of the process that held it may live longer.
TEST_F(SharedResultsTest, TheHolderReleasesIt) {
  auto held = results_.try_hold("s.n=1");
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  held.reset();
  EXPECT_TRUE(results_.try_hold("s.n=1"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(SharedResultsTest, WithoutAFolderItIsAnError) {
  fs::remove_all(results_.folder());
  EXPECT_THROW(results_.try_hold("s.n=1"), Error);
}

TEST_F(SharedResultsTest, OnlyACtestSharesThem) {
  // This test may be started by a ctest or by a person: only a ctest gets a folder.
  const auto results = SharedResults::of_ctest(folder_.path() / "ctest", {"key"});
  EXPECT_EQ(results.has_value(), fs::exists(folder_.path() / "ctest"));
  if (!results) return;
  EXPECT_TRUE(results->is_first());
  EXPECT_FALSE(SharedResults::of_ctest(folder_.path() / "ctest", {"key"})->is_first());
  EXPECT_NE(SharedResults::of_ctest(folder_.path() / "ctest", {"other"})->folder(),
            results->folder());
}

}  // namespace
}  // namespace warpmark
