// Arrays, and copies of boxes between every pair of memories, against copies byte by byte.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "device/api/api_call.hpp"
#include "device/support/image.hpp"

namespace warpmark::test {
namespace {

class CopyTest : public ImageTest {};

// A box of memory of any kind, with a copy of its bytes to compare.
struct Memory {
  CUmemorytype type = CU_MEMORYTYPE_HOST;
  std::size_t pitch = 0, height = 0, depth = 0;
  std::vector<std::uint8_t> bytes;  ///< what it must hold; for host memory, what it holds
  std::vector<std::uint8_t> host;
  CUdeviceptr device = 0;
  CUarray array = nullptr;
};

class Boxes : public CopyTest {
 protected:
  Memory make(CUmemorytype type, bool on_device, std::size_t pitch, std::size_t height,
              std::size_t depth) {
    Memory memory;
    memory.type = type;
    memory.pitch = pitch;
    memory.height = height;
    memory.depth = depth;
    memory.bytes.resize(pitch * height * depth);
    for (auto& byte : memory.bytes) byte = static_cast<std::uint8_t>(random_());
    if (type == CU_MEMORYTYPE_ARRAY) {
      const CUDA_ARRAY3D_DESCRIPTOR d = {pitch, height, depth, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
      memory.array = array(d, memory.bytes.data(), 1);
    } else if (on_device) {
      EXPECT_CU(api().alloc(&memory.device, memory.bytes.size()));
      EXPECT_CU(api().to_device(memory.device, memory.bytes.data(), memory.bytes.size()));
    } else {
      memory.host = memory.bytes;
    }
    return memory;
  }
  static std::vector<std::uint8_t> content(const Memory& memory) {
    std::vector<std::uint8_t> bytes = memory.host;
    if (memory.array != nullptr) {
      bytes.resize(memory.bytes.size());
      EXPECT_CU(images().array_to_host(bytes.data(), memory.array, 0, bytes.size()));
    } else if (memory.device != 0) {
      bytes.resize(memory.bytes.size());
      EXPECT_CU(api().to_host(bytes.data(), memory.device, bytes.size()));
    }
    return bytes;
  }
  static void free(const Memory& memory) {
    if (memory.array != nullptr) {
      EXPECT_CU(images().destroy_array(memory.array));
    }
    if (memory.device != 0) {
      EXPECT_CU(api().free(memory.device));
    }
  }
  std::mt19937 random_{20240812};
};

TEST_F(Boxes, BetweenAllMemories) {
  const std::pair<CUmemorytype, bool> kinds[] = {{CU_MEMORYTYPE_HOST, false},
                                                 {CU_MEMORYTYPE_DEVICE, true},
                                                 {CU_MEMORYTYPE_ARRAY, true},
                                                 {CU_MEMORYTYPE_UNIFIED, true},
                                                 {CU_MEMORYTYPE_UNIFIED, false}};
  const auto below = [&](std::size_t n) { return random_() % n; };
  for (const auto& [from_type, from_device] : kinds) {
    for (const auto& [to_type, to_device] : kinds) {
      for (int round = 0; round < 12; ++round) {
        Memory from = make(from_type, from_device, 20 + below(20), 5 + below(5), 4 + below(4));
        Memory to = make(to_type, to_device, 20 + below(20), 5 + below(5), 4 + below(4));
        CUDA_MEMCPY3D copy{};
        copy.WidthInBytes = below(std::min(from.pitch, to.pitch) + 1);
        copy.Height = below(std::min(from.height, to.height) + 1);
        copy.Depth = round % 3 == 0 ? 1 : below(std::min(from.depth, to.depth) + 1);
        copy.srcXInBytes = below(from.pitch - copy.WidthInBytes + 1);
        copy.srcY = below(from.height - copy.Height + 1);
        copy.srcZ = below(from.depth - copy.Depth + 1);
        copy.dstXInBytes = below(to.pitch - copy.WidthInBytes + 1);
        copy.dstY = below(to.height - copy.Height + 1);
        copy.dstZ = below(to.depth - copy.Depth + 1);
        copy.srcMemoryType = from_type;
        copy.srcHost = from.host.data();
        copy.srcDevice =
            from_device ? from.device : reinterpret_cast<CUdeviceptr>(from.host.data());
        copy.srcArray = from.array;
        copy.srcPitch = from.pitch;
        copy.srcHeight = from.height;
        copy.dstMemoryType = to_type;
        copy.dstHost = to.host.data();
        copy.dstDevice = to_device ? to.device : reinterpret_cast<CUdeviceptr>(to.host.data());
        copy.dstArray = to.array;
        copy.dstPitch = to.pitch;
        copy.dstHeight = to.height;
        if (round % 2 == 0) {
          ASSERT_CU(images().copy_3d(&copy));
        } else {
          ASSERT_CU(images().copy_3d_async(&copy, nullptr));
          ASSERT_CU(api().synchronize());
        }
        for (std::size_t z = 0; z < copy.Depth; ++z)
          for (std::size_t y = 0; y < copy.Height; ++y)
            for (std::size_t x = 0; x < copy.WidthInBytes; ++x) {
              to.bytes[((copy.dstZ + z) * to.height + copy.dstY + y) * to.pitch + copy.dstXInBytes +
                       x] =
                  from.bytes[((copy.srcZ + z) * from.height + copy.srcY + y) * from.pitch +
                             copy.srcXInBytes + x];
            }
        ASSERT_EQ(content(to), to.bytes) << from_type << " to " << to_type;
        ASSERT_EQ(content(from), from.bytes);
        free(from);
        free(to);
      }
    }
  }
}

TEST_F(Boxes, RectanglesKeepTheGaps) {
  const Memory host = make(CU_MEMORYTYPE_HOST, false, 12, 5, 1);
  CUdeviceptr device = 0;
  std::size_t pitch = 0;
  ASSERT_CU(images().alloc_pitch(&device, &pitch, 12, 5, 4));
  EXPECT_EQ(pitch % 512, 0u);
  EXPECT_EQ(images().alloc_pitch(&device, &pitch, 12, 5, 3), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(images().fill8(device, pitch, 0xee, pitch, 5));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.host.data();
  copy.srcPitch = 12;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 12;
  copy.Height = 5;
  ASSERT_CU(images().copy_2d_unaligned(&copy));
  std::vector<std::uint8_t> all(pitch * 5);
  ASSERT_CU(api().to_host(all.data(), device, all.size()));
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t x = 0; x < pitch; ++x)
      ASSERT_EQ(all[y * pitch + x], x < 12 ? host.bytes[y * 12 + x] : 0xee);
  ASSERT_CU(images().fill16(device + 2, pitch, 0x1234, 3, 2));
  ASSERT_CU(images().fill32(device + pitch * 3, pitch, 0xdeadbeef, 2, 2));
  ASSERT_CU(api().to_host(all.data(), device, all.size()));
  EXPECT_EQ(all[pitch + 2], 0x34);
  EXPECT_EQ(all[pitch + 7], 0x12);
  EXPECT_EQ(all[pitch + 8], host.bytes[12 + 8]);
  EXPECT_EQ(all[pitch * 4 + 7], 0xde);
  EXPECT_EQ(all[pitch * 4 + 8], host.bytes[48 + 8]);
  EXPECT_EQ(images().fill16(device + 1, pitch, 0, 3, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().fill32(device, pitch, 0, pitch / 4 + 1, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().fill8(device, pitch, 0, pitch, 6), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Boxes, NothingOutsideIsTouched) {
  const Memory device = make(CU_MEMORYTYPE_DEVICE, true, 16, 4, 2);
  const Memory storage = make(CU_MEMORYTYPE_ARRAY, true, 16, 4, 2);
  std::vector<std::uint8_t> host(16 * 4 * 2);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  CUDA_MEMCPY3D good{};
  good.srcMemoryType = CU_MEMORYTYPE_HOST;
  good.srcHost = host.data();
  good.srcPitch = 16;
  good.srcHeight = 4;
  good.WidthInBytes = 16;
  good.Height = 4;
  good.Depth = 2;
  for (const bool array : {false, true}) {
    good.dstMemoryType = array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    good.dstDevice = device.device;
    good.dstArray = storage.array;
    good.dstPitch = 16;
    good.dstHeight = 4;
    ASSERT_CU(images().copy_3d(&good));
    const auto refused = [&](auto change) {
      CUDA_MEMCPY3D copy = good;
      change(copy);
      return images().copy_3d(&copy) == CUDA_ERROR_INVALID_VALUE;
    };
    for (const std::size_t one : {std::size_t{1}, huge, huge / 2 + 1}) {
      EXPECT_TRUE(refused([&](auto& c) { c.dstXInBytes = one; })) << one;
      EXPECT_TRUE(refused([&](auto& c) { c.dstY = one; })) << one;
      EXPECT_TRUE(refused([&](auto& c) { c.dstZ = one; })) << one;
    }
    EXPECT_TRUE(refused([&](auto& c) { c.WidthInBytes = huge; }));
    EXPECT_TRUE(refused([&](auto& c) { c.Depth = huge; }));
    EXPECT_TRUE(refused([&](auto& c) { c.Height = huge; }));
    EXPECT_TRUE(refused([&](auto& c) { c.srcPitch = 15; }));
    EXPECT_TRUE(refused([&](auto& c) { c.srcLOD = 1; }));
    EXPECT_TRUE(refused([&](auto& c) { c.srcMemoryType = static_cast<CUmemorytype>(9); }));
    EXPECT_TRUE(refused([&](auto& c) { c.srcHost = nullptr; }));
    EXPECT_TRUE(refused([&](auto& c) { c.srcHost = reinterpret_cast<void*>(device.device); }));
    if (!array) {
      EXPECT_TRUE(refused([&](auto& c) { c.dstPitch = huge; }));
      EXPECT_TRUE(refused([&](auto& c) { c.dstHeight = huge; }));
    }
  }
  EXPECT_EQ(images().copy_3d(nullptr), CUDA_ERROR_INVALID_VALUE);
  good.dstArray = reinterpret_cast<CUarray>(host.data());
  EXPECT_EQ(images().copy_3d(&good), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CopyTest, BytesOfArrays) {
  const CUDA_ARRAY_DESCRIPTOR plain = {100, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray first = nullptr, second = nullptr;
  ASSERT_CU(images().plain_array(&first, &plain));
  ASSERT_CU(images().plain_array(&second, &plain));
  std::vector<std::uint8_t> bytes(100), back(100);
  for (int i = 0; i < 100; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  Array<std::uint8_t> device(std::size_t{100});
  ASSERT_CU(images().host_to_array(first, 0, bytes.data(), 100));
  ASSERT_CU(images().array_to_array(second, 10, first, 20, 50));
  ASSERT_CU(images().array_to_device(device.address + 1, second, 10, 50));
  ASSERT_CU(images().device_to_array(first, 0, device.address, 51));
  ASSERT_CU(images().array_to_host(back.data(), first, 0, 100));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(back[i], i == 0 ? 0 : i <= 50 ? 19 + i : i) << i;
  EXPECT_EQ(images().host_to_array(first, 1, bytes.data(), 100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().host_to_array(first, ~std::size_t{0}, bytes.data(), 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().array_to_device(device.address + 1, first, 0, 100), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(images().destroy_array(first));
  EXPECT_EQ(images().host_to_array(first, 0, bytes.data(), 1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(images().destroy_array(first), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(CopyTest, BetweenContexts) {
  Array<int> here(std::vector<int>{1, 2, 3, 4});
  CUcontext other = nullptr;
  ASSERT_CU(api().create_context(&other, 0, 0));
  Array<int> there(std::size_t{4});
  CUDA_MEMCPY3D_PEER copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = here.address;
  copy.srcContext = context_;
  copy.dstDevice = there.address;
  copy.dstContext = other;
  copy.WidthInBytes = 16;
  copy.Height = copy.Depth = 1;
  ASSERT_CU(images().copy_3d_peer(&copy));
  ASSERT_CU(there.fetch());
  EXPECT_EQ(there.host, here.host);
  copy.dstContext = nullptr;
  EXPECT_EQ(images().copy_3d_peer(&copy), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_CU(api().destroy_context(other));
  ASSERT_CU(api().set_current(context_));
}

TEST_F(CopyTest, ArraysHaveTheDriversExtents) {
  const auto create = [](std::size_t w, std::size_t h, std::size_t d, unsigned flags = 0,
                         CUarray_format format = CU_AD_FORMAT_FLOAT, unsigned channels = 1) {
    const CUDA_ARRAY3D_DESCRIPTOR description = {w, h, d, format, channels, flags};
    CUarray made = nullptr;
    const CUresult result = images().array(&made, &description);
    if (result == CUDA_SUCCESS) {
      CUDA_ARRAY3D_DESCRIPTOR back{};
      CUDA_ARRAY_DESCRIPTOR plain{};
      EXPECT_CU(images().describe_3d(&back, made));
      EXPECT_CU(images().describe(&plain, made));
      EXPECT_EQ(back.Depth, d);
      EXPECT_EQ(back.Flags, flags);
      EXPECT_EQ(plain.Width, w);
      EXPECT_EQ(plain.Height, h);
      EXPECT_CU(images().destroy_array(made));
    }
    return result;
  };
  EXPECT_CU(create(131072, 0, 0));
  EXPECT_EQ(create(131073, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(0, 4, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 0, 4), CUDA_ERROR_INVALID_VALUE);  // a 3D array without height
  EXPECT_CU(create(4, 0, 4, CUDA_ARRAY3D_LAYERED));
  EXPECT_EQ(create(4, 4, 2049, CUDA_ARRAY3D_LAYERED), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(create(4, 4, 6, CUDA_ARRAY3D_CUBEMAP));
  EXPECT_EQ(create(4, 4, 5, CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 5, 6, CUDA_ARRAY3D_CUBEMAP), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 4, 8, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 4, 0, 0, CU_AD_FORMAT_FLOAT, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 4, 0, 0, static_cast<CUarray_format>(0x77)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(4, 4, 0, 0x1000), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(16384, 16384, 16384), CUDA_ERROR_OUT_OF_MEMORY);
  // Destroyed arrays give their memory back.
  std::size_t before = 0, after = 0, total = 0;
  ASSERT_CU(api().info(&before, &total));
  EXPECT_CU(create(1000, 1000, 0));
  ASSERT_CU(api().info(&after, &total));
  EXPECT_EQ(before, after);
}

TEST_F(CopyTest, PinnedMemoryIsTheHostsForArrays) {
  const CUDA_ARRAY_DESCRIPTOR row = {16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray array = nullptr;
  ASSERT_CU(CALL(cuArrayCreate)(&array, &row));
  void* pinned = nullptr;
  ASSERT_CU(CALL(cuMemHostAlloc)(&pinned, 16, 0));
  auto* bytes = static_cast<std::uint8_t*>(pinned);
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  ASSERT_CU(CALL(cuMemcpyHtoA)(array, 0, pinned, 16));
  ASSERT_CU(CALL(cuMemcpyAtoH)(pinned, array, 8, 8));
  EXPECT_EQ(bytes[0], 8);
  EXPECT_EQ(CALL(cuMemcpyHtoA)(array, 0, bytes + 8, 9), CUDA_ERROR_INVALID_VALUE) << "past its end";
  EXPECT_EQ(CALL(cuMemcpyHtoA)(array, 0, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  Array<std::uint8_t> device(std::vector<std::uint8_t>(16));
  EXPECT_EQ(CALL(cuMemcpyHtoA)(array, 0, reinterpret_cast<void*>(device.address), 16),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(CALL(cuMemFreeHost)(pinned));
  ASSERT_CU(CALL(cuArrayDestroy)(array));
}

}  // namespace
}  // namespace warpmark::test
