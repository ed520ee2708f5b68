// What memory instructions move, against numbers derived by hand and sets of what is touched.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "device/image.hpp"
#include "inspect/traffic.hpp"
#include "program/classes.hpp"

namespace warpmark::test {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

bool is_traffic(const std::string& name) {
  for (const cpu::TrafficCounter& counter : cpu::traffic_counters()) {
    if (counter.name == name) return true;
  }
  return false;
}

// The traffic of a launch or of one of its lines, without what is 0.
Counts traffic_of(const Json& counted) {
  Counts counts;
  for (const auto& [name, value] : counted.items()) {
    if (is_traffic(name) && value != 0) counts[name] = value;
  }
  return counts;
}

// Counters of one kind of shared memory: requests, bytes, wavefronts and their ideal number.
Counts banked(const std::string& kind, std::uint64_t requests, std::uint64_t bytes,
              std::uint64_t wavefronts, std::uint64_t ideal) {
  return {{kind + "_requests", requests},
          {kind + "_bytes", bytes},
          {kind + "_wavefronts", wavefronts},
          {kind + "_ideal_wavefronts", ideal}};
}
// … and of one of memory behind caches: requests, bytes, sectors, unique bytes.
Counts cached(const std::string& kind, std::uint64_t requests, std::uint64_t bytes,
              std::uint64_t sectors, std::uint64_t unique) {
  return {{kind + "_requests", requests},
          {kind + "_bytes", bytes},
          {kind + "_sectors", sectors},
          {kind + "_unique_bytes", unique}};
}
Counts operator+(Counts a, const Counts& b) {
  a.insert(b.begin(), b.end());
  return a;
}

class Traffic : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    configure(R"({"counters": ["traffic"]})");
  }
  // One launch of a kernel's body with a pointer of 16 KiB in %rd1, %tid.x in %r1, and the
  // addresses of shared and local arrays in %r30 and %r31.
  Json count(const std::string& text, unsigned threads = 32, unsigned blocks = 1) {
    const CUfunction function = body(
        ".shared .align 128 .b8 s[16384]; .local .align 16 .b8 l[64];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r30, s; mov.u32 %r31, l;\n" +
        text);
    Array<std::uint8_t> out(16384);
    EXPECT_CU(launch(function, {blocks}, {threads}, 0, out.address));
    const std::vector<Json> lines = counters();
    EXPECT_CU(api().synchronize()) << text;
    EXPECT_CU(api().free(out.address));
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? Json() : lines[0];
  }
  Counts moved(const std::string& text, unsigned threads = 32) {
    return traffic_of(count(text, threads));
  }
  // %rd3 = out + offset + stride * (lane expression in %r2).
  static std::string global_at(int stride, int offset = 0, const std::string& lane = "") {
    return (lane.empty() ? "mov.u32 %r2, %r1;" : lane) + " mul.wide.u32 %rd2, %r2, " +
           std::to_string(stride) + "; add.s64 %rd3, %rd1, %rd2; add.s64 %rd3, %rd3, " +
           std::to_string(offset) + ";\n";
  }
  // %r3 = s + stride * %tid.x.
  static std::string shared_at(int stride) {
    return "mad.lo.u32 %r3, %r1, " + std::to_string(stride) + ", %r30;\n";
  }
};

struct GlobalCase {
  const char* name;
  int stride, offset;
  const char* lane;  // %r2 of %r1; "" = the thread
  const char* instruction;
  unsigned threads;
  std::uint64_t requests, bytes, sectors, unique;
};

TEST_F(Traffic, GlobalLoads) {
  const char* const u8 = "ld.global.u8 %r4, [%rd3];";
  const char* const u32 = "ld.global.u32 %r4, [%rd3];";
  const char* const v2 = "ld.global.v2.u32 {%r4, %r5}, [%rd3];";
  const char* const u64 = "ld.global.u64 %rd4, [%rd3];";
  const char* const v4 = "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];";
  const GlobalCase cases[] = {
      {"bytes side by side", 1, 0, "", u8, 32, 1, 32, 1, 32},
      {"coalesced, 4 bytes", 4, 0, "", u32, 32, 1, 128, 4, 128},
      {"coalesced, 8 bytes", 8, 0, "", u64, 32, 1, 256, 8, 256},
      {"coalesced pairs", 8, 0, "", v2, 32, 1, 256, 8, 256},
      {"coalesced, 16 bytes", 16, 0, "", v4, 32, 1, 512, 16, 512},
      {"every other word", 8, 0, "", u32, 32, 1, 128, 8, 128},
      {"a sector for each lane", 32, 0, "", u32, 32, 1, 128, 32, 128},
      {"scattered", 512, 0, "", u32, 32, 1, 128, 32, 128},
      {"scattered, 16 bytes", 512, 0, "", v4, 32, 1, 512, 32, 512},
      {"one element late", 4, 4, "", u32, 32, 1, 128, 5, 128},
      {"half a sector late, 16 bytes", 16, 16, "", v4, 32, 1, 512, 17, 512},
      {"broadcast", 0, 0, "", u32, 32, 1, 128, 1, 4},
      {"broadcast of 16 bytes", 0, 16, "", v4, 32, 1, 512, 1, 16},
      {"backwards", 4, 0, "sub.u32 %r2, 31, %r1;", u32, 32, 1, 128, 4, 128},
      {"shuffled", 4, 0, "mul.lo.u32 %r2, %r1, 7; and.b32 %r2, %r2, 31;", u32, 32, 1, 128, 4, 128},
      {"pairs of lanes", 4, 0, "shr.u32 %r2, %r1, 1;", u32, 32, 1, 128, 2, 64},
      {"one lane", 4, 20, "", u32, 1, 1, 4, 1, 4},
      {"a warp and 8 lanes", 4, 0, "", u32, 40, 2, 160, 5, 160},
      {"two warps at one place", 4, 0, "and.b32 %r2, %r1, 31;", u32, 64, 2, 256, 8, 256},
  };
  for (const GlobalCase& one : cases) {
    EXPECT_EQ(moved(global_at(one.stride, one.offset, one.lane) + one.instruction, one.threads),
              cached("global_load", one.requests, one.bytes, one.sectors, one.unique))
        << one.name;
  }
}

TEST_F(Traffic, GlobalStoresAndGuards) {
  EXPECT_EQ(moved(global_at(4) + "st.global.u32 [%rd3], %r1;"),
            cached("global_store", 1, 128, 4, 128));
  // Lanes 3 to 6: bytes 12 to 28; then none.
  EXPECT_EQ(moved(global_at(4) + "sub.u32 %r4, %r1, 3; setp.lt.u32 %p1, %r4, 4;\n"
                                 "@%p1 st.global.u32 [%rd3], %r1; setp.gt.u32 %p2, %r1, 99;\n"
                                 "@%p2 st.global.u32 [%rd3], %r1; @%p2 ld.shared.u32 %r5, [%r30];"),
            cached("global_store", 1, 16, 1, 16));
  // A load into its own address; an offset in the instruction.
  EXPECT_EQ(moved(global_at(64) + "ld.global.u64 %rd3, [%rd3+24];"),
            cached("global_load", 1, 256, 32, 256));
  // A diverged warp asks in parts: lanes 0 to 7, and the others.
  EXPECT_EQ(moved(global_at(4) +
                  "setp.lt.u32 %p1, %r1, 8; @%p1 bra FEW; st.global.u32 [%rd3], %r1; bra END;\n"
                  "FEW: st.global.u32 [%rd3], %r1;\nEND:"),
            cached("global_store", 2, 128, 4, 128));
}

struct SharedCase {
  const char* name;
  const char* address;  // %r3 of %r1 and %r30
  const char* instruction;
  unsigned threads;
  std::uint64_t bytes, wavefronts, ideal;
};

TEST_F(Traffic, SharedLoads) {
  const char* const u8 = "ld.shared.u8 %r4, [%r3];";
  const char* const u32 = "ld.shared.u32 %r4, [%r3];";
  const char* const u64 = "ld.shared.u64 %rd4, [%r3];";
  const char* const v4 = "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];";
  for (int k = 1; k <= 32; ++k) {
    // Lanes i and j share a bank if k (i − j) is a multiple of 32: gcd(k, 32) lanes do.
    const auto ways = static_cast<std::uint64_t>(k & -k);
    EXPECT_EQ(moved(shared_at(4 * k) + u32), banked("shared_load", 1, 128, ways, 1)) << k;
  }
  const SharedCase cases[] = {
      {"broadcast", "mov.u32 %r3, %r30;", u32, 32, 128, 1, 1},
      {"four bytes of a word", "add.u32 %r3, %r30, %r1;", u8, 32, 32, 1, 1},
      {"padded column of 33 words", "mad.lo.u32 %r3, %r1, 132, %r30;", u32, 32, 128, 1, 1},
      {"two words of a bank, 16 lanes each", "shr.u32 %r2, %r1, 4; mad.lo.u32 %r3, %r2, 128, %r30;",
       u32, 32, 128, 2, 1},
      {"one lane", "mov.u32 %r3, %r30;", u32, 1, 4, 1, 1},
      {"8 bytes side by side", "mad.lo.u32 %r3, %r1, 8, %r30;", u64, 32, 256, 2, 2},
      // Lanes i and i + 8 of a half share two banks.
      {"8 bytes, every other", "mad.lo.u32 %r3, %r1, 16, %r30;", u64, 32, 256, 4, 2},
      {"8 bytes, half a warp", "mad.lo.u32 %r3, %r1, 8, %r30;", u64, 16, 128, 1, 1},
      {"16 bytes side by side", "mad.lo.u32 %r3, %r1, 16, %r30;", v4, 32, 512, 4, 4},
      // Lanes i and i + 4 of a quarter share four banks.
      {"16 bytes, every other", "mad.lo.u32 %r3, %r1, 32, %r30;", v4, 32, 512, 8, 4},
      {"16 bytes, column of a tile", "mad.lo.u32 %r3, %r1, 128, %r30;", v4, 32, 512, 32, 4},
      {"16 bytes, one lane", "mov.u32 %r3, %r30;", v4, 1, 16, 1, 1},
      {"16 bytes, 9 lanes", "mad.lo.u32 %r3, %r1, 16, %r30;", v4, 9, 144, 2, 2},
      // What an H200 was seen to do where lanes share (results/h200/compare_ncu.jsonl).
      {"8 bytes, broadcast", "mov.u32 %r3, %r30;", u64, 32, 256, 1, 1},
      {"8 bytes, pairs", "shr.u32 %r2, %r1, 1; mad.lo.u32 %r3, %r2, 8, %r30;", u64, 32, 256, 1, 1},
      {"8 bytes, exchanged", "xor.b32 %r2, %r1, 1; mad.lo.u32 %r3, %r2, 8, %r30;", u64, 32, 256, 2,
       2},
      {"8 bytes, equal halves", "and.b32 %r2, %r1, 15; mad.lo.u32 %r3, %r2, 8, %r30;", u64, 32, 256,
       2, 2},
      {"16 bytes, broadcast", "mov.u32 %r3, %r30;", v4, 32, 512, 2, 2},
      {"16 bytes, pairs", "shr.u32 %r2, %r1, 1; mad.lo.u32 %r3, %r2, 16, %r30;", v4, 32, 512, 2, 2},
      {"16 bytes, equal quarters", "and.b32 %r2, %r1, 7; mad.lo.u32 %r3, %r2, 16, %r30;", v4, 32,
       512, 4, 4},
  };
  for (const SharedCase& one : cases) {
    EXPECT_EQ(moved(std::string(one.address) + one.instruction, one.threads),
              banked("shared_load", 1, one.bytes, one.wavefronts, one.ideal))
        << one.name;
  }
  EXPECT_EQ(moved(shared_at(8) + "st.shared.u32 [%r3], %r1;"),
            banked("shared_store", 1, 128, 2, 1));
}

TEST_F(Traffic, Atomics) {
  const auto global = [](std::uint64_t sectors, std::uint64_t unique, std::uint64_t turns) {
    return cached("global_atomic", 1, 128, sectors, unique) +
           Counts{{"global_atomic_turns", turns}};
  };
  EXPECT_EQ(moved("red.global.add.u32 [%rd1], %r1;"), global(32, 4, 32));
  EXPECT_EQ(moved(global_at(4) + "atom.global.max.u32 %r4, [%rd3], 7;"), global(4, 128, 1));
  // Places 0 to 4 in turn: 7 lanes at the first two.
  EXPECT_EQ(moved(global_at(4, 0, "rem.u32 %r2, %r1, 5;") + "red.global.add.u32 [%rd3], 1;"),
            global(7, 20, 7));
  EXPECT_EQ(moved("and.b32 %r2, %r1, 3; mad.lo.u32 %r3, %r2, 4, %r30;\n"
                  "atom.shared.add.u32 %r4, [%r3], 1;"),
            banked("shared_atomic", 1, 128, 8, 8) + Counts({{"shared_atomic_turns", 8}}));
  EXPECT_EQ(moved(shared_at(128) + "red.shared.add.u32 [%r3], 1;"),
            banked("shared_atomic", 1, 128, 32, 1) + Counts({{"shared_atomic_turns", 1}}));
}

TEST_F(Traffic, LocalMemoryIsInterleaved) {
  EXPECT_EQ(moved("st.local.u32 [%r31], %r1;"), cached("local_store", 1, 128, 4, 128));
  EXPECT_EQ(moved("st.local.u8 [%r31], %r1;"), cached("local_store", 1, 32, 4, 32));
  EXPECT_EQ(moved("ld.local.u64 %rd3, [%r31];"), cached("local_load", 1, 256, 8, 256));
  EXPECT_EQ(moved("ld.local.v4.u32 {%r4, %r5, %r6, %r7}, [%r31+16];"),
            cached("local_load", 1, 512, 16, 512));
  // Odd lanes read the next word: each eight lanes meet two sectors.
  EXPECT_EQ(moved("and.b32 %r2, %r1, 1; mad.lo.u32 %r3, %r2, 4, %r31; ld.local.u32 %r4, [%r3];"),
            cached("local_load", 1, 128, 8, 128));
  // All sixteen words, by lane: eight different ones in each eight lanes.
  EXPECT_EQ(moved("and.b32 %r2, %r1, 15; mad.lo.u32 %r3, %r2, 4, %r31; ld.local.u32 %r4, [%r3];"),
            cached("local_load", 1, 128, 32, 128));
  EXPECT_EQ(moved("st.local.u32 [%r31], %r1;", 9), cached("local_store", 1, 36, 2, 36));
}

TEST_F(Traffic, GenericAddressesCountWhereTheyLie) {
  // Lanes 0 to 9 side by side in global, 10 to 29 in shared memory 8 bytes apart, the last two in
  // local memory.
  EXPECT_EQ(moved(global_at(4) + shared_at(8) +
                  "cvt.u64.u32 %rd4, %r3; cvta.shared.u64 %rd4, %rd4; cvt.u64.u32 %rd5, %r31;\n"
                  "cvta.local.u64 %rd5, %rd5; setp.lt.u32 %p1, %r1, 10; setp.lt.u32 %p2, %r1, 30;\n"
                  "selp.b64 %rd6, %rd4, %rd5, %p2; selp.b64 %rd6, %rd3, %rd6, %p1;\n"
                  "st.u32 [%rd6], %r1; @%p2 atom.add.u32 %r4, [%rd6], 1;"),
            cached("global_store", 1, 40, 2, 40) + banked("shared_store", 1, 80, 2, 1) +
                cached("local_store", 1, 8, 1, 8) + cached("global_atomic", 1, 40, 2, 40) +
                Counts({{"global_atomic_turns", 1}}) + banked("shared_atomic", 1, 80, 2, 1) +
                Counts({{"shared_atomic_turns", 1}}));
}

TEST_F(Traffic, ConstantsAndPrefetches) {
  const char* const text = R"(.version 9.0
.target sm_90
.address_size 64
.const .align 4 .b32 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .entry k(.param .u64 out) {
.reg .b32 %r<9>; .reg .b64 %rd<9>;
mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 7; mul.wide.u32 %rd1, %r1, 4; mov.u64 %rd2, table;
add.s64 %rd3, %rd1, %rd2; ld.const.u32 %r2, [%rd3]; ld.const.u32 %r3, [table+4]; ret;
})";
  ASSERT_CU(launch(kernel_of(text, "k"), {1}, {32}, 0, CUdeviceptr{0}));
  EXPECT_EQ(traffic_of(counters().at(0)), (Counts{{"constant_load_requests", 2},
                                                  {"constant_load_bytes", 256},
                                                  {"constant_load_turns", 8 + 1}}));
  EXPECT_EQ(moved(global_at(16) + "prefetch.global.L1 [%rd3]; prefetch.global.L2 [%rd1];"),
            (Counts{{"prefetch_requests", 2}, {"prefetch_sectors", 16 + 1}}));
}

TEST_F(Traffic, AsynchronousCopies) {
  EXPECT_EQ(
      moved(global_at(16) + shared_at(16) +
            "cp.async.cg.shared.global [%r3], [%rd3], 16; cp.async.wait_all;"),
      cached("async_global_load", 1, 512, 16, 512) + banked("async_shared_store", 1, 512, 4, 4));
  // Lanes from 8 on read nothing, and write zeros.
  EXPECT_EQ(moved(global_at(4) + shared_at(4) +
                  "setp.lt.u32 %p1, %r1, 8; selp.b32 %r5, 4, 0, %p1;\n"
                  "cp.async.ca.shared.global [%r3], [%rd3], 4, %r5; cp.async.wait_all;"),
            cached("async_global_load", 1, 32, 1, 32) + banked("async_shared_store", 1, 128, 1, 1));
  // 80 bytes from byte 16 on: sectors 0 to 2; 20 words from word 4 on.
  EXPECT_EQ(moved("setp.eq.u32 %p1, %r1, 0; add.s64 %rd3, %rd1, 16; add.u32 %r3, %r30, 16;\n"
                  "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r3], 80;\n"
                  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
            cached("async_global_store", 1, 80, 3, 80) + banked("async_shared_load", 1, 80, 1, 1));
}

TEST_F(Traffic, Matrices) {
  // Rows of 16 bytes side by side, then one below the other in a tile of 128 bytes.
  EXPECT_EQ(moved(shared_at(16) +
                  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];"),
            banked("shared_load", 1, 512, 4, 4));
  EXPECT_EQ(moved(shared_at(128) + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, [%r3];"),
            banked("shared_load", 1, 256, 16, 2));
  // 16 × 16 halves, each in two lanes' fragments.
  EXPECT_EQ(moved("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4, %r5, %r6, "
                  "%r7, %r8, %r9}, [%rd1], 16;"),
            cached("global_load", 1, 1024, 16, 512));
  // 16 × 16 floats in rows of 64 bytes, 64 bytes apart: 256 words.
  EXPECT_EQ(moved("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r30], {%f1, %f2, %f3, %f4, "
                  "%f5, %f6, %f7, %f8}, 16;"),
            banked("shared_store", 1, 1024, 8, 8));
}

TEST_F(Traffic, TexturesAndSurfaces) {
  const CUDA_ARRAY3D_DESCRIPTOR line{
      64, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, CUDA_ARRAY3D_SURFACE_LDST};
  const std::vector<std::uint32_t> data(64, 7);
  const CUarray storage = array(line, data.data(), 4);
  const CUsurfObject handle = surface(storage);
  // One thread for each row: eight threads, at bytes 0, 4, … and all at byte 8.
  std::vector<Words> rows(8);
  for (std::uint32_t i = 0; i < 8; ++i) rows[i] = {4 * i, 8, i, 0, 0, 0, 0, 0};
  run(handle, "suld.b.1d.b32.trap %q0, [%rd1, {%c0}]; sust.b.1d.b32.trap [%rd1, {%c1}], %q0;",
      rows);
  Counts counted = traffic_of(counters().at(0));
  for (const auto& [name, value] :
       cached("surface_load", 1, 32, 1, 32) + cached("surface_store", 1, 32, 1, 4))
    EXPECT_EQ(counted[name], value) << name;
  CUDA_TEXTURE_DESC sampler{};
  sampler.flags = CU_TRSF_READ_AS_INTEGER;
  run(texture(of_array(storage), sampler), "tex.1d.v4.u32.s32 {%q0, %q1, %q2, %q3}, [%rd1, {%c2}];",
      rows);
  counted = traffic_of(counters().at(0));
  for (const auto& [name, value] : cached("texture_load", 1, 32, 1, 32))
    EXPECT_EQ(counted[name], value) << name;
}

// --- the rest of what a launch counts

TEST_F(Traffic, ClassesAndBranches) {
  // 40 threads: lanes below 8 of each warp take a longer way; all go three times round a loop.
  const Json counted = count(
      "and.b32 %r2, %r1, 31; setp.lt.u32 %p1, %r2, 8; mov.u32 %r3, 0;\n"
      "@%p1 bra LONG; bra JOIN;\n"
      "LONG: add.f32 %f1, %f2, %f3; sin.approx.f32 %f1, %f2; cvt.rn.f32.s32 %f4, %r1;\n"
      "JOIN: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 3; @%p2 bra JOIN;\n"
      "bar.sync 0; ld.shared.u32 %r4, [%r30];",
      40);
  // Four guarded branches of each warp. The first warp alone has lanes that go other ways, and
  // meets again at JOIN.
  EXPECT_EQ(counted["ptx_branches"], 2 * (1 + 3));
  EXPECT_EQ(counted["ptx_divergent_branches"], 1);
  EXPECT_EQ(counted["ptx_single_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_single_warp_instructions"], 2);
  EXPECT_EQ(counted["ptx_special_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_convert_thread_instructions"], 16);
  EXPECT_EQ(counted["ptx_memory_thread_instructions"], 40);
  EXPECT_EQ(counted["ptx_barrier_warp_instructions"], 2);
  // and, setp; add, setp three times.
  EXPECT_EQ(counted["ptx_integer_thread_instructions"], 40 * (2 + 6));
  // ld.param and four mov.
  EXPECT_EQ(counted["ptx_move_thread_instructions"], 40 * 5);
  // bra LONG, bra JOIN of those who stay, three bra of the loop, ret.
  EXPECT_EQ(counted["ptx_control_thread_instructions"], 40 * 5 + 24);
  std::uint64_t threads = 0, warps = 0;
  for (const auto& [name, value] : counted.items()) {
    if (name == "ptx_thread_instructions" || name == "ptx_warp_instructions" ||
        name == "ptx_longest_warp_instructions")
      continue;
    if (name.ends_with("_thread_instructions")) threads += value.get<std::uint64_t>();
    if (name.ends_with("_warp_instructions")) warps += value.get<std::uint64_t>();
  }
  EXPECT_EQ(threads, counted["ptx_thread_instructions"]);
  EXPECT_EQ(warps, counted["ptx_warp_instructions"]);
  EXPECT_EQ(counted["threads"], 40);
  EXPECT_EQ(counted["warps"], 2);
  EXPECT_EQ(counted["blocks"], 1);
  // The first warp executes both sides: 4 + 2 + 1 + 1 + 3 + 9 + 3 by statement.
  EXPECT_EQ(counted["ptx_longest_warp_instructions"], 4 + 3 + 1 + 1 + 3 + 9 + 2 + 1);
}

TEST_F(Traffic, TheLongestWarp) {
  // Thread i goes round i times: the last warp's 32 lanes as long as thread 95 does.
  const Json counted =
      count("LOOP: sub.u32 %r1, %r1, 1; setp.ge.s32 %p1, %r1, 0; @%p1 bra LOOP;", 96, 3);
  EXPECT_EQ(counted["ptx_longest_warp_instructions"], 4 + 3 * 96 + 1);
  EXPECT_EQ(counted["ptx_branches"], 3 * (32 + 64 + 96));
  EXPECT_EQ(counted["ptx_divergent_branches"], 3 * 3 * 31);
}

TEST_F(Traffic, Occupancy) {
  const auto of = [&](unsigned threads, unsigned shared) {
    const CUfunction function = body("");
    EXPECT_CU(api().set_function_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 << 10));
    EXPECT_CU(launch(function, {1}, {threads}, shared, CUdeviceptr{0}));
    return counters().at(0)["occupancy"];
  };
  EXPECT_EQ(of(256, 0), (Json{{"blocks", 8},
                              {"warps", 64},
                              {"most_warps", 64},
                              {"limited_by", "warps"},
                              {"shared_bytes", 0}}));
  EXPECT_EQ(of(32, 0)["limited_by"], "blocks");
  EXPECT_EQ(of(32, 0)["warps"], 32);
  // 100 KiB and the 1 KiB that each block costs: two of 228 KiB.
  EXPECT_EQ(of(256, 100 << 10)["limited_by"], "shared memory");
  EXPECT_EQ(of(256, 100 << 10)["warps"], 16);
}

TEST_F(Traffic, LineByLine) {
  configure(R"({"counters": ["lines"]})");
  const char* const text = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
.loc 1 3 1
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
.loc 1 5 1
setp.lt.u32 %p1, %r1, 4; @%p1 bra END;
.loc 1 6 1
mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;
st.global.u32 [%rd1], %r1;
END:
.loc 1 8 1
ret;
}
.file 1 "dir/thing.cu"
)";
  Array<int> out(64);
  ASSERT_CU(launch(kernel_of(text, "k"), {1}, {64}, 0, out.address));
  const Json lines = counters().at(0)["lines"];
  ASSERT_EQ(lines.size(), 4u);
  const auto line = [](int number, int executions, int warps, int threads) {
    return Json{{"file", "dir/thing.cu"},
                {"line", number},
                {"executions", executions},
                {"ptx_warp_instructions", warps},
                {"ptx_thread_instructions", threads}};
  };
  EXPECT_EQ(lines[0], line(3, 2, 4, 128));
  Json branch = line(5, 2, 4, 128);
  branch["ptx_branches"] = 2;
  branch["ptx_divergent_branches"] = 1;
  EXPECT_EQ(lines[1], branch);
  Json stores = line(6, 2, 8, 60 * 4);
  // 28 and 32 words: 4 sectors each, the first half a sector short; two broadcasts.
  for (const auto& [name, value] : cached("global_store", 4, 480, 8 + 2, 240 + 8))
    stores[name] = value;
  EXPECT_EQ(lines[2], stores);
  EXPECT_EQ(lines[3], line(8, 2, 2, 64));
}

TEST_F(Traffic, NothingMoreUnlessAskedFor) {
  for (const char* sets : {R"({"counters": []})", R"({"counters": ["basic"]})"}) {
    configure(R"({"counters": ["lines"]})");
    configure(sets);
    const Json counted = count(global_at(4) + "ld.global.u32 %r4, [%rd3];");
    EXPECT_EQ(counted.size(), 5 + std::size(cpu::kCounterNames));
  }
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": ["sectors"]})"), 0);
  EXPECT_STREQ(api().device->last_error(),
               "configure: unknown counters \"sectors\"; known are basic, traffic, lines");
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": "traffic"})"), 0);
  EXPECT_NE(api().device->configure(nullptr, R"({"counters": [1]})"), 0);
}

// Requests and bytes are counted in two ways, which agree; sets of checks, workers and seeds change
// nothing.
TEST_F(Traffic, TheSameHoweverItRuns) {
  const auto run_all = [&](const std::string& options) {
    TearDown();
    ImageTest::SetUp();
    configure(R"({"counters": ["lines"]})");
    configure(options.c_str());
    Array<float> in(5000), out(5000);
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "block_sum"), {20}, {256}, 0, in.address, out.address,
                     5000));
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "nested"), {37}, {100}, 0, out.address, 3600));
    EXPECT_CU(launch(kernel("flow.sm_90.ptx", "local_table"), {3}, {40}, 0, out.address, 3));
    EXPECT_CU(launch(kernel("memory.sm_90.ptx", "pick"), {1}, {32}, 0, out.address, 3));
    std::vector<Json> lines = counters();
    for (const Json& launched : lines) EXPECT_TRUE(launched.contains("lines"));
    return lines;
  };
  const std::vector<Json> expected = run_all("{}");
  ASSERT_EQ(expected.size(), 4u);
  for (const char* options : {R"({"workers": 2})", R"({"workers": 5})", R"({"checks": []})",
                              R"({"checks": ["memory", "init", "race", "sync"]})",
                              R"({"checks": ["race"], "workers": 2})"})
    EXPECT_TRUE(run_all(options) == expected) << options;
  // With another schedule diverged parts meet elsewhere, but threads do the same.
  const std::vector<Json> seeded = run_all(R"({"schedule_seed": 7, "workers": 2})");
  for (std::size_t i = 0; i < seeded.size(); ++i) {
    for (const auto& [name, value] : seeded[i].items()) {
      if (name.ends_with("thread_instructions") ||
          (name.ends_with("_bytes") && !name.ends_with("unique_bytes"))) {
        EXPECT_EQ(value, expected[i][name]) << i << " " << name;
      }
    }
  }
  for (const Json& launched : expected) {
    Counts sums;
    for (const Json& line : launched["lines"]) {
      for (const auto& [name, value] : traffic_of(line)) sums[name] += value;
    }
    // Lines count by what they moved, launches by visits of blocks.
    EXPECT_EQ(sums, traffic_of(launched)) << launched["kernel"];
  }
}

// --- one request, against sets of what is touched

class Measured : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(Measured, AgreesWithSets) {
  const std::uint32_t bytes = GetParam();
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    // From narrow ranges, where much is shared, to wide ones; some warps with few lanes.
    const std::uint32_t span = 1u << (2 + random() % 12);
    const std::uint32_t mask = round % 3 == 0 ? random() & random() : random() | 1u << (round % 32);
    std::uint64_t at[32];
    for (auto& address : at) address = 4096 + random() % span / bytes * bytes;
    if (mask == 0) continue;
    cpu::Measures cached, banked, local;
    cpu::measure_cached(at, mask, bytes, cached);
    cpu::measure_banked(at, mask, bytes, banked);
    cpu::measure_local(at, mask, bytes, local);
    std::set<std::uint64_t> sectors, touched, local_sectors;
    std::map<std::uint64_t, std::uint64_t> lanes_at;
    std::uint64_t lanes = 0, wavefronts = 0, parts = 0;
    const std::uint32_t least = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
    std::uint32_t together = least;
    for (std::uint32_t first = 0; first < 32; first += together) {
      together = least;
      if (bytes >= 8 && first % (2 * least) == 0) {
        for (const std::uint32_t apart : {1u, 2u}) {
          bool all = true;
          for (std::uint32_t lane = first; lane < first + 2 * least; ++lane) {
            const std::uint32_t other = lane ^ apart;
            all = all && ((mask >> lane & mask >> other & 1) == 0 || at[lane] == at[other]);
          }
          if (all) together = 2 * least;
        }
      }
      std::map<std::uint64_t, std::set<std::uint64_t>> banks;
      for (std::uint32_t lane = first; lane < first + together; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        ++lanes;
        ++lanes_at[at[lane]];
        for (std::uint64_t byte = at[lane]; byte < at[lane] + bytes; ++byte) {
          sectors.insert(byte / 32);
          touched.insert(byte);
          banks[byte / 4 % 32].insert(byte / 4);
          local_sectors.insert((byte / 4 * 32 + lane) / 8);
        }
      }
      std::size_t most = 0;
      for (const auto& [bank, words] : banks) most = std::max(most, words.size());
      wavefronts += most;
      parts += banks.empty() ? 0 : 1;
    }
    using cpu::Measure;
    ASSERT_EQ(cached[Measure::sectors], sectors.size());
    ASSERT_EQ(cached[Measure::unique_bytes], touched.size());
    ASSERT_EQ(cached[Measure::bytes], lanes * bytes);
    ASSERT_EQ(banked[Measure::wavefronts], wavefronts);
    ASSERT_EQ(banked[Measure::ideal_wavefronts], parts);
    ASSERT_EQ(local[Measure::sectors], local_sectors.size());
    ASSERT_EQ(cpu::different_addresses(at, mask), lanes_at.size());
    std::uint64_t most = 0;
    for (const auto& [address, number] : lanes_at) most = std::max(most, number);
    cpu::Measures atomic;
    cpu::measure_atomic(cpu::Space::global, at, mask, bytes, atomic);
    ASSERT_EQ(atomic[Measure::turns], most);
    std::uint64_t atomic_sectors = 0;
    for (std::uint64_t turn = 0; turn < most; ++turn) {
      std::set<std::uint64_t> moved;
      for (const auto& [address, number] : lanes_at) {
        for (std::uint64_t byte = address; number > turn && byte < address + bytes; ++byte)
          moved.insert(byte / 32);
      }
      atomic_sectors += moved.size();
    }
    ASSERT_EQ(atomic[Measure::sectors], atomic_sectors);
  }
}
INSTANTIATE_TEST_SUITE_P(Widths, Measured, ::testing::Values(1u, 2u, 4u, 8u, 16u));

// Pointers that a kernel made up: any number at all, and no crash.
TEST(MeasuredAnywhere, Hostile) {
  std::mt19937_64 random(11);
  cpu::Measures sum;
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t at[32];
    for (auto& address : at) address = round % 2 == 0 ? random() : ~random() % 64;
    for (const std::uint32_t bytes : {1u, 4u, 16u, 32u}) {
      cpu::measure_cached(at, 0xffffffff, bytes, sum);
      cpu::measure_banked(at, 0xffffffff, bytes, sum);
      cpu::measure_local(at, 0xffffffff, bytes, sum);
    }
  }
  EXPECT_EQ(sum[cpu::Measure::requests], 2000u * 4 * 3);
}

TEST(Classes, OfNames) {
  const std::pair<const char*, const char*> names[] = {
      {"add.s32", "integer"},
      {"setp.lt.u64", "integer"},
      {"selp.b32", "integer"},
      {"lop3.b32", "integer"},
      {"and.pred", "integer"},
      {"popc.b32", "integer"},
      {"fma.rn.f32", "single"},
      {"setp.lt.f32", "single"},
      {"set.lt.u32.f64", "double"},
      {"div.rn.f64", "double"},
      {"fma.rn.f16x2", "half"},
      {"add.bf16", "half"},
      {"sin.approx.f32", "special"},
      {"rsqrt.approx.f64", "special"},
      {"sqrt.rn.f32", "special"},
      {"cvt.rn.f32.s32", "convert"},
      {"mov.u32", "move"},
      {"cvta.to.global.u64", "move"},
      {"ld.param.u64", "move"},
      {"ld.param::func.u64", "move"},
      {"ld.global.nc.v4.f32", "memory"},
      {"st.shared.u32", "memory"},
      {"atom.global.add.f32", "memory"},
      {"red.add.u32", "memory"},
      {"tex.2d.v4.f32.f32", "memory"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "memory"},
      {"cp.async.ca.shared.global", "memory"},
      {"wmma.load.a.sync.aligned.row.m16n16k16.f16", "memory"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", "matrix"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "matrix"},
      {"shfl.sync.down.b32", "exchange"},
      {"vote.sync.ballot.b32", "exchange"},
      {"redux.sync.add.s32", "exchange"},
      {"bar.sync", "barrier"},
      {"barrier.cluster.arrive", "barrier"},
      {"mbarrier.try_wait.shared.b64", "barrier"},
      {"membar.gl", "barrier"},
      {"bra.uni", "control"},
      {"ret", "control"},
      {"call.uni", "control"},
      {"trap", "control"},
      {"nanosleep.u32", "other"},
      {"", "other"}};
  constexpr const char* kNames[] = {
#define CLASS(name) #name,
#include "program/classes.def"
  };
  for (const auto& [opcode, name] : names)
    EXPECT_STREQ(kNames[static_cast<std::size_t>(cpu::class_of(opcode))], name) << opcode;
}

}  // namespace
}  // namespace warpmark::test
