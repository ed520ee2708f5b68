// Copies and fills of rows and boxes, of arrays and variables, between devices and in streams.
#include <numeric>
#include <vector>

#include "cudart/registered.hpp"

namespace warpmark::test {
namespace {

using Words = std::vector<unsigned int>;

Words numbers(size_t count) {
  Words all(count);
  std::iota(all.begin(), all.end(), 1u);
  return all;
}

class Copies : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaGetLastError();
    ASSERT_CUDA(cudaStreamCreate(&stream_));
    ASSERT_CUDA(cudaGetDeviceCount(&devices_));
  }
  void TearDown() override {
    for (void* each : made_) EXPECT_CUDA(cudaFree(each));
    for (cudaArray_t each : arrays_) EXPECT_CUDA(cudaFreeArray(each));
    EXPECT_CUDA(cudaStreamDestroy(stream_));
  }

  unsigned int* allocate(size_t words) {
    void* address = nullptr;
    EXPECT_CUDA(cudaMalloc(&address, words * 4));
    EXPECT_CUDA(cudaMemset(address, 0, words * 4));
    made_.push_back(address);
    return static_cast<unsigned int*>(address);
  }
  unsigned int* allocate_on(int device, size_t words) {
    EXPECT_CUDA(cudaSetDevice(device));
    unsigned int* const made = allocate(words);
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaSetDevice(0));
    return made;
  }
  /// An array of words, all 0.
  cudaArray_t array(size_t width, size_t height) {
    const auto format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t made = nullptr;
    EXPECT_CUDA(cudaMallocArray(&made, &format, width, height, 0));
    arrays_.push_back(made);
    const Words zeros(width * height);
    EXPECT_CUDA(cudaMemcpy2DToArray(made, 0, 0, zeros.data(), width * 4, width * 4, height,
                                    cudaMemcpyHostToDevice));
    return made;
  }
  Words words_of(const void* device, size_t count) {
    Words found(count);
    EXPECT_CUDA(cudaMemcpy(found.data(), device, count * 4, cudaMemcpyDefault));
    return found;
  }
  Words words_of(cudaArray_t array, size_t width, size_t height) {
    Words found(width * height);
    EXPECT_CUDA(cudaMemcpy2DFromArray(found.data(), width * 4, array, 0, 0, width * 4, height,
                                      cudaMemcpyDeviceToHost));
    return found;
  }
  int last_device() const { return devices_ - 1; }

  cudaStream_t stream_ = nullptr;
  int devices_ = 0;

 private:
  std::vector<void*> made_;
  std::vector<cudaArray_t> arrays_;
};

TEST_F(Copies, RowsAreFilledAndCopiedInAStreamsOrder) {
  const Words from = numbers(12);
  Words to(12);
  unsigned int* const device = allocate(4 * 5);
  ASSERT_CUDA(cudaMemset2DAsync(device, 20, 0xff, 16, 4, stream_));
  ASSERT_CUDA(
      cudaMemcpy2DAsync(device, 20, from.data(), 16, 12, 3, cudaMemcpyHostToDevice, stream_));
  ASSERT_CUDA(cudaMemcpy2DAsync(to.data(), 16, device, 20, 16, 3, cudaMemcpyDefault, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(to, (Words{1, 2, 3, ~0u, 5, 6, 7, ~0u, 9, 10, 11, ~0u}));
  EXPECT_EQ(words_of(device + 15, 5), (Words{~0u, ~0u, ~0u, ~0u, 0}))
      << "no byte past the width is filled";
  EXPECT_EQ(cudaMemcpy2DAsync(device, 8, from.data(), 16, 12, 3, cudaMemcpyHostToDevice, stream_),
            cudaErrorInvalidPitchValue);
}

TEST_F(Copies, BoxesAreFilled) {
  cudaPitchedPtr box{};
  ASSERT_CUDA(cudaMalloc3D(&box, {16, 3, 2}));
  EXPECT_GE(box.pitch, 16u);
  EXPECT_EQ(box.xsize, 16u);
  EXPECT_EQ(box.ysize, 3u);
  ASSERT_CUDA(cudaMemset3D(box, 0, {16, 3, 2}));
  ASSERT_CUDA(cudaMemset3DAsync(box, 0xff, {8, 2, 2}, stream_));
  Words to(24, 1u);
  cudaMemcpy3DParms back{};
  back.srcPtr = box;
  back.dstPtr = {to.data(), 16, 16, 3};
  back.extent = {16, 3, 2};
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_CUDA(cudaMemcpy3DAsync(&back, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  const Words slice{~0u, ~0u, 0, 0, ~0u, ~0u, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(Words(to.begin(), to.begin() + 12), slice);
  EXPECT_EQ(Words(to.begin() + 12, to.end()), slice);
  EXPECT_CUDA(cudaFree(box.ptr));
}

TEST_F(Copies, BoxesAreCopiedInAStreamsOrder) {
  const Words from = numbers(4 * 3 * 2);
  Words to(from.size());
  cudaPitchedPtr box{};
  ASSERT_CUDA(cudaMalloc3D(&box, {16, 3, 2}));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {const_cast<unsigned int*>(from.data()), 16, 16, 3};
  copy.dstPtr = box;
  copy.extent = {16, 3, 2};
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3DParms back{};
  back.srcPtr = box;
  back.srcPos = {4, 1, 1};  // bytes, rows and slices, because there is no array
  back.dstPtr = {to.data(), 16, 16, 3};
  back.dstPos = {0, 0, 1};
  back.extent = {8, 2, 1};
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_CUDA(cudaMemcpy3DAsync(&copy, stream_));
  ASSERT_CUDA(cudaMemcpy3DAsync(&back, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  Words expected(from.size());
  expected[12] = from[12 + 5];
  expected[13] = from[12 + 6];
  expected[16] = from[12 + 9];
  expected[17] = from[12 + 10];
  EXPECT_EQ(to, expected);
  EXPECT_CUDA(cudaFree(box.ptr));
}

TEST_F(Copies, RowsOfArraysAreCopied) {
  const Words from = numbers(6);
  cudaArray_t const first = array(4, 3), second = array(4, 3);
  ASSERT_CUDA(cudaMemcpy2DToArray(first, 4, 1, from.data(), 12, 8, 2, cudaMemcpyHostToDevice));
  EXPECT_EQ(words_of(first, 4, 3), (Words{0, 0, 0, 0, 0, 1, 2, 0, 0, 4, 5, 0}));
  ASSERT_CUDA(
      cudaMemcpy2DToArrayAsync(first, 0, 0, from.data(), 8, 8, 3, cudaMemcpyHostToDevice, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(words_of(first, 4, 3), (Words{1, 2, 0, 0, 3, 4, 2, 0, 5, 6, 5, 0}));
  ASSERT_CUDA(cudaMemcpy2DArrayToArray(second, 8, 0, first, 4, 1, 8, 2, cudaMemcpyDeviceToDevice));
  Words to(6);
  ASSERT_CUDA(cudaMemcpy2DFromArrayAsync(to.data(), 12, second, 8, 0, 8, 2, cudaMemcpyDeviceToHost,
                                         stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(to, (Words{4, 2, 0, 6, 5, 0}));
  EXPECT_EQ(cudaMemcpy2DToArray(first, 0, 0, from.data(), 8, 8, 1, static_cast<cudaMemcpyKind>(7)),
            cudaErrorInvalidMemcpyDirection);
}

TEST_F(Copies, BytesOfArraysAreCopied) {
  const Words from = numbers(8);
  cudaArray_t const first = array(4, 2), second = array(4, 2);
  ASSERT_CUDA(
      cudaMemcpyToArrayAsync(first, 0, 0, from.data(), 32, cudaMemcpyHostToDevice, stream_));
  Words to(8);
  ASSERT_CUDA(
      cudaMemcpyFromArrayAsync(to.data(), first, 0, 1, 16, cudaMemcpyDeviceToHost, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(to, (Words{5, 6, 7, 8, 0, 0, 0, 0}));
  ASSERT_CUDA(cudaMemcpyArrayToArray(second, 4, 1, first, 4, 0, 8, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(words_of(second, 4, 2), (Words{0, 0, 0, 0, 0, 2, 3, 0}));
}

TEST_F(Copies, VariablesAreCopiedInAStreamsOrder) {
  const unsigned int given = 40;
  unsigned int found = 0;
  ASSERT_CUDA(cudaMemcpyToSymbolAsync(&total, &given, 4, 0, cudaMemcpyHostToDevice, stream_));
  unsigned int* const data = allocate(4);
  ASSERT_CUDA(launch(scale, {1}, {32}, stream_, data, 4u));
  ASSERT_CUDA(cudaMemcpyFromSymbolAsync(&found, &total, 4, 0, cudaMemcpyDeviceToHost, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(found, 44u);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(&total, &given, 4, 0, cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyFromSymbolAsync(&found, &found, 4, 0, cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidSymbol);
}

// Where there is one device, it is both ends.
TEST_F(Copies, BytesAreCopiedBetweenDevices) {
  const Words from = numbers(8);
  unsigned int* const here = allocate(8);
  unsigned int* const there = allocate_on(last_device(), 8);
  unsigned int* const back = allocate(8);
  ASSERT_CUDA(cudaMemcpy(here, from.data(), 32, cudaMemcpyHostToDevice));
  ASSERT_CUDA(cudaMemcpyPeer(there + 2, last_device(), here, 0, 16));
  ASSERT_CUDA(cudaMemcpyPeerAsync(back, 0, there, last_device(), 32, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(words_of(there, 8), (Words{0, 0, 1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(words_of(back, 8), words_of(there, 8));
  EXPECT_EQ(cudaMemcpyPeer(there, devices_, here, 0, 16), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpyPeerAsync(there, 0, here, -1, 16, stream_), cudaErrorInvalidDevice);
}

TEST_F(Copies, BoxesAreCopiedBetweenDevices) {
  const Words from = numbers(12);
  unsigned int* const here = allocate(12);
  unsigned int* const there = allocate_on(last_device(), 12);
  cudaArray_t const image = array(4, 3);
  ASSERT_CUDA(cudaMemcpy(here, from.data(), 48, cudaMemcpyHostToDevice));
  cudaMemcpy3DPeerParms copy{};
  copy.srcPtr = {here, 16, 16, 3};
  copy.srcPos = {4, 1, 0};
  copy.dstPtr = {there, 16, 16, 3};
  copy.dstDevice = last_device();
  copy.extent = {8, 2, 1};
  ASSERT_CUDA(cudaMemcpy3DPeer(&copy));
  EXPECT_EQ(words_of(there, 12), (Words{6, 7, 0, 0, 10, 11, 0, 0, 0, 0, 0, 0}));
  cudaMemcpy3DPeerParms back{};
  back.srcPtr = {there, 16, 16, 3};
  back.srcDevice = last_device();
  back.dstArray = image;
  back.dstPos = {1, 1, 0};
  back.extent = {2, 2, 1};  // elements, because there is an array
  ASSERT_CUDA(cudaMemcpy3DPeerAsync(&back, stream_));
  ASSERT_CUDA(cudaStreamSynchronize(stream_));
  EXPECT_EQ(words_of(image, 4, 3), (Words{0, 0, 0, 0, 0, 6, 7, 0, 0, 10, 11, 0}));
  copy.dstDevice = devices_;
  EXPECT_EQ(cudaMemcpy3DPeer(&copy), cudaErrorInvalidDevice);
}

TEST_F(Copies, RegisteredMemoryIsPinned) {
  alignas(4096) static unsigned char memory[4096];
  ASSERT_CUDA(cudaHostRegister(memory, sizeof memory, cudaHostRegisterMapped));
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  void* device = nullptr;
  ASSERT_CUDA(cudaHostGetDevicePointer(&device, memory, 0));
  ASSERT_CUDA(cudaMemset(device, 5, sizeof memory));
  ASSERT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(memory[4095], 5);
  EXPECT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaErrorHostMemoryAlreadyRegistered);
  ASSERT_CUDA(cudaHostUnregister(memory));
  EXPECT_EQ(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(Copies, HostMemorySaysItsFlags) {
  void *mapped = nullptr, *combined = nullptr;
  unsigned int flags = 0;
  ASSERT_CUDA(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped | cudaHostAllocPortable));
  ASSERT_CUDA(cudaHostAlloc(&combined, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  ASSERT_CUDA(cudaHostGetFlags(&flags, mapped));
  EXPECT_EQ(flags & cudaHostAllocMapped, unsigned{cudaHostAllocMapped});
  EXPECT_EQ(flags & cudaHostAllocPortable, unsigned{cudaHostAllocPortable});
  EXPECT_EQ(flags & cudaHostAllocWriteCombined, 0u);
  ASSERT_CUDA(cudaHostGetFlags(&flags, combined));
  EXPECT_NE(flags & cudaHostAllocWriteCombined, 0u);
  EXPECT_EQ(cudaHostGetFlags(&flags, &flags), cudaErrorInvalidValue);
  EXPECT_CUDA(cudaFreeHost(mapped));
  EXPECT_CUDA(cudaFreeHost(combined));
}

}  // namespace
}  // namespace warpmark::test
