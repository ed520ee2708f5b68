// Kernels that launch kernels: in which order, with what, and what comes of mistakes.
#include <numeric>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Launches : public DeviceTest {
 protected:
  CUfunction kernel(const char* name) { return DeviceTest::kernel("launches.sm_90.ptx", name); }
};

TEST_F(Launches, AGridHasEndedWhenThoseOfItsKernelsHave) {
  for (const char* options :
       {R"({"checks": ["memory"]})", R"({"workers": 2})",
        R"({"checks": ["memory", "init", "race", "sync"]})", R"({"check": "none"})"}) {
    configure(options);
    Array<int> count(std::vector<int>{0});
    ASSERT_CU(launch(kernel("tree"), {3}, {1}, 0, count.address, 5));
    ASSERT_CU(api().synchronize());
    ASSERT_CU(count.fetch());
    EXPECT_EQ(count.host[0], 3 * 63) << options;
    EXPECT_THAT(reports(), ::testing::IsEmpty()) << options;
  }
}

TEST_F(Launches, StreamsKeepTheirOrderAndTailsComeLast) {
  Array<int> log(std::vector<int>(24, 0));
  ASSERT_CU(launch(kernel("orders"), {1}, {1}, 0, log.address));
  ASSERT_CU(log.fetch());
  EXPECT_EQ(log.host[20], 0) << "of streams and events";
  EXPECT_EQ(log.host[0], 5);
  EXPECT_THAT(std::vector(log.host.begin() + 1, log.host.begin() + 6),
              ElementsAre(1, 2, 3, 4, 100));
}

TEST_F(Launches, ParametersAndSharedMemoryArrive) {
  for (const char* options : {R"({"workers": 1})", R"({"workers": 3})",
                              R"({"checks": ["memory", "init", "race", "sync"]})"}) {
    configure(options);
    constexpr int threads = 7, each = 64;
    Array<float> out(std::vector<float>(threads * each, -1));
    ASSERT_CU(launch(kernel("scatter"), {1}, {threads}, 0, out.address, each));
    ASSERT_CU(out.fetch());
    std::vector<float> expected;
    for (int thread = 0; thread < threads; ++thread) {
      for (int i = 0; i < each; ++i) {
        const int neighbour = (i % (each / 2) + 1) % (each / 2);
        expected.push_back(0.5F * static_cast<float>(thread + 1) *
                           static_cast<float>(2 * (neighbour % 5 + 1)));
      }
    }
    EXPECT_EQ(out.host, expected) << options;
    EXPECT_THAT(reports(), ::testing::IsEmpty()) << options;
  }
}

TEST_F(Launches, WhatCannotBeLaunchedIsAnErrorOfItsThread) {
  Array<int> out(std::vector<int>(26, 77));
  ASSERT_CU(launch(kernel("wrong"), {1}, {1}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_THAT(std::vector(out.host.begin(), out.host.begin() + 20), Each(77)) << "nothing ran";
  EXPECT_THAT(std::vector(out.host.begin() + 20, out.host.begin() + 25),
              ElementsAre(9, 9, 0, 9, 1));
}

TEST_F(Launches, DepthHasALimit) {
  Array<int> out({0, 0});
  ASSERT_CU(launch(kernel("deep"), {1}, {1}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[0], 25) << "24 below the first";
  EXPECT_EQ(out.host[1], 65) << "cudaErrorLaunchMaxDepthExceeded";
}

TEST_F(Launches, AFaultIsThatOfTheProgramsLaunch) {
  Array<int> out({0, 0});
  ASSERT_CU(launch(kernel("parent_of_overrun"), {1}, {1}, 0, out.address, 2));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<Json> all = reports();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value("kernel", ""), "overrun");
  EXPECT_EQ(all[0].value("launch", 0), 2) << "of the context's";
}

TEST_F(Launches, LimitsHoldForAllTogether) {
  configure(R"({"instruction_budget": 2000})");
  Array<int> count(std::vector<int>{0});
  ASSERT_CU(launch(kernel("tree"), {1}, {1}, 0, count.address, 20));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(Launches, MemoryOfTheHeapIsForAll) {
  for (const char* options :
       {R"({"checks": ["memory"]})", R"({"checks": ["memory", "init", "race", "sync"]})"}) {
    configure(options);
    Array<int> out(std::vector<int>(11, 77));
    ASSERT_CU(launch(kernel("allocates"), {1}, {1}, 0, out.address));
    ASSERT_CU(out.fetch());
    EXPECT_THAT(out.host, ElementsAre(30, 31, 32, 33, 34, 35, 36, 37, 0, 2, 0)) << options;
    EXPECT_THAT(reports(), ::testing::IsEmpty()) << options;
  }
}

TEST_F(Launches, TheyPrintInTurn) {
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch(kernel("says"), {1}, {1}, 0, 0));
  ASSERT_CU(api().synchronize());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0\n1\n2\n3\n");
}

// A function that does not exist is named, at the line that calls it.
TEST_F(Launches, OtherFunctionsOfTheDevicesRuntimeAreRefusedByName) {
  for (const char* name : {"cudaDeviceSynchronize", "__cudaCDP2GetDevice", "cudaMemcpyAsync"}) {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) " +
        std::string(name) + "();\n.visible .entry k()\n{\n.param .b32 r;\ncall (r), " + name +
        ", ();\nret;\n}\n";
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUresult result = api().load(&module, text.c_str());
    if (result == CUDA_SUCCESS) result = api().function(&function, module, "k");
    EXPECT_EQ(result, CUDA_ERROR_NOT_SUPPORTED) << name;
    std::string canonical = name;
    if (canonical.starts_with("__cudaCDP2")) canonical = "cuda" + canonical.substr(10);
    EXPECT_THAT(api().device->last_error(), HasSubstr("'" + canonical + "' of the runtime"));
    EXPECT_THAT(api().device->last_error(), HasSubstr("line 8"));
  }
}

}  // namespace
}  // namespace warpmark::test
