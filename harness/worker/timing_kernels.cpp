#include "worker/timing_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace warpmark {

namespace {

constexpr const char* kSource = R"(
// Four vectors of a thread are on their way at a time, and two blocks of 512 threads on each
// multiprocessor: more of either is slower on an H200.
extern "C" __global__ void __launch_bounds__(512)
warpmark_read(const uint4 *from, unsigned long long count, unsigned *sink) {
  const unsigned long long step = 512ull * gridDim.x;
  unsigned long long i = 512ull * blockIdx.x + threadIdx.x;
  unsigned seen = 0;
  for (; i + 3 * step < count; i += 4 * step) {
    const uint4 a = from[i], b = from[i + step], c = from[i + 2 * step], d = from[i + 3 * step];
    seen |= a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
    seen |= c.x | c.y | c.z | c.w | d.x | d.y | d.z | d.w;
  }
  for (; i < count; i += step) {
    const uint4 a = from[i];
    seen |= a.x | a.y | a.z | a.w;
  }
  if (seen) *sink = seen;  // the memory is zero: only the compiler does not know
}

// What is timed beside a case's kernel: an empty one.
extern "C" __global__ void warpmark_empty() {}

// Cycles of the multiprocessor and nanoseconds that pass meanwhile.
extern "C" __global__ void warpmark_clock(unsigned long long cycles, unsigned long long *passed) {
  unsigned long long begin, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin) :: "memory");
  const long long first = clock64();
  long long last;
  do {
    last = clock64();
  } while (last - first < (long long)cycles);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end) :: "memory");
  passed[0] = last - first;
  passed[1] = end - begin;
}

// Bounded by cycles, too, should the timer stand still.
extern "C" __global__ void warpmark_wait(unsigned long long nanoseconds) {
  const long long first = clock64();
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds && clock64() - first < 4 * (long long)nanoseconds);
}

// Fused multiply-adds, in eight chains of a thread that do not wait for each other. Chains differ,
// or one would do for all; they are positive, so that none of them is ever stored.
struct half2_bits {
  unsigned two;
};
__device__ void begin(double &x, unsigned i) { x = i; }
__device__ void begin(float &x, unsigned i) { x = i; }
__device__ void begin(half2_bits &x, unsigned i) { x.two = 0x3c003c00 + i; }
__device__ void multiply_add(double &x, double by, double term) { x = __fma_rn(x, by, term); }
__device__ void multiply_add(float &x, float by, float term) { x = __fmaf_rn(x, by, term); }
__device__ void multiply_add(half2_bits &x, half2_bits by, half2_bits term) {
#if __CUDA_ARCH__ >= 530
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(x.two) : "r"(x.two), "r"(by.two), "r"(term.two));
#endif
}
__device__ bool is_below_zero(double x) { return x < 0; }
__device__ bool is_below_zero(float x) { return x < 0; }
__device__ bool is_below_zero(half2_bits x) { return x.two >> 31; }

template <typename T>
__device__ void multiply_and_add(T by, T term, unsigned rounds, T *sink) {
  T chains[8];
  for (int i = 0; i < 8; ++i) begin(chains[i], 8 * threadIdx.x + i);
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 256; ++i) multiply_add(chains[i % 8], by, term);
  }
  for (int i = 0; i < 8; ++i) {
    if (is_below_zero(chains[i])) *sink = chains[i];
  }
}
extern "C" __global__ void __launch_bounds__(256)
warpmark_fma_float64(double by, double term, unsigned rounds, double *sink) {
  multiply_and_add(by, term, rounds, sink);
}
extern "C" __global__ void __launch_bounds__(256)
warpmark_fma_float32(float by, float term, unsigned rounds, float *sink) {
  multiply_and_add(by, term, rounds, sink);
}
extern "C" __global__ void __launch_bounds__(256)
warpmark_fma_float16(half2_bits by, half2_bits term, unsigned rounds, half2_bits *sink) {
  multiply_and_add(by, term, rounds, sink);
}
)";

constexpr unsigned int kBlock = 512;
// One block has two warps for each scheduler of a multiprocessor, whose 16 chains hide the latency
// of any of the units: how many of these are resident at a time makes no difference.
constexpr unsigned int kFmaBlock = 256, kFmaBlocks = 8;  // a multiprocessor
constexpr double kFmasOfRound = 256;                     // a thread
constexpr double kLongestWait = 0.01;
// About a millisecond: globaltimer advances in steps of up to a microsecond.
constexpr unsigned long long kClockCycles = 1'500'000;

CompileRequest request_for(int architecture) {
  CompileRequest request;
  request.source = kSource;
  request.name = "warpmark_timing.cu";
  request.folder = "/";
  request.architecture = architecture;
  request.entry = "warpmark_read";
  request.further_entries = {"warpmark_wait",        "warpmark_empty",
                             "warpmark_clock",       "warpmark_fma_float64",
                             "warpmark_fma_float32", "warpmark_fma_float16"};
  return request;
}

}  // namespace

std::string TimingKernels::image(const Device& device, const Compiler& compiler, int architecture) {
  CompileResult compiled = compiler.compile(request_for(architecture));
  return device.has(Capability::image_ptx) ? std::move(compiled.ptx) : std::move(compiled.cubin);
}

TimingKernels::TimingKernels(const std::shared_ptr<Context>& context, const Compiler& compiler,
                             int architecture)
    : TimingKernels(context, image(context->device(), compiler, architecture), architecture) {}

TimingKernels::TimingKernels(const std::shared_ptr<Context>& context, const std::string& image,
                             int architecture)
    : TimingKernels(context, Module(context, image, "warpmark_timing.cu")) {
  // The instruction came with this one; without it the kernel does nothing.
  multiplies_halves_ = architecture >= 53;
}

TimingKernels::TimingKernels(std::shared_ptr<Context> context, const Module& module)
    : context_(std::move(context)),
      read_(module.function("warpmark_read")),
      wait_(module.function("warpmark_wait")),
      empty_(module.function("warpmark_empty")),
      clock_(module.function("warpmark_clock")),
      fma_float64_(module.function("warpmark_fma_float64")),
      fma_float32_(module.function("warpmark_fma_float32")),
      fma_float16_(module.function("warpmark_fma_float16")),
      sink_(context_, sizeof(double), "timing") {
  const Device& device = context_->device();
  const int multiprocessors = device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  read_blocks_ = 2 * static_cast<unsigned int>(std::max(1, multiprocessors));
  fma_blocks_ = kFmaBlocks * static_cast<unsigned int>(std::max(1, multiprocessors));
  const int cache = device.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  flush_bytes_ = 2 * static_cast<uint64_t>(std::max(0, cache));
}

void TimingKernels::queue_read(const DeviceMemory& memory, const Stream& stream) {
  KernelArguments arguments;
  arguments.add(memory.address());
  arguments.add(static_cast<unsigned long long>(memory.bytes() / 16));
  arguments.add(sink_.address());
  read_.launch({{read_blocks_, 1, 1}, {kBlock, 1, 1}}, arguments, stream);
}

void TimingKernels::queue_wait(double seconds, const Stream& stream) {
  KernelArguments arguments;
  arguments.add(static_cast<unsigned long long>(1e9 * std::clamp(seconds, 0.0, kLongestWait)));
  wait_.launch({}, arguments, stream);
}

void TimingKernels::queue_empty(const Stream& stream) {
  KernelArguments none;
  empty_.launch({}, none, stream);
}

double TimingKernels::queue_fma(const DType& dtype, unsigned int rounds, const Stream& stream) {
  const double fmas = kFmasOfRound * rounds * kFmaBlock * fma_blocks_;
  KernelArguments arguments;
  // x * 0.5 + 1 comes to 2, where it stays.
  const auto launch = [&](const Function& kernel, auto by, auto term) {
    arguments.add(by);
    arguments.add(term);
    arguments.add(rounds);
    arguments.add(sink_.address());
    kernel.launch({{fma_blocks_, 1, 1}, {kFmaBlock, 1, 1}}, arguments, stream);
  };
  if (dtype.name == "float64") {
    launch(fma_float64_, 0.5, 1.0);
    return 2 * fmas;
  }
  if (dtype.name == "float32") {
    launch(fma_float32_, 0.5F, 1.0F);
    return 2 * fmas;
  }
  if (dtype.name != "float16" || !multiplies_halves_) return 0;
  launch(fma_float16_, 0x38003800U, 0x3c003c00U);
  return 4 * fmas;
}

std::optional<double> TimingKernels::clock_mhz(const Stream& stream) {
  DeviceMemory passed(context_, 2 * sizeof(uint64_t), "timing");
  passed.fill(0);
  KernelArguments arguments;
  arguments.add(kClockCycles);
  arguments.add(passed.address());
  clock_.launch({}, arguments, stream);
  stream.synchronize();
  std::array<uint64_t, 2> cycles_and_ns{};
  passed.download(std::as_writable_bytes(std::span(cycles_and_ns)));
  if (cycles_and_ns[0] == 0 || cycles_and_ns[1] == 0) return std::nullopt;
  return 1e3 * static_cast<double>(cycles_and_ns[0]) / static_cast<double>(cycles_and_ns[1]);
}

void TimingKernels::queue_flush(const Stream& stream) {
  if (flush_bytes_ == 0) return;
  if (!flushed_) {
    flushed_.emplace(context_, flush_bytes_, "cache flush");
    flushed_->fill(0);
  }
  queue_read(*flushed_, stream);
}

}  // namespace warpmark
