// Work that a kernel may leave under way: copies and arrivals that nobody waits for, groups,
// prints. It takes a bounded amount of the host's memory, and comes out the same each time.
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

// KiB: twice a block's worth, and what the allocator keeps. A sanitizer's keeps freed memory and
// writes notes about each byte: ThreadSanitizer's manual says five to ten times as much as without.
#if defined(__SANITIZE_THREAD__)
constexpr long kMostGrowth = 1000 << 10;
#elif defined(__SANITIZE_ADDRESS__)
constexpr long kMostGrowth = 500 << 10;
#else
constexpr long kMostGrowth = 100 << 10;
#endif

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// `step` again and again. %r3 is 1 KiB of shared memory, %r4 an mbarrier, %rd1 1 KiB of global
// memory; %r6 goes through multiples of 16 below 1024.
std::string endless(const std::string& step, int times) {
  return ".shared .align 128 .b8 box[1024]; .shared .align 8 .b64 bar;\n"
         ".shared .align 8 .b64 other;\n"
         "mov.u32 %r3, box; mov.u32 %r4, bar; mov.u32 %r9, other; mov.u32 %r1, 0;\n"
         "mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2;\n"
         "mbarrier.init.shared.b64 [%r4], 100; mbarrier.init.shared.b64 [%r9], 1000000;\n"
         "AGAIN:\nshl.b32 %r6, %r1, 4; and.b32 %r6, %r6, 1008;\n"
         "add.u32 %r7, %r3, %r6; cvt.u64.u32 %rd6, %r6; add.s64 %rd7, %rd1, %rd6;\n" +
         step + "\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, " + std::to_string(times) +
         "; @%p1 bra AGAIN;\nmov.u32 %r2, 7; st.global.u32 [%rd1+1024], %r2;";
}

struct Case {
  const char* name;
  const char* step;
  int times = 2'000'000;
};

const Case kCases[] = {
    {"PlainCopies", "cp.async.ca.shared.global [%r7], [%rd7], 4;"},
    {"PlainCopiesInGroups", "cp.async.ca.shared.global [%r7], [%rd7], 4; cp.async.commit_group;"},
    {"Groups", "cp.async.commit_group; cp.async.bulk.commit_group;"},
    {"BulkCopiesOut", "cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r7], 16;"},
    {"BulkCopiesOutInGroups",
     "cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r7], 16; cp.async.bulk.commit_group;"},
    {"BulkCopiesThatWereRead",
     "cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r7], 16; cp.async.bulk.commit_group; "
     "cp.async.bulk.wait_group.read 0;"},
    {"LargeBulkCopiesOut", "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 1024;"},
    {"BulkReductions",
     "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd7], [%r7], 16;"},
    {"BulkCopiesIn",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd7], 16, [%r4];"},
    {"Stores", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], %r1, [%r4];"},
    {"Arrivals", "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];", 8'000'000},
    {"CopiesAndArrivals",
     "cp.async.ca.shared.global [%r7], [%rd7], 4; "
     "cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];"},
    {"EmptyPrints",
     "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd2; "
     "st.param.b64 [a], 0; call (r), vprintf, (f, a); }",
     6'000'000},
};

class Pending : public DeviceTest, public ::testing::WithParamInterface<Case> {
 protected:
  // Returns what the kernel leaves in memory, after `times` steps of each of `threads`.
  std::vector<unsigned> leaves(int times, unsigned threads, unsigned blocks = 1) {
    const std::string text =
        ".version 8.7\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 text[1] = {0};\n"
        ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<9>; .reg .b32 %r<20>; "
        ".reg .b64 %rd<20>;\nld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n" +
        endless(GetParam().step, times) + "\nret;\n}\n";
    std::vector<unsigned> values(300);
    for (std::size_t i = 0; i < 256; ++i) values[i] = static_cast<unsigned>(i * 3 + 1);
    Array<unsigned> out(values);
    EXPECT_CU(launch(kernel_of(text, "k"), {blocks}, {threads}, 0, out.address));
    EXPECT_CU(out.fetch());
    EXPECT_EQ(out.host[256], 7U) << "the kernel came to its end";
    out.host.resize(257);
    return out.host;
  }
};

TEST_P(Pending, IsBounded) {
  configure(R"({"checks": []})");
  leaves(10, 32);
  const long before = peak_kib();
  leaves(GetParam().times, 1);
  EXPECT_LT(peak_kib() - before, kMostGrowth);
}

TEST_P(Pending, IsBoundedUnderChecks) {
  configure(R"({"checks": ["memory", "init", "race", "sync"]})");
  leaves(10, 1);
  const long before = peak_kib();
  leaves(300'000, 1);
  EXPECT_LT(peak_kib() - before, kMostGrowth);
}

TEST_P(Pending, IsBoundedInManyThreadsAndComesOutTheSame) {
  configure(R"({"checks": []})");
  leaves(10, 1024);
  const long before = peak_kib();
  const std::vector<unsigned> once = leaves(1000, 1024);
  EXPECT_LT(peak_kib() - before, kMostGrowth);
  EXPECT_EQ(leaves(1000, 1024), once);
  configure(R"({"workers": 4})");
  EXPECT_EQ(leaves(1000, 1024), once);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Pending, ::testing::ValuesIn(kCases),
                         [](const auto& kind) { return std::string(kind.param.name); });

// Below the bound nothing comes about by itself: who forgets to wait finds what was there before.
class Forgotten : public DeviceTest {};

TEST_F(Forgotten, CopiesDoNotComeAbout) {
  // 1024 threads with 12 copies each: more than a kernel has under way.
  const std::string text =
      ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
      ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .shared .align 16 .b8 box[49152];\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r3, box; shl.b32 %r4, %r1, 2;\n"
      "cvt.u64.u32 %rd2, %r4; add.s64 %rd3, %rd1, %rd2; add.u32 %r5, %r3, %r4; mov.u32 %r6, 0;\n"
      "mov.u32 %r8, 0;\n"
      "CLEAR: st.shared.u32 [%r5], %r8; add.u32 %r5, %r5, 4096; add.u32 %r6, %r6, 1;\n"
      "setp.lt.u32 %p1, %r6, 12; @%p1 bra CLEAR;\nadd.u32 %r5, %r3, %r4; mov.u32 %r6, 0;\n"
      "NEXT: cp.async.ca.shared.global [%r5], [%rd3], 4; add.u32 %r5, %r5, 4096;\n"
      "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 12; @%p1 bra NEXT;\ncp.async.commit_group;\n"
      "add.u32 %r5, %r3, %r4; ld.shared.u32 %r7, [%r5]; st.global.u32 [%rd3+4096], %r7;\nret;\n}\n";
  Array<unsigned> out(std::vector<unsigned>(2048, 5));
  ASSERT_CU(launch(kernel_of(text, "k"), {1}, {1024}, 0, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(std::count(out.host.begin() + 1024, out.host.end(), 0U), 1024);
}

}  // namespace
}  // namespace warpmark::test
