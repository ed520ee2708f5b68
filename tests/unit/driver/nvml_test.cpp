// NVML's report of a device: whatever it cannot report is absent, and nothing else.
#include "driver/nvml.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.hpp"

namespace warpmark {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDevice = "0000:18:00.0";

DeviceState all() {
  DeviceState state;
  state.sm_clock_mhz = 1830;
  state.memory_clock_mhz = 3201;
  state.max_sm_clock_mhz = 1980;
  state.temperature_c = 41;
  state.power_w = 123.456;
  state.ecc = true;
  state.mig = false;
  state.throttle_reasons = {"sw_power_cap", "hw_thermal_slowdown", "0x10000"};
  return state;
}

// The state when one function is of no use.
struct Without {
  const char* function;
  void (*remove)(DeviceState& from);
};
const Without kOptional[] = {
    {"nvmlDeviceGetClockInfo",
     [](DeviceState& s) { s.sm_clock_mhz = s.memory_clock_mhz = std::nullopt; }},
    {"nvmlDeviceGetMaxClockInfo", [](DeviceState& s) { s.max_sm_clock_mhz = std::nullopt; }},
    {"nvmlDeviceGetTemperature", [](DeviceState& s) { s.temperature_c = std::nullopt; }},
    {"nvmlDeviceGetPowerUsage", [](DeviceState& s) { s.power_w = std::nullopt; }},
    {"nvmlDeviceGetEccMode", [](DeviceState& s) { s.ecc = std::nullopt; }},
    {"nvmlDeviceGetMigMode", [](DeviceState& s) { s.mig = std::nullopt; }},
    {"nvmlDeviceGetCurrentClocksEventReasons",
     [](DeviceState& s) { s.throttle_reasons = {"hw_slowdown"}; }},  // the older function's
    {"nvmlDeviceGetCurrentClocksThrottleReasons", [](DeviceState&) {}},
};

class NvmlTest : public testing::Test {
 protected:
  void SetUp() override { use(WARPMARK_FAKE_NVML); }
  void TearDown() override {
    ::unsetenv("WARPMARK_NVML");
    ::unsetenv("WARPMARK_FAKE_NVML_FAILS");
  }
  static void use(const std::string& file) { ::setenv("WARPMARK_NVML", file.c_str(), 1); }
  static void fail(const std::string& functions) {
    ::setenv("WARPMARK_FAKE_NVML_FAILS", functions.c_str(), 1);
  }
  // A copy of the fake that exports `function` under another name.
  std::string copy_without(const std::string& function) {
    std::string image = read_file(WARPMARK_FAKE_NVML);
    const std::string name = '\0' + function + '\0';
    for (size_t at = 0; (at = image.find(name, at)) != std::string::npos; ++at) image[at + 1] = 'X';
    const auto file = folder_.path() / ("without_" + function + ".so");
    write_file_atomically(file, image);
    return file;
  }
  static int initialised() {
    void* library = dlopen(WARPMARK_FAKE_NVML, RTLD_NOW);
    return reinterpret_cast<int (*)()>(dlsym(library, "fake_nvml_initialised"))();
  }

  const TemporaryFolder folder_{"warpmark-nvml"};
};

TEST_F(NvmlTest, ReadsEverything) {
  std::string why = "unchanged";
  const auto nvml = Nvml::open(&why);
  ASSERT_NE(nvml, nullptr) << why;
  EXPECT_EQ(why, "");
  EXPECT_EQ(nvml->path(), WARPMARK_FAKE_NVML);
  EXPECT_EQ(nvml->state(kDevice), all());
}

TEST_F(NvmlTest, KnowsNothingOfAnotherDevice) {
  EXPECT_EQ(Nvml::open()->state("0000:19:00.0"), DeviceState{});
  EXPECT_EQ(Nvml::open()->state(""), DeviceState{});
}

TEST_F(NvmlTest, AFunctionThatFailsTakesOnlyItsOwnValue) {
  const auto nvml = Nvml::open();
  for (const Without& without : kOptional) {
    fail(without.function);
    DeviceState expected = all();
    without.remove(expected);
    EXPECT_EQ(nvml->state(kDevice), expected) << without.function;
  }
  fail("nvmlDeviceGetHandleByPciBusId_v2");
  EXPECT_EQ(nvml->state(kDevice), DeviceState{});
  fail("nvmlDeviceGetCurrentClocksEventReasons nvmlDeviceGetCurrentClocksThrottleReasons");
  EXPECT_THAT(nvml->state(kDevice).throttle_reasons, IsEmpty());
  fail("");
  EXPECT_EQ(nvml->state(kDevice), all());
}

TEST_F(NvmlTest, AFunctionThatIsMissingTakesOnlyItsOwnValue) {
  for (const Without& without : kOptional) {
    use(copy_without(without.function));
    const auto nvml = Nvml::open();
    ASSERT_NE(nvml, nullptr) << without.function;
    DeviceState expected = all();
    without.remove(expected);
    EXPECT_EQ(nvml->state(kDevice), expected) << without.function;
  }
}

TEST_F(NvmlTest, IsNotUsedWithoutWhatEverythingNeeds) {
  for (const char* function : {"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetHandleByPciBusId_v2"}) {
    use(copy_without(function));
    std::string why;
    EXPECT_EQ(Nvml::open(&why), nullptr);
    EXPECT_THAT(why, HasSubstr("no usable NVML"));
    EXPECT_THAT(why, HasSubstr(function));
  }
}

TEST_F(NvmlTest, SaysWhyItCannotStart) {
  fail("nvmlInit_v2");
  std::string why;
  EXPECT_EQ(Nvml::open(&why), nullptr);
  EXPECT_THAT(why, HasSubstr("nvmlInit_v2 failed: Unknown Error (999)"));
  EXPECT_EQ(Nvml::open(), nullptr) << "nobody asks why";
}

TEST_F(NvmlTest, SaysThatThereIsNoLibrary) {
  use("/nowhere/libnvidia-ml.so");
  std::string why;
  EXPECT_EQ(Nvml::open(&why), nullptr);
  EXPECT_THAT(why, HasSubstr("/nowhere/libnvidia-ml.so"));
}

TEST_F(NvmlTest, IsShutDownAtTheEnd) {
  const int before = initialised();
  {
    const auto nvml = Nvml::open();
    EXPECT_EQ(initialised(), before + 1);
  }
  EXPECT_EQ(initialised(), before);
  {
    const auto nvml = Nvml::open();
    fail("nvmlShutdown");  // nothing to be done about it, and nothing to report
  }
  EXPECT_EQ(initialised(), before + 1);
}

}  // namespace
}  // namespace warpmark
