// Copies in batches: what they copy, what is refused and where, and what no order keeps apart.
#include <algorithm>
#include <cstring>

#include "device/api/api_call.hpp"
#include "device/support/image.hpp"

namespace warpmark::test {
namespace {

// As cuda.h has them from CUDA 12.8 on.
struct Attributes {
  unsigned int order = 1;
  CUmemLocation source{}, target{};
  unsigned int flags = 0;
};
struct Pointer {
  CUdeviceptr address;
  std::size_t row_length, layer_height;
  CUmemLocation hint;
};
struct InArray {
  CUarray array;
  std::size_t x, y, z;
};
struct Operand {
  unsigned int type = 0;
  union {
    Pointer pointer;
    InArray array;
  };
  Operand(CUdeviceptr address, std::size_t row, std::size_t height)
      : type(1), pointer{address, row, height, {}} {}
  Operand(CUarray where, std::size_t x, std::size_t y, std::size_t z)
      : type(2), array{where, x, y, z} {}
};
struct Box {
  Operand source, target;
  std::size_t width, height, depth;
  unsigned int order = 1, flags = 0;
};
#if CUDA_VERSION >= 12080
static_assert(sizeof(Attributes) == sizeof(CUmemcpyAttributes));
static_assert(sizeof(Operand) == sizeof(CUmemcpy3DOperand));
static_assert(sizeof(Box) == sizeof(CUDA_MEMCPY3D_BATCH_OP));
#endif

using Copy = CUresult(CUdeviceptr*, CUdeviceptr*, std::size_t*, std::size_t, Attributes*,
                      std::size_t*, std::size_t, CUstream);
using OldCopy = CUresult(CUdeviceptr*, CUdeviceptr*, std::size_t*, std::size_t, Attributes*,
                         std::size_t*, std::size_t, std::size_t*, CUstream);
using CopyBoxes = CUresult(std::size_t, Box*, unsigned long long, CUstream);
using OldCopyBoxes = CUresult(std::size_t, Box*, std::size_t*, unsigned long long, CUstream);

struct Batch {
  std::vector<CUdeviceptr> to, from;
  std::vector<std::size_t> bytes;
  std::vector<Attributes> attributes{Attributes{}};
  std::vector<std::size_t> firsts{0};
};

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

class BatchCopy : public ImageTest {
 protected:
  void SetUp() override {
    ImageTest::SetUp();
    ASSERT_CU(api().stream_create(&stream_, 0));
  }
  CUresult copy(Batch batch) {
    return api().find<Copy>("cuMemcpyBatchAsync_v2")(
        batch.to.data(), batch.from.data(), batch.bytes.data(), batch.bytes.size(),
        batch.attributes.data(), batch.firsts.data(), batch.attributes.size(), stream_);
  }
  // By the form of CUDA 12.8, which says which copy failed.
  CUresult copy(Batch batch, std::size_t& failed) {
    failed = 77;
    return api().find<OldCopy>("cuMemcpyBatchAsync")(
        batch.to.data(), batch.from.data(), batch.bytes.data(), batch.bytes.size(),
        batch.attributes.data(), batch.firsts.data(), batch.attributes.size(), &failed, stream_);
  }
  CUresult copy(std::vector<Box> boxes) {
    return api().find<CopyBoxes>("cuMemcpy3DBatchAsync_v2")(boxes.size(), boxes.data(), 0, stream_);
  }
  CUresult copy(std::vector<Box> boxes, std::size_t& failed) {
    failed = 77;
    return api().find<OldCopyBoxes>("cuMemcpy3DBatchAsync")(boxes.size(), boxes.data(), &failed, 0,
                                                            stream_);
  }
  CUstream stream_ = nullptr;
};

TEST_F(BatchCopy, CopiesEachWay) {
  Array<std::int32_t> one({1, 2, 3}), two({4, 5, 6});
  std::vector<std::int32_t> host = {7, 8, 9}, back(3);
  CUdeviceptr managed = 0;
  ASSERT_CU(CALL(cuMemAllocManaged)(&managed, 12, CU_MEM_ATTACH_GLOBAL));
  Batch batch;
  batch.to = {one.address, address_of(back.data()), managed};
  batch.from = {address_of(host.data()), two.address, two.address};
  batch.bytes = {8, 12, 4};
  batch.attributes = {{1, {}, {}, 0}, {3, {}, {}, 1}};
  batch.firsts = {0, 2};
  ASSERT_CU(copy(batch));
  ASSERT_CU(one.fetch());
  EXPECT_THAT(one.host, ::testing::ElementsAre(7, 8, 3));
  EXPECT_THAT(back, ::testing::ElementsAre(4, 5, 6));
  std::int32_t seen = 0;
  ASSERT_CU(api().to_host(&seen, managed, 4));
  EXPECT_EQ(seen, 4);
  std::size_t failed = 0;
  ASSERT_CU(copy(batch, failed));
  EXPECT_EQ(failed, SIZE_MAX);
}

TEST_F(BatchCopy, AllAreCheckedBeforeOneIsMade) {
  Array<std::int32_t> one({1, 2}), two({4, 5});
  Batch good;
  good.to = {one.address, two.address};
  good.from = {two.address + 4, one.address + 4};
  good.bytes = {4, 4};
  std::size_t failed = 0;
  const auto refused = [&](auto change, std::size_t at) {
    Batch batch = good;
    change(batch);
    EXPECT_EQ(copy(batch, failed), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(failed, at);
    EXPECT_EQ(copy(batch), CUDA_ERROR_INVALID_VALUE);
  };
  refused([](Batch& b) { b.bytes[1] = 8; }, 1);
  refused([](Batch& b) { b.bytes[1] = 0; }, 1);
  refused([](Batch& b) { b.to[0] = 0; }, 0);
  refused([](Batch& b) { b.from[1] = 0; }, 1);
  refused([](Batch& b) { b.attributes[0].order = 0; }, 0);
  refused([](Batch& b) { b.attributes[0].order = 4; }, 0);
  refused([](Batch& b) { b.attributes[0].flags = 2; }, 0);
  refused([](Batch& b) { b.firsts[0] = 1; }, SIZE_MAX);
  refused([](Batch& b) { b.attributes.clear(); }, SIZE_MAX);
  const auto with_firsts = [](std::vector<std::size_t> firsts) {
    return [firsts](Batch& b) {
      b.firsts = firsts;
      b.attributes.resize(firsts.size());
    };
  };
  refused(with_firsts({0, 0}), SIZE_MAX);
  refused(with_firsts({0, 2}), SIZE_MAX);
  refused(with_firsts({0, 1, 2}), SIZE_MAX);
  refused([](Batch& b) { b.bytes.clear(); }, SIZE_MAX);
  ASSERT_CU(one.fetch());
  ASSERT_CU(two.fetch());
  EXPECT_THAT(one.host, ::testing::ElementsAre(1, 2));
  EXPECT_THAT(two.host, ::testing::ElementsAre(4, 5));
  ASSERT_CU(copy(good, failed));
}

// As driver 580: the default stream of the thread is fine, and a capture stays as it is.
TEST_F(BatchCopy, StreamsThatTakeNone) {
  Array<std::int32_t> one({1, 2}), two({4, 5});
  Batch batch;
  batch.to = {one.address};
  batch.from = {two.address};
  batch.bytes = {4};
  const CUstream own = stream_;
  for (CUstream legacy : {CUstream{nullptr}, CU_STREAM_LEGACY}) {
    stream_ = legacy;
    EXPECT_EQ(copy(batch), CUDA_ERROR_INVALID_VALUE);
  }
  stream_ = CU_STREAM_PER_THREAD;
  ASSERT_CU(copy(batch));
  const auto per_thread = api().find<Copy>("cuMemcpyBatchAsync_v2_ptsz");
  ASSERT_CU(per_thread(batch.to.data(), batch.from.data(), batch.bytes.data(), 1,
                       batch.attributes.data(), batch.firsts.data(), 1, nullptr));
  stream_ = own;
  CUgraph graph = nullptr;
  ASSERT_CU(CALL(cuStreamBeginCapture)(stream_, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(copy(batch), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_CU(CALL(cuStreamEndCapture)(stream_, &graph));
  std::size_t nodes = 1;
  ASSERT_CU(CALL(cuGraphGetNodes)(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  ASSERT_CU(CALL(cuGraphDestroy)(graph));
}

TEST_F(BatchCopy, BoxesOfMemoryAndArrays) {
  const CUDA_ARRAY3D_DESCRIPTOR flat = {4, 3, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
  std::vector<std::int32_t> content(12), back(12, -1);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::int32_t>(i);
  CUarray array = this->array(flat, content.data(), 4);
  Array<std::int32_t> device(std::vector<std::int32_t>(20, -1));
  // Columns 1 and 2 of rows 1 and 2 to the begin of rows of 5; bytes from there to the host.
  ASSERT_CU(copy({{{array, 1, 1, 0}, {device.address, 5, 0}, 2, 2, 1}}));
  ASSERT_CU(device.fetch());
  EXPECT_THAT(std::vector(device.host.begin(), device.host.begin() + 7),
              ::testing::ElementsAre(5, 6, -1, -1, -1, 9, 10));
  ASSERT_CU(copy({{{device.address, 20, 0}, {address_of(back.data()), 8, 2}, 8, 2, 1}}));
  EXPECT_THAT(std::vector(back.begin(), back.begin() + 5), ::testing::ElementsAre(5, 6, 9, 10, -1));
  ASSERT_CU(copy({{{device.address, 0, 0}, {array, 0, 0, 0}, 2, 1, 1}}));
  std::vector<std::int32_t> row(4);
  ASSERT_CU(images().array_to_host(row.data(), array, 0, 16));
  EXPECT_THAT(row, ::testing::ElementsAre(5, 6, 2, 3));
  EXPECT_CU(images().destroy_array(array));
}

TEST_F(BatchCopy, WrongBoxesAreRefused) {
  const CUDA_ARRAY3D_DESCRIPTOR words = {4, 3, 0, CU_AD_FORMAT_SIGNED_INT32, 1, 0};
  const CUDA_ARRAY3D_DESCRIPTOR bytes = {4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  std::vector<std::int32_t> content(12);
  CUarray array = this->array(words, content.data(), 4),
          other = this->array(bytes, content.data(), 1);
  Array<std::int32_t> device(12);
  const Box good{{array, 0, 0, 0}, {device.address, 0, 0}, 4, 3, 1};
  std::size_t failed = 0;
  const auto refused = [&](auto change) {
    Box box = good;
    change(box);
    EXPECT_EQ(copy(std::vector{good, box}, failed), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(failed, 1u);
    EXPECT_EQ(copy(std::vector{box}), CUDA_ERROR_INVALID_VALUE);
  };
  refused([](Box& b) { b.width = 0; });
  refused([](Box& b) { b.height = 0; });
  refused([](Box& b) { b.depth = 0; });
  refused([](Box& b) { b.width = 5; });
  refused([](Box& b) { b.source.array.y = 1; });
  refused([](Box& b) { b.source.array.x = SIZE_MAX; });
  refused([](Box& b) { b.order = 0; });
  refused([](Box& b) { b.flags = 2; });
  refused([](Box& b) { b.target.type = 3; });
  refused([](Box& b) { b.target.pointer.address = 0; });
  refused([](Box& b) { b.target.pointer.row_length = 3; });
  refused([](Box& b) { b.target.pointer.layer_height = 2; });
  refused([](Box& b) { b.target.pointer.row_length = 5; });
  refused([&](Box& b) { b.target = {other, 0, 0, 0}; });
  refused([](Box& b) { b.source.array.array = nullptr; });
  const auto boxes = api().find<CopyBoxes>("cuMemcpy3DBatchAsync_v2");
  Box box = good;
  EXPECT_EQ(boxes(0, &box, 0, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(boxes(1, nullptr, 0, stream_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(boxes(1, &box, 1, stream_), CUDA_ERROR_INVALID_VALUE);
  ASSERT_CU(boxes(1, &box, 0, stream_));
  EXPECT_CU(images().destroy_array(array));
  EXPECT_CU(images().destroy_array(other));
}

// As single copies: a range past the end is reported, and what has no value keeps having none.
TEST_F(BatchCopy, ChecksLookAtThem) {
  configure(R"({"checks": ["memory", "init"]})");
  CUdeviceptr unwritten = 0, copied = 0;
  ASSERT_CU(api().alloc(&unwritten, 8));
  ASSERT_CU(api().alloc(&copied, 8));
  Array<std::int32_t> written({1, 2});
  Batch batch;
  batch.to = {copied, copied + 4};
  batch.from = {written.address, unwritten};
  batch.bytes = {4, 4};
  ASSERT_CU(copy(batch));
  (void)reports();
  CUfunction add = kernel_of(kTwoKernels, "add_one");
  ASSERT_CU(launch(add, {1}, {1}, 0, copied, 1u));
  ASSERT_CU(api().synchronize());
  EXPECT_THAT(reports(), ::testing::IsEmpty());
  ASSERT_CU(launch(body("ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 ret;"), {1}, {1},
                   0, copied + 4));
  (void)api().synchronize();
  const std::vector<Json> found = reports();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]["kind"], "uninitialised");
}

TEST_F(BatchCopy, ARangePastTheEndIsReported) {
  configure(R"({"checks": ["memory"]})");
  Array<std::int32_t> one({1, 2}), two({4, 5});
  (void)reports();
  Batch batch;
  batch.to = {one.address, two.address};
  batch.from = {two.address, one.address};
  batch.bytes = {4, 12};
  EXPECT_EQ(copy(batch), CUDA_ERROR_INVALID_VALUE);
  const std::vector<Json> found = reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["call"], "cuMemcpyBatchAsync_v2");
  EXPECT_EQ(found[0]["bytes"], 12);
}

TEST_F(BatchCopy, CopiesThatMeetAreRaces) {
  configure(R"({"checks": ["memory", "race"]})");
  Array<std::int32_t> one({1, 2, 3, 4}), two({4, 5, 6, 7});
  std::vector<std::int32_t> host(4);
  (void)reports();
  const auto hazards = [&](std::vector<CUdeviceptr> to, std::vector<CUdeviceptr> from,
                           std::vector<std::size_t> bytes) {
    Batch batch;
    batch.to = std::move(to);
    batch.from = std::move(from);
    batch.bytes = std::move(bytes);
    EXPECT_CU(copy(batch));
    std::vector<std::string> found;
    for (const Json& report : reports()) found.push_back(report["hazard"]);
    return found;
  };
  const CUdeviceptr a = one.address, b = two.address, h = address_of(host.data());
  using ::testing::ElementsAre;
  EXPECT_THAT(hazards({b, b}, {a, h}, {8, 16}), ElementsAre("write after write"));
  EXPECT_THAT(hazards({b, h}, {a, b}, {4, 16}), ElementsAre("read after write"));
  EXPECT_THAT(hazards({h, b + 4}, {b, a}, {16, 4}), ElementsAre("write after read"));
  EXPECT_THAT(hazards({h, a, b + 12}, {b, b + 8, h + 12}, {8, 4, 4}), ElementsAre()) << "beside";
  EXPECT_THAT(hazards({h, a}, {b, b}, {16, 16}), ElementsAre()) << "both read";
  EXPECT_THAT(hazards({h + 8, a, h}, {b, b + 12, b}, {8, 4, 12}), ElementsAre("write after write"));
  EXPECT_THAT(hazards({b}, {a}, {16}), ElementsAre());
}

TEST_F(BatchCopy, RowsOfBoxesThatInterleaveDoNotMeet) {
  configure(R"({"checks": ["memory", "race"]})");
  Array<std::int32_t> grid(64);
  std::vector<std::int32_t> left(16), right(16);
  (void)reports();
  const auto half = [&](const std::vector<std::int32_t>& from, std::size_t column) {
    return Box{{address_of(from.data()), 0, 0}, {grid.address + column * 4, 32, 0}, 16, 4, 1};
  };
  ASSERT_CU(copy({half(left, 0), half(right, 4)}));
  EXPECT_THAT(reports(), ::testing::IsEmpty());
  ASSERT_CU(copy({half(left, 0), half(right, 3)}));
  const std::vector<Json> found = reports();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["hazard"], "write after write");
  EXPECT_EQ(found[0]["allocation"]["bytes"], 256);
}

}  // namespace
}  // namespace warpmark::test
