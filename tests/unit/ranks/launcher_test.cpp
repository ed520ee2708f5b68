// Variables that launchers of MPI set in the environment, and a library that cannot be used.
#include "ranks/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "base/error.hpp"
#include "ranks/ranks.hpp"

namespace warpmark {
namespace {

class Launcher : public testing::Test {
 public:
  Launcher() { clear(); }
  ~Launcher() override { clear(); }

  static void set(const std::map<std::string, std::string>& variables) {
    clear();
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static void clear() {
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK",
          "MV2_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS",
          "SLURM_PROCID", "SLURM_NTASKS", "WARPMARK_PLUGIN_PATH"}) {
      ::unsetenv(name);
    }
  }
};

TEST_F(Launcher, KnowsEach) {
  for (const auto& [rank, size] :
       std::map<std::string, std::string>{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}}) {
    set({{rank, "2"}, {size, "4"}});
    const auto launched = launched_rank();
    ASSERT_TRUE(launched) << rank;
    EXPECT_EQ(launched->rank, 2);
    EXPECT_EQ(launched->size, 4);
  }
}

TEST_F(Launcher, IsAlone) {
  for (const std::map<std::string, std::string>& variables :
       std::initializer_list<std::map<std::string, std::string>>{
           {},
           {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}},
           {{"OMPI_COMM_WORLD_SIZE", "4"}},
           {{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}},
           {{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}},
           {{"PMI_RANK", "-1"}, {"PMI_SIZE", "4"}},
           // The script of a batch job is no rank.
           {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}}) {
    set(variables);
    EXPECT_FALSE(launched_rank());
  }
}

TEST_F(Launcher, RefusesWhatIsForOneProcess) {
  refuse_ranks("`warpmark grade` is for", "");
  set({{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}});
  try {
    refuse_ranks("`warpmark grade` is for", "a hint");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(error.message(), "`warpmark grade` is for one process, and mpirun started 3");
    EXPECT_EQ(error.hint(), "a hint");
  }
}

// Stand-ins for the library: what it is sent, and what it answers.
struct Wire {
  std::string bytes;
  int result = WARPMARK_RANKS_OK;
  int asked = 0;
};
Wire wire;  // NOLINT(cert-err58-cpp)

int fake_send(int, const void* bytes, uint64_t size, warpmark_ranks_go_on, void*) {
  wire.bytes.append(static_cast<const char*>(bytes), size);
  return wire.result;
}
int fake_receive(int, void* bytes, uint64_t size, warpmark_ranks_go_on go_on, void* state) {
  while (wire.bytes.size() < size) {
    ++wire.asked;
    if (go_on(state) == 0) return WARPMARK_RANKS_STOPPED;
  }
  wire.bytes.copy(static_cast<char*>(bytes), size);
  wire.bytes.erase(0, size);
  return wire.result;
}
const char* fake_error() {
  return "the link\nis down";
}
const warpmark_ranks kFake = {
    sizeof(warpmark_ranks), nullptr, &fake_send, &fake_receive, nullptr, nullptr, &fake_error};

class Messages : public testing::Test {
 public:
  Messages() { wire = {}; }
  Ranks ranks{kFake, {0, 4, 0, 0, 4}};
};

TEST_F(Messages, ComeAsTheyWent) {
  const nlohmann::json message = {{"do", "end"}, {"text", std::string(100000, 'x')}};
  ranks.send(1, message);
  EXPECT_EQ(ranks.receive(1), message);
  EXPECT_TRUE(wire.bytes.empty());
  EXPECT_TRUE(ranks.whole());
}

TEST_F(Messages, EndWithAStop) {
  ranks.stop_waits_if([] { return wire.asked == 3; });
  EXPECT_THROW(ranks.receive(1), StoppedWait);
  EXPECT_FALSE(ranks.whole());
}

TEST_F(Messages, EndWithALimit) {
  try {
    ranks.receive(3, 0.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(error.message(), "rank 3 does not answer");
  }
  EXPECT_FALSE(ranks.whole());
}

TEST_F(Messages, EndWithAnError) {
  wire.result = WARPMARK_RANKS_FAILED;
  try {
    ranks.send(2, nlohmann::json::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), testing::HasSubstr("rank 2 does not answer: the link"));
  }
  EXPECT_FALSE(ranks.whole());
}

}  // namespace
}  // namespace warpmark
