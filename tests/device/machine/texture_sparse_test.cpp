// Sparse arrays, and arrays that memory is mapped into later: tiles, mip tails, and what lies nowhere.
#include <algorithm>
#include <string>
#include <vector>

#include "device/machine/texture.hpp"

namespace warpmark::test {
namespace {

constexpr std::uint64_t kTile = 65536;
constexpr std::size_t kUnit = std::size_t{2} << 20;
constexpr unsigned kSparse = CUDA_ARRAY3D_SPARSE, kDeferred = CUDA_ARRAY3D_DEFERRED_MAPPING;
// Integer coordinates; %q3 says whether the texel is resident.
const char* const kFetchOrNot =
    "tex.2d.v4.f32.s32 {%q0,%q1,%q2,%q3}|%p3, [%rd1, {%c0, %c1}]; selp.u32 %q3, 1, 0, %p3;";

struct SparseApi {
#define WARPMARK_ENTRY(member, name) \
  decltype(&::name) member = api().find<std::remove_pointer_t<decltype(&::name)>>(#name)
  WARPMARK_ENTRY(map, cuMemMapArrayAsync);
  WARPMARK_ENTRY(properties, cuArrayGetSparseProperties);
  WARPMARK_ENTRY(mipmap_properties, cuMipmappedArrayGetSparseProperties);
  WARPMARK_ENTRY(requirements, cuArrayGetMemoryRequirements);
  WARPMARK_ENTRY(mipmap_requirements, cuMipmappedArrayGetMemoryRequirements);
  WARPMARK_ENTRY(create, cuMemCreate);
  WARPMARK_ENTRY(release, cuMemRelease);
  WARPMARK_ENTRY(properties_of, cuMemGetAllocationPropertiesFromHandle);
  WARPMARK_ENTRY(reserve, cuMemAddressReserve);
  WARPMARK_ENTRY(unreserve, cuMemAddressFree);
  WARPMARK_ENTRY(map_memory, cuMemMap);
#undef WARPMARK_ENTRY
};
const SparseApi& sparse() {
  static const SparseApi instance;
  return instance;
}

CUarrayMapInfo of(CUarray array) {
  CUarrayMapInfo map{};
  map.resourceType = CU_RESOURCE_TYPE_ARRAY;
  map.resource.array = array;
  map.subresource.sparseLevel.extentDepth = 1;
  map.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP;
  map.deviceBitMask = 1;
  return map;
}
CUarrayMapInfo of(CUmipmappedArray mipmap) {
  CUarrayMapInfo map = of(CUarray{nullptr});
  map.resourceType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  map.resource.mipmap = mipmap;
  return map;
}
CUarrayMapInfo box(CUarrayMapInfo map, unsigned x, unsigned y, unsigned width, unsigned height,
                   unsigned layer = 0, unsigned level = 0) {
  map.subresource.sparseLevel = {level, layer, x, y, 0, width, height, 1};
  return map;
}
CUarrayMapInfo onto(CUarrayMapInfo map, CUmemGenericAllocationHandle pool, std::uint64_t offset) {
  map.memOperationType = CU_MEM_OPERATION_TYPE_MAP;
  map.memHandle.memHandle = pool;
  map.offset = offset;
  return map;
}

class SparseArrays : public TextureTest {
 protected:
  void TearDown() override {
    for (const CUmemGenericAllocationHandle pool : pools_) EXPECT_CU(sparse().release(pool));
    TextureTest::TearDown();
  }
  CUmemGenericAllocationHandle pool(std::size_t bytes = kUnit,
                                    unsigned short usage = CU_MEM_CREATE_USAGE_TILE_POOL) {
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.allocFlags.usage = usage;
    CUmemGenericAllocationHandle made = 0;
    EXPECT_CU(sparse().create(&made, bytes, &wanted, 0));
    pools_.push_back(made);
    return made;
  }
  static CUresult change(CUarrayMapInfo map) { return sparse().map(&map, 1, nullptr); }
  CUarray made(const CUDA_ARRAY3D_DESCRIPTOR& descriptor) { return array(descriptor, nullptr, 0); }
  static CUresult copy(CUarray to, const std::vector<float>& from, std::size_t x, std::size_t y,
                       std::size_t z, std::size_t width, std::size_t height, bool back = false) {
    CUDA_MEMCPY3D box{};
    auto* const host = const_cast<float*>(from.data());
    box.WidthInBytes = width * 4;
    box.Height = height;
    box.Depth = 1;
    if (back) {
      box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
      box.srcArray = to;
      box.srcXInBytes = x * 4;
      box.srcY = y;
      box.srcZ = z;
      box.dstMemoryType = CU_MEMORYTYPE_HOST;
      box.dstHost = host;
    } else {
      box.srcMemoryType = CU_MEMORYTYPE_HOST;
      box.srcHost = host;
      box.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      box.dstArray = to;
      box.dstXInBytes = x * 4;
      box.dstY = y;
      box.dstZ = z;
    }
    return images().copy_3d(&box);
  }
  CUtexObject points(const CUDA_RESOURCE_DESC& resource) {
    return texture(resource, sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0));
  }
  void said(CUresult result, CUresult wanted, const char* reason) {
    EXPECT_EQ(result, wanted) << reason;
    const std::vector<Json> all = reports();
    ASSERT_FALSE(all.empty()) << reason;
    EXPECT_NE(all.back().at("message").get<std::string>().find(reason), std::string::npos)
        << all.back().dump();
  }

 private:
  std::vector<CUmemGenericAllocationHandle> pools_;
};

TEST_F(SparseArrays, HaveTilesOf64KiB) {
  for (const CUdevice_attribute which :
       {CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
        CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED}) {
    int supported = 0;
    EXPECT_CU(api().device_attribute(&supported, which, 0));
    EXPECT_EQ(supported, 1);
  }
  const std::pair<CUarray_format, unsigned> formats[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 1}, {CU_AD_FORMAT_HALF, 1},  {CU_AD_FORMAT_FLOAT, 1},
      {CU_AD_FORMAT_UNSIGNED_INT8, 4}, {CU_AD_FORMAT_FLOAT, 2}, {CU_AD_FORMAT_FLOAT, 4}};
  for (const auto& [format, channels] : formats) {
    const unsigned texel = channels * (format == CU_AD_FORMAT_FLOAT  ? 4
                                       : format == CU_AD_FORMAT_HALF ? 2
                                                                     : 1);
    for (const std::size_t depth : {0, 40}) {
      const CUarray one = made(descriptor(300, 200, depth, kSparse, format, channels));
      CUDA_ARRAY_SPARSE_PROPERTIES found{};
      ASSERT_CU(sparse().properties(&found, one));
      const auto& tile = found.tileExtent;
      EXPECT_EQ(std::uint64_t{tile.width} * tile.height * tile.depth * texel, kTile);
      EXPECT_EQ(tile.depth > 1, depth != 0);
      EXPECT_EQ(found.miptailSize, 0u);
      EXPECT_EQ(found.flags, 0u);
      EXPECT_CU(images().destroy_array(one));
    }
  }
}

// Three tiles of six are mapped, the last ones of which the array does not fill.
TEST_F(SparseArrays, AreReadWhereMemoryIsMapped) {
  constexpr unsigned kWidth = 300, kHeight = 200;
  const CUarray one = made(descriptor(kWidth, kHeight, 0, kSparse));
  const CUmemGenericAllocationHandle memory = pool();
  ASSERT_CU(change(onto(box(of(one), 128, 0, 128, 128), memory, 3 * kTile)));
  ASSERT_CU(change(onto(box(of(one), 128, 128, kWidth - 128, kHeight - 128), memory, 0)));
  const auto data = texels(std::size_t{kWidth} * kHeight, 5);
  EXPECT_EQ(copy(one, data, 0, 0, 0, kWidth, kHeight), CUDA_ERROR_INVALID_VALUE)
      << "a part has no memory";
  const auto part = texels(100 * 100, 6);
  ASSERT_CU(copy(one, part, 150, 70, 0, 100, 100));  // across two tiles
  EXPECT_EQ(images().host_to_array(one, 0, data.data(), 16), CUDA_ERROR_NOT_SUPPORTED);
  std::vector<float> back(100 * 100);
  ASSERT_CU(copy(one, back, 150, 70, 0, 100, 100, true));
  EXPECT_EQ(back, part);
  static_cast<void>(reports());
  std::vector<Words> rows;
  for (unsigned i = 0; i < 400; ++i) rows.push_back({i * 7 % kWidth, i * 13 % kHeight});
  const auto found = run(points(of_array(one)), kFetchOrNot, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const unsigned x = rows[i][0], y = rows[i][1];
    const bool resident = x >= 128 && (x < 256 || y >= 128);
    const bool copied = x >= 150 && x < 250 && y >= 70 && y < 170;
    EXPECT_EQ(found[i][3], resident ? 1u : 0u) << x << " " << y;
    EXPECT_EQ(number(found[i][0]), copied ? part[(y - 70) * 100 + x - 150] : 0.0f) << x << " " << y;
  }
  for (const Json& report : reports()) EXPECT_NE(report.at("kind"), "surface") << report.dump();
}

// A filter that meets one texel without memory has no value.
TEST_F(SparseArrays, AreFilteredWhereAllTexelsHaveMemory) {
  const CUarray one = made(descriptor(256, 128, 0, kSparse));
  ASSERT_CU(change(onto(box(of(one), 0, 0, 128, 128), pool(), 0)));
  ASSERT_CU(copy(one, std::vector<float>(128 * 128, 4), 0, 0, 0, 128, 128));
  const CUtexObject handle =
      texture(of_array(one), sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0));
  const auto found =
      run(handle,
          "tex.2d.v4.f32.f32 {%q0,%q1,%q2,%q3}|%p3, [%rd1, {%c0, %c1}]; selp.u32 %q3, 1, 0, %p3;",
          {{word(127.5f), word(9.5f)}, {word(127.75f), word(9.5f)}, {word(200.0f), word(9.5f)}});
  EXPECT_EQ(number(found[0][0]), 4.0f);
  EXPECT_EQ(found[0][3], 1u);
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(found[i][0], 0u) << i;
    EXPECT_EQ(found[i][3], 0u) << i;
  }
}

// Without a predicate it is a mistake, and the launch goes on.
TEST_F(SparseArrays, AreReportedWhereNothingIsMapped) {
  const CUarray one = made(descriptor(256, 128, 0, kSparse | CUDA_ARRAY3D_SURFACE_LDST));
  const auto found = run(points(of_array(one)),
                         "tex.2d.v4.f32.s32 {%q0,%q1,%q2,%q3}, [%rd1, {%c0, %c1}];", {{3, 4}});
  EXPECT_EQ(found[0][0], 0u);
  EXPECT_CU(api().synchronize());
  std::vector<Json> all = reports();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NE(all[0].at("message").get<std::string>().find("no memory is mapped into the array"),
            std::string::npos);
  EXPECT_EQ(all[0].at("severity"), "error");
  const CUsurfObject plain = surface(one);
  (void)run(plain, "mov.u32 %c7, 5; sust.b.2d.b32.trap [%rd1, {%c0, %c1}], %c7;", {{8, 4}});
  (void)run(plain, "suld.b.2d.b32.trap %q0, [%rd1, {%c0, %c1}];", {{8, 4}});
  (void)run(plain, "sured.p.add.2d.b32.trap [%rd1, {%c0, %c1}], %c7;", {{8, 4}});
  EXPECT_CU(api().synchronize());
  all = reports();
  ASSERT_EQ(all.size(), 3u);
  for (const Json& one_of : all)
    EXPECT_NE(one_of.at("message").get<std::string>().find("surface"), std::string::npos);
}

// A surface of one array writes what another has at the same place of the memory; a mapping that is
// gone and made anew finds it again.
TEST_F(SparseArrays, ShareMemory) {
  const CUmemGenericAllocationHandle memory = pool();
  const CUarray one = made(descriptor(256, 256, 0, kSparse | CUDA_ARRAY3D_SURFACE_LDST)),
                other = made(descriptor(128, 128, 3, kSparse | CUDA_ARRAY3D_LAYERED));
  ASSERT_CU(change(onto(box(of(one), 128, 128, 128, 128), memory, 5 * kTile)));
  ASSERT_CU(change(onto(box(of(other), 0, 0, 128, 128, 2), memory, 5 * kTile)));
  (void)run(surface(one), "sust.b.2d.b32.trap [%rd1, {%c0, %c1}], %c2;",
            {{(128 + 7) * 4, 128 + 9, word(42.0f)}});
  const char* const layered =
      "tex.a2d.v4.f32.s32 {%q0,%q1,%q2,%q3}|%p3, [%rd1, {%c2, %c0, %c1, %c1}]; selp.u32 %q3, 1, 0, "
      "%p3;";
  const CUtexObject handle = points(of_array(other));
  const auto look = [&] { return run(handle, layered, {{7, 9, 2}, {7, 9, 1}}); };
  EXPECT_EQ(number(look()[0][0]), 42.0f);
  EXPECT_EQ(look()[1][3], 0u) << "another layer";
  ASSERT_CU(change(box(of(other), 0, 0, 128, 128, 2)));
  EXPECT_EQ(look()[0][3], 0u);
  ASSERT_CU(change(box(of(other), 0, 0, 128, 128, 2))) << "nothing is mapped there";
  ASSERT_CU(change(onto(box(of(other), 0, 0, 128, 128, 1), memory, 5 * kTile)));
  EXPECT_EQ(number(look()[1][0]), 42.0f);
}

TEST_F(SparseArrays, OfThreeDimensions) {
  const CUarray one = made(descriptor(64, 64, 40, kSparse));
  const CUmemGenericAllocationHandle memory = pool();
  CUarrayMapInfo map = onto(of(one), memory, 0);
  map.subresource.sparseLevel = {0, 0, 32, 0, 16, 32, 64, 24};  // to the end, which is in a tile
  ASSERT_CU(change(map));
  const auto data = texels(32 * 64, 8);
  for (const std::size_t z : {16, 31, 39}) ASSERT_CU(copy(one, data, 32, 0, z, 32, 64));
  EXPECT_EQ(copy(one, data, 32, 0, 15, 32, 64), CUDA_ERROR_INVALID_VALUE);
  const auto found = run(points(of_array(one)),
                         "tex.3d.v4.f32.s32 {%q0,%q1,%q2,%q3}|%p3, [%rd1, {%c0, %c1, %c2, %c2}]; "
                         "selp.u32 %q3, 1, 0, %p3;",
                         {{40, 50, 39}, {63, 0, 16}, {31, 50, 39}, {40, 50, 15}});
  EXPECT_EQ(number(found[0][0]), data[50 * 32 + 8]);
  EXPECT_EQ(number(found[1][0]), data[31]);
  EXPECT_EQ(found[2][3] + found[3][3], 0u);
}

// Levels of 512 and 256 texels have tiles, those of 128 and less than that the tail, or from 64 on.
TEST_F(SparseArrays, HaveMipTails) {
  const CUDA_ARRAY3D_DESCRIPTOR wanted = descriptor(512, 512, 2, kSparse | CUDA_ARRAY3D_LAYERED);
  CUmipmappedArray mipmap = nullptr;
  ASSERT_CU(images().mipmap(&mipmap, &wanted, 10));
  CUDA_ARRAY_SPARSE_PROPERTIES found{};
  ASSERT_CU(sparse().mipmap_properties(&found, mipmap));
  EXPECT_EQ(found.miptailFirstLevel, 3u) << "of 64 texels";
  EXPECT_EQ(found.miptailSize, kTile) << "of a layer";
  EXPECT_EQ(found.flags, 0u);
  const CUmemGenericAllocationHandle memory = pool();
  ASSERT_CU(change(onto(box(of(mipmap), 0, 0, 128, 128, 1, 2), memory, 0)));
  CUarrayMapInfo tail = onto(of(mipmap), memory, kTile);
  tail.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL;
  tail.subresource.miptail = {1, 0, found.miptailSize};
  ASSERT_CU(change(tail));
  for (const unsigned level : {2u, 3u, 5u, 9u}) {
    CUarray one = nullptr;
    ASSERT_CU(images().level(&one, mipmap, level));
    const std::size_t size = 512 >> level;
    const std::vector<float> data(size * size, static_cast<float>(level));
    ASSERT_CU(copy(one, data, 0, 0, 1, size, size)) << level;
    EXPECT_EQ(copy(one, data, 0, 0, 0, size, size), CUDA_ERROR_INVALID_VALUE) << level;
    EXPECT_EQ(sparse().properties(&found, one), CUDA_ERROR_INVALID_VALUE);
    CUarrayMapInfo of_level = onto(of(one), memory, 0);
    EXPECT_EQ(change(of_level), CUDA_ERROR_INVALID_VALUE);
  }
  static_cast<void>(reports());
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  CUDA_TEXTURE_DESC how =
      sampler(CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, CU_TRSF_NORMALIZED_COORDINATES);
  const auto levels =
      run(texture(resource, how),
          "mov.b32 %c3, 0f3F000000; tex.level.a2d.v4.f32.f32 {%q0,%q1,%q2,%q3}|%p3, [%rd1, {%c0, "
          "%c3, %c3, %c3}], %c1; selp.u32 %q3, 1, 0, %p3;",
          {{1, word(2.0f)},
           {1, word(3.0f)},
           {1, word(5.0f)},
           {1, word(9.0f)},
           {0, word(9.0f)},
           {1, word(1.0f)}});
  // The middle of level 2 is where four texels of its one tile meet.
  for (const std::size_t i : {0, 1, 2, 3}) EXPECT_EQ(levels[i][3], 1u) << i;
  EXPECT_EQ(number(levels[0][0]), 2.0f);
  EXPECT_EQ(number(levels[1][0]), 3.0f);
  EXPECT_EQ(number(levels[2][0]), 5.0f);
  EXPECT_EQ(number(levels[3][0]), 9.0f);
  EXPECT_EQ(levels[4][3], 0u) << "the tail of another layer";
  EXPECT_EQ(levels[5][3], 0u) << "a level without memory";
  EXPECT_CU(images().destroy_mipmap(mipmap));
}

TEST_F(SparseArrays, MayGetTheirMemoryLater) {
  const CUarray one = made(descriptor(100, 50, 0, kDeferred));
  CUDA_ARRAY_MEMORY_REQUIREMENTS needed{};
  ASSERT_CU(sparse().requirements(&needed, one, 0));
  EXPECT_GE(needed.size, 100u * 50 * 4);
  EXPECT_EQ(needed.size % needed.alignment, 0u);
  const auto data = texels(100 * 50, 3);
  EXPECT_EQ(copy(one, data, 0, 0, 0, 100, 50), CUDA_ERROR_INVALID_VALUE) << "there is none yet";
  ASSERT_CU(change(onto(of(one), pool(), needed.alignment)));
  ASSERT_CU(copy(one, data, 0, 0, 0, 100, 50));
  const auto found = run(points(of_array(one)), kFetchOrNot, {{99, 49}, {0, 7}});
  EXPECT_EQ(number(found[0][0]), data[49 * 100 + 99]);
  EXPECT_EQ(number(found[1][0]), data[700]);
  const CUDA_ARRAY3D_DESCRIPTOR wanted = descriptor(64, 64, 0, kDeferred);
  CUmipmappedArray mipmap = nullptr;
  ASSERT_CU(images().mipmap(&mipmap, &wanted, 3));
  ASSERT_CU(sparse().mipmap_requirements(&needed, mipmap, 0));
  EXPECT_GE(needed.size, (64u * 64 + 32 * 32 + 16 * 16) * 4);
  ASSERT_CU(change(onto(of(mipmap), pool(), 0)));
  CUarray last = nullptr;
  ASSERT_CU(images().level(&last, mipmap, 2));
  ASSERT_CU(copy(last, data, 0, 0, 0, 16, 16));
  CUDA_ARRAY_SPARSE_PROPERTIES properties{};
  said(sparse().mipmap_properties(&properties, mipmap), CUDA_ERROR_INVALID_VALUE,
       "CUDA_ARRAY3D_SPARSE");
}

TEST_F(SparseArrays, RefuseWhatTheManualDoesNotAllow) {
  CUarray none = nullptr;
  const auto refused = [&](const CUDA_ARRAY3D_DESCRIPTOR& wanted, const char* why) {
    said(images().array(&none, &wanted), CUDA_ERROR_INVALID_VALUE, why);
  };
  refused(descriptor(256, 0, 0, kSparse), "2D");
  refused(descriptor(256, 256, 6, kSparse | CUDA_ARRAY3D_CUBEMAP), "2D");
  refused(descriptor(256, 256, 0, kSparse | kDeferred), "exclude each other");
  const CUarray one = made(descriptor(512, 256, 0, kSparse)), plain = made(descriptor(64, 64, 0));
  const CUmemGenericAllocationHandle memory = pool(), usual = pool(kUnit, 0);
  const CUarrayMapInfo right = onto(box(of(one), 128, 0, 256, 128), memory, 0);
  const auto wrong = [&](auto change_it, const char* why) {
    CUarrayMapInfo map = right;
    change_it(map);
    said(change(map), CUDA_ERROR_INVALID_VALUE, why);
  };
  wrong([&](CUarrayMapInfo& m) { m.resource.array = plain; }, "CUDA_ARRAY3D_SPARSE");
  wrong([](CUarrayMapInfo& m) { m.flags = 1; }, "must be zero");
  wrong([](CUarrayMapInfo& m) { m.reserved[1] = 1; }, "must be zero");
  wrong([](CUarrayMapInfo& m) { m.deviceBitMask = 3; }, "deviceBitMask");
  wrong([](CUarrayMapInfo& m) { m.deviceBitMask = 0; }, "deviceBitMask");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.offsetX = 64; }, "multiples of a tile");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.extentHeight = 64; }, "multiples");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.extentWidth = 512; }, "inside the level");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.extentDepth = 0; }, "multiples");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.layer = 1; }, "no such layer");
  wrong([](CUarrayMapInfo& m) { m.subresource.sparseLevel.level = 1; }, "no such level");
  wrong([](CUarrayMapInfo& m) { m.subresourceType = CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL; },
        "no mip tail");
  wrong([](CUarrayMapInfo& m) { m.memHandle.memHandle = 1234567; }, "live memory");
  wrong([&](CUarrayMapInfo& m) { m.memHandle.memHandle = usual; }, "CU_MEM_CREATE_USAGE_TILE_POOL");
  wrong([](CUarrayMapInfo& m) { m.offset = 4096; }, "65536");
  wrong([](CUarrayMapInfo& m) { m.offset = kUnit - kTile; }, "leave the memory");
  wrong([](CUarrayMapInfo& m) { m.memOperationType = CU_MEM_OPERATION_TYPE_UNMAP; }, "to unmap");
  ASSERT_CU(change(right));
  wrong([](CUarrayMapInfo&) {}, "unmap it first");
  CUarrayMapInfo unknown = right;
  unknown.resource.array = nullptr;
  EXPECT_EQ(change(unknown), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(sparse().map(nullptr, 1, nullptr), CUDA_ERROR_INVALID_VALUE);
  // One wrong entry, and nothing is done.
  CUarrayMapInfo both[2] = {box(of(one), 128, 0, 256, 128), right};
  both[1].offset = 1;
  EXPECT_EQ(sparse().map(both, 2, nullptr), CUDA_ERROR_INVALID_VALUE);
  const auto found = run(points(of_array(one)), kFetchOrNot, {{130, 5}});
  EXPECT_EQ(found[0][3], 1u);
  CUDA_ARRAY_SPARSE_PROPERTIES properties{};
  said(sparse().properties(&properties, plain), CUDA_ERROR_INVALID_VALUE, "CUDA_ARRAY3D_SPARSE");
  CUDA_ARRAY_MEMORY_REQUIREMENTS needed{};
  said(sparse().requirements(&needed, one, 0), CUDA_ERROR_INVALID_VALUE,
       "CUDA_ARRAY3D_DEFERRED_MAPPING");
  // A pool is for arrays alone, and says what it is.
  CUmemAllocationProp what{};
  ASSERT_CU(sparse().properties_of(&what, memory));
  EXPECT_EQ(what.allocFlags.usage, CU_MEM_CREATE_USAGE_TILE_POOL);
  CUdeviceptr address = 0;
  ASSERT_CU(sparse().reserve(&address, kUnit, 0, 0, 0));
  EXPECT_EQ(sparse().map_memory(address, kUnit, 0, memory, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(sparse().unreserve(address, kUnit));
}

// An array that is destroyed gives its addresses back; memory of it stays with its handle.
TEST_F(SparseArrays, GiveTheirMappingsBack) {
  const CUmemGenericAllocationHandle memory = pool();
  for (int turn = 0; turn < 3; ++turn) {
    const CUarray one = made(descriptor(128, 128, 0, kSparse));
    ASSERT_CU(change(onto(box(of(one), 0, 0, 128, 128), memory, 0)));
    if (turn == 0) {
      ASSERT_CU(copy(one, std::vector<float>(128 * 128, 7), 0, 0, 0, 128, 128));
    }
    std::vector<float> back(128 * 128);
    ASSERT_CU(copy(one, back, 0, 0, 0, 128, 128, true));
    EXPECT_EQ(std::count(back.begin(), back.end(), 7.0f), 128 * 128);
    if (turn < 2) {
      EXPECT_CU(images().destroy_array(one));
    }  // the context ends with the last one
  }
}

}  // namespace
}  // namespace warpmark::test
