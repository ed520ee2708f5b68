// Tensor maps that kernels change, rows of a matrix that copies gather and scatter, and what a map
// must be for either.
#include <cstring>
#include <numeric>
#include <string>

#include "device/api/api_call.hpp"
#include "device/support/client.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

using U32 = std::uint32_t;

class TensorMapChanges : public DeviceTest {
 protected:
  // A map of a matrix of 32-bit numbers.
  static CUtensorMap map_of(CUdeviceptr address, cuuint64_t columns, cuuint64_t rows,
                            cuuint32_t box_columns, cuuint32_t box_rows,
                            CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    CUtensorMap map{};
    const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * 4};
    const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
    EXPECT_CU(CALL(cuTensorMapEncodeTiled)(
        &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, reinterpret_cast<void*>(address), dims, strides,
        box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
  }
  // 32 threads: the map as a generic address in %rd9, memory in %rd2 and %rd3, `box` in %r3, an
  // mbarrier in %r4, the thread in %r1; %p1 is true in the first. %rd8 is the map that is given on.
  CUfunction kernel_with(const std::string& body, const std::string& target = "sm_121a") {
    return kernel_of(
        ".version 9.0\n.target " + target +
            "\n.address_size 64\n.visible .entry k(.param .align 64 .b8 map[128], .param .u64 a, "
            ".param .u64 b, .param .u64 c)\n{\n.reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 "
            "%rd<20>;\n.shared .align 128 .b8 box[2048]; .shared .align 128 .b8 own[128];\n.shared "
            ".align 8 .b64 bar;\nld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b]; ld.param.u64 "
            "%rd8, "
            "[c];\nmov.b64 %rd9, map; cvta.param.u64 %rd9, %rd9; mov.u32 %r1, %tid.x; mov.u32 %r3, "
            "box; mov.u32 %r4, bar; mov.u32 %r5, own; setp.eq.u32 %p1, %r1, 0;\nshl.b32 %r10, %r1, "
            "2; cvt.u64.u32 %rd10, %r10; add.u32 %r11, %r5, %r10; add.u32 %r12, %r3, %r10; add.s64 "
            "%rd11, %rd3, %rd10;\n@%p1 mbarrier.init.shared.b64 [%r4], 1; @%p1 "
            "fence.mbarrier_init.release.cluster;\n" +
            body + "\nret;\n}\n",
        "k");
  }
  static std::string wait() {
    return "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra WAIT;\n";
  }
  // The map into shared memory, a word for each lane.
  static std::string take_map() {
    return "add.s64 %rd12, %rd9, %rd10; ld.u32 %r13, [%rd12]; st.shared.u32 [%r11], %r13; "
           "bar.warp.sync -1;\n";
  }
  static std::string give_map() {
    return "bar.warp.sync -1;\n"
           "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
           "[%rd8], [%r5], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd8], 128;\n";
  }
  static std::string load(const std::string& coordinates, const std::string& how,
                          const std::string& bytes) {
    return "fence.proxy.async; bar.warp.sync -1; @!%p1 bra WAIT;\nmbarrier.arrive.expect_tx.shared"
           ".b64 _, [%r4], " +
           bytes + ";\ncp.async.bulk.tensor.2d.shared::cta.global." + how +
           ".mbarrier::complete_tx::bytes [%r3], [%rd8, {" + coordinates + "}], [%r4];\n" + wait() +
           "ld.shared.u32 %r14, [%r12]; st.global.u32 [%rd11], %r14;";
  }
};

TEST_F(TensorMapChanges, EachFieldIsReplaced) {
  std::vector<U32> first(64 * 40), second(16 * 8);
  std::iota(first.begin(), first.end(), 1000);
  std::iota(second.begin(), second.end(), 0);
  Array<U32> a(first), b(second), out(32), given(64);
  const CUtensorMap map = map_of(a.address, 64, 40, 32, 8);
  const CUdeviceptr place = (given.address + 127) / 128 * 128;
  CUfunction kernel = kernel_with(
      take_map() +
          "@!%p1 bra GIVE;\ntensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r5], "
          "%rd2;\n"
          "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;\n"
          "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 0, 16;\n"
          "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 1, 5;\n"
          "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r5], 0, 64;\n"
          "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 0, 8;\n"
          "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 1, 5;\n"
          "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 1, 2;\n"
          "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r5], 7;\n"
          "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r5], 0;\n"
          "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r5], 1;\n"
          "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r5], 1;\nGIVE:\n" +
          give_map() + load("4, 1", "tile", "96"),
      "sm_121a");
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, map, b.address, out.address, place));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(out.fetch());
  // Rows 1, 3 and 5 of five, the last outside, with chunks of 16 bytes in the pattern of 32 bytes.
  for (U32 i = 0; i < 24; ++i) {
    const U32 row = 1 + i / 8 * 2, column = 4 + i % 8;
    const U32 at = (i * 4 ^ (i * 4 >> 7 & 1) << 4) / 4;
    EXPECT_EQ(out.host[at], row < 5 ? row * 16 + column : 0x7ff77ff7u) << i;
  }
}

// Triton's kernels make their maps so, in memory of the launch.
TEST_F(TensorMapChanges, AMapIsMadeOfZeros) {
  std::vector<U32> rows(16 * 8);
  std::iota(rows.begin(), rows.end(), 0);
  Array<U32> a(rows), out(32), given(64);
  const CUdeviceptr place = (given.address + 127) / 128 * 128;
  const auto fields = [](const std::string& box) {
    return "st.shared.u32 [%r11], 0; bar.warp.sync -1; @!%p1 bra GIVE;\n"
           "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r5], %rd2;\n"
           "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;\n" +
           box +
           "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 1, 4;\n"
           "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 0, 16;\n"
           "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r5], 1, 8;\n"
           "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r5], 0, 64;\n"
           "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 0, 1;\n"
           "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r5], 1, 1;\n"
           "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r5], 2;\nGIVE:\n" +
           give_map() + load("8, 2", "tile", "128");
  };
  const std::string box = "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 0, 8;\n";
  CUfunction kernel = kernel_with(fields(box));
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, CUtensorMap{}, a.address, out.address, place));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(out.fetch());
  for (U32 i = 0; i < 32; ++i) EXPECT_EQ(out.host[i], (2 + i / 8) * 16 + 8 + i % 8) << i;
  kernel = kernel_with(fields(""));
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, CUtensorMap{}, a.address, out.address, place));
  EXPECT_NE(api().synchronize(), CUDA_SUCCESS);  // a box of no elements
}

// CUTLASS does so on the CPU, for a GPU's driver up to 13.1: its map is still one, at any address.
TEST_F(TensorMapChanges, OfOneBitByCutlass) {
  Array<U32> out(32);
  for (const CUdeviceptr address : {CUdeviceptr{0x7fff'ffff'f000}, CUdeviceptr{0x7ea0'0400'1000}}) {
    CUtensorMap map = map_of(address, 64, 40, 32, 8);
    reinterpret_cast<std::uint64_t*>(&map)[1] &= ~(std::uint64_t{1} << 21);
    CUfunction kernel = kernel_with(
        take_map() + "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;");
    ASSERT_NE(kernel, nullptr);
    ASSERT_CU(launch(kernel, {}, {32}, 0, map, out.address, out.address, out.address));
    EXPECT_EQ(api().synchronize(), CUDA_SUCCESS);
  }
}

TEST_F(TensorMapChanges, OfWhatIsNoMap) {
  Array<U32> a(64 * 40), out(32);
  CUtensorMap map = map_of(a.address, 64, 40, 32, 8);
  reinterpret_cast<unsigned char*>(&map)[28] ^= 1;
  CUfunction kernel =
      kernel_with(take_map() + "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r5], 1;");
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, map, a.address, out.address, out.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(TensorMapChanges, ValuesThatNoMapHasAreToldWhereItIsUsed) {
  Array<U32> a(64 * 40), out(32), given(64);
  const CUtensorMap map = map_of(a.address, 64, 40, 8, 4);
  const CUdeviceptr place = (given.address + 127) / 128 * 128;
  CUfunction kernel = kernel_with(
      take_map() + "@%p1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r5], 0, 70000;\n" +
      give_map() + load("0, 0", "tile", "128"));
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, map, a.address, out.address, place));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(TensorMapChanges, RowsAreGatheredAndScattered) {
  std::vector<U32> values(64 * 40);
  std::iota(values.begin(), values.end(), 0);
  Array<U32> a(values), out(32);
  const CUtensorMap map = map_of(a.address, 64, 40, 8, 1);
  CUfunction kernel = kernel_with(
      "mov.u64 %rd8, %rd9;\n" + load("12, 7, 39, 3, 40", "tile::gather4", "128") +
      "\ncp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd9, {12, 7, 39, 3, 40}];\n"
      "st.shared.u32 [%r12], %r1; fence.proxy.async; bar.warp.sync -1;\n@!%p1 bra END;\n"
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd9, {20, 2, 30, 41, "
      "9}], [%r3];\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:");
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, map, a.address, out.address, a.address));
  ASSERT_CU(api().synchronize());
  ASSERT_CU(out.fetch());
  ASSERT_CU(a.fetch());
  const U32 rows[] = {7, 39, 3, 40}, to[] = {2, 30, 41, 9};
  std::vector<U32> want = values;
  for (U32 i = 0; i < 32; ++i) {
    const U32 row = rows[i / 8];
    EXPECT_EQ(out.host[i], row < 40 ? row * 64 + 12 + i % 8 : 0u) << i;
    if (to[i / 8] < 40) want[to[i / 8] * 64 + 20 + i % 8] = i;
  }
  EXPECT_EQ(a.host, want);
}

TEST_F(TensorMapChanges, RowsAreTakenOneByOne) {
  Array<U32> a(64 * 40), out(32);
  const CUtensorMap map = map_of(a.address, 64, 40, 8, 2);
  CUfunction kernel =
      kernel_with("mov.u64 %rd8, %rd9;\n" + load("12, 7, 39, 3, 40", "tile::gather4", "128"));
  ASSERT_NE(kernel, nullptr);
  ASSERT_CU(launch(kernel, {}, {32}, 0, map, a.address, out.address, a.address));
  EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

// An H200 ends each kernel that stores columns of pixels so.
TEST_F(TensorMapChanges, ColumnsOfPixelsAreNotStored) {
  Array<U32> a(8 * 8 * 8), out(32);
  CUtensorMap map{};
  const cuuint64_t dims[] = {8, 8, 8}, strides[] = {32, 256};
  const int corner[] = {0};
  const cuuint32_t steps[] = {1, 1, 1};
  ASSERT_CU(CALL(cuTensorMapEncodeIm2col)(
      &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, reinterpret_cast<void*>(a.address), dims, strides,
      corner, corner, 8, 4, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  for (const std::string word : {"cp.async", "cp.reduce.async"}) {
    CUfunction kernel =
        kernel_with("st.shared.u32 [%r12], %r1; fence.proxy.async; @%p1 " + word +
                        ".bulk.tensor.3d.global.shared::cta" + (word == "cp.async" ? "" : ".add") +
                        ".im2col_no_offs.bulk_group [%rd9, {0, 0, 0}], [%r3];",
                    "sm_90");
    ASSERT_NE(kernel, nullptr);
    ASSERT_CU(launch(kernel, {}, {32}, 0, map, a.address, out.address, a.address));
    EXPECT_EQ(api().synchronize(), CUDA_ERROR_ILLEGAL_INSTRUCTION);
    TearDown();
    SetUp();
  }
}

}  // namespace
}  // namespace warpmark::test
