// A pool whose processes are forks of this test: answers, errors, losses and deadlines.
#include "jobs/process_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "driver/choose.hpp"
#include "jobs/forked_process.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProcessPoolTest : public testing::Test, public PoolOwner {
 protected:
  pid_t start(size_t place, Channel& /*ours*/, Channel& theirs) override {
    ++starts_;
    return fork_process(nullptr, [&] {
      pool_.forget();
      const auto device = [&] {
        if (refusal_ == "no device") throw NoDeviceError(environment_error("no GPU"));
        if (refusal_ == "usage") throw usage_error("no such suite");
        if (refusal_ == "second" && place == 1) throw environment_error("the device is lost");
        if (refusal_ == "abort") ::abort();
        DeviceFacts facts;
        facts.name = "device " + std::to_string(place);
        return facts;
      };
      serve_jobs(theirs, device, [&](const nlohmann::json& request) { return work(request); });
    });
  }
  static nlohmann::json work(const nlohmann::json& request) {
    const std::string what = request.at("do");
    if (what == "kill") ::raise(SIGKILL);
    if (what == "exit") ::_exit(3);
    if (what == "throw") throw usage_error("the job is wrong");
    if (what == "sleep") ::sleep(60);
    return what + " done";
  }
  std::optional<PoolJob> next(size_t /*place*/) override {
    if (jobs_.empty()) return std::nullopt;
    const auto [number, what] = jobs_.front();
    jobs_.pop_front();
    PoolJob job = {number, {{"do", what}}};
    if (what == "sleep") job.deadline = Clock::now();
    return job;
  }
  bool answered(size_t job, const nlohmann::json& answer) override {
    if (answer == "nonsense done") return false;
    ends_[job] = answer;
    return true;
  }
  void failed(size_t job, const Error& error) override { ends_[job] = error.what(); }
  bool lost(const LostProcess& lost) override {
    losses_.push_back(lost);
    if (lost.job) ends_[*lost.job] = lost.how;
    return lost.lost_starts < 3;
  }

  bool spares(size_t place, const Error& error) override {
    if (!can_spare_) return false;
    spared_[place] = error.message();
    return true;
  }

  void run(size_t count, const std::vector<std::string>& jobs) {
    for (const std::string& what : jobs) jobs_.emplace_back(jobs_.size(), what);
    pool_.grow(count);
    while (ends_.size() < jobs.size()) pool_.step();
  }

  std::string refusal_;
  bool can_spare_ = false;
  std::map<size_t, std::string> spared_;
  std::deque<std::pair<size_t, std::string>> jobs_;
  std::map<size_t, std::string> ends_;
  std::vector<LostProcess> losses_;
  size_t starts_ = 0;
  ProcessPool pool_{*this};
};

TEST_F(ProcessPoolTest, EachJobIsDoneOnce) {
  run(3, {"a", "b", "c", "d", "e"});
  EXPECT_EQ(ends_, (std::map<size_t, std::string>{
                       {0, "a done"}, {1, "b done"}, {2, "c done"}, {3, "d done"}, {4, "e done"}}));
  while (pool_.ready() < 3) pool_.step();
  EXPECT_EQ(pool_.device().name, "device 0");
  EXPECT_EQ(starts_, 3);
  pool_.close();
  EXPECT_TRUE(losses_.empty());
}

TEST_F(ProcessPoolTest, AnExceptionIsOfItsJobAndTheProcessGoesOn) {
  run(1, {"throw", "a"});
  EXPECT_THAT(ends_[0], HasSubstr("the job is wrong"));
  EXPECT_EQ(ends_[1], "a done");
  EXPECT_EQ(starts_, 1);
}

TEST_F(ProcessPoolTest, AProcessThatEndsIsReplaced) {
  run(1, {"kill", "a", "exit", "b"});
  EXPECT_EQ(ends_[0], "was ended by signal 9 (Killed)");
  EXPECT_EQ(ends_[1], "a done");
  EXPECT_EQ(ends_[2], "exited with code 3");
  EXPECT_EQ(ends_[3], "b done");
  ASSERT_EQ(losses_.size(), 2);
  EXPECT_EQ(losses_[0].status, SIGKILL);
  EXPECT_EQ(losses_[0].lost_starts, 0);
  EXPECT_FALSE(losses_[0].timed_out);
  EXPECT_EQ(starts_, 3);
}

TEST_F(ProcessPoolTest, ADeadlineEndsTheProcess) {
  run(1, {"sleep", "a"});
  EXPECT_EQ(ends_[0], "did not answer and was ended");
  EXPECT_EQ(ends_[1], "a done");
  EXPECT_TRUE(losses_.at(0).timed_out);
}

TEST_F(ProcessPoolTest, AnAnswerThatIsNoneEndsTheProcess) {
  run(1, {"nonsense", "a"});
  EXPECT_EQ(ends_[0], "sent what is no result");
  EXPECT_EQ(ends_[1], "a done");
}

TEST_F(ProcessPoolTest, AnErrorAtTheStartIsThrown) {
  refusal_ = "no device";
  pool_.grow(1);
  EXPECT_THROW(pool_.step(), NoDeviceError);
  refusal_ = "usage";
  pool_.grow(2);
  try {
    for (;;) pool_.step();
  } catch (const NoDeviceError&) {
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "no such suite");
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST_F(ProcessPoolTest, OthersGoOnWithoutAProcessThatCannotStart) {
  refusal_ = "second";
  can_spare_ = true;
  pool_.grow(1);
  while (pool_.ready() == 0) pool_.step();
  run(3, {"a", "b", "c"});
  while (pool_.ready() < 2 || spared_.empty()) pool_.step();
  EXPECT_EQ(ends_.size(), 3);
  EXPECT_THAT(spared_, ElementsAre(testing::Pair(1, "the device is lost")));
  EXPECT_EQ(starts_, 3);
  EXPECT_TRUE(losses_.empty());
}

TEST_F(ProcessPoolTest, LostStartsAreCounted) {
  refusal_ = "abort";
  pool_.grow(1);
  while (losses_.size() < 3) pool_.step();
  EXPECT_EQ(losses_[0].lost_starts, 1);
  EXPECT_EQ(losses_[2].lost_starts, 3);
  EXPECT_EQ(losses_[2].job, std::nullopt);
  EXPECT_EQ(starts_, 3);  // the owner wants no fourth
  EXPECT_EQ(pool_.ready(), 0);
}

TEST_F(ProcessPoolTest, OtherDescriptorsAreWaitedFor) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  pollfd other = {ends[0], POLLIN, 0};
  pool_.step({&other, 1});
  EXPECT_EQ(other.revents, POLLIN);
  for (const int end : ends) ::close(end);
}

}  // namespace
}  // namespace warpmark
