// Accesses of one basic block by one address register: how its lanes lie to each other is looked at
// once, and anew after whatever changes it.
#include <cstdint>
#include <numeric>
#include <vector>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

constexpr unsigned kNumbers = 256;  // out[i] = i before; results of thread t stand behind them

// `accesses` sets %r10; %rd2 is the address of the thread's own number, %r1 the thread.
std::string text(const std::string& accesses) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .b32 s[64];\n"
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
         "add.s64 %rd3, %rd1, %rd2; mov.b64 %rd2, %rd3;\n" +
         accesses + "st.global.u32 [%rd3+" + std::to_string(4 * kNumbers) + "], %r10; ret; }\n";
}

class Accesses : public DeviceTest {
 protected:
  std::vector<std::uint32_t> run(const std::string& accesses) {
    std::vector<std::uint32_t> numbers(kNumbers + 32);
    std::iota(numbers.begin(), numbers.end(), 0u);
    Array<std::uint32_t> memory(numbers);
    EXPECT_CU(launch(kernel_of(text(accesses), "k"), {1}, {32}, 0, memory.address));
    EXPECT_CU(memory.fetch());
    return {memory.host.begin() + kNumbers, memory.host.end()};
  }
};

TEST_F(Accesses, OfOneRegisterDifferByTheirOffsets) {
  const auto results =
      run("ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+128]; ld.global.u32 %r4, [%rd2+4];\n"
          "mad.lo.u32 %r10, %r3, 1000, %r2; mad.lo.u32 %r10, %r4, 1000000, %r10;\n");
  for (std::uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(results[t], t + 1000 * (t + 32) + 1000000 * (t + 1));
}

TEST_F(Accesses, SeeARegisterThatSomeLanesChange) {
  const auto results =
      run("ld.global.u32 %r2, [%rd2]; and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0;\n"
          "@%p1 add.s64 %rd2, %rd2, 256; ld.global.u32 %r3, [%rd2];\n"
          "mad.lo.u32 %r10, %r3, 1000, %r2;\n");
  for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(results[t], t + 1000 * (t + t % 2 * 64));
}

TEST_F(Accesses, SeeARegisterThatALoopChanges) {
  // From a number of each to the one of lane 0, twice as slow from lane to lane each time.
  const auto results =
      run("mov.u32 %r10, 0; mov.u32 %r5, 3;\n"
          "LOOP: ld.global.u32 %r2, [%rd2]; ld.global.u32 %r3, [%rd2+4];\n"
          "add.u32 %r10, %r10, %r2; add.u32 %r10, %r10, %r3;\n"
          "shr.u32 %r6, %r1, %r5; mul.wide.u32 %rd4, %r6, 4; add.s64 %rd2, %rd1, %rd4;\n"
          "sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra LOOP;\n");
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t sum = t + (t >> 3) + (t >> 2);
    EXPECT_EQ(results[t], 2 * sum + 3);
  }
}

TEST_F(Accesses, SeeARegisterThatALoadChanges) {
  // s[i] is the address of s[i / 8 * 2], whose value follows.
  const auto results =
      run("mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3; shr.u32 %r4, %r1, 3;\n"
          "shl.b32 %r4, %r4, 3; add.u32 %r4, %r2, %r4; st.shared.u32 [%r3], %r4;\n"
          "bar.warp.sync -1;\n"
          "ld.shared.u32 %r3, [%r3]; ld.shared.u32 %r5, [%r3+4]; ld.shared.u32 %r3, [%r3];\n"
          "ld.shared.u32 %r6, [%r3]; sub.u32 %r5, %r5, %r2; sub.u32 %r3, %r3, %r2;\n"
          "sub.u32 %r6, %r6, %r2;\n"
          "mad.lo.u32 %r10, %r3, 1000, %r5; mad.lo.u32 %r10, %r6, 1000000, %r10;\n");
  const auto next = [](std::uint32_t i) { return i / 8 * 2; };
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t first = next(t), second = next(first);
    EXPECT_EQ(results[t], 4 * next(first + 1) + 1000 * 4 * second + 1000000 * 4 * next(second));
  }
}

TEST_F(Accesses, InGroupsOfEightLanes) {
  // Lanes 0 to 7 in order, 8 to 15 at one place, and so on; then 16 numbers further.
  const auto results = run(
      "and.b32 %r2, %r1, 7; and.b32 %r3, %r1, 8; setp.ne.u32 %p1, %r3, 0; selp.u32 %r2, 5, %r2, "
      "%p1;\n"
      "and.b32 %r4, %r1, 24; add.u32 %r2, %r2, %r4; mul.wide.u32 %rd2, %r2, 4;\n"
      "add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r5, [%rd2]; ld.global.u32 %r6, [%rd2+64];\n"
      "mad.lo.u32 %r10, %r6, 1000, %r5;\n");
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t own = (t & 24) + ((t & 8) != 0 ? 5 : t & 7);
    EXPECT_EQ(results[t], own + 1000 * (own + 16));
  }
}

// A register of the thread's place in its block has the same values in all of the kernel, and in all
// blocks of the grid: what was found out of it lasts, but only for full warps.
TEST_F(Accesses, ByARegisterThatStaysAreKnownInAllBlocks) {
  const char *const none = "[]", *const all = R"(["memory", "init", "race", "sync"])";
  const char* const ways[] = {
      "shl.b32 %r3, %r1, 2;",                             // in order
      "and.b32 %r3, %r1, 0;",                             // at one place
      "and.b32 %r3, %r1, 24; shl.b32 %r3, %r3, 2;",       // groups at one place
      "xor.b32 %r3, %r1, 8; shl.b32 %r3, %r3, 2;",        // groups in order
      "mul.lo.u32 %r3, %r1, 20; and.b32 %r3, %r3, 124;",  // anywhere
  };
  std::uint32_t (*const numbers[])(std::uint32_t) = {
      [](std::uint32_t t) { return t; }, [](std::uint32_t) { return 0u; },
      [](std::uint32_t t) { return t & 24; }, [](std::uint32_t t) { return t ^ 8; },
      [](std::uint32_t t) { return t * 5 & 31; }};
  for (const char* checks : {none, all}) {
    configure((std::string(R"({"checks": )") + checks + "}").c_str());
    for (std::size_t way = 0; way < std::size(ways); ++way) {
      SCOPED_TRACE(std::string(checks) + ways[way]);
      const std::string accesses =
          std::string(ways[way]) +
          "mov.u32 %r2, s; add.u32 %r4, %r2, %r3; shl.b32 %r5, %r1, 2; add.u32 %r5, %r2, %r5;\n"
          "mov.u32 %r6, %ctaid.x; mad.lo.u32 %r7, %r6, 100, %r1; mul.wide.u32 %rd4, %r6, 128;\n"
          "add.s64 %rd3, %rd3, %rd4; st.shared.u32 [%r5], %r7; st.shared.u32 [%r5+128], %r7;\n"
          "bar.sync 0; ld.shared.u32 %r8, [%r4]; bar.sync 0; mov.u32 %r9, 0;\n"
          "setp.lt.u32 %p1, %r1, 16; @%p1 bra SKIP; ld.shared.u32 %r9, [%r4+4]; SKIP: bar.sync 0;\n"
          "ld.shared.u32 %r11, [%r4+128]; mad.lo.u32 %r10, %r9, 1000, %r8;\n"
          "mad.lo.u32 %r10, %r11, 1000000, %r10;\n";
      constexpr std::uint32_t kBlocks = 3;
      Array<std::uint32_t> memory(std::vector<std::uint32_t>(kNumbers + 32 * kBlocks));
      ASSERT_CU(launch(kernel_of(text(accesses), "k"), {kBlocks}, {32}, 0, memory.address));
      ASSERT_CU(memory.fetch());
      EXPECT_TRUE(reports().empty());
      for (std::uint32_t i = 0; i < 32 * kBlocks; ++i) {
        const std::uint32_t block = i / 32, t = i % 32, number = numbers[way](t);
        const std::uint32_t value = number + 100 * block;
        const std::uint32_t next = (number + 1) % 32 + 100 * block;
        EXPECT_EQ(memory.host[kNumbers + i], value * 1000001 + (t < 16 ? 0 : next * 1000)) << i;
      }
    }
  }
}

// The bounds of each access are looked at, whatever is known of its register.
TEST_F(Accesses, ByARegisterThatStaysMayLeaveTheirVariable) {
  configure(R"({"checks": ["memory"]})");
  const std::string accesses =
      "shl.b32 %r3, %r1, 2; mov.u32 %r2, s; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4], %r1;\n"
      "st.shared.u32 [%r4+128], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4+128]; bar.sync 0;\n"
      "ld.shared.u32 %r10, [%r4+132];\n";
  Array<std::uint32_t> memory(std::vector<std::uint32_t>(kNumbers + 32));
  launch(kernel_of(text(accesses), "k"), {1}, {32}, 0, memory.address);
  api().synchronize();
  const std::vector<Json> found = reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["count"], 1) << found[0].dump();
}

}  // namespace
}  // namespace warpmark::test
