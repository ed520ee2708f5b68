// Modules, functions, launch geometry and kernel arguments.
#include "driver/kernel.hpp"

#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/fake_driver.hpp"

namespace warpmark {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Kernel : public testing::Test {
 protected:
  Kernel() { fake_.kernels["doublify"] = {{{0, 8}, {8, 4}}}; }

  Function load() { return Module(context_, "image", "doublify.cu").function("doublify"); }

  std::string misfit(const LaunchConfig& config) { return load().misfit(config).value_or("fits"); }

  FakeDriver fake_;
  std::shared_ptr<Context> context_ = Context::create(fake_.device());
};

TEST_F(Kernel, LaunchesWithTheArgumentsAndGeometryGiven) {
  DeviceMemory memory(context_, 16, "a");
  const std::vector<float> values{1, 2, 3, 4};
  memory.upload(std::as_bytes(std::span(values)));
  fake_.on_launch = [](const FakeLaunch& launch) {
    auto* data = reinterpret_cast<float*>(launch.argument<CUdeviceptr>(0));
    for (uint32_t i = 0; i < launch.argument<uint32_t>(1); ++i) data[i] *= 2;
    return CUDA_SUCCESS;
  };
  const Stream stream(context_);
  KernelArguments arguments;
  arguments.add(memory.address());
  arguments.add(uint32_t{3});
  load().launch({{2, 1, 1}, {4, 4, 1}, 64, false}, arguments, stream);
  stream.synchronize();
  std::vector<float> result(4);
  memory.download(std::as_writable_bytes(std::span(result)));
  EXPECT_THAT(result, testing::ElementsAre(2, 4, 6, 4));
  ASSERT_EQ(fake_.launches.size(), 1U);
  EXPECT_EQ(fake_.launches[0].config.text(), "grid 2x1x1, block 4x4x1");
  EXPECT_EQ(fake_.launches[0].config.shared, 64U);
  EXPECT_THAT(fake_.misuse, testing::IsEmpty());
}

TEST_F(Kernel, APreparedLaunchIsOneDriverCallInsideItsContext) {
  KernelArguments arguments;
  arguments.add(CUdeviceptr{0});
  arguments.add(uint32_t{3});
  const Stream stream(context_);
  Function::Prepared launch = load().prepare({}, arguments);
  const ScopedContext current(*context_);
  fake_.calls.clear();
  launch(stream);
  EXPECT_THAT(fake_.calls, testing::ElementsAre("cuCtxGetCurrent", "cuLaunchKernel"));
}

TEST_F(Kernel, AFaultAppearsAtTheSynchronisationAndIsSticky) {
  fake_.on_launch = [](const FakeLaunch&) { return CUDA_ERROR_ILLEGAL_ADDRESS; };
  const Stream stream(context_);
  KernelArguments arguments;
  arguments.add(CUdeviceptr{0});
  arguments.add(uint32_t{3});
  load().launch({}, arguments, stream);
  try {
    stream.synchronize();
    FAIL() << "no error";
  } catch (const DriverError& error) {
    EXPECT_TRUE(error.sticky());
    EXPECT_EQ(error.code(), ExitCode::verdict);
    EXPECT_THAT(error.message(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  }
}

TEST_F(Kernel, TheErrorOfARefusedImageHasTheDriversLog) {
  fake_.fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX);
  fake_.jit_error_log = "ptxas application ptx input, line 9; fatal: \x1b[31munknown opcode\n";
  try {
    Module(context_, "bad", "doublify.cu");
    FAIL() << "no error";
  } catch (const DriverError& error) {
    EXPECT_EQ(error.result(), CUDA_ERROR_INVALID_PTX);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("module of doublify.cu"), HasSubstr("line 9"),
                                       HasSubstr("unknown opcode"), Not(HasSubstr("\x1b"))));
  }
}

TEST_F(Kernel, AMissingEntryIsAVerdictThatNamesKernelAndModule) {
  const Module module(context_, "image", "doublify.cu");
  try {
    module.function("doublyfi");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::verdict);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("`doublyfi`"), HasSubstr("doublify.cu"),
                                       HasSubstr("device 0 (Fake GPU)")));
  }
}

TEST_F(Kernel, PtxWithoutATerminatorIsLoadedWhole) {
  const std::string text = "image and more";
  const Module module(context_, std::string_view(text).substr(0, 5), "x");
  EXPECT_EQ(fake_.images.back(), "image");
}

TEST_F(Kernel, GeometryThatDoesNotFitIsNamedWithBothNumbers) {
  EXPECT_EQ(misfit({{1, 1, 1}, {1024, 1, 1}, 0, false}), "fits");
  EXPECT_THAT(misfit({{1, 1, 1}, {1500, 1, 1}, 0, false}),
              AllOf(HasSubstr("`doublify`"), HasSubstr("block.x is 1500"), HasSubstr("allows 1024"),
                    HasSubstr("block 1500x1x1")));
  EXPECT_THAT(misfit({{1, 1, 1}, {32, 33, 1}, 0, false}), HasSubstr("1056"));
  EXPECT_THAT(misfit({{1, 1, 1}, {1, 1, 65}, 0, false}), HasSubstr("block.z is 65"));
  EXPECT_THAT(misfit({{1, 70000, 1}, {1, 1, 1}, 0, false}), HasSubstr("grid.y is 70000"));
  EXPECT_THAT(misfit({{0, 1, 1}, {1, 1, 1}, 0, false}), HasSubstr("grid.x is 0"));
  EXPECT_THAT(misfit({{1ULL << 33, 1, 1}, {1, 1, 1}, 0, false}), HasSubstr("8589934592"));
}

TEST_F(Kernel, RegistersLowerTheNumberOfThreads) {
  fake_.kernels["doublify"].max_threads_per_block = 256;
  fake_.kernels["doublify"].registers = 255;
  EXPECT_THAT(misfit({{1, 1, 1}, {512, 1, 1}, 0, false}),
              AllOf(HasSubstr("512"), HasSubstr("255 registers"), HasSubstr("256")));
}

TEST_F(Kernel, WhatFitsNoDeviceDiffersFromWhatThisOneLacks) {
  const auto nowhere = [&](const LaunchConfig& config) { return load().fits_nowhere(config); };
  EXPECT_TRUE(nowhere({{1, 1, 1}, {1500, 1, 1}, 0, false}));
  EXPECT_TRUE(nowhere({{0, 1, 1}, {1, 1, 1}, 0, false}));
  EXPECT_TRUE(nowhere({{1, 1, 1}, {1, 1, 1}, 228 * 1024, false}));
  fake_.attributes[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 99 * 1024;
  EXPECT_NE(misfit({{1, 1, 1}, {1, 1, 1}, 100 * 1024, false}), "fits");
  EXPECT_FALSE(nowhere({{1, 1, 1}, {1, 1, 1}, 100 * 1024, false}));
  // A device with half of the registers says nothing of others.
  fake_.kernels["doublify"].max_threads_per_block = 256;
  fake_.attributes[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = 32768;
  EXPECT_FALSE(nowhere({{1, 1, 1}, {512, 1, 1}, 0, false}));
  fake_.attributes[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = 65536;
  EXPECT_TRUE(nowhere({{1, 1, 1}, {512, 1, 1}, 0, false}));
  EXPECT_FALSE(nowhere({{1, 1, 1}, {256, 1, 1}, 0, false}));
  for (const int broken : {0, -1}) {
    fake_.kernels["doublify"].max_threads_per_block = broken;
    fake_.kernels["doublify"].static_shared_bytes = broken;
    EXPECT_FALSE(nowhere({{1, 1, 1}, {256, 1, 1}, 0, false})) << broken;
  }
}

TEST_F(Kernel, SharedMemoryCountsStaticAndDynamicAndAsksForMoreThan48K) {
  fake_.kernels["doublify"].static_shared_bytes = 40 * 1024;
  EXPECT_EQ(misfit({{1, 1, 1}, {1, 1, 1}, 187 * 1024, false}), "fits");
  EXPECT_THAT(misfit({{1, 1, 1}, {1, 1, 1}, 188 * 1024, false}),
              AllOf(HasSubstr("192512 + 40960"), HasSubstr("232448")));
  EXPECT_THAT(misfit({{1, 1, 1}, {1, 1, 1}, ~uint64_t{0}, false}), HasSubstr("shared memory"));
  fake_.calls.clear();
  load().prepare({{1, 1, 1}, {1, 1, 1}, 4096, false});
  EXPECT_THAT(fake_.calls, Not(testing::Contains("cuFuncSetAttribute")));
  load().prepare({{1, 1, 1}, {1, 1, 1}, 16384, false});
  EXPECT_THAT(fake_.calls, testing::Contains("cuFuncSetAttribute"));
}

TEST_F(Kernel, ArgumentsAreCheckedAgainstTheParameters) {
  const auto error_of = [&](KernelArguments arguments) -> std::string {
    try {
      load().launch({}, arguments, Stream(context_));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::verdict);
      return error.message();
    }
    return "no error";
  };
  KernelArguments arguments;
  arguments.add(CUdeviceptr{0});
  EXPECT_EQ(error_of(arguments), "the kernel `doublify` has 2 parameters, but 1 argument is given");
  arguments.add(double{1});
  EXPECT_EQ(error_of(arguments),
            "parameter 2 of the kernel `doublify` has 4 bytes, but its argument has 8");
  EXPECT_TRUE(fake_.launches.empty());
}

TEST(KernelArguments, ValuesKeepTheirBytesAndAlignment) {
  KernelArguments arguments;
  const std::array<float, 18> big{1, 2, 3};
  arguments.add(int8_t{-3});
  arguments.add(big);
  arguments.add(double{2.5});
  const std::vector<void*> addresses = arguments.addresses();
  ASSERT_EQ(addresses.size(), 3U);
  for (const void* address : addresses) EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 16, 0U);
  EXPECT_EQ(*static_cast<int8_t*>(addresses[0]), -3);
  EXPECT_EQ(std::memcmp(addresses[1], big.data(), sizeof(big)), 0);
  EXPECT_EQ(*static_cast<double*>(addresses[2]), 2.5);
  EXPECT_EQ(arguments.bytes(1), 72U);
}

}  // namespace
}  // namespace warpmark
