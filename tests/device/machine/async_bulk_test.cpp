// Bulk copies and reductions, and stores that complete on an mbarrier: right on the CPU device, and
// the same bytes as a GPU gives where there is one (label `gpu`; skipped elsewhere).
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "device/machine/copies.hpp"
#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

// A kernel of two parameters, `in` in %rd1 and `out` in %rd2, with 4 KiB of shared memory at `box`
// and an mbarrier at `bar`. %r1 is the thread, %r2 the block's rank.
std::string kernel(const std::string& body, bool cluster = false, const char* target = "sm_90") {
  return std::string(".version 8.7\n.target ") + target +
         "\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out)\n" +
         (cluster ? ".explicitcluster .reqnctapercluster 2, 1, 1\n" : "") +
         "{\n.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 "
         "%f<10>; .reg .f64 %fd<10>;\n"
         ".shared .align 1024 .b8 box[4096]; .shared .align 8 .b64 bar;\n"
         "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];\n"
         "cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
         "mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, box; mov.u32 %r4, bar;\n"
         "setp.eq.u32 %p1, %r1, 0;\n" +
         body + "\nret;\n}\n";
}

// Each thread copies words of 4 bytes: `bytes` from one place to another.
std::string copy_words(const std::string& name, const std::string& from, const std::string& to,
                       const std::string& at_from, const std::string& at_to, int bytes) {
  return "mov.u32 %r10, %r1;\n" + name + ":\nshl.b32 %r11, %r10, 2; cvt.u64.u32 %rd10, %r11;\n" +
         "add.s64 %rd11, " + at_from + ", %rd10; add.s64 %rd12, " + at_to + ", %rd10;\n" + "ld." +
         from + ".u32 %r12, [%rd11]; st." + to + ".u32 [%rd12], %r12;\n" +
         "add.u32 %r10, %r10, 32; setp.lt.u32 %p5, %r10, " + std::to_string(bytes / 4) +
         "; @%p5 bra " + name + ";\n";
}

const std::string kBox = "cvt.u64.u32 %rd5, %r3;\n";  // box as a 64-bit shared address
const std::string kSettle = "fence.proxy.async;\nbar.sync 0;\n";

// Waits for phase 0 of the mbarrier at %r4, for some time only: a GPU must not hang.
const std::string kAwait =
    "mov.u32 %r20, 0;\nPOLL: mbarrier.try_wait.parity.shared.b64 %p6, [%r4], 0; @%p6 bra DONE;\n"
    "add.u32 %r20, %r20, 1; setp.lt.u32 %p7, %r20, 100000; @%p7 bra POLL; trap;\nDONE:\n";

const std::string kInit =
    "@%p1 mbarrier.init.shared.b64 [%r4], 1;\n@%p1 fence.mbarrier_init.release.cluster;\n";
const std::string kMeet = "barrier.cluster.arrive; barrier.cluster.wait;\n";

// --- results of reductions, on integers, and on real numbers with the values of small integers

enum class Real { no, f16, bf16, f32, f64 };

struct Kind {
  const char* type;
  unsigned bytes;
  bool sign;
  Real real;
};
constexpr Kind kKinds[] = {{"u32", 4, false, Real::no}, {"s32", 4, true, Real::no},
                           {"u64", 8, false, Real::no}, {"s64", 8, true, Real::no},
                           {"b32", 4, false, Real::no}, {"b64", 8, false, Real::no},
                           {"f16", 2, true, Real::f16}, {"bf16", 2, true, Real::bf16},
                           {"f32", 4, true, Real::f32}, {"f64", 8, true, Real::f64}};
Kind kind_of(const std::string& type) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const Kind& kind) { return type == kind.type; });
}

double value_of(std::uint64_t bits, Real real) {
  if (real == Real::f64) return std::bit_cast<double>(bits);
  if (real == Real::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (real == Real::bf16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  const double fraction = static_cast<double>((bits & 0x3ff) | 0x400);
  const double size =
      (bits & 0x7fff) == 0 ? 0 : std::ldexp(fraction, static_cast<int>(bits >> 10 & 31) - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}
// Returns the bits of an integer below 128, which all formats have.
std::uint64_t bits_of(double value, Real real) {
  if (real == Real::f64) return std::bit_cast<std::uint64_t>(value);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (real == Real::f32) return single;
  if (real == Real::bf16) return single >> 16;
  if (value == 0) return single >> 16;
  return (single >> 16 & 0x8000) | (((single >> 23 & 255) - 127 + 15) << 10) |
         (single >> 13 & 0x3ff);
}

std::uint64_t element(const Bytes& bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  std::memcpy(&value, &bytes[at], size);
  return value;
}

std::uint64_t reduced(const std::string& operation, const Kind& kind, std::uint64_t old,
                      std::uint64_t by) {
  const std::uint64_t mask =
      kind.bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * kind.bytes) - 1;
  if (kind.real != Real::no) {
    const double a = value_of(old, kind.real), b = value_of(by, kind.real);
    return bits_of(operation == "add"   ? a + b
                   : operation == "min" ? std::min(a, b)
                                        : std::max(a, b),
                   kind.real);
  }
  const auto extend = [&](std::uint64_t value) {
    return kind.bytes == 4 && kind.sign
               ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)})
               : value;
  };
  const bool less =
      kind.sign ? static_cast<std::int64_t>(extend(old)) < static_cast<std::int64_t>(extend(by))
                : old < by;
  if (operation == "add") return (old + by) & mask;
  if (operation == "min") return less ? old : by;
  if (operation == "max") return less ? by : old;
  if (operation == "inc") return old >= by ? 0 : old + 1;
  if (operation == "dec") return old == 0 || old > by ? by : old - 1;
  if (operation == "and") return old & by;
  if (operation == "or") return old | by;
  return old ^ by;
}

// Elements of a type: any bits, or small integers.
Bytes elements(const Kind& kind, std::size_t bytes, unsigned seed) {
  Bytes all = random_bytes(bytes, seed);
  for (std::size_t at = 0; at < bytes && kind.real != Real::no; at += kind.bytes) {
    const std::uint64_t bits = bits_of(static_cast<int>(all[at] % 120) - 60, kind.real);
    std::memcpy(&all[at], &bits, kind.bytes);
  }
  return all;
}

Bytes reduced(const std::string& operation, const Kind& kind, const Bytes& old, const Bytes& by) {
  Bytes after = old;
  for (std::size_t at = 0; at < by.size(); at += kind.bytes) {
    const std::uint64_t value =
        reduced(operation, kind, element(old, at, kind.bytes), element(by, at, kind.bytes));
    std::memcpy(&after[at], &value, kind.bytes);
  }
  return after;
}

struct Pair {
  const char *operation, *type;
};
// All that ptxas 13.0 accepts.
constexpr Pair kToGlobal[] = {{"add", "u32"},  {"add", "s32"}, {"add", "u64"},  {"add", "f16"},
                              {"add", "bf16"}, {"add", "f32"}, {"add", "f64"},  {"min", "u32"},
                              {"min", "s32"},  {"min", "u64"}, {"min", "s64"},  {"min", "f16"},
                              {"min", "bf16"}, {"max", "u32"}, {"max", "s32"},  {"max", "u64"},
                              {"max", "s64"},  {"max", "f16"}, {"max", "bf16"}, {"inc", "u32"},
                              {"dec", "u32"},  {"and", "b32"}, {"and", "b64"},  {"or", "b32"},
                              {"or", "b64"},   {"xor", "b32"}, {"xor", "b64"}};
constexpr Pair kToCluster[] = {{"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"min", "u32"},
                               {"min", "s32"}, {"max", "u32"}, {"max", "s32"}, {"inc", "u32"},
                               {"dec", "u32"}, {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}};
constexpr Pair kRedAsync[] = {{"add", "u32"}, {"add", "s32"}, {"add", "u64"}, {"add", "s64"},
                              {"min", "u32"}, {"min", "s32"}, {"max", "u32"}, {"max", "s32"},
                              {"inc", "u32"}, {"dec", "u32"}, {"and", "b32"}, {"or", "b32"},
                              {"xor", "b32"}};

std::string words(const Pair& pair) {
  const std::string type = pair.type;
  const bool small = type == "f16" || type == "bf16";
  return std::string(pair.operation) +
         (small && std::string(pair.operation) == "add" ? ".noftz." : ".") + type;
}

// Shared memory on to global memory.
CopyCase to_global(const Pair& pair, const Bytes& in, const Bytes& out) {
  CopyCase test;
  test.name = "cp.reduce.async.bulk to global " + words(pair);
  test.in = in;
  test.out = out;
  test.ptx = kernel(kBox + copy_words("FILL", "global", "shared", "%rd1", "%rd5", 512) + kSettle +
                    "@!%p1 bra END;\n"
                    "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
                    words(pair) +
                    " [%rd2], [%r3], 512;\n"
                    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:");
  return test;
}

// Block 0 reduces into the shared memory of block 1, which writes it out.
CopyCase to_cluster(const Pair& pair, const Bytes& in, const Bytes& out) {
  CopyCase test;
  test.name = "cp.reduce.async.bulk to the cluster " + words(pair);
  test.in = in;
  test.out = out;
  test.blocks = 2;
  const std::string from = "selp.b64 %rd6, %rd1, %rd2, %p2;\n";
  test.ptx =
      kernel(kInit + kBox + "setp.eq.u32 %p2, %r2, 0;\n" + from +
                 copy_words("FILL", "global", "shared", "%rd6", "%rd5", 512) +
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 512;\n" + kSettle + kMeet +
                 "@!%p2 bra OTHER;\n@!%p1 bra END;\n"
                 "mapa.shared::cluster.u32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r4, 1;\n"
                 "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." +
                 words(pair) + " [%r5], [%r3], 512, [%r6];\nbra END;\nOTHER:\n" + kAwait +
                 copy_words("OUT", "shared", "global", "%rd5", "%rd2", 512) + "END:\n" + kMeet,
             true);
  return test;
}

// The 32 threads of block 0 each change an element in block 1.
CopyCase red_async(const Pair& pair, const Bytes& in, const Bytes& out) {
  CopyCase test;
  const Kind kind = kind_of(pair.type);
  test.name = "red.async " + words(pair);
  test.in = in;
  test.out = out;
  test.out.resize(256);
  test.blocks = 2;
  const std::string size = std::to_string(kind.bytes);
  const std::string value = kind.bytes == 8 ? "%rd9" : "%r9";
  test.ptx =
      kernel(kInit + kBox + "setp.eq.u32 %p2, %r2, 0;\n" +
                 copy_words("FILL", "global", "shared", "%rd2", "%rd5", 256) +
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], " +
                 std::to_string(32 * kind.bytes) + ";\n" + kSettle + kMeet +
                 "@!%p2 bra OTHER;\n"
                 "mapa.shared::cluster.u32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r4, 1;\n"
                 "mad.lo.u32 %r5, %r1, " +
                 size + ", %r5; mul.wide.u32 %rd8, %r1, " + size +
                 "; add.s64 %rd8, %rd8, %rd1;\n"
                 "ld.global.b" +
                 std::to_string(8 * kind.bytes) + " " + value +
                 ", [%rd8];\n"
                 "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
                 words(pair) + " [%r5], " + value + ", [%r6];\nbra END;\nOTHER:\n" + kAwait +
                 copy_words("OUT", "shared", "global", "%rd5", "%rd2", 256) + "END:\n" + kMeet,
             true);
  return test;
}

std::vector<CopyCase> reductions(bool any_bits) {
  std::vector<CopyCase> cases;
  unsigned seed = 1;
  const auto add = [&](CopyCase (*make)(const Pair&, const Bytes&, const Bytes&), const Pair& pair,
                       std::size_t bytes) {
    const Kind kind = kind_of(pair.type);
    Kind of = kind;
    if (any_bits) of.real = Real::no;
    if (any_bits && kind.real == Real::no) return;
    const Bytes in = elements(of, bytes, seed), out = elements(of, bytes, seed + 1);
    seed += 2;
    cases.push_back(make(pair, in, out));
    if (any_bits) return;
    cases.back().expected = reduced(pair.operation, kind, out, in);
    cases.back().expected.resize(cases.back().out.size());  // what is beyond stays
  };
  for (const Pair& pair : kToGlobal) add(to_global, pair, 512);
  for (const Pair& pair : kToCluster) add(to_cluster, pair, 512);
  for (const Pair& pair : kRedAsync)
    add(red_async, pair, std::size_t{32} * kind_of(pair.type).bytes);
  return cases;
}

// Each thread of block 0 stores to block 1, in which nothing else is.
CopyCase st_async(const std::string& words, unsigned bytes, const std::string& loads,
                  const std::string& value) {
  CopyCase test;
  test.name = "st.async " + words;
  test.in = random_bytes(512, 7);
  test.out.resize(512);
  test.expected = test.in;
  test.expected.resize(std::size_t{32} * bytes);
  test.expected.resize(512);
  test.blocks = 2;
  test.ptx =
      kernel(kInit + kBox + "setp.eq.u32 %p2, %r2, 0;\n" +
                 copy_words("FILL", "global", "shared", "%rd2", "%rd5", 512) +
                 "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], " +
                 std::to_string(32 * bytes) + ";\n" + kSettle + kMeet +
                 "@!%p2 bra OTHER;\n"
                 "mapa.shared::cluster.u32 %r5, %r3, 1; mapa.shared::cluster.u32 %r6, %r4, 1;\n"
                 "mad.lo.u32 %r5, %r1, " +
                 std::to_string(bytes) + ", %r5; mul.wide.u32 %rd8, %r1, " + std::to_string(bytes) +
                 "; add.s64 %rd8, %rd8, %rd1;\n" + loads + " [%rd8];\nst.async" + words +
                 " [%r5], " + value + ", [%r6];\nbra END;\nOTHER:\n" + kAwait +
                 copy_words("OUT", "shared", "global", "%rd5", "%rd2", 512) + "END:\n" + kMeet,
             true);
  return test;
}

std::vector<CopyCase> stores() {
  const std::string way = ".shared::cluster.mbarrier::complete_tx::bytes";
  return {
      st_async(way + ".b32", 4, "ld.global.u32 %r9,", "%r9"),
      st_async(".weak" + way + ".f32", 4, "ld.global.f32 %f1,", "%f1"),
      st_async(way + ".u64", 8, "ld.global.u64 %rd9,", "%rd9"),
      st_async(way + ".v2.s32", 8, "ld.global.v2.u32 {%r8,%r9},", "{%r8,%r9}"),
      st_async(way + ".v4.b32", 16, "ld.global.v4.u32 {%r8,%r9,%r18,%r19},", "{%r8,%r9,%r18,%r19}"),
      st_async(way + ".v2.f64", 16, "ld.global.v2.f64 {%fd1,%fd2},", "{%fd1,%fd2}"),
      st_async(".mbarrier::complete_tx::bytes.shared::cluster.v4.f32", 16,
               "ld.global.v4.f32 {%f1,%f2,%f3,%f4},", "{%f1,%f2,%f3,%f4}"),
  };
}

// One block reads for both.
CopyCase multicast() {
  CopyCase test;
  test.name = "cp.async.bulk multicast";
  test.in = random_bytes(512, 9);
  test.out.resize(1024);
  test.expected = test.in;
  test.expected.insert(test.expected.end(), test.in.begin(), test.in.end());
  test.blocks = 2;
  test.ptx = kernel(
      kInit + kBox +
          "setp.eq.u32 %p2, %r2, 0;\nmul.wide.u32 %rd6, %r2, 512; add.s64 %rd6, %rd6, %rd2;\n"
          "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 512;\nbar.sync 0;\n" +
          kMeet +
          "@!%p2 bra OTHER;\n@!%p1 bra OTHER;\nmov.b16 %h1, 3;\n"
          "cp.async.bulk.prefetch.L2.global [%rd1], 512;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
          "[%r3], [%rd1], 512, [%r4], %h1;\nOTHER:\n" +
          kAwait + copy_words("OUT", "shared", "global", "%rd5", "%rd6", 512) + kMeet,
      true);
  return test;
}

// The words of cp.async in another order.
CopyCase reordered() {
  CopyCase test;
  test.name = "cp.async.shared.global.ca";
  test.in = random_bytes(128, 10);
  test.out.resize(128);
  test.expected = test.in;
  test.ptx = kernel(kBox +
                    "mad.lo.u32 %r5, %r1, 4, %r3; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd6, "
                    "%rd1;\ncp.async.shared.global.ca [%r5], [%rd7], 4;\ncp.async.wait_all; "
                    "bar.sync 0;\n" +
                    copy_words("OUT", "shared", "global", "%rd5", "%rd2", 128));
  return test;
}

std::vector<CopyCase> all_cases() {
  std::vector<CopyCase> cases = reductions(false);
  for (const CopyCase& test : stores()) cases.push_back(test);
  cases.push_back(multicast());
  cases.push_back(reordered());
  return cases;
}

TEST(BulkCopies, AreRight) {
  expect_right(all_cases());
}

TEST(BulkCopies, AreTakenByTheAssembler) {
  expect_assembled(all_cases());
}

TEST(OnGpu, BulkCopiesGiveTheSame) {
  if (!gpu_machine().usable()) GTEST_SKIP() << "no GPU";
  expect_same(all_cases());
  expect_same(reductions(true));  // NaN, infinities, numbers below the normal ones
}

// sm_100's, which the CPU device has and an H200 has not.
TEST(BulkStores, FillSharedMemoryWithZeros) {
  CopyCase test;
  test.in = random_bytes(512, 11);
  test.out.resize(512);
  test.expected = test.in;
  std::fill(test.expected.begin() + 64, test.expected.begin() + 64 + 200, 0);
  test.name = "st.bulk";
  for (const std::string store :
       {"add.u32 %r5, %r3, 64; mov.u64 %rd9, 200;\n@%p1 st.bulk.weak.shared::cta [%r5], %rd9, 0;\n",
        "add.s64 %rd9, %rd5, 64; cvta.shared.u64 %rd9, %rd9;\n@%p1 st.bulk [%rd9], 200, 0;\n"}) {
    test.ptx = kernel(kBox + copy_words("FILL", "global", "shared", "%rd1", "%rd5", 512) +
                          "bar.sync 0;\n" + store + "bar.sync 0;\n" +
                          copy_words("OUT", "shared", "global", "%rd5", "%rd2", 512),
                      false, "sm_100");
    expect_right({test});
  }
}

class BulkFaults : public DeviceTest {};

TEST_F(BulkFaults, AStoreOutsideOfSharedMemory) {
  CUfunction function = body(
      ".shared .align 8 .b64 b; mbarrier.init.shared.b64 [b], 1; mov.u32 %r1, b;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r1+64], 5, [%r1];");
  ASSERT_CU(launch(function, {}, {}, 0, CUdeviceptr{0}));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(reports().at(0)["space"], "shared");
}

TEST_F(BulkFaults, AReductionBeyondItsMemory) {
  CUfunction function = body(
      ".shared .align 16 .b8 s[64]; mov.u32 %r1, s;\n"
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 64;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
  Array<int> out(12);
  ASSERT_CU(launch(function, {}, {}, 0, out.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(reports().at(0)["access"], "write");
}

// Blocks on several threads change one array, one after the other where the order of a sum counts.
TEST_F(BulkFaults, BlocksReduceIntoTheSameMemory) {
  for (const std::string type : {"u32", "f32"}) {
    CUfunction function = body(R"(
      .shared .align 16 .b32 s[32]; mov.u32 %r1, s; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;
      cvt.rn.f32.u32 %f1, %r2; mov.b32 %r4, %f1;
      add.u32 %r3, %r3, %r1; st.shared.u32 [%r3], )" +
                               std::string(type == "f32" ? "%r4" : "%r2") + R"(;
      fence.proxy.async; bar.sync 0; setp.ne.u32 %p1, %r2, 0; @%p1 bra OUT;
      cp.reduce.async.bulk.global.shared::cta.bulk_group.add.)" +
                               type + R"( [%rd1], [%r1], 128;
      cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
      OUT:)");
    for (const char* settings :
         {R"({"workers": 2})", R"({"checks": ["memory", "race", "init"]})"}) {
      configure(settings);
      Array<int> out(32);
      ASSERT_CU(launch(function, {64}, {32}, 0, out.address));
      ASSERT_CU(out.fetch());
      for (std::size_t i = 0; i < 32; ++i) {
        const auto sum = static_cast<int>(64 * i);
        EXPECT_EQ(out.host[i], type == "f32" ? std::bit_cast<int>(static_cast<float>(sum)) : sum);
      }
      EXPECT_TRUE(reports().empty());
    }
  }
}

}  // namespace
}  // namespace warpmark::test
