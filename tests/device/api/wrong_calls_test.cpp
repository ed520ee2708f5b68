// Results of wrong calls of the driver API, held against the reference's, and those of a GPU's
// driver (label `gpu`; skipped elsewhere).
//
// Calls run in processes of their own, `--run DRIVER FIRST`, since a driver may crash in one: the
// child prints a line before and after each, and the next one goes on behind the call that ended
// it.
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

#include "device/api/wrong_calls.hpp"
#include "support/run_tests.hpp"

namespace warpmark::test {
namespace {

constexpr int kCrashed = -2;

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {path.data(), static_cast<std::size_t>(length > 0 ? length : 0)};
}

/// Runs the calls from `first` on; prints `begin N` and `end N RESULT`.
int run_calls(const char* path, std::size_t first) {
  const Driver driver(path);
  if (!driver.is_open()) return 77;
  Setting setting;
  try {
    setting = make_setting(driver);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", path, error.what());
    return 77;
  }
  for (std::size_t i = first; i < wrong_calls().size(); ++i) {
    std::printf("begin %zu\n", i);
    std::fflush(stdout);
    int result = kOpen;
    try {
      result = wrong_calls()[i].call(driver, setting);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", wrong_calls()[i].name, error.what());
    }
    std::printf("end %zu %d\n", i, result);
    std::fflush(stdout);
  }
  return 0;
}

/// The result of each call by its number; empty where there is no such device.
std::map<std::size_t, int> results_of(const char* path) {
  std::map<std::size_t, int> results;
  for (std::size_t next = 0; next < wrong_calls().size();) {
    const std::string command =
        "'" + own_path() + "' --run '" + path + "' " + std::to_string(next) + " 2>/dev/null";
    FILE* child = popen(command.c_str(), "r");
    if (child == nullptr) return results;
    std::array<char, 256> line{};
    std::size_t number = 0, begun = next;
    int result = 0;
    bool any = false;
    while (std::fgets(line.data(), line.size(), child) != nullptr) {
      if (std::sscanf(line.data(), "begin %zu", &number) == 1) {
        any = true;
        begun = number;
        results[number] = kCrashed;
      } else if (std::sscanf(line.data(), "end %zu %d", &number, &result) == 2) {
        results[number] = result;
      }
    }
    pclose(child);
    if (!any) return results;
    next = begun + 1;
  }
  return results;
}

std::string text(int result) {
  if (result == kCrashed) return "crashed";
  if (result == kOpen) return "not exported";
  static const Driver driver(WARPMARK_CPU_LIBRARY);
  const char* name = nullptr;
  driver.find<decltype(&::cuGetErrorName)>("cuGetErrorName")(static_cast<CUresult>(result), &name);
  return name == nullptr ? std::to_string(result) : name;
}

TEST(WrongCalls, GiveWhatTheReferenceStates) {
  ASSERT_GE(wrong_calls().size(), 100U);
  const auto results = results_of(WARPMARK_CPU_LIBRARY);
  ASSERT_EQ(results.size(), wrong_calls().size());
  for (const auto& [number, result] : results) {
    const WrongCall& call = wrong_calls()[number];
    EXPECT_GE(result, 0) << call.name << ": " << text(result);
    if (call.stated != kOpen) {
      EXPECT_EQ(text(result), text(call.stated)) << call.name;
    }
  }
}

TEST(PrimaryContext, KeepsItsHandle) {
  for (const Step& step : primary_context_steps(Driver(WARPMARK_CPU_LIBRARY)))
    EXPECT_EQ(step.result, step.stated) << step.name;
}

TEST(OnGpu, PrimaryContextKeepsItsHandle) {
  const Driver driver("libcuda.so.1");
  if (!driver.is_open() || driver.find<decltype(&::cuInit)>("cuInit")(0) != CUDA_SUCCESS)
    GTEST_SKIP() << "no GPU";
  for (const Step& step : primary_context_steps(driver))
    EXPECT_EQ(step.result, step.stated) << step.name;
}

// By the name that programs are linked with, which goes on to the device.
TEST(WrongCalls, GiveTheSameByTheLinkersName) {
  std::string path = WARPMARK_CPU_LIBRARY;
  path = path.substr(0, path.rfind('/')) + "/cpu/libcuda.so";
  EXPECT_EQ(results_of(path.c_str()), results_of(WARPMARK_CPU_LIBRARY));
}

/// Why a call's answer here is another than a GPU's on purpose; null if it must be the same.
const char* reason_to_differ(int there) {
  if (there == kCrashed) return "no call of this library crashes";
  return nullptr;
}

TEST(OnGpu, WrongCallsGiveTheSame) {
  const auto there = results_of("libcuda.so.1");
  if (there.empty()) GTEST_SKIP() << "no GPU";
  // The CPU device reads texts of newer versions than that driver does, unless told to be like it.
  int version = 0;
  const Driver gpu("libcuda.so.1");
  gpu.find<decltype(&::cuDriverGetVersion)>("cuDriverGetVersion")(&version);
  const std::string named =
      std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  setenv("WARPMARK_CPU_DRIVER", named.c_str(), 1);
  const auto here = results_of(WARPMARK_CPU_LIBRARY);
  unsetenv("WARPMARK_CPU_DRIVER");
  std::size_t differ = 0;
  std::puts("| call | CPU device | GPU | stated | why |\n| --- | --- | --- | --- | --- |");
  for (const auto& [number, result] : there) {
    const WrongCall& call = wrong_calls()[number];
    if (result == here.at(number)) continue;
    const char* reason = reason_to_differ(result);
    if (reason == nullptr) ++differ;
    std::printf("| `%s` | %s | %s | %s | %s |\n", call.name, text(here.at(number)).c_str(),
                text(result).c_str(), call.stated == kOpen ? "" : text(call.stated).c_str(),
                reason == nullptr ? "" : reason);
  }
  std::printf("%zu of %zu calls differ\n", differ, there.size());
  EXPECT_EQ(differ, 0U);
}

}  // namespace
}  // namespace warpmark::test

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "--run")
    return warpmark::test::run_calls(argv[2], std::strtoul(argv[3], nullptr, 10));
  ::testing::InitGoogleTest(&argc, argv);
  return warpmark::test::run_tests();
}
