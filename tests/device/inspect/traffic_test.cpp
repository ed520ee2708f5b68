// Counts of what memory instructions move, against numbers derived by hand.
#include <cstdint>
#include <string>
#include <vector>

#include "device/inspect/traffic.hpp"

namespace warpmark::test {
namespace {

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
      // Counts that an H200 was seen to have where lanes share (results/h200/compare_ncu.jsonl).
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
    return cached("global_atomic", 1, 128, sectors, unique, sectors) +
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

TEST_F(Traffic, StoresThatCompleteOnABarrier) {
  const std::string begin =
      "mov.b32 %r2, 1; @!%p9 bra MADE; MADE:\n"
      "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r30], 1;\n"
      "@%p1 mbarrier.expect_tx.shared.b64 [%r30], 512; bar.sync 0; add.u32 %r31, %r30, 128;\n";
  const std::string way = ".shared::cluster.mbarrier::complete_tx::bytes";
  // A word for each lane, then four of them.
  EXPECT_EQ(
      moved(begin + "mad.lo.u32 %r3, %r1, 4, %r31;\nst.async" + way + ".b32 [%r3], %r1, [%r30];"),
      banked("async_shared_store", 1, 128, 1, 1));
  EXPECT_EQ(moved(begin + "mad.lo.u32 %r3, %r1, 16, %r31;\nst.async" + way +
                  ".v4.b32 [%r3], {%r1,%r1,%r1,%r1}, [%r30];"),
            banked("async_shared_store", 1, 512, 4, 4));
  EXPECT_EQ(moved("cp.async.bulk.prefetch.L2.global [%rd1], 512;"),
            (Counts{{"prefetch_requests", 1}, {"prefetch_sectors", 16}}));
  // Bytes that are added count as moved, as if they were stored.
  EXPECT_EQ(
      moved("setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.reduce.async.bulk.global.shared::cta"
            ".bulk_group.add.u32 [%rd1], [%r30], 256;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
      cached("async_global_store", 1, 256, 8, 256) + banked("async_shared_load", 1, 256, 2, 2));
}

TEST_F(Traffic, BoxesOfTensors) {
  // 64 x 32 floats, of which boxes have 16 x 4: rows of 64 bytes, each of two sectors.
  Array<float> array(64 * 32);
  CUtensorMap map{};
  const cuuint64_t dims[] = {64, 32}, strides[] = {256};
  const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
  ASSERT_CU(api().find<decltype(::cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled")(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, reinterpret_cast<void*>(array.address), dims,
      strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  const auto counts = [&](const std::string& text) {
    const CUfunction function = kernel_of(
        ".version 9.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .align 64 .b8 map[128])\n{\n.reg .b64 %rd<3>;\n"
        ".shared .align 128 .b8 s[256]; .shared .align 8 .b64 b;\n"
        "mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;\nmbarrier.init.shared.b64 [b], 1;\n" +
            text + "\nret;\n}\n",
        "k");
    EXPECT_CU(launch(function, {}, {}, 0, map));
    return traffic_of(counters().at(0));
  };
  const std::string load =
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1, ";
  EXPECT_EQ(counts(load + "{16, 4}], [b];"), cached("async_global_load", 1, 256, 8, 256) +
                                                 banked("async_shared_store", 1, 256, 2, 2));
  // Half of it is outside, and is filled.
  EXPECT_EQ(counts(load + "{16, 30}], [b];"), cached("async_global_load", 1, 128, 4, 128) +
                                                  banked("async_shared_store", 1, 256, 2, 2));
  EXPECT_EQ(
      counts("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {56, 0}], [s];\n"
             "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
      cached("async_global_store", 1, 128, 4, 128) + banked("async_shared_load", 1, 128, 2, 1));
  EXPECT_EQ(counts("cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {0, 0}];"),
            (Counts{{"prefetch_requests", 1}, {"prefetch_sectors", 8}}));
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

}  // namespace
}  // namespace warpmark::test
