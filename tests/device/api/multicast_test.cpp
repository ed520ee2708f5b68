// Multicast objects over two devices (WARPMARK_CPU_DEVICES=2), and multimem instructions on them.
#include <cstdlib>
#include <cstring>
#include <string>

#include "device/api/api_call.hpp"
#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

constexpr std::size_t kUnit = std::size_t{2} << 20;

class MulticastTest : public DeviceTest {
 protected:
  static void SetUpTestSuite() { setenv("WARPMARK_CPU_DEVICES", "2", 1); }  // before the library

  void SetUp() override {
    DeviceTest::SetUp();
    const CUmulticastObjectProp prop = properties(2);
    ASSERT_CU(CALL(cuMulticastCreate)(&object_, &prop));
    for (int device = 0; device < 2; ++device) {
      ASSERT_CU(CALL(cuMulticastAddDevice)(object_, device));
      CUmemAllocationProp memory{};
      memory.type = CU_MEM_ALLOCATION_TYPE_PINNED;
      memory.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
      ASSERT_CU(CALL(cuMemCreate)(&memory_[device], kUnit, &memory, 0));
      own_[device] = mapped(memory_[device]);
    }
  }
  void TearDown() override {
    for (int device = 0; device < 2; ++device) {
      unmapped(own_[device]);
      EXPECT_CU(CALL(cuMemRelease)(memory_[device]));
    }
    EXPECT_CU(CALL(cuMemRelease)(object_));
    DeviceTest::TearDown();
  }
  static CUmulticastObjectProp properties(unsigned devices) {
    CUmulticastObjectProp prop{};
    prop.numDevices = devices;
    prop.size = kUnit;
    return prop;
  }
  // At an address of its own, for both devices.
  static CUdeviceptr mapped(CUmemGenericAllocationHandle handle) {
    CUdeviceptr address = 0;
    EXPECT_CU(CALL(cuMemAddressReserve)(&address, kUnit, 0, 0, 0));
    EXPECT_CU(CALL(cuMemMap)(address, kUnit, 0, handle, 0));
    CUmemAccessDesc desc[2]{};
    for (int device = 0; device < 2; ++device)
      desc[device] = {{CU_MEM_LOCATION_TYPE_DEVICE, {device}}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_CU(CALL(cuMemSetAccess)(address, kUnit, desc, 2));
    return address;
  }
  static void unmapped(CUdeviceptr address) {
    EXPECT_CU(CALL(cuMemUnmap)(address, kUnit));
    EXPECT_CU(CALL(cuMemAddressFree)(address, kUnit));
  }
  CUresult bind(int device) {
    return CALL(cuMulticastBindMem)(object_, 0, memory_[device], 0, kUnit, 0);
  }
  template <typename T>
  void fill(int device, const std::vector<T>& values) {
    EXPECT_CU(api().to_device(own_[device], values.data(), values.size() * sizeof(T)));
  }
  template <typename T>
  std::vector<T> fetched(int device, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_CU(api().to_host(values.data(), own_[device], count * sizeof(T)));
    return values;
  }
  // Runs one thread with the multicast address in %rd1 and an address of results in %rd2.
  CUresult run(const std::string& body, CUdeviceptr many, CUdeviceptr out) {
    CUfunction kernel = kernel_of(
        ".version 9.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 many, .param "
        ".u64 out)\n{ .reg .b64 %rd<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b16 %h<9>;\n"
        "ld.param.u64 %rd1, [many]; ld.param.u64 %rd2, [out];\n" +
            body + "\nret; }",
        "k");
    EXPECT_CU(launch(kernel, {1}, {1}, 0, many, out));
    return api().synchronize();
  }
  CUmemGenericAllocationHandle object_ = 0, memory_[2]{};
  CUdeviceptr own_[2]{};
};

TEST_F(MulticastTest, OneAddressForBothDevices) {
  ASSERT_CU(bind(0));
  ASSERT_CU(bind(1));
  const CUdeviceptr many = mapped(object_);
  fill<std::uint32_t>(0, {7, 0x3c003c00, 0xf0, 10});
  fill<std::uint32_t>(1, {5, 0x40003c01, 0x3c, 20});
  Array<std::uint32_t> out(8);
  ASSERT_CU(
      run("multimem.ld_reduce.relaxed.sys.global.add.u32 %r1, [%rd1]; st.global.u32 [%rd2], "
          "%r1;\nmultimem.ld_reduce.weak.global.add.acc::f32.f16x2 %r2, [%rd1+4]; "
          "st.global.u32 [%rd2+4], %r2;\nmultimem.ld_reduce.global.and.b32 %r3, [%rd1+8]; "
          "st.global.u32 [%rd2+8], %r3;\nmultimem.red.release.gpu.global.add.u32 [%rd1+12], 3;\n"
          "multimem.st.global.v4.f32 [%rd1+16], {0f3F800000, 0f40000000, 0f40400000, "
          "0f40800000};\nmultimem.ld_reduce.global.max.s32 %r4, [%rd1]; st.global.u32 "
          "[%rd2+12], %r4;\nmultimem.ld_reduce.global.add.v2.f16 {%h1, %h2}, [%rd1+4]; mov.b32 "
          "%r5, {%h1, %h2}; st.global.u32 [%rd2+16], %r5;",
          many, out.address));
  ASSERT_CU(out.fetch());
  EXPECT_EQ(out.host[0], 12u);
  EXPECT_EQ(out.host[1], 0x42004000u);  // 1 + 2, 1 + 1.001, to the nearest even
  EXPECT_EQ(out.host[2], 0x30u);
  EXPECT_EQ(out.host[3], 7u);
  EXPECT_EQ(out.host[4], 0x42004000u);
  for (int device = 0; device < 2; ++device) {
    EXPECT_EQ(fetched<std::uint32_t>(device, 4)[3], device == 0 ? 13u : 23u);
    EXPECT_EQ(fetched<float>(device, 8)[7], 4.0f);
  }
  unmapped(many);
  EXPECT_CU(CALL(cuMulticastUnbind)(object_, 0, 0, kUnit));
  EXPECT_CU(CALL(cuMulticastUnbind)(object_, 1, 0, kUnit));
}

// Bulk copies and reductions from shared memory change the memory of both devices.
TEST_F(MulticastTest, BulkCopiesToBothDevices) {
  ASSERT_CU(bind(0));
  ASSERT_CU(bind(1));
  const CUdeviceptr many = mapped(object_);
  const std::vector<std::uint32_t> first = {1,          2,          3, 4, 7, 0xffffffff, 9,
                                            0,          0x3c003c00, 0, 0, 1, 0x3f800000, 0x40000000,
                                            0x00000123, 0x80000000},
                                   second = {5,          6,          7,          8,         1, 2,
                                             20,         3,          0x40003c00, 0,         0, 1,
                                             0x3f800000, 0xc0000000, 0x00000123, 0x80000000};
  fill<std::uint32_t>(0, first);
  fill<std::uint32_t>(1, second);
  Array<std::uint32_t> out(8);
  ASSERT_CU(run(
      ".shared .align 16 .b8 s[80]; mov.u32 %r1, s;\n"
      "st.shared.v4.u32 [%r1], {11, 12, 13, 14}; st.shared.v4.u32 [%r1+16], {5, 6, 10, 2};\n"
      "st.shared.v4.u32 [%r1+32], {0x3c004000, 0x00010001, 0, 0x80018001};\n"
      "st.shared.v4.u32 [%r1+48], {0x3f800000, 0x40000000, 0x00000123, 0};\n"
      "st.shared.v4.u32 [%r1+64], {21, 22, 23, 24};\n"
      "fence.proxy.async; add.s64 %rd3, %rd1, 16; add.s64 %rd4, %rd1, 32;\n"
      "add.s64 %rd5, %rd1, 48; add.s64 %rd6, %rd1, 64; add.u32 %r2, %r1, 16;\n"
      "add.u32 %r3, %r1, 32; add.u32 %r4, %r1, 48; add.u32 %r5, %r1, 64;\n"
      "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;\n"
      "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%rd3], [%r2], 16;\n"
      "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd4], [%r3], "
      "16;\n"
      "multimem.cp.reduce.async.bulk.relaxed.sys.global.shared::cta.bulk_group.add.f32 [%rd5], "
      "[%r4], 16;\n"
      "multimem.cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd6], [%r5], "
      "16;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
      many, out.address));
  for (int device = 0; device < 2; ++device) {
    std::vector<std::uint32_t> want = device == 0 ? first : second;
    for (std::uint32_t i = 0; i < 4; ++i) want[i] = 11 + i;
    const std::uint32_t by[] = {5, 6, 10, 2};
    for (std::size_t i = 0; i < 4; ++i) want[4 + i] = want[4 + i] >= by[i] ? 0 : want[4 + i] + 1;
    // 1 + 1 or 2 + 1, 1 + 2; numbers below the normal ones stay what they are.
    want[8] = device == 0 ? 0x40004200 : 0x42004200;
    want[9] = 0x00010001, want[11] = 0x80010000;
    want[12] = 0x40000000, want[13] = device == 0 ? 0x40800000 : 0, want[14] = 0x246, want[15] = 0;
    for (std::uint32_t i = 0; i < 4; ++i) want.push_back(21 + i);
    EXPECT_EQ(fetched<std::uint32_t>(device, 20), want) << device;
  }
  unmapped(many);
  EXPECT_CU(CALL(cuMulticastUnbind)(object_, 0, 0, kUnit));
  EXPECT_CU(CALL(cuMulticastUnbind)(object_, 1, 0, kUnit));
}

TEST_F(MulticastTest, OtherAddressesAreFaults) {
  ASSERT_CU(bind(0));  // not that of the other device
  const CUdeviceptr many = mapped(object_);
  Array<std::uint32_t> out(1);
  const std::string load = "multimem.ld_reduce.global.add.u32 %r1, [%rd1];";
  EXPECT_EQ(run(load, many, out.address), CUDA_ERROR_ILLEGAL_ADDRESS);
  DeviceTest::TearDown();
  DeviceTest::SetUp();
  EXPECT_EQ(run(load, own_[0], own_[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
  DeviceTest::TearDown();
  DeviceTest::SetUp();
  ASSERT_CU(bind(1));
  EXPECT_CU(run(load, many, own_[0]));
  EXPECT_EQ(run("ld.global.u32 %r1, [%rd1];", many, own_[0]), CUDA_ERROR_ILLEGAL_ADDRESS)
      << "only multimem instructions take its addresses";
  DeviceTest::TearDown();
  DeviceTest::SetUp();
  unmapped(many);
}

TEST_F(MulticastTest, WrongCalls) {
  CUmemGenericAllocationHandle other = 0;
  CUmulticastObjectProp prop = properties(3);
  EXPECT_EQ(CALL(cuMulticastCreate)(&other, &prop), CUDA_ERROR_INVALID_VALUE) << "two devices";
  prop = properties(2);
  prop.size = kUnit / 2;
  EXPECT_EQ(CALL(cuMulticastCreate)(&other, &prop), CUDA_ERROR_INVALID_VALUE) << "half a granule";
  prop.size = kUnit;
  ASSERT_CU(CALL(cuMulticastCreate)(&other, &prop));
  EXPECT_EQ(CALL(cuMulticastBindMem)(other, 0, memory_[0], 0, kUnit, 0), CUDA_ERROR_INVALID_VALUE)
      << "no device was added";
  EXPECT_EQ(CALL(cuMulticastAddDevice)(other, 5), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_CU(CALL(cuMulticastAddDevice)(other, 1));
  EXPECT_EQ(CALL(cuMulticastAddDevice)(other, 1), CUDA_ERROR_INVALID_VALUE) << "twice";
  EXPECT_CU(CALL(cuMemRelease)(other));
  EXPECT_EQ(CALL(cuMulticastAddDevice)(memory_[0], 0), CUDA_ERROR_INVALID_VALUE) << "memory";
  EXPECT_EQ(CALL(cuMulticastBindMem)(object_, 0, object_, 0, kUnit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(CALL(cuMulticastBindMem)(object_, kUnit, memory_[0], 0, kUnit, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "behind the object";
  ASSERT_CU(CALL(cuMulticastBindAddr)(object_, 0, own_[0], kUnit, 0));
  EXPECT_EQ(bind(0), CUDA_ERROR_INVALID_VALUE) << "it is bound already";
  EXPECT_EQ(CALL(cuMulticastUnbind)(object_, 1, 0, kUnit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(CALL(cuMulticastUnbind)(object_, 0, 0, kUnit));
  std::size_t unit = 0;
  ASSERT_CU(CALL(cuMulticastGetGranularity)(&unit, &prop, CU_MULTICAST_GRANULARITY_MINIMUM));
  EXPECT_EQ(unit, kUnit);
  EXPECT_EQ(CALL(cuMemExportToShareableHandle)(&unit, object_,
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace warpmark::test
