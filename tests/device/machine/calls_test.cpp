// Calls of device functions, the collectives beside them, and blocks on several threads.
#include <cmath>
#include <cstring>

#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

class Calls : public DeviceTest, public ::testing::WithParamInterface<const char*> {
 protected:
  CUfunction get(const char* name) {
    return kernel(std::string("calls.sm_") + GetParam() + ".ptx", name);
  }
};
INSTANTIATE_TEST_SUITE_P(Architectures, Calls, ::testing::Values("75", "90", "100"));

std::vector<int> numbers(std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 % 23);
  return values;
}

struct Point {
  float a[5];
  int b;
};

TEST_P(Calls, ByValueAndByPointer) {
  std::vector<float> before(32);
  for (int i = 0; i < 32; ++i) before[i] = static_cast<float>(i) * 0.25f;
  Array<float> x(before);
  Array<double> d(32);
  Array<int> o(numbers(32));
  const Point point = {{1.5f, 2, 3, 4, 5}, 7};
  ASSERT_CU(launch(get("values"), {1}, {32}, 0, x.address, d.address, o.address, point));
  ASSERT_CU(x.fetch());
  ASSERT_CU(d.fetch());
  for (int i = 0; i < 32; ++i) {
    const int k = o.host[i] & 7, q = o.host[i] & 3;
    EXPECT_EQ(x.host[i], std::fma(before[i] + static_cast<float>(k), static_cast<float>(k), 1.0f));
    EXPECT_EQ(d.host[i], static_cast<double>(std::fma(point.a[q], static_cast<float>(i), 7.0f)));
  }
}

int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
int deep(const int* above, int n) {
  const int mine[4] = {n, n + 1, above[0], above[1]};
  if (n == 0) return mine[0] + mine[3];
  return deep(mine, n - 1) + mine[n & 3];
}

TEST_P(Calls, RecursionKeepsEveryActivationApart) {
  Array<int> o(96);
  ASSERT_CU(launch(get("recursion"), {1}, {32}, 0, o.address));
  ASSERT_CU(o.fetch());
  for (int i = 0; i < 32; ++i) {
    const int top[4] = {i, 2 * i, 3, 4};
    EXPECT_EQ(o.host[i], fib(i % 12)) << i;
    EXPECT_EQ(o.host[i + 32], i % 2 == 0) << i;
    EXPECT_EQ(o.host[i + 64], deep(top, i % 7)) << i;
  }
}

TEST_P(Calls, EndlessRecursionIsAStackFault) {
  Array<int> o(1);
  ASSERT_CU(launch(get("endless"), {1}, {2}, 0, o.address, 1 << 20));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_HARDWARE_STACK_ERROR);
  const std::vector<Json> found = reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["kind"], "stack_overflow");
  EXPECT_EQ(found[0]["file"], "calls.cu");
}

TEST_P(Calls, PointersAndVirtualFunctions) {
  std::vector<float> before(32);
  for (int i = 0; i < 32; ++i) before[i] = static_cast<float>(i);
  Array<float> x(before);
  Array<int> o(numbers(32));
  ASSERT_CU(launch(get("pointers"), {1}, {32}, 0, x.address, o.address));
  ASSERT_CU(x.fetch());
  for (int i = 0; i < 32; ++i) {
    const float y = (o.host[i] & 1) != 0 ? before[i] - 2 : before[i] + 2;
    EXPECT_EQ(x.host[i], (o.host[i] & 2) != 0 ? y + (y + 1) : y + y * 3) << i;
  }
}

TEST_P(Calls, WildPointersGoNowhere) {
  for (const unsigned long long target :
       {0ull, 1ull, 0x7ea003000001ull, ~0ull, 0x7ea003000010ull * 2}) {
    CUcontext context = nullptr;
    ASSERT_CU(api().create_context(&context, 0, 0));
    Array<float> x(1);
    ASSERT_CU(launch(get("wild"), {1}, {1}, 0, x.address, target));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_INVALID_PC);
    EXPECT_EQ(reports().at(0)["kind"], "invalid_pc");
    EXPECT_CU(api().destroy_context(context));
  }
}

TEST_P(Calls, MatchesCountsAndClocks) {
  std::vector<int> values(64);
  std::vector<unsigned long long> wide(64);
  for (int i = 0; i < 64; ++i) {
    values[i] = i * i % 5;
    wide[i] = static_cast<unsigned long long>(i % 3) << 40;
  }
  Array<int> x(values), z(448);
  Array<unsigned long long> w(wide);
  ASSERT_CU(launch(get("collectives"), {1}, {64}, 0, x.address, z.address, w.address));
  ASSERT_CU(z.fetch());
  for (int i = 0; i < 64; ++i) {
    unsigned same = 0, same_wide = 0;
    int odd = 0, three = 0;
    for (int j = 0; j < 64; ++j) {
      if (j / 32 == i / 32) {
        same |= unsigned{values[j] == values[i]} << (j % 32);
        same_wide |= unsigned{wide[j] == wide[i]} << (j % 32);
      }
      odd += values[j] & 1;
      three += values[j] == 3 ? 1 : 0;
    }
    EXPECT_EQ(static_cast<unsigned>(z.host[i]), same);
    EXPECT_EQ(z.host[i + 64], 0) << "the mask of all lanes, and 1";
    EXPECT_EQ(static_cast<unsigned>(z.host[i + 128]), same_wide);
    EXPECT_EQ(z.host[i + 192], odd);
    EXPECT_EQ(z.host[i + 256] != 0, true);
    EXPECT_EQ(z.host[i + 320] != 0, three != 0);
    EXPECT_EQ(z.host[i + 384], 1) << "time goes on";
  }
}

// A launch leaves the same for any number of workers: bytes, counters, reports, in one text.
template <typename Run>
void same_for_all_workers(Run run) {
  std::string expected;
  for (const char* workers : {"1", "2", "3", "8"}) {
    CUcontext context = nullptr;
    ASSERT_CU(api().create_context(&context, 0, 0));
    const std::string json = std::string(R"({"workers": )") + workers + "}";
    ASSERT_EQ(api().device->configure(nullptr, json.c_str()), 0);
    std::string text = run();
    for (const Json& line : counters()) text += line.dump();
    for (const Json& line : reports()) text += line.dump();
    if (expected.empty()) expected = text;
    EXPECT_EQ(text == expected, true) << workers << " workers gave\n"
                                      << text.substr(text.size() > 2000 ? text.size() - 2000 : 0);
    EXPECT_CU(api().destroy_context(context));
  }
}
template <typename T>
std::string bytes(Array<T>& array) {
  EXPECT_CU(array.fetch());
  return {reinterpret_cast<const char*>(array.host.data()), array.host.size() * sizeof(T)};
}

TEST_P(Calls, LastBlockReductionsRunInParallel) {
  same_for_all_workers([&] {
    std::vector<float> values(20000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + 1);
    Array<float> x(values), partial(40), out(1);
    Array<unsigned> count(1);
    EXPECT_CU(launch(get("last_block"), {40}, {256}, 0, x.address, partial.address, count.address,
                     out.address, 20000));
    std::string text = bytes(out) + bytes(partial) + bytes(count);
    EXPECT_NEAR(out.host[0], 10.4807, 1e-3);
    EXPECT_EQ(count.host[0], 0u);
    return text;
  });
}

TEST_P(Calls, AtomicsKeepTheOrderOfBlocks) {
  same_for_all_workers([&] {
    Array<float> sum(1);
    Array<int> place(64), last(1);
    Array<unsigned> histogram(7);
    EXPECT_CU(launch(get("ordered"), {64}, {96}, 0, sum.address, place.address, last.address,
                     histogram.address, 0));
    std::string text = bytes(sum) + bytes(place) + bytes(histogram);
    for (int b = 0; b < 64; ++b) EXPECT_EQ(place.host[b], b);
    return text;
  });
  same_for_all_workers([&] {
    Array<unsigned> histogram(7);
    Array<int> most(1);
    EXPECT_CU(launch(get("commuting"), {64}, {96}, 0, histogram.address, most.address, 0));
    std::string text = bytes(histogram) + bytes(most);
    EXPECT_EQ(most.host[0], 64 * 96 - 1);
    return text;
  });
}

TEST_P(Calls, ReportsAndLimitsDoNotDependOnWorkers) {
  same_for_all_workers([&] {
    Array<int> x(64 * 32);
    EXPECT_CU(launch(get("stray"), {64}, {32}, 0, x.address, 1 << 20));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    return std::string("stray");
  });
  same_for_all_workers([&] {
    EXPECT_EQ(api().device->configure(nullptr, R"({"instruction_budget": 5000})"), 0);
    Array<unsigned> histogram(7);
    Array<int> most(1);
    EXPECT_CU(launch(get("commuting"), {64}, {96}, 0, histogram.address, most.address, 0));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    return std::string("limit");
  });
}

// The threads that spin call a function in each round, as in code without inlining (-G), and so
// does the thread that they wait for.
TEST_P(Calls, WhoSpinsThroughCallsDoesNotStarveWhoHoldsTheLock) {
  CUfunction function = kernel_of(
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".func (.param .b32 old) swap(.param .b64 at, .param .b32 to)\n{\n"
      ".reg .b64 %a; .reg .b32 %r<2>; ld.param.b64 %a, [at]; ld.param.b32 %r0, [to];\n"
      "atom.exch.b32 %r1, [%a], %r0; st.param.b32 [old], %r1; ret;\n}\n"
      ".visible .entry k(.param .u64 lock, .param .u64 count)\n{\n"
      ".reg .b64 %l, %c; .reg .b32 %r<3>; .reg .pred %p;\n"
      "ld.param.u64 %l, [lock]; ld.param.u64 %c, [count];\n"
      "again: { .param .b64 at; .param .b32 to; .param .b32 old;\n"
      "st.param.b64 [at], %l; st.param.b32 [to], 1; call.uni (old), swap, (at, to);\n"
      "ld.param.b32 %r0, [old]; }\n"
      "setp.eq.u32 %p, %r0, 0; @%p bra mine; bra.uni again;\n"
      "mine: ld.u32 %r1, [%c]; add.u32 %r1, %r1, 1; st.u32 [%c], %r1;\n"
      "{ .param .b64 at; .param .b32 to; .param .b32 old;\n"
      "st.param.b64 [at], %l; st.param.b32 [to], 0; call.uni (old), swap, (at, to);\n"
      "ld.param.b32 %r0, [old]; }\nret;\n}\n",
      "k");
  EXPECT_EQ(api().device->configure(nullptr, R"({"instruction_budget": 100000000})"), 0);
  Array<unsigned> lock(1), count(1);
  ASSERT_CU(launch(function, {2}, {64}, 0, lock.address, count.address));
  ASSERT_CU(count.fetch());
  EXPECT_EQ(count.host[0], 128U);
}

// Parameters and results in registers, as older compilers and people write them.
class RegisterCalls : public DeviceTest {
 protected:
  /// Returns what lane i leaves in %r2 after `text`, which has i in %r1, for each of 32 lanes.
  std::vector<std::uint32_t> lanes(const std::string& functions, const std::string& text) {
    Array<std::uint32_t> results(32);
    CUfunction k = kernel_of(
        ".version 9.0\n.target sm_90\n.address_size 64\n" + functions +
            ".visible .entry k(.param .u64 out) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 "
            "%f<9>; .reg .f64 %fd<9>; .reg .b128 %q<3>; .reg .pred %p<3>;\n"
            "mov.u32 %r1, %tid.x; mov.u32 %r2, 0;\n" +
            text +
            "\nld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
            "st.global.u32 [%rd1], %r2; ret; }\n",
        "k");
    if (k == nullptr) return std::vector<std::uint32_t>(32);
    EXPECT_CU(launch(k, {1}, {32}, 0, results.address));
    EXPECT_CU(results.fetch());
    return results.host;
  }
};

TEST_F(RegisterCalls, ValuesGoInAndOut) {
  const std::string functions =
      ".func (.reg .u32 %sum) add3(.reg .u32 %a, .reg .u32 %b, .param .u32 c) { .reg .u32 %t;\n"
      "ld.param.u32 %t, [c]; add.u32 %a, %a, %b; add.u32 %sum, %a, %t; }\n"
      ".func (.reg .b64 %low, .reg .f64 %twice) both(.reg .f64 %x) { mov.b64 %low, %x;\n"
      "add.f64 %twice, %x, %x; { .reg .b64 %low; mov.b64 %low, 5; ret; } }\n"
      ".func (.reg .b128 %q) swap(.reg .b128 %a) { .reg .b64 %x, %y; mov.b128 {%x, %y}, %a;\n"
      "mov.b128 %q, {%y, %x}; ret; }\n";
  auto v = lanes(functions, "call (%r2), add3, (%r1, 7, %r1); call (%r2), add3, (%r2, %r2, 1);");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], 2 * (2 * i + 7) + 1) << i;
  v = lanes(functions,
            "cvt.rn.f64.u32 %fd1, %r1; call (%rd3, %fd2), both, (%fd1);\n"
            "mov.b64 %fd3, %rd3; add.f64 %fd3, %fd3, %fd2; cvt.rzi.u32.f64 %r2, %fd3;");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], 3 * i) << i;
  v = lanes(functions, "call (_, %fd2), both, (1.5); cvt.rzi.u32.f64 %r2, %fd2;");
  EXPECT_EQ(v[3], 3U);
  v = lanes(functions,
            "cvt.u64.u32 %rd3, %r1; mov.b64 %rd4, 9; mov.b128 %q1, {%rd4, %rd3};\n"
            "call (%q2), swap, (%q1); mov.b128 {%rd5, %rd6}, %q2; cvt.u32.u64 %r2, %rd5;");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], i) << i;
}

TEST_F(RegisterCalls, GuardsPointersAndRecursion) {
  const std::string functions =
      ".func (.reg .u32 %r) sum(.reg .u32 %n) { .reg .u32 %m; .reg .pred %p;\n"
      "mov.u32 %r, 0; setp.eq.u32 %p, %n, 0; @%p ret; sub.u32 %m, %n, 1; call (%m), sum, (%m);\n"
      "add.u32 %r, %m, %n; ret; }\n"
      ".func (.param .u32 r) twice(.param .u32 a) { .reg .u32 %t; ld.param.u32 %t, [a];\n"
      "add.u32 %t, %t, %t; st.param.u32 [r], %t; ret; }\n";
  auto v = lanes(functions, "call (%r2), sum, (%r1);");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], i * (i + 1) / 2) << i;
  v = lanes(functions, "setp.lt.u32 %p1, %r1, 10; mov.u32 %r2, 77; @%p1 call (%r2), twice, (%r1);");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], i < 10 ? 2 * i : 77) << i;
  v = lanes(functions,
            "mov.u64 %rd3, sum; setp.lt.u32 %p1, %r1, 10; @%p1 mov.u64 %rd3, twice;\n"
            "P: .callprototype (.reg .u32 _) _ (.reg .u32 _); call (%r2), %rd3, (%r1), P;");
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], i < 10 ? 2 * i : i * (i + 1) / 2) << i;
}

}  // namespace
}  // namespace warpmark::test
