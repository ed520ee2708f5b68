// Results that tests of one ctest leave for each other: none is used that may not be true.
#include "cli/request/shared_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"

namespace warpmark {
namespace {

namespace fs = std::filesystem;

class SharedResultsTest : public testing::Test {
 protected:
  SharedResultsTest() { write_file_atomically(input_, "one"); }

  void put(const std::string& id = "s.n=1") {
    results_.put(id, {1, "out\n", "err\xff\n"}, {FileStamp::of(input_).value()});
  }
  // The one result that is there.
  fs::path file() const {
    for (const auto& entry : fs::directory_iterator(results_.folder())) {
      if (entry.path().extension() == ".result") return entry.path();
    }
    return {};
  }
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
  EXPECT_FALSE(results_.has("s.n=1"));
  EXPECT_FALSE(results_.take("s.n=1"));
  put();
  EXPECT_TRUE(results_.has("s.n=1"));
  EXPECT_FALSE(results_.take("s.n=2"));
  const auto result = results_.take("s.n=1");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 1);
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\xef\xbf\xbd\n");
  EXPECT_FALSE(results_.take("s.n=1"));
  EXPECT_FALSE(results_.has("s.n=1"));
}

TEST_F(SharedResultsTest, AChangedInputMakesItNone) {
  put();
  write_file_atomically(input_, "two");  // of the same size, in another inode
  EXPECT_FALSE(results_.take("s.n=1"));
  put();
  fs::last_write_time(input_, fs::last_write_time(input_) - std::chrono::hours(1));
  EXPECT_FALSE(results_.take("s.n=1"));
  put();
  fs::remove(input_);
  EXPECT_FALSE(results_.take("s.n=1"));
}

TEST_F(SharedResultsTest, OneWithoutInputsIsNone) {
  results_.put("s.n=1", {0, "", ""}, {});
  EXPECT_FALSE(results_.take("s.n=1"));
}

TEST_F(SharedResultsTest, WhatIsDamagedOrOfAnotherCaseIsNone) {
  for (const char* text : {"", "{}", "[]", "3", "{\"case\": \"s.n=1\"", "{\"case\": \"s.n=1\"}"}) {
    put();
    write_file_atomically(file(), text);
    EXPECT_FALSE(results_.take("s.n=1")) << text;
  }
  const std::pair<const char*, nlohmann::json> changes[] = {
      {"case", "s.n=2"},   {"exit_code", "0"}, {"exit_code", nullptr},
      {"out", 3},          {"inputs", 3},      {"inputs", nlohmann::json::array({3})},
      {"made_ns", "today"}};
  for (const auto& [member, value] : changes) {
    put();
    change(member, value);
    EXPECT_FALSE(results_.take("s.n=1")) << member << " " << value;
  }
}

TEST_F(SharedResultsTest, AnOldOneIsNone) {
  put();
  const auto made = nlohmann::json::parse(read_file(file())).at("made_ns").get<int64_t>();
  change("made_ns", made - 599'000'000'000);
  EXPECT_TRUE(results_.take("s.n=1"));
  put();
  change("made_ns", made - 601'000'000'000);
  EXPECT_FALSE(results_.take("s.n=1"));
  put();
  change("made_ns", made + 601'000'000'000);  // of another start of the machine
  EXPECT_FALSE(results_.take("s.n=1"));
}

TEST_F(SharedResultsTest, ACaseIsClaimedOnce) {
  fs::create_directories(results_.folder());
  auto claim = results_.claim("s.n=1");
  ASSERT_TRUE(claim);
  EXPECT_FALSE(results_.claim("s.n=1"));
  EXPECT_TRUE(results_.claim("s.n=2"));
  std::atomic<bool> waited = false;
  std::thread waiter([&] {
    results_.wait_for("s.n=1");
    EXPECT_TRUE(results_.take("s.n=1"));
    waited = true;
  });
  put();
  EXPECT_FALSE(waited);
  claim.reset();
  waiter.join();
  EXPECT_TRUE(waited);
  results_.wait_for("s.n=1");  // nobody holds it,
  results_.wait_for("s.n=3");  // or ever did
  EXPECT_FALSE(results_.claim("s.n=1"));
}

TEST_F(SharedResultsTest, GivingUpIsForAll) {
  EXPECT_FALSE(results_.given_up());
  results_.give_up();
  EXPECT_TRUE(SharedResults(results_.folder()).given_up());
}

TEST_F(SharedResultsTest, WithoutAFolderItIsAnError) {
  EXPECT_THROW(results_.claim("s.n=1"), Error);
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
