// Which part of a run this process does: what the command line and the environment say.
#include "jobs/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "base/error.hpp"

namespace warpmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAll[] = {"SLURM_ARRAY_TASK_ID",
                                "SLURM_ARRAY_TASK_COUNT",
                                "SLURM_ARRAY_TASK_MIN",
                                "SLURM_ARRAY_TASK_MAX",
                                "OMPI_COMM_WORLD_RANK",
                                "OMPI_COMM_WORLD_SIZE",
                                "PMI_RANK",
                                "PMI_SIZE",
                                "PMIX_RANK",
                                "SLURM_STEP_NUM_TASKS",
                                "MV2_COMM_WORLD_RANK",
                                "CI_NODE_INDEX",
                                "CI_NODE_TOTAL",
                                "GTEST_SHARD_INDEX",
                                "GTEST_TOTAL_SHARDS",
                                "JOB_COMPLETION_INDEX"};

class ShardText : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kAll) ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }

  static void set(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }
  static std::string read(const char* text) {
    try {
      const Shard shard = parse_shard(text);
      return std::to_string(shard.index) + "/" + std::to_string(shard.count);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
  }
};

TEST_F(ShardText, OfTheCommandLine) {
  EXPECT_EQ(read("1/1"), "1/1");
  EXPECT_EQ(read("4/4"), "4/4");
  for (const char* text : {"", "2", "/", "a/4", "1/a", "1/4/2", "-1/4", "1/-4", "auto/", "auto/0",
                           "auto/x", "1/99999999999999999999999", " 1/2"}) {
    EXPECT_THAT(read(text), HasSubstr("must be I/N")) << text;
  }
  EXPECT_THAT(read("0/4"), HasSubstr("there is no shard 0 of 4"));
  EXPECT_THAT(read("5/4"), HasSubstr("there is no shard 5 of 4"));
  EXPECT_THAT(read("1/0"), HasSubstr("there is no shard 1 of 0"));
}

TEST_F(ShardText, TheEnvironmentCountsOnlyIfItIsAskedFor) {
  set({{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "3"}});
  EXPECT_EQ(read("1/4"), "1/4");
}

TEST_F(ShardText, OfEachEngine) {
  EXPECT_THAT(read("auto"), HasSubstr("nothing in the environment"));
  set({{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "3"}});
  EXPECT_EQ(read("auto"), "2/3");
  SetUp();
  set({{"GTEST_SHARD_INDEX", "0"}, {"GTEST_TOTAL_SHARDS", "3"}});
  EXPECT_EQ(read("auto"), "1/3");
  SetUp();
  set({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(read("auto"), "2/2");
  SetUp();
  set({{"JOB_COMPLETION_INDEX", "7"}});
  EXPECT_THAT(read("auto"), HasSubstr("not of how many"));
  EXPECT_EQ(read("auto/8"), "8/8");
  EXPECT_THAT(read("auto/7"), HasSubstr("there is no shard 8 of 7"));
}

TEST_F(ShardText, OfASlurmArray) {
  set({{"SLURM_ARRAY_TASK_ID", "3"},
       {"SLURM_ARRAY_TASK_COUNT", "4"},
       {"SLURM_ARRAY_TASK_MIN", "0"},
       {"SLURM_ARRAY_TASK_MAX", "3"}});
  EXPECT_EQ(read("auto"), "4/4");
  EXPECT_THAT(read("auto/5"), HasSubstr("says that there are 4"));
  // One task again: it is still the fourth, but of how many is not said.
  set({{"SLURM_ARRAY_TASK_COUNT", "1"}, {"SLURM_ARRAY_TASK_MIN", "3"}});
  EXPECT_THAT(read("auto"), HasSubstr("not of how many"));
  EXPECT_EQ(read("auto/4"), "4/4");
}

TEST_F(ShardText, TwoEnginesMustAgree) {
  set({{"CI_NODE_INDEX", "2"},
       {"CI_NODE_TOTAL", "4"},
       {"GTEST_SHARD_INDEX", "1"},
       {"GTEST_TOTAL_SHARDS", "4"}});
  EXPECT_EQ(read("auto"), "2/4");
  set({{"GTEST_SHARD_INDEX", "2"}});
  EXPECT_THAT(read("auto"), HasSubstr("that it is 3/4"));
  set({{"GTEST_SHARD_INDEX", "x"}});
  EXPECT_THAT(read("auto"), HasSubstr("no number"));
}

TEST(Divide, PiecesOfOneLengthGoRound) {
  EXPECT_THAT(divide(std::vector<double>(5, 1), 2), ElementsAre(1, 2, 1, 2, 1));
  EXPECT_THAT(divide({}, 3), ElementsAre());
  EXPECT_THAT(divide({1, 1}, 4), ElementsAre(1, 2));
}

TEST(Divide, LongPiecesAreBalanced) {
  EXPECT_THAT(divide({1, 1, 4, 1, 1}, 2), ElementsAre(2, 2, 1, 2, 2));
}

}  // namespace
}  // namespace warpmark
