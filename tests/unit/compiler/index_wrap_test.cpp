// Indices that 32 bits do not hold, in PTX that the real NVRTC makes.
#include "compiler/index_wrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compiler.hpp"

namespace warpmark {
namespace {

class IndexWrap : public testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = Nvrtc::open();
    } catch (const Error& error) {
      GTEST_SKIP() << error.message();
    }
  }

  // A kernel `k(float *a, SIZE n)` with this body, at n and a launch of so many threads.
  std::optional<WrappedIndex> of(const std::string& size, const std::string& body, int64_t n,
                                 std::array<uint64_t, 3> threads,
                                 std::array<uint64_t, 3> block = {256, 1, 1}) {
    CompileRequest request;
    request.source =
        "extern \"C\" __global__ void k(float *a, " + size + " n) {\n" + body + "\n}\n";
    request.name = "k.cu";
    request.folder = "/";
    request.architecture = 90;
    request.entry = "k";
    const std::string ptx = Compiler(nvrtc_, CompileCache("")).compile(request).ptx;
    EvaluatedLaunch launch{"k", threads, block, {{true, {}}, {false, n}}};
    for (size_t i = 0; i < 3; ++i) launch.grid[i] = (threads[i] + block[i] - 1) / block[i];
    return wrapped_index(ptx, launch);
  }

  std::shared_ptr<const Nvrtc> nvrtc_;
};

constexpr int64_t k31 = int64_t{1} << 31, k32 = int64_t{1} << 32;
constexpr uint64_t kMany = 2 * static_cast<uint64_t>(k32);

constexpr const char* kInt = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2;";
constexpr const char* kUnsigned =
    "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2;";
constexpr const char* kMatrix =
    "int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "if (row >= n || col >= n) return;\n"
    "a[row * n + col] *= 2;";

TEST_F(IndexWrap, OfThreadsBeyondAnInt) {
  const auto found = of("size_t", kInt, k31 + 256, {static_cast<uint64_t>(k31) + 256, 1, 1});
  ASSERT_TRUE(found.has_value());
  // The comparison decides that it is never accessed.
  EXPECT_EQ(found->argument, std::nullopt);
  EXPECT_EQ(found->meant, k31 + 255);
  EXPECT_EQ(found->computed, k31 + 255 - k32);
  EXPECT_EQ(found->place.file, "k.cu");
  EXPECT_EQ(found->place.line, 2);
  EXPECT_EQ(found->block, (std::array<uint64_t, 3>{(1U << 23), 0, 0}));
  EXPECT_EQ(found->thread, (std::array<uint64_t, 3>{255, 0, 0}));
  // The last one that an int holds.
  EXPECT_FALSE(of("size_t", kInt, k31 - 1, {static_cast<uint64_t>(k31) - 1, 1, 1}));
  EXPECT_FALSE(of("int", kInt, k31 - 1, {static_cast<uint64_t>(k31) - 1, 1, 1}));
}

TEST_F(IndexWrap, OfThreadsBeyondAnUnsigned) {
  const auto found = of("size_t", kUnsigned, k32 + 256, {static_cast<uint64_t>(k32) + 256, 1, 1});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->argument, std::optional<size_t>(0));
  EXPECT_EQ(found->meant, k32 + 255);
  EXPECT_EQ(found->computed, 255);
  EXPECT_FALSE(of("size_t", kUnsigned, k32 - 1, {static_cast<uint64_t>(k32) - 1, 1, 1}));
}

TEST_F(IndexWrap, OfAMatrix) {
  const auto found = of("int", kMatrix, 50000, {50000, 50000, 1}, {16, 16, 1});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->argument, std::optional<size_t>(0));
  EXPECT_EQ(found->meant, 2'500'000'000 - 1);
  EXPECT_EQ(found->place.line, 5);
  // 46340 * 46340 is less than 2^31, and the threads behind the guard would go beyond it.
  EXPECT_FALSE(of("int", kMatrix, 46340, {46340, 46340, 1}, {32, 32, 1}));
  EXPECT_TRUE(of("int", kMatrix, 46342, {46342, 46342, 1}, {32, 32, 1}));
}

TEST_F(IndexWrap, OfLoopsAndOfCasts) {
  const std::array<uint64_t, 3> threads = {1U << 20, 1, 1};
  EXPECT_TRUE(
      of("size_t",
         "for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * "
         "blockDim.x) a[2 * i] *= 2;",
         k32 + 2 * (1 << 20), threads));
  EXPECT_TRUE(of("size_t",
                 "int i = (int)(blockIdx.x * (size_t)blockDim.x + threadIdx.x); a[i] *= 2;", k32,
                 {static_cast<uint64_t>(k32), 1, 1}));
}

TEST_F(IndexWrap, NotOfWhatIsWrittenWell) {
  const std::array<uint64_t, 3> threads = {kMany, 1, 1};
  for (const char* body :
       {// In 64 bits.
        "size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2;",
        "size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; if (i < n) a[n - 1 - i] *= 2;",
        // Hashes and random numbers.
        "unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u; a[h % 1000] *= 2;",
        "unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u; a[h >> 12] *= 2;",
        "unsigned h = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u; a[h & 4095] *= 2;",
        "unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x ^= x << 13; x ^= x >> 17; x ^= x << "
        "5; "
        "a[x] *= 2;",
        // Values from memory.
        "size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; if (i < n) a[(int)a[i]] *= 2;",
        // A difference that is less than 0 on the way.
        "unsigned j = threadIdx.x - 1; a[j + 1] *= 2;",
        // None of these is an index.
        "int i = blockIdx.x * blockDim.x + threadIdx.x; a[threadIdx.x] = i;"}) {
    const auto found = of("size_t", body, static_cast<int64_t>(kMany), threads);
    EXPECT_FALSE(found.has_value()) << body << "\n" << found->meant << " " << found->computed;
  }
}

TEST_F(IndexWrap, NothingForWhatIsNotThere) {
  const EvaluatedLaunch launch{"k", {1, 1, 1}, {1, 1, 1}, {}};
  EXPECT_FALSE(wrapped_index("no PTX", launch));
  EXPECT_FALSE(wrapped_index(".version 8.0\n.target sm_80\n.address_size 64\n", launch));
}

}  // namespace
}  // namespace warpmark
