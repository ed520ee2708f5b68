// Calls of device functions, the collectives beside them, and blocks on several threads.
#include <cmath>
#include <cstring>

#include "device/client.hpp"

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

// What a launch leaves, for any number of workers: bytes, counters, reports, in one text.
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

// As code without inlining (-G) has it: those who spin call a function in each round, and so does
// the one that they wait for.
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

}  // namespace
}  // namespace warpmark::test
