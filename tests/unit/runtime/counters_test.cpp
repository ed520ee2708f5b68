// Counts of the shipped suites on the CPU device, against formulas, and the sums of launches.
#include <dlfcn.h>

#include <map>
#include <utility>

#include "driver/driver.hpp"
#include "session_fixture.hpp"
#include "worker/counters.hpp"
#include "worker/execution.hpp"

namespace warpmark {
namespace {

using Sums = std::map<std::string, int64_t>;

struct Facts {
  int64_t n, bytes;  ///< elements, and bytes of one
  bool real;         ///< floating-point elements
};

class SuiteCounters : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.in_process = true;
    options_.counters = {"basic"};
  }

  // Verifies every case of a shipped suite, and hands on what is known of it and was counted.
  template <typename Check>
  void each_case(const std::string& suite, Check check) {
    const auto file = std::filesystem::path(WARPMARK_SOURCE_DIR) / "suites" / suite;
    for (const Case& which : cases(load_suite(file))) {
      SCOPED_TRACE(which.id);
      const Outcome outcome = session().verify(which, make_plan(which, plugins_));
      ASSERT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
      Sums sums;
      for (const nlohmann::ordered_json& launch : outcome.counters) {
        for (const auto& [name, value] : launch.items()) {
          if (value.is_number()) sums[name] += value.template get<int64_t>();
        }
      }
      int64_t n = 16;
      std::string dtype = "float32";
      for (const PointValue& axis : which.point) {
        if (axis.name == "n") n = std::stoll(axis.label);
        if (axis.name == "dtype") dtype = axis.label;
      }
      const int64_t bytes = dtype.ends_with("16") ? 2 : dtype.ends_with("32") ? 4 : 8;
      check({n, bytes, dtype.starts_with("float")}, sums);
    }
  }
};

TEST_F(SuiteCounters, DoublifyReadsAndWritesEachElementOnce) {
  each_case("doublify/suite.yaml", [](const Facts& of, const Sums& sums) {
    EXPECT_EQ(sums.at("launches"), 1);
    EXPECT_EQ(sums.at("global_load_bytes"), of.n * of.bytes);
    EXPECT_EQ(sums.at("global_load_requests"), 1);
    EXPECT_EQ(sums.at("global_store_bytes"), of.n * of.bytes);
    EXPECT_EQ(sums.at("global_store_requests"), 1);
    EXPECT_EQ(sums.at("ptx_flops"), of.n);
    EXPECT_EQ(sums.at("shared_load_bytes") + sums.at("global_atomic_bytes") + sums.at("barriers"),
              0);
  });
}

TEST_F(SuiteCounters, LinearCombinationMovesThreeArrays) {
  each_case("linear_combination/suite.yaml", [](const Facts& of, const Sums& sums) {
    EXPECT_EQ(sums.at("global_load_bytes"), 2 * of.n * of.bytes);
    EXPECT_EQ(sums.at("global_store_bytes"), of.n * of.bytes);
    EXPECT_EQ(sums.at("ptx_flops"), of.real ? 3 * of.n : 0);
  });
}

TEST_F(SuiteCounters, SumReadsItsArrayAndWhatBlocksLeave) {
  each_case("reductions/sum.yaml", [](const Facts& of, const Sums& sums) {
    // A block of 512 threads takes 64 bytes with each, and there are 264 blocks at the most. Each
    // but a lone one counts itself by an atomic, and leaves a value that the last one reads.
    const int64_t wanted = std::min<int64_t>(264, (of.n * of.bytes + 32767) / 32768);
    const int64_t blocks = wanted == 1 ? 0 : wanted;
    const int64_t partials = sums.at("global_load_bytes") - of.n * of.bytes;
    EXPECT_EQ(sums.at("global_atomic_bytes"), blocks * 4);
    EXPECT_EQ(sums.at("global_atomic_requests"), blocks);
    EXPECT_TRUE(partials == blocks * 4 || partials == blocks * 8) << partials;
    EXPECT_EQ(sums.at("global_store_bytes"), partials + of.bytes);
    EXPECT_EQ(sums.at("local_load_bytes"), 0);
    EXPECT_GE(sums.at("ptx_flops"), of.real ? of.n - 1 : 0);
  });
}

class ExecutorCounters : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped()) return;
    protocol::Hello hello;
    hello.device = "cpu";
    executor_ = std::make_unique<Executor>(hello, DriverOpeners::standard());
    protocol::Prepare prepare;
    protocol::UnitText unit;
    unit.name = "k.cu";
    unit.folder = folder_.path();
    unit.source = kScale;
    prepare.units.push_back(unit);
    prepare.kernels = {{0, "k"}, {0, "k"}};
    executor_->prepare(prepare);
  }
  // Launches the kernel on n of 100 elements, and then on the first.
  // What the launches counted, if all went well.
  std::vector<nlohmann::ordered_json> verify(int n) {
    protocol::Verify request;
    const float factor = 3;
    const int one = 1;
    const auto bytes = [](const auto& value) {
      return std::string(reinterpret_cast<const char*>(&value), sizeof value);
    };
    request.run.buffers = {{"out", "float32", 400, false, false, {}},
                           {"src", "float32", 400, true, false, {}}};
    request.run.scalars = {{"f", bytes(factor)}, {"n", bytes(n)}, {"one", bytes(one)}};
    protocol::Launch launch;
    launch.grid = {4, 1, 1};
    launch.block = {32, 1, 1};
    launch.arguments = {"out", "src", "f", "n"};
    request.run.steps.emplace_back(launch);
    launch.kernel = 1;
    launch.arguments.back() = "one";
    request.run.steps.emplace_back(launch);
    std::vector<BufferMemory> memory;
    memory.push_back({std::nullopt, SharedMemory::create(400)});
    memory.push_back({SharedMemory::create(400), SharedMemory::create(400)});
    request.run.counters = {"basic"};
    return executor_->verify(request, memory).counters;
  }
  Sums drain() const {
    const CounterSums counters = sum_counters(executor_->drain_counters());
    return {counters.begin(), counters.end()};
  }
  std::unique_ptr<Executor> executor_;
};

TEST_F(ExecutorCounters, AddsUpTheLaunchesSinceTheLastCall) {
  const auto launches = verify(100);
  EXPECT_EQ(launches.size(), 2u);
  const CounterSums counters = sum_counters(launches);
  ASSERT_FALSE(counters.empty());
  EXPECT_EQ(counters.front().first, "launches") << "the device's order";
  const Sums sums(counters.begin(), counters.end());
  EXPECT_EQ(sums.size(), counters.size()) << "each name once";
  EXPECT_EQ(sums.at("launches"), 2);
  EXPECT_EQ(sums.at("global_load_bytes"), 101 * 4);
  EXPECT_EQ(sums.at("global_store_requests"), 5);
  EXPECT_EQ(sums.at("ptx_flops"), 101);
  EXPECT_FALSE(sums.contains("launch"));
  EXPECT_TRUE(drain().empty());
  const CounterSums again = sum_counters(verify(64));
  EXPECT_EQ(counter_value(again, "ptx_flops"), 65);
}

TEST_F(ExecutorCounters, ReportedAfterAFaultToo) {
  EXPECT_THROW(verify(101), DriverError);
  const Sums sums = drain();
  EXPECT_EQ(sums.at("launches"), 1) << "the second was never run";
  EXPECT_EQ(sums.at("global_load_bytes"), 101 * 4);
}

// The CPU device, saying that it does not count.
class NoCounters : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.in_process = true;
    options_.openers.library = [](const std::string& name) {
      const std::shared_ptr<Driver> real = open_driver_library(name);
      const auto extension = reinterpret_cast<warpmark_device_function>(
          dlsym(dlopen(real->path().c_str(), RTLD_NOW), WARPMARK_DEVICE_SYMBOL));
      static warpmark_device without;
      without = *extension();
      without.capabilities &= ~uint32_t{WARPMARK_PROFILE};
      return Driver::from_table(real->table(), name, &without);
    };
  }

  Outcome run_expecting(const std::string& what) {
    return run(
        "kernel: {file: k.cu, entry: k}\narguments: {a: {out: 32}}\nlaunch: {block: 32}\n"
        "reference: {a: np.arange(32)}\nexpect: " +
            what + "\n",
        "extern \"C\" __global__ void k(int *a) { a[threadIdx.x] = threadIdx.x; }");
  }
};

TEST_F(NoCounters, OutputsAloneAreJudgedWithANotice) {
  for (const char* expected : {"{counters: {barriers: 7}}", "{coalesced: true}"}) {
    const Outcome outcome = run_expecting(expected);
    EXPECT_EQ(outcome.verdict, Verdict::passed) << outcome.message;
    ASSERT_EQ(outcome.notices.size(), 1U);
    EXPECT_THAT(outcome.notices[0], testing::HasSubstr("are not judged, only its outputs: "));
  }
}

TEST_F(NoCounters, AreASkipWhereTheyAreRequired) {
  options_.requires_counters = true;
  const Outcome outcome = run_expecting("{counters: {barriers: 7}}");
  EXPECT_EQ(outcome.verdict, Verdict::skipped);
  EXPECT_THAT(outcome.reason, testing::HasSubstr("expects counters, which "));
}

}  // namespace
}  // namespace warpmark
