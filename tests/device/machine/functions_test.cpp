// The functions that NVRTC builds from exact operations: right on the CPU device, and the same bits
// as a GPU gives where there is one (label `gpu`; skipped elsewhere). So are texture fetches.
//
// WARPMARK_TEST_POINTS sets the number of points of each function, a million if left out on a GPU.
#include <cuda.h>
#include <gtest/gtest.h>
#include <quadmath.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "device/machine/machine.hpp"

namespace warpmark::test {
namespace {

__extension__ using Quad = __float128;

const std::string& text() {
  static const std::string ptx = [] {
    std::ifstream file(WARPMARK_TEST_DATA "/functions.sm_90.ptx", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return ptx;
}

template <typename T>
std::vector<T> evaluate(const Machine& machine, const char* name, const std::vector<T>& a,
                        const std::vector<T>& b) {
  machine.enter();
  const CUfunction kernel = machine.function(text(), name);
  CUdeviceptr x = machine.upload(a), y = machine.upload(b);
  CUdeviceptr out = machine.upload(std::vector<T>(a.size()));
  auto count = static_cast<unsigned>(a.size());
  void* parameters[] = {&x, &y, &out, &count};
  machine.launch(kernel, (count + 127) / 128, 128, parameters);
  std::vector<T> results(a.size()), unused(a.size());
  machine.download(results, out);
  machine.download(unused, x);
  machine.download(unused, y);
  return results;
}

const Machine& cpu() {
  static const Machine machine(WARPMARK_CPU_LIBRARY);
  return machine;
}
const Machine& gpu() {
  static const Machine machine("libcuda.so.1");
  return machine;
}

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Half of the points are any bits, half lie where functions are used.
template <typename T>
std::vector<T> inputs(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> wide(-100, 100), unit(-2, 2);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i % 4 < 2    ? std::bit_cast<T>(static_cast<Bits<T>>(random()))
                : i % 4 == 2 ? wide(random)
                             : unit(random);
  }
  return values;
}

std::size_t points(std::size_t otherwise) {
  const char* wish = std::getenv("WARPMARK_TEST_POINTS");
  return wish == nullptr ? otherwise : std::strtoull(wish, nullptr, 10);
}

/// A function, and its greatest error in ulp: CUDA C++ Programming Guide, "Mathematical Functions".
template <typename T>
struct Function {
  const char* name;
  Quad (*exact)(Quad, Quad);
  double ulps;
};
const Function<float> kSingle[] = {
    {"f_sinf", [](Quad x, Quad) { return sinq(x); }, 2},
    {"f_cosf", [](Quad x, Quad) { return cosq(x); }, 2},
    {"f_logf", [](Quad x, Quad) { return logq(x); }, 1},
    {"f_log2f", [](Quad x, Quad) { return log2q(x); }, 1},
    {"f_log10f", [](Quad x, Quad) { return log10q(x); }, 2},
    {"f_log1pf", [](Quad x, Quad) { return log1pq(x); }, 1},
    {"f_sqrtf", [](Quad x, Quad) { return sqrtq(x); }, 0},
    {"f_reciprocal", [](Quad x, Quad) -> Quad { return 1 / x; }, 0},
    {"f_divide", [](Quad x, Quad y) -> Quad { return x / y; }, 0},
    {"f_atan2f", [](Quad x, Quad y) { return atan2q(x, y); }, 3},
    {"f_hypotf", [](Quad x, Quad y) { return hypotq(x, y); }, 3},
};
const Function<double> kDouble[] = {
    {"d_sin", [](Quad x, Quad) { return sinq(x); }, 2},
    {"d_exp", [](Quad x, Quad) { return expq(x); }, 1},
    {"d_sqrt", [](Quad x, Quad) { return sqrtq(x); }, 0},
    {"d_divide", [](Quad x, Quad y) -> Quad { return x / y; }, 0},
    {"d_fmod", [](Quad x, Quad y) { return fmodq(x, y); }, 0},
    {"d_atan2", [](Quad x, Quad y) { return atan2q(x, y); }, 2},
};

template <typename T>
void is_right(const Function<T>& function) {
  const auto a = inputs<T>(points(8192), 1), b = inputs<T>(a.size(), 2);
  const auto got = evaluate(cpu(), function.name, a, b);
  int shown = 0;
  for (std::size_t i = 0; i < a.size() && shown < 3; ++i) {
    // binary128 has no fmod of numbers as far apart as these; the C library's is exact.
    const bool remainder = std::string_view(function.name) == "d_fmod";
    const Quad exact = remainder ? static_cast<Quad>(std::fmod(a[i], b[i]))
                                 : function.exact(static_cast<Quad>(a[i]), static_cast<Quad>(b[i]));
    const T want = static_cast<T>(exact);
    if (std::isnan(want) || std::isinf(want)) {
      if (std::isnan(want) ? std::isnan(got[i]) : got[i] == want) continue;
    } else {
      const int last = std::max(std::ilogb(want == 0 ? std::numeric_limits<T>::min() : want),
                                std::numeric_limits<T>::min_exponent - 1) -
                       (std::numeric_limits<T>::digits - 1);
      const Quad off = fabsq(static_cast<Quad>(got[i]) - exact);
      if (off <= ldexpq(static_cast<Quad>(function.ulps == 0 ? 0.5 : function.ulps), last))
        continue;
    }
    ++shown;
    ADD_FAILURE() << function.name << " of " << a[i] << ", " << b[i] << ": got " << got[i]
                  << ", want " << want;
  }
}

TEST(Functions, AreWithinTheGuidesErrors) {
  ASSERT_TRUE(cpu().usable());
  for (const auto& function : kSingle) is_right(function);
  for (const auto& function : kDouble) is_right(function);
}

template <typename T>
void is_equal(const Function<T>& function) {
  const auto a = inputs<T>(points(1000000), 1), b = inputs<T>(a.size(), 2);
  const auto here = evaluate(cpu(), function.name, a, b),
             there = evaluate(gpu(), function.name, a, b);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto mine = std::bit_cast<Bits<T>>(here[i]), theirs = std::bit_cast<Bits<T>>(there[i]);
    if (mine == theirs) continue;
    if (++differ <= 3) {
      ADD_FAILURE() << function.name << std::hex << " of 0x" << std::bit_cast<Bits<T>>(a[i])
                    << ", 0x" << std::bit_cast<Bits<T>>(b[i]) << ": CPU 0x" << mine << ", GPU 0x"
                    << theirs;
    }
  }
  std::printf("| `%s` | %zu | %zu |\n", function.name, a.size(), differ);
}

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu().usable()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(OnGpu, FunctionsGiveTheSameBits) {
  std::puts("| function | points | that differ |\n| --- | --- | --- |");
  for (const auto& function : kSingle) is_equal(function);
  for (const auto& function : kDouble) is_equal(function);
}

// One texel row, or a small image, in every address and filter mode.
std::vector<std::array<std::uint32_t, 4>> fetch(const Machine& machine,
                                                const CUDA_TEXTURE_DESC& how,
                                                const std::vector<std::array<float, 2>>& points,
                                                CUarray_format format, unsigned channel_bytes) {
  constexpr std::size_t kWidth = 24, kHeight = 10;
  machine.enter();
  std::mt19937 random(3);
  std::vector<std::uint8_t> texels(kWidth * kHeight * 4 * channel_bytes);
  for (std::size_t i = 0; i < texels.size(); i += channel_bytes) {
    const auto number = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
    std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
    if (format != CU_AD_FORMAT_FLOAT) bits = random();
    std::memcpy(&texels[i], &bits, channel_bytes);
  }
  const CUDA_ARRAY3D_DESCRIPTOR description = {kWidth, kHeight, 0, format, 4, 0};
  CUarray array = nullptr;
  machine.must(machine.call<CUresult (*)(CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*)>(
                   "cuArray3DCreate_v2")(&array, &description),
               "array");
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.srcPitch = copy.WidthInBytes = kWidth * 4 * channel_bytes;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = kHeight;
  machine.must(machine.call<CUresult (*)(const CUDA_MEMCPY2D*)>("cuMemcpy2D_v2")(&copy), "copy");
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUtexObject texture = 0;
  using Create = CUresult (*)(CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                              const CUDA_RESOURCE_VIEW_DESC*);
  machine.must(machine.call<Create>("cuTexObjectCreate")(&texture, &resource, &how, nullptr),
               "texture");
  const CUfunction kernel = machine.function(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 "
      "in, .param .u64 out, .param .u32 n)\n{ .reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<6>; "
      ".reg "
      ".b64 %rd<6>;\nld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [out]; "
      "ld.param.u32 %r1, [n];\nmov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r2, %r2, "
      "128, "
      "%r3; setp.ge.u32 %p, %r2, %r1; @%p ret;\nmul.wide.u32 %rd4, %r2, 8; add.s64 %rd2, %rd2, "
      "%rd4; "
      "mul.wide.u32 %rd4, %r2, 16; add.s64 %rd3, %rd3, %rd4;\nld.global.v2.f32 {%f0, %f1}, "
      "[%rd2];\n"
      "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f0, %f1}];\n"
      "st.global.v4.f32 [%rd3], {%f2, %f3, %f4, %f5};\nret;\n}\n",
      "k");
  std::vector<std::array<std::uint32_t, 4>> results(points.size());
  CUdeviceptr in = machine.upload(points), out = machine.upload(results);
  auto count = static_cast<unsigned>(points.size());
  void* parameters[] = {&texture, &in, &out, &count};
  machine.launch(kernel, static_cast<unsigned>((points.size() + 127) / 128), 128, parameters);
  machine.download(results, out);
  auto unused = points;
  machine.download(unused, in);
  machine.must(machine.call<CUresult (*)(CUtexObject)>("cuTexObjectDestroy")(texture), "destroy");
  machine.must(machine.call<CUresult (*)(CUarray)>("cuArrayDestroy")(array), "destroy");
  return results;
}

TEST_F(OnGpu, TextureFetchesGiveTheSameBits) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> range(-2.5f, 3.5f);
  std::puts(
      "| format | address mode | filter | coordinates | fetches | that differ |\n"
      "| --- | --- | --- | --- | --- | --- |");
  const std::pair<CUarray_format, unsigned> formats[] = {
      {CU_AD_FORMAT_FLOAT, 4}, {CU_AD_FORMAT_UNSIGNED_INT8, 1}, {CU_AD_FORMAT_SIGNED_INT16, 2}};
  for (const auto& [format, bytes] : formats) {
    for (unsigned mode = 0; mode < 4; ++mode) {
      for (const bool linear : {false, true}) {
        for (const bool normalized : {false, true}) {
          CUDA_TEXTURE_DESC how{};
          for (auto& axis : how.addressMode) axis = static_cast<CUaddress_mode>(mode);
          how.filterMode = linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
          how.flags = normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;
          if (!normalized && (mode == 0 || mode == 2)) continue;  // the driver has no such texture
          std::vector<std::array<float, 2>> points(20000);
          for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t axis = 0; axis < 2; ++axis) {
              const float x = range(random);
              points[i][axis] = (i % 2 == 0 ? x : std::floor(x * 16) / 16) * (normalized  ? 1.0f
                                                                              : axis == 0 ? 24.0f
                                                                                          : 10.0f);
            }
          }
          const auto here = fetch(cpu(), how, points, format, bytes);
          const auto there = fetch(gpu(), how, points, format, bytes);
          std::size_t differ = 0;
          for (std::size_t i = 0; i < points.size(); ++i) {
            if (here[i] == there[i]) continue;
            if (++differ <= 2) {
              ADD_FAILURE() << "format " << format << ", mode " << mode
                            << (linear ? " linear" : " point") << (normalized ? " normalized" : "")
                            << " at " << points[i][0] << ", " << points[i][1] << ": CPU "
                            << std::bit_cast<float>(here[i][0]) << ", GPU "
                            << std::bit_cast<float>(there[i][0]);
            }
          }
          std::printf("| %d | %u | %s | %s | %zu | %zu |\n", static_cast<int>(format), mode,
                      linear ? "linear" : "point", normalized ? "normalized" : "texels",
                      points.size(), differ);
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpmark::test
