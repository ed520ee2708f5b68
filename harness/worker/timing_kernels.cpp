#include "worker/timing_kernels.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/clock.hpp"

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

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): each bit of the result depends on all of x.
__device__ unsigned long long mixed(unsigned long long x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Random bytes that no one byte or word tells from a result. Where rows have a pitch, the bytes
// around them are `gap`.
extern "C" __global__ void __launch_bounds__(512)
warpmark_fill(unsigned char *to, unsigned long long bytes, unsigned long long seed,
              unsigned long long lead, unsigned long long row, unsigned long long pitch,
              unsigned gap) {
  const unsigned long long step = 512ull * gridDim.x, first = 512ull * blockIdx.x + threadIdx.x;
  const bool aligned = pitch == 0 && (unsigned long long)to % 16 == 0;
  const unsigned long long vectors = aligned ? bytes / 16 : 0;
  for (unsigned long long i = first; i < vectors; i += step) {
    const unsigned long long a = mixed(seed + 2 * i), b = mixed(seed + 2 * i + 1);
    ((uint4 *)to)[i] = make_uint4((unsigned)a, (unsigned)(a >> 32), (unsigned)b, (unsigned)(b >> 32));
  }
  for (unsigned long long i = 16 * vectors + first; i < bytes; i += step) {
    const bool around = pitch != 0 && (i < lead || (i - lead) % pitch >= row);
    to[i] = around ? gap : (unsigned char)mixed(seed ^ ~i);
  }
}

// Adds a digest of some bytes to `into`: a sum, so that the order of threads does not matter.
extern "C" __global__ void __launch_bounds__(512)
warpmark_digest(const unsigned char *from, unsigned long long bytes, unsigned long long seed,
                unsigned long long *into) {
  const unsigned long long step = 512ull * gridDim.x, first = 512ull * blockIdx.x + threadIdx.x;
  const unsigned long long words = (unsigned long long)from % 8 == 0 ? bytes / 8 : 0;
  unsigned long long sum = 0;
  for (unsigned long long i = first; i < words; i += step)
    sum += mixed(((const unsigned long long *)from)[i] ^ mixed(seed + i));
  for (unsigned long long i = 8 * words + first; i < bytes; i += step)
    sum += mixed(from[i] ^ mixed(seed ^ ~i));
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(into, sum);
}

// Shared memory keeps what a block left in it for the next one. A block that takes all that one may
// have has a multiprocessor to itself, so that as many blocks as multiprocessors fill all of it.
extern "C" __global__ void __launch_bounds__(1024)
warpmark_scrub(unsigned vectors, unsigned value) {
  extern __shared__ uint4 scrubbed[];
  for (unsigned i = threadIdx.x; i < vectors; i += blockDim.x)
    scrubbed[i] = make_uint4(value + i, value - i, value ^ i, value);
}

// Makes lines that a kernel asked the last-level cache to keep ordinary ones.
extern "C" __global__ void __launch_bounds__(512)
warpmark_demote(const unsigned char *from, unsigned long long lines) {
#if __CUDA_ARCH__ >= 800
  const unsigned long long step = 512ull * gridDim.x;
  for (unsigned long long i = 512ull * blockIdx.x + threadIdx.x; i < lines; i += step)
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(from + 128 * i) : "memory");
#endif
}

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
  request.further_entries = {"warpmark_wait",       "warpmark_empty",       "warpmark_fill",
                             "warpmark_digest",     "warpmark_scrub",       "warpmark_demote",
                             "warpmark_clock",      "warpmark_fma_float64", "warpmark_fma_float32",
                             "warpmark_fma_float16"};
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
      fill_(module.function("warpmark_fill")),
      digest_(module.function("warpmark_digest")),
      scrub_(module.function("warpmark_scrub")),
      demote_(module.function("warpmark_demote")),
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
  const int shared = device.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  scrubbed_.grid[0] = static_cast<uint64_t>(std::max(1, multiprocessors));
  scrubbed_.block[0] = 1024;
  scrubbed_.shared = static_cast<uint64_t>(std::max(0, shared)) / 16 * 16;
  scrub_.prepare(scrubbed_);
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

unsigned int TimingKernels::blocks_for(uint64_t items) const {
  return static_cast<unsigned int>(
      std::clamp<uint64_t>((items + kBlock - 1) / kBlock, 1, read_blocks_));
}

void TimingKernels::queue_fill(const DeviceMemory& memory, const Rows& rows, uint64_t seed,
                               const Stream& stream) {
  KernelArguments arguments;
  arguments.add(memory.address());
  for (const uint64_t number : {memory.bytes(), seed, rows.lead, rows.row, rows.pitch})
    arguments.add(static_cast<unsigned long long>(number));
  arguments.add(static_cast<unsigned int>(rows.gap));
  const uint64_t items = rows.pitch == 0 ? memory.bytes() / 16 : memory.bytes();
  fill_.launch({{blocks_for(items), 1, 1}, {kBlock, 1, 1}}, arguments, stream);
}

void TimingKernels::queue_digest(const DeviceMemory& memory, uint64_t seed, CUdeviceptr into,
                                 const Stream& stream) {
  KernelArguments arguments;
  arguments.add(memory.address());
  arguments.add(static_cast<unsigned long long>(memory.bytes()));
  arguments.add(static_cast<unsigned long long>(seed));
  arguments.add(into);
  digest_.launch({{blocks_for(memory.bytes() / 8), 1, 1}, {kBlock, 1, 1}}, arguments, stream);
}

void TimingKernels::queue_scrub(uint32_t value, const Stream& stream) {
  KernelArguments arguments;
  arguments.add(static_cast<unsigned int>(scrubbed_.shared / 16));
  arguments.add(static_cast<unsigned int>(value));
  scrub_.launch(scrubbed_, arguments, stream);
}

void TimingKernels::queue_demote(const DeviceMemory& memory, const Stream& stream) {
  const uint64_t lines = memory.bytes() / 128;
  if (lines == 0 || memory.address() % 128 != 0) return;
  KernelArguments arguments;
  arguments.add(memory.address());
  arguments.add(static_cast<unsigned long long>(lines));
  demote_.launch({{blocks_for(lines), 1, 1}, {kBlock, 1, 1}}, arguments, stream);
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

void TimingKernels::wake_device(const Stream& stream) {
  constexpr double kAwake = 0.02;
  const auto start = Clock::now();
  do {
    for (int i = 0; i < 8; ++i) queue_flush(stream);
    queue_wait(kAwake / 20, stream);
    stream.synchronize();
  } while (seconds_since(start) < kAwake);
}

}  // namespace warpmark
