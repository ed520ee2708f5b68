// Functions that the device provides: printf against the host's, assert, malloc and free, traps.
#include <cinttypes>
#include <cstdio>
#include <limits>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using ::testing::HasSubstr;

template <typename... Values>
std::string host(const char* format, Values... values) {
  char text[8192];
  const int length = std::snprintf(text, sizeof text, format, values...);
  return {text, static_cast<std::size_t>(length)};
}

class RuntimeTest : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction kernel(const char* name) {
    return DeviceTest::kernel(std::string("runtime.") + GetParam() + ".ptx", name);
  }
  // Returns what a launch prints at the next synchronisation.
  template <typename... Arguments>
  std::string printed(CUfunction function, Dim grid, Dim block, Arguments... arguments) {
    ::testing::internal::CaptureStdout();
    EXPECT_CU(launch(function, grid, block, 0, arguments...));
    EXPECT_CU(api().synchronize());
    return ::testing::internal::GetCapturedStdout();
  }
  void set_limit(CUlimit limit, std::size_t bytes) {
    static const auto set = api().find<decltype(cuCtxSetLimit)>("cuCtxSetLimit");
    ASSERT_CU(set(limit, bytes));
  }
};

TEST_P(RuntimeTest, PrintsIntegersAsTheHostDoes) {
  CUfunction function = kernel("integers");
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{42}, std::int64_t{-12345},
        std::int64_t{123456789012345}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max(), std::int64_t{0x7fffffff}}) {
    const auto i = static_cast<int>(v);
    const auto u = static_cast<unsigned>(v);
    const long long ll = v;
    const auto ull = static_cast<unsigned long long>(v);
    const std::string expected =
        host("[%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|]\n", i, i, i, i, i, i, i, i, i, i) +
        host("[%u|%o|%#o|%x|%#x|%X|%#X|%08x|%#010x|%.0x|]\n", u, u, u, u, u, u, u, u, u, u) +
        host("[%lld|%ld|%llu|%lu|%llx|%#llX|%llo|%20lld|%-20lld|]\n", ll, static_cast<long>(ll),
             ull, static_cast<unsigned long>(ull), ull, ull, ull, ll, ll) +
        host("[%hd|%hu|%hx|%hhd|%hhu|%zu|%jd|%td|]\n", static_cast<short>(i),
             static_cast<unsigned short>(u), static_cast<unsigned short>(u),
             static_cast<signed char>(i), static_cast<unsigned char>(u),
             static_cast<std::size_t>(ull), static_cast<std::intmax_t>(ll),
             static_cast<std::ptrdiff_t>(ll)) +
        host("[%*d|%-*d|%.*d|%*.*d|]\n", 7, i, 7, i, 4, i, -9, 3, i);
    EXPECT_EQ(printed(function, {}, {}, i, u, ll, ull), expected);
  }
}

TEST_P(RuntimeTest, PrintsRealNumbersAsTheHostDoes) {
  CUfunction function = kernel("reals");
  using Limits = std::numeric_limits<double>;
  for (const double d : {0.0,
                         -0.0,
                         1.0,
                         -1.5,
                         0.1,
                         2.5,
                         3.5,
                         9.9999995,
                         123456.0,
                         1234567.0,
                         1e-4,
                         9.99e-5,
                         1e22,
                         1e300,
                         Limits::max(),
                         Limits::min(),
                         Limits::denorm_min(),
                         3 * Limits::denorm_min(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         0.5,
                         1.0 / 3,
                         31.96875}) {
    const auto f = static_cast<float>(d);
    const std::string expected =
        host("[%f|%F|%e|%E|%g|%G|%a|%A|]\n", d, d, d, d, d, d, d, d) +
        host("[%.0f|%#.0f|%.0e|%#.0e|%.10f|%.17g|%#g|%.3a|%.0a|%20.5f|%-20.5e|%+g|% g|%020.3f|]\n",
             d, d, d, d, d, d, d, d, d, d, d, d, d, d) +
        host("[%f|%g|%a|]\n", f, f, f);
    EXPECT_EQ(printed(function, {}, {}, d, f), expected) << d;
  }
}

TEST_P(RuntimeTest, PrintsTextsFromEveryMemory) {
  const Array<char> given(std::vector<char>{'h', 'e', 'l', 'l', 'o', '\0'});
  auto* pointer = reinterpret_cast<void*>(given.address);  // only for its digits
  EXPECT_EQ(printed(kernel("texts"), {}, {}, given.address, int{'Q'}),
            host("[%s|%10s|%-10s|%.2s|%c|%3c|%%|locQ|sQ]\n", "hello", "hello", "hello", "hello",
                 'Q', 'Q') +
                host("[%p|%20p|(nil)]\n", pointer, pointer) +
                "no arguments\n"
                // No conversion of ours: it stays, and nothing is written through it.
                "[%|%n|%q|%\n");
}

TEST_P(RuntimeTest, ReturnsHowManyValuesItTook) {
  Array<int> out(3);
  EXPECT_EQ(printed(kernel("counts"), {}, {}, out.address, 7), "a7 1.000000 x\n  7\n");
  ASSERT_CU(out.fetch());
  EXPECT_THAT(out.host, ::testing::ElementsAre(0, 3, 2));
}

TEST_P(RuntimeTest, PrintsInTheOrderOfBlocksAndThreadsOnAnyNumberOfWorkers) {
  std::string expected;
  for (int block = 0; block < 20; ++block) {
    for (int thread = 0; thread < 70; ++thread)
      expected += std::to_string(block) + "." + std::to_string(thread) + "\n";
  }
  CUfunction function = kernel("who");
  for (const char* workers : {R"({"workers":1})", R"({"workers":4})"}) {
    configure(workers);
    EXPECT_EQ(printed(function, {20}, {96}, 70), expected);
  }
}

TEST_P(RuntimeTest, KeepsTheNewestTextsThatFitTheFifo) {
  set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 9);
  EXPECT_EQ(printed(kernel("who"), {}, {32}, 32), "0.31\n");  // two texts of five bytes are ten
  set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, 10);
  EXPECT_EQ(printed(kernel("who"), {}, {32}, 32), "0.30\n0.31\n");
}

TEST_P(RuntimeTest, PrintsWhenTheClientSynchronisesAndNotBefore) {
  CUfunction function = kernel("who");
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch(function, {}, {32}, 0, 1));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  ::testing::internal::CaptureStdout();
  ASSERT_CU(api().stream_synchronize(nullptr));
  ASSERT_CU(api().synchronize());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "0.0\n");
}

TEST_P(RuntimeTest, AnAssertionEndsTheLaunch) {
  Array<int> values(std::vector<int>(32, 1)), out(32);
  values.host[5] = 9;
  ASSERT_CU(api().to_device(values.address, values.host.data(), 128));
  CUfunction function = kernel("with_assert");
  ::testing::internal::CaptureStderr();
  ASSERT_CU(launch(function, {}, {32}, 0, values.address, 5, out.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ASSERT);
  const std::string expected =
      "runtime.cu:39: void with_assert(const int *, int, int *): block: [0,0,0], thread: [5,0,0] "
      "Assertion `a[i] < n && \"bad\"` "
      "failed.";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), expected + "\n");
  EXPECT_EQ(out.fetch(), CUDA_ERROR_ASSERT);
  const std::vector<Json> lines = reports();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["kind"], "assert");
  EXPECT_THAT(lines[0]["message"], HasSubstr(expected));
  EXPECT_EQ(lines[0]["thread"], Json::parse("[5,0,0]"));
}

TEST_P(RuntimeTest, MemoryFromMallocOutlivesTheKernelAndOthersFreeIt) {
  constexpr int kThreads = 256, kInts = 37;
  CUfunction allocate = kernel("allocate"), add = kernel("add_up_and_free");
  for (const char* workers : {R"({"workers":1})", R"({"workers":3})"}) {
    configure(workers);
    Array<std::uint64_t> pointers(kThreads);
    Array<int> sums(kThreads);
    for (int round = 0; round < 3; ++round) {
      ASSERT_CU(launch(allocate, {8}, {32}, 0, pointers.address, kInts));
      ASSERT_CU(pointers.fetch());
      std::vector<std::uint64_t> sorted = pointers.host;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        EXPECT_EQ(sorted[i] % 16, 0u);
        if (i > 0) {
          EXPECT_GE(sorted[i] - sorted[i - 1], kInts * sizeof(int));
        }
      }
      ASSERT_CU(launch(add, {8}, {32}, 0, pointers.address, kInts, sums.address));
      ASSERT_CU(sums.fetch());
      for (int i = 0; i < kThreads; ++i)
        EXPECT_EQ(sums.host[static_cast<std::size_t>(i)],
                  i * 1000 * kInts + kInts * (kInts - 1) / 2);
    }
  }
}

TEST_P(RuntimeTest, MallocGivesNullWhenTheHeapIsFullAndAllOfItBack) {
  set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, 64 << 10);
  CUfunction allocate = kernel("allocate"), add = kernel("add_up_and_free");
  Array<std::uint64_t> pointers(32);
  Array<int> sums(32);
  ASSERT_CU(launch(allocate, {}, {32}, 0, pointers.address, 1000));  // 4000 bytes each
  ASSERT_CU(pointers.fetch());
  const auto got =
      static_cast<unsigned>(32 - std::count(pointers.host.begin(), pointers.host.end(), 0u));
  EXPECT_EQ(got, 16u);  // (65536 - 16) / (4000 + 16)
  ASSERT_CU(launch(add, {}, {got}, 0, pointers.address, 1000, sums.address));
  ASSERT_CU(launch(allocate, {}, {32}, 0, pointers.address, 1000));
  ASSERT_CU(pointers.fetch());
  EXPECT_EQ(32 - std::count(pointers.host.begin(), pointers.host.end(), 0u), 16);
  // Sizes that no heap has give null, not a wrapped one.
  ASSERT_CU(launch(allocate, {}, {1}, 0, pointers.address, -1));
  ASSERT_CU(pointers.fetch());
  EXPECT_EQ(pointers.host[0], 0u);
}

TEST_P(RuntimeTest, NewAndDeleteWithVirtualFunctions) {
  constexpr int kNodes = 25;
  Array<int> out(64);
  ASSERT_CU(launch(kernel("list"), {}, {64}, 0, out.address, kNodes));
  ASSERT_CU(out.fetch());
  for (int t = 0; t < 64; ++t) {
    int expected = 0;
    for (int i = 0; i < kNodes; ++i) expected += (i % 2 != 0 ? 10 : 1) * (i + t);
    EXPECT_EQ(out.host[static_cast<std::size_t>(t)], expected);
  }
}

TEST_P(RuntimeTest, AnAccessBesideItsBlockOfTheHeapFaults) {
  Array<std::uint64_t> pointers(32);
  CUfunction touch = kernel("touch");
  ASSERT_CU(launch(kernel("allocate"), {}, {32}, 0, pointers.address, 8));
  ASSERT_CU(launch(touch, {}, {1}, 0, pointers.address, 3, 7));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(launch(touch, {}, {1}, 0, pointers.address, 3, 8));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<Json> lines = reports();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0]["message"], HasSubstr("1 byte after the nearest allocation of 32 bytes"));
}

TEST_P(RuntimeTest, AnAccessToFreedMemoryFaults) {
  Array<std::uint64_t> pointers(1);
  ASSERT_CU(launch(kernel("allocate"), {}, {1}, 0, pointers.address, 8));
  ASSERT_CU(launch(kernel("free_at"), {}, {1}, 0, pointers.address, 0));
  ASSERT_CU(launch(kernel("touch"), {}, {1}, 0, pointers.address, 0, 2));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const std::vector<Json> lines = reports();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0]["message"], HasSubstr("inside an allocation of 32 bytes that was freed"));
}

TEST_P(RuntimeTest, FreeingTwiceOrWhatMallocDidNotReturnFaults) {
  for (const int offset : {0, 16, 1}) {
    Array<std::uint64_t> pointers(1);
    CUfunction free_at = kernel("free_at");
    ASSERT_CU(launch(kernel("allocate"), {}, {1}, 0, pointers.address, 8));
    if (offset == 0) {
      ASSERT_CU(launch(free_at, {}, {1}, 0, pointers.address, 0));
    }
    ASSERT_CU(api().synchronize());
    ASSERT_CU(launch(free_at, {}, {1}, 0, pointers.address, offset));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_FAILED);
    const std::vector<Json> lines = reports();
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0]["kind"], "heap");
    EXPECT_THAT(lines[0]["message"], HasSubstr(offset == 0 ? "freed already" : "did not return"));
    TearDown();
    SetUp();
  }
}

TEST_P(RuntimeTest, TrapsEndTheLaunch) {
  CUfunction function = kernel("traps");
  ASSERT_CU(launch(function, {}, {1}, 0, 0));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(launch(function, {}, {1}, 0, 1));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

INSTANTIATE_TEST_SUITE_P(Dialects, RuntimeTest, ::testing::Values("sm_75", "sm_90", "sm_100"),
                         [](const auto& dialect) { return std::string(dialect.param); });

class RuntimePtxTest : public DeviceTest {
 protected:
  // Kernels are decoded when the module is loaded or when somebody asks for them.
  static CUresult load_kernel(const std::string& text) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    const CUresult loaded = api().load(&module, text.c_str());
    return loaded != CUDA_SUCCESS ? loaded : api().function(&function, module, "k");
  }
};

TEST_F(RuntimePtxTest, AFormatThatIsNoStringPrintsSoAndReturns) {
  CUfunction function = kernel_of(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
      ".visible .entry k(.param .u64 out, .param .u64 format)\n{\n.reg .b32 %r<4>; .reg .b64 "
      "%rd<4>; .reg .pred %p<2>;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [format]; mov.u32 %r2, %tid.x;\n"
      "setp.eq.u32 %p1, %r2, 1; mov.u32 %r1, 77;\n"
      "{ .param .b64 p0; st.param.b64 [p0], %rd2; .param .b64 p1; st.param.b64 [p1], 0;\n"
      ".param .b32 q;\n@%p1 call (q), vprintf, (p0, p1);\n@%p1 ld.param.b32 %r1, [q]; }\n"
      "mul.wide.u32 %rd3, %r2, 4; add.s64 %rd1, %rd1, %rd3; st.global.u32 [%rd1], %r1;\nret;\n}\n",
      "k");
  Array<int> out(2);
  ::testing::internal::CaptureStdout();
  ASSERT_CU(launch(function, {}, {2}, 0, out.address, std::uint64_t{0}));
  ASSERT_CU(launch(function, {}, {2}, 0, out.address + 0, std::uint64_t{12345}));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "(invalid)");
  EXPECT_THAT(out.host, ::testing::ElementsAre(77, 0));  // the guard let one thread call
}

TEST_F(RuntimePtxTest, CallsOfAnotherShapeAreRejected) {
  for (const char* call : {"vprintf, (a)", "malloc, (a)", "(r), free, (a)"}) {
    const std::string text = std::string(
                                 ".version 9.0\n.target sm_90\n.address_size 64\n"
                                 ".extern .func (.param .b32 r) vprintf (.param .b32 f);\n"
                                 ".extern .func (.param .b32 r) malloc (.param .b32 f);\n"
                                 ".extern .func (.param .b32 r) free (.param .b64 f);\n"
                                 ".visible .entry k()\n{\n.param .b32 r; .param .b32 a;\ncall ") +
                             call + ";\nret;\n}\n";
    EXPECT_EQ(load_kernel(text), CUDA_ERROR_INVALID_PTX) << call;
  }
}

}  // namespace
}  // namespace warpmark::test
