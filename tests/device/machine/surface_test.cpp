// Surface accesses: widths, geometries, the three ways to be outside, formats, reductions.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "device/support/image.hpp"
#include "device/support/newer.hpp"

namespace warpmark::test {
namespace {

CUDA_ARRAY3D_DESCRIPTOR descriptor(std::size_t width, std::size_t height, std::size_t depth,
                                   unsigned flags, CUarray_format format, unsigned channels) {
  return {width, height, depth, format, channels, flags | CUDA_ARRAY3D_SURFACE_LDST};
}

class SurfaceTest : public ImageTest {
 protected:
  template <typename T>
  std::vector<T> fetch(CUarray from, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_CU(images().array_to_host(values.data(), from, 0, count * sizeof(T)));
    return values;
  }
};

std::uint32_t coordinate(int value) {
  return static_cast<std::uint32_t>(value);
}

TEST_F(SurfaceTest, EveryWidthLoadsAndStoresBytes) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes(256);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  for (const int element : {1, 2, 4, 8}) {
    for (const int count : {1, 2, 4}) {
      const int width = element * count;
      if (width > 16) continue;
      const CUarray storage =
          array(descriptor(16, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 4), bytes.data(), 16);
      const CUsurfObject handle = surface(storage);
      const std::string type = (count == 1 ? "" : ".v" + std::to_string(count)) + ".b" +
                               std::to_string(element * 8) + ".trap ";
      const std::string registers = element == 8 ? "%w" : element == 4 ? "%q" : "%h";
      std::string list = "{";
      for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + registers + std::to_string(i);
      list += "}";
      std::string spread;  // into %q0 … %q3
      for (int i = 0; i < count && element < 4; ++i)
        spread += "cvt.u32.u16 %q" + std::to_string(i) + ", %h" + std::to_string(i) + ";\n";
      for (int i = 0; i < count && element == 8; ++i)
        spread += "mov.b64 {%q" + std::to_string(2 * i) + ", %q" + std::to_string(2 * i + 1) +
                  "}, %w" + std::to_string(i) + ";\n";
      const auto read = run(handle, "suld.b.1d" + type + list + ", [%rd1, {%c0}];\n" + spread,
                            {{0}, {coordinate(width * 3)}, {coordinate(256 - width)}});
      const int at[] = {0, width * 3, 256 - width};
      for (int row = 0; row < 3; ++row) {
        for (int i = 0; i < count; ++i) {
          std::uint64_t want = 0, got = read[row][i];
          std::memcpy(&want, &bytes[at[row] + i * element], element);
          if (element == 8) got = read[row][2 * i] | std::uint64_t{read[row][2 * i + 1]} << 32;
          EXPECT_EQ(got, want) << type << at[row] << " element " << i;
        }
      }
      // The bytes of place 0 go to the last place, and nothing else changes.
      run(handle,
          "suld.b.1d" + type + list + ", [%rd1, {%c0}];\nsust.b.1d" + type + "[%rd1, {%c1}], " +
              list + ";",
          {{0, coordinate(256 - width)}});
      auto want = bytes;
      std::copy_n(bytes.begin(), width, want.end() - width);
      EXPECT_EQ(fetch<std::uint8_t>(storage, 256), want) << type;
    }
  }
}

TEST_F(SurfaceTest, EveryGeometryFindsItsTexel) {
  std::vector<std::uint32_t> data(6 * 5 * 4);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(1000 + i);
  const auto load = [&](const char* shape, const char* place, std::array<std::size_t, 3> size,
                        unsigned flags) {
    const CUarray storage =
        array(descriptor(size[0], size[1], size[2], flags, CU_AD_FORMAT_UNSIGNED_INT32, 1),
              data.data(), 4);
    return run(surface(storage),
               std::string("suld.b.") + shape + ".b32.trap {%q0}, [%rd1, " + place + "];",
               {{12, 4, 2}})[0][0];
  };
  EXPECT_EQ(load("1d", "{%c0}", {120, 0, 0}, 0), 1003u);
  EXPECT_EQ(load("2d", "{%c0, %c1}", {6, 20, 0}, 0), 1000u + 4 * 6 + 3);
  EXPECT_EQ(load("3d", "{%c0, %c1, %c2, %c2}", {6, 5, 4}, 0), 1000u + 2 * 30 + 4 * 6 + 3);
  EXPECT_EQ(load("a1d", "{%c2, %c0}", {30, 0, 4}, CUDA_ARRAY3D_LAYERED), 1000u + 2 * 30 + 3);
  EXPECT_EQ(load("a2d", "{%c2, %c0, %c1, %c1}", {6, 5, 4}, CUDA_ARRAY3D_LAYERED),
            1000u + 2 * 30 + 4 * 6 + 3);
}

TEST_F(SurfaceTest, OutsideIsClampedZeroOrATrap) {
  std::vector<std::uint32_t> data(8 * 4 * 2);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint32_t>(i + 1);
  const auto d = descriptor(8, 4, 2, CUDA_ARRAY3D_LAYERED, CU_AD_FORMAT_UNSIGNED_INT32, 1);
  const CUarray storage = array(d, data.data(), 4);
  const CUsurfObject handle = surface(storage);
  constexpr int most = std::numeric_limits<int>::max() & ~3,
                least = std::numeric_limits<int>::min();
  std::vector<std::array<int, 3>> points;
  std::vector<Words> rows;
  for (const int x : {-4, 0, 28, 32, most, least})
    for (const int y : {-1, 0, 3, 4, most, least})
      for (const int layer : {-1, 0, 1, 2, most, least}) {
        points.push_back({x, y, layer});
        rows.push_back({coordinate(layer), coordinate(x), coordinate(y)});
      }
  const std::string where = " {%q0}, [%rd1, {%c0, %c1, %c2, %c2}];";
  const auto clamped = run(handle, "suld.b.a2d.b32.clamp" + where, rows);
  const auto zeroed = run(handle, "suld.b.a2d.b32.zero" + where, rows);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [x, y, layer] = points[i];
    const int cx = std::clamp(x, 0, 28), cy = std::clamp(y, 0, 3), cl = std::clamp(layer, 0, 1);
    const std::uint32_t nearest = data[cl * 32 + cy * 8 + cx / 4];
    const bool inside = cx == x && cy == y && cl == layer;
    EXPECT_EQ(clamped[i][0], nearest) << x << " " << y << " " << layer;
    EXPECT_EQ(zeroed[i][0], inside ? nearest : 0) << x << " " << y << " " << layer;
  }
  // Stores: outside they are dropped, or go to the edge.
  run(handle, "mov.b32 %q0, 77;\nsust.b.a2d.b32.zero [%rd1, {%c0, %c1, %c2, %c2}], {%q0};",
      {{0, 32, 0}, {0, 0, 4}, {2, 0, 0}});
  EXPECT_EQ(fetch<std::uint32_t>(storage, 64), data);
  run(handle, "mov.b32 %q0, 77;\nsust.b.a2d.b32.clamp [%rd1, {%c0, %c1, %c2, %c2}], {%q0};",
      {{9, 400, 400}});
  data[63] = 77;
  EXPECT_EQ(fetch<std::uint32_t>(storage, 64), data);
  Json report;
  EXPECT_EQ(failing(handle, "suld.b.a2d.b32.trap" + where, {1, 32, 2}, report),
            CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(report["kind"], "surface_out_of_range");
  EXPECT_THAT(report["message"], ::testing::HasSubstr("x = 32, y = 2, layer = 1"));
}

TEST_F(SurfaceTest, PlacesAreAlignedToTheAccess) {
  const CUarray storage = array(descriptor(8, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1), nullptr, 1);
  Json report;
  EXPECT_EQ(failing(surface(storage), "suld.b.1d.b32.clamp {%q0}, [%rd1, {%c0}];", {2}, report),
            CUDA_ERROR_MISALIGNED_ADDRESS);
  // Wider than the whole row: outside wherever it begins, though clamped.
  const CUarray tiny = array(descriptor(2, 0, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1), nullptr, 1);
  const auto results =
      run(surface(tiny), "mov.b32 %q0, 5;\nsuld.b.1d.b32.clamp {%q0}, [%rd1, {%c0}];", {{0}});
  EXPECT_EQ(results[0][0], 0u);
}

TEST_F(SurfaceTest, FormattedStoresConvert) {
  const Words values = {0, 300, coordinate(-200), 7};
  const auto store = [&](CUarray_format format, unsigned channels, const Words& row) {
    const CUarray storage = array(descriptor(4, 0, 0, 0, format, channels), nullptr, 1);
    run(surface(storage),
        "mov.b32 %r4, 2;\nsust.p.1d.v4.b32.trap [%rd1, {%r4}], {%c0, %c1, %c2, %c3};", {row});
    return storage;
  };
  // Texel 2 of four, each channel saturated to its type.
  EXPECT_EQ(fetch<std::uint8_t>(store(CU_AD_FORMAT_UNSIGNED_INT8, 2, values), 8),
            (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 255, 0, 0}));
  EXPECT_EQ(fetch<std::int8_t>(store(CU_AD_FORMAT_SIGNED_INT8, 4, values), 12)[10], -128);
  EXPECT_EQ(fetch<std::int16_t>(store(CU_AD_FORMAT_SIGNED_INT16, 4, values), 12)[10], -200);
  EXPECT_EQ(fetch<std::uint16_t>(store(CU_AD_FORMAT_HALF, 2, {word(1.5f), word(-2.0f)}), 6),
            (std::vector<std::uint16_t>{0, 0, 0, 0, 0x3e00, 0xc000}));
  EXPECT_EQ(fetch<float>(store(CU_AD_FORMAT_FLOAT, 1, {word(0.1f)}), 3)[2], 0.1f);
}

TEST_F(SurfaceTest, ReductionsOfAllThreads) {
  const auto d = descriptor(2, 2, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2);
  std::vector<Words> rows;
  std::uint64_t sum = 0;
  std::int32_t least = 1000;
  std::uint32_t all = ~0u;
  std::mt19937 random(9);
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t value = random() | 0x10u;
    rows.push_back({value});
    sum += value;
    least = std::min(least, static_cast<std::int32_t>(value));
    all &= value;
  }
  configure(R"({"workers": 2})");
  const std::vector<std::uint32_t> start = {0, 0, 1000, ~0u, 0, 0, 0, 0};
  const CUarray storage = array(d, start.data(), 8);
  run(surface(storage),
      "mov.b32 %r4, 0; mov.b32 %r5, 8; mov.b32 %r6, 12; mov.b32 %r7, 1; cvt.u64.u32 %w0, %c0;\n"
      "sured.b.add.2d.u64.trap [%rd1, {%r4, %r4}], %w0;\n"
      "sured.b.min.2d.s32.trap [%rd1, {%r5, %r4}], %c0;\n"
      "sured.b.and.2d.b32.trap [%rd1, {%r6, %r4}], %c0;\n"
      "sured.p.or.2d.b32.trap [%rd1, {%r7, %r7}], %c0;\n"
      "sured.b.max.2d.u32.zero [%rd1, {%r6, %r6}], %c0;",
      rows);
  const auto got = fetch<std::uint32_t>(storage, 8);
  EXPECT_EQ(got[0] | std::uint64_t{got[1]} << 32, sum);
  EXPECT_EQ(static_cast<std::int32_t>(got[2]), least);
  EXPECT_EQ(got[3], all);
  EXPECT_EQ(got[6] & 0x10u, 0x10u);
  EXPECT_EQ(got[4], 0u);
}

TEST_F(SurfaceTest, OnlyArraysAreSurfaces) {
  CUsurfObject handle = 0;
  const CUDA_ARRAY3D_DESCRIPTOR plain = {8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  auto resource = of_array(array(plain, nullptr, 4));
  ASSERT_CU(images().surface(&handle, &resource));  // a driver does not ask for SURFACE_LDST
  ASSERT_CU(images().destroy_surface(handle));
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  EXPECT_EQ(images().surface(&handle, &resource), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().surface(nullptr, &resource), CUDA_ERROR_INVALID_VALUE);
  const CUarray storage = array(descriptor(8, 0, 0, 0, CU_AD_FORMAT_FLOAT, 1), nullptr, 4);
  handle = surface(storage);
  ASSERT_CU(images().surface_resource(&resource, handle));
  EXPECT_EQ(resource.res.array.hArray, storage);
  ASSERT_CU(images().destroy_surface(handle));
  EXPECT_EQ(images().surface_resource(&resource, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(images().destroy_surface(handle), CUDA_ERROR_INVALID_VALUE);
}

// The course's kernels, as NVRTC compiles them.
TEST_F(SurfaceTest, KernelsOfTheCourseRun) {
  for (const char* file : {"texture.sm_75.ptx", "texture.sm_90.ptx", "texture.sm_100.ptx"}) {
    const int w = 20, h = 9;
    std::vector<float> data(w * h);
    for (int i = 0; i < w * h; ++i) data[i] = static_cast<float>(i * i % 97);
    const CUDA_ARRAY3D_DESCRIPTOR d = {w, h, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    const CUarray storage = array(d, data.data(), 4);
    CUDA_TEXTURE_DESC linear{};
    for (auto& mode : linear.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    linear.filterMode = CU_TR_FILTER_MODE_LINEAR;
    const CUtexObject image = texture(of_array(storage), linear);
    Array<float> out(data.size());
    ASSERT_CU(launch(kernel(file, "tex2d"), {2, 2}, {16, 8}, 0, image, out.address, w, h));
    ASSERT_CU(out.fetch());
    EXPECT_EQ(out.host, data) << file;  // at x + 0.5, y + 0.5 lie the texels themselves
    const CUsurfObject written = surface(storage);
    ASSERT_CU(launch(kernel(file, "surf_rw"), {1}, {w, h}, 0, written, w, h));
    auto doubled = data;
    for (float& value : doubled) value *= 2;
    EXPECT_EQ(fetch<float>(storage, data.size()), doubled) << file;

    // tex_more: 1D memory, a 2D texture of four bytes, a 3D one, all that the kernel adds up.
    Array<float> line(std::vector<float>{1, 2, 3, 4});
    CUDA_RESOURCE_DESC memory{};
    memory.resType = CU_RESOURCE_TYPE_LINEAR;
    memory.res.linear = {line.address, CU_AD_FORMAT_FLOAT, 1, 16};
    CUDA_TEXTURE_DESC point = linear;
    point.filterMode = CU_TR_FILTER_MODE_POINT;
    std::vector<std::uint8_t> pixels(4 * 4 * 4);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
    const CUDA_ARRAY3D_DESCRIPTOR square = {4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
    const CUDA_ARRAY3D_DESCRIPTOR cube = {2, 2, 2, CU_AD_FORMAT_FLOAT, 1, 0};
    const std::vector<float> eight = {10, 20, 30, 40, 50, 60, 70, 80};
    const CUtexObject t1 = texture(memory, point),
                      t2 = texture(of_array(array(square, pixels.data(), 4)), point),
                      t3 = texture(of_array(array(cube, eight.data(), 4)), point);
    Array<std::array<float, 4>> sums(std::size_t{4});
    Array<std::array<std::uint8_t, 4>> colors(std::size_t{4});
    Array<int> integers(std::size_t{4});
    ASSERT_CU(launch(kernel(file, "tex_more"), {1}, {4}, 0, t1, t2, t3, sums.address,
                     colors.address, integers.address));
    ASSERT_CU(sums.fetch());
    ASSERT_CU(colors.fetch());
    ASSERT_CU(integers.fetch());
    for (int i = 0; i < 4; ++i) {
      // Integers of a texture that reads as numbers are the numbers' bits; layer 2 of 1 is the
      // only.
      const std::uint8_t* pixel = &pixels[(i * 4 + i) * 4];
      const auto bits = [&](int c) { return word(static_cast<float>(pixel[c]) / 255.0f); };
      for (int c = 0; c < 4; ++c) EXPECT_EQ(colors.host[i][c], bits(c) & 0xff) << file;
      EXPECT_EQ(static_cast<std::uint32_t>(integers.host[i]), word(line.host[i]) + 2 * bits(0))
          << file;
      // x: pixel (0, 0)'s first byte as a number, and element i; y: the second, and texel (0, 0,
      // 0).
      EXPECT_EQ(sums.host[i][0], 0.0f / 255 + line.host[i]) << file;
      EXPECT_EQ(sums.host[i][1], 1.0f / 255 + 10) << file;
      EXPECT_EQ(sums.host[i][3], 3.0f / 255) << file;
    }

    // tex_forms on a small array with every geometry: the texel is the same in each.
    Array<float> forms(std::size_t{8});
    const std::vector<float> same(6 * 4 * 4, 3.0f);
    const CUDA_ARRAY3D_DESCRIPTOR faces = {4, 4, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
    CUDA_TEXTURE_DESC normalized = point;
    normalized.flags = CU_TRSF_NORMALIZED_COORDINATES;
    const CUtexObject everything = texture(of_array(array(faces, same.data(), 4)), normalized);
    ASSERT_CU(launch(kernel(file, "tex_forms"), {1}, {1}, 0, everything, forms.address, 0.3f, 0.6f,
                     0.9f, 2));
    ASSERT_CU(forms.fetch());
    EXPECT_EQ(forms.host, (std::vector<float>{3, 1, 3, 3, 3, 3, 3, 3})) << file;
    const CUDA_ARRAY3D_DESCRIPTOR wide = {
        16, 0, 0, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_SURFACE_LDST};
    const std::vector<std::uint8_t> ones(128, 1);
    const CUarray bytes = array(wide, ones.data(), 8);
    ASSERT_CU(launch(kernel(file, "surf_forms"), {1}, {16}, 0, surface(bytes), 16));
    // Every texel's first byte went from 1 to 2, and came back through the other two accesses.
    const auto after = fetch<std::uint8_t>(bytes, 128);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(after[i], i % 4 == 0 ? 2 : 1) << file << i;
  }
}

}  // namespace
}  // namespace warpmark::test
