// An experiment, run by hand: two kernels of figure F7 as code that AsmJit makes at run time.
//   g++ -std=c++20 -O3 -march=native -ffp-contract=off run_time_code.cpp -lasmjit -lrt && ./a.out
// It needs AsmJit (Debian: libasmjit-dev) and AVX2, and nothing of the product. saxpy (2^20
// elements) and matmul (256^3) are those of tests/device/compiled/figures.cu, instruction for
// instruction of their PTX; `build/tests/cpu_programs saxpy matmul` says what the device takes.
// Registers stay in vectors through a basic block. Each access is translated and bounded. A variant
// checks exact bounds and alignment, and one follows values and races, too, in the form that the
// device has for whole warps: a bit for each byte, a record for each 128 bytes of global memory (64
// where a tile has rows of 16), a list of reads of shared memory. Each block counts its visits and
// instructions, and looks at the launch's budget. Code that meets what it is not made for returns.
// Both kernels must give the bits of native code.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "emitter.hpp"

namespace {

using namespace run_time_code;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

using Code = u64 (*)(Warp*);

struct Program {
  std::vector<Code> blocks;
  double make_us = 0;
  std::size_t bytes = 0;
};

Program make(JitRuntime& runtime, const std::vector<Block>& blocks, int level, Checks checks) {
  Program program;
  const double begin = processor_s();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    CodeHolder holder;
    holder.init(runtime.environment());
    x86::Compiler compiler(&holder);
    Emitter(compiler, level, checks).block(blocks[i], static_cast<int>(i));
    Code code = nullptr;
    if (compiler.finalize() != kErrorOk || runtime.add(&code, &holder) != kErrorOk) {
      std::fprintf(stderr, "AsmJit made no code of block %zu\n", i);
      std::exit(1);
    }
    program.blocks.push_back(code);
    program.bytes += holder.codeSize();
  }
  program.make_us = 1e6 * (processor_s() - begin);
  return program;
}

constexpr int kN = 1 << 20, kSide = 256;

// The PTX of figures.sm_90.ptx. Registers 24 to 29 are %tid.x, %tid.y, %ctaid.x, %ctaid.y, %ntid.x
// and %nctaid.x.
std::vector<Block> saxpy() {
  const int r1 = 28, r6 = 6, r10 = 10, r3 = 3, f1 = 11, f2 = 12, f3 = 13, f4 = 14, rd1 = 33,
            rd2 = 34, rd3 = 35, rd4 = 36, rd5 = 37, rd6 = 38, rd7 = 39;
  return {{{{Kind::broadcast_param, f1, 0, 0, 0, 0},
            {Kind::broadcast_param, rd3, 0, 0, 0, 8},
            {Kind::broadcast_param, rd4, 0, 0, 0, 16},
            {Kind::broadcast_param, r6, 0, 0, 0, 24},
            {Kind::multiply_add, r10, 26, r1, 24},
            {Kind::at_least, 0, r10, r6}},
           {f1, rd3, rd4, r6, r10},
           10},
          {{{Kind::multiply, r3, 29, r1}, {Kind::move, rd1, rd3}, {Kind::move, rd2, rd4}},
           {r3, rd1, rd2},
           4},
          {{{Kind::widen, rd5, r10, 0, 0, 4},
            {Kind::add, rd6, rd1, rd5},
            {Kind::load, f2, rd6, 0, 0, 0, 0, false, false, true},
            {Kind::add, rd7, rd2, rd5},
            {Kind::load, f3, rd7, 0, 0, 0, 1},
            {Kind::fma, f4, f2, f1, f3},
            {Kind::store, f4, rd7, 0, 0, 0, 1},
            {Kind::add, r10, r10, r3},
            {Kind::less, 0, r10, r6}},
           {r10},
           10,
           true}};
}

std::vector<Block> matmul() {
  const int r1 = 25, r3 = 24, r2 = 2, r4 = 4, r5 = 5, r6 = 6, r7 = 7, r8 = 8, r11 = 11, r28 = 12,
            t = 13, f6 = 14, f56 = 15, fa = 16, fb = 17;
  const int rd8 = 32, rd9 = 33, rd10 = 34, rd2 = 35, rd18 = 36, rd19 = 37, u = 38;
  std::vector<Block> blocks = {{{{Kind::broadcast_param, rd8, 0, 0, 0, 0},
                                 {Kind::broadcast_param, rd9, 0, 0, 0, 8},
                                 {Kind::broadcast_param, rd10, 0, 0, 0, 16},
                                 {Kind::broadcast_param, r11, 0, 0, 0, 24},
                                 {Kind::shift, t, 27, 0, 0, 4},
                                 {Kind::add, t, t, r1},
                                 {Kind::shift, r2, 26, 0, 0, 4},
                                 {Kind::multiply, r4, t, r11},
                                 {Kind::shift, r7, r1, 0, 0, 6},
                                 {Kind::shift, t, r3, 0, 0, 2},
                                 {Kind::add, r5, r7, t},
                                 {Kind::add_constant, r6, r5, 0, 0, 1024},
                                 {Kind::add_constant, r8, t, 0, 0, 1024},
                                 {Kind::multiply_add, t, r1, r11, r3},
                                 {Kind::add, t, t, r2},
                                 {Kind::widen, u, t, 0, 0, 4},
                                 {Kind::add, rd19, rd9, u},
                                 {Kind::shift, t, r11, 0, 0, 4},
                                 {Kind::widen, rd2, t, 0, 0, 4},
                                 {Kind::add, t, r3, r4},
                                 {Kind::widen, u, t, 0, 0, 4},
                                 {Kind::add, rd18, rd8, u},
                                 {Kind::broadcast_param, f56, 0, 0, 0, 32},
                                 {Kind::broadcast_param, r28, 0, 0, 0, 32}},
                                {rd10, r11, r2, r4, r5, r6, r7, r8, rd2, rd18, rd19, f56, r28},
                                36},
                               {{{Kind::load, f6, rd18, 0, 0, 0, 0, true, false, true},
                                 {Kind::store, f6, r5, 0, 0, 0, 3},
                                 {Kind::load, f6, rd19, 0, 0, 0, 1, true, false, true},
                                 {Kind::store, f6, r6, 0, 0, 0, 4}},
                                {},
                                5},
                               {{}, {f56}, 49},
                               {{{Kind::add, rd19, rd19, rd2},
                                 {Kind::add_constant, rd18, rd18, 0, 0, 64},
                                 {Kind::add_constant, r28, r28, 0, 0, 16},
                                 {Kind::less, 0, r28, r11}},
                                {rd18, rd19, r28},
                                5},
                               {{{Kind::add, t, r2, r3},
                                 {Kind::add, t, r4, t},
                                 {Kind::widen, u, t, 0, 0, 4},
                                 {Kind::add, u, rd10, u},
                                 {Kind::store, f56, u, 0, 0, 0, 2, true}},
                                {},
                                7}};
  for (int k = 0; k < 16; ++k) {
    blocks[2].ops.push_back({Kind::load, fb, r8, 0, 0, 64 * k, 4, true, false});
    blocks[2].ops.push_back({Kind::load, fa, r7, 0, 0, 4 * k, 3, true, true});
    blocks[2].ops.push_back({Kind::fma, f56, fa, fb, f56});
  }
  return blocks;
}

// Runs grids as the device does: blocks in turn, the warps of a block from barrier to barrier.
class Machine {
 public:
  explicit Machine(unsigned warps)
      : registers_(warps * 64 * 256 + 64), warps_(warps), shared_(2048), reads_(1 << 12) {
    auto* file =
        reinterpret_cast<std::byte*>((reinterpret_cast<u64>(registers_.data()) + 63) / 64 * 64);
    for (unsigned k = 0; k < warps; ++k) warps_[k].registers = file + k * 64 * 256;
    for (std::vector<u64>* bits : {&init_[0], &init_[1], &init_[2], &init_[3], &init_[4]})
      bits->assign(kN / 16 + 64, ~u64{0});
    for (auto& rows : rows_) rows.assign(kN / 16 + 64, {});
  }
  // Region k: an array of `bytes` bytes, whose device address is 2^32 * (k + 1).
  void array(int k, void* host, u64 bytes, u64 begin) {
    for (Warp& warp : warps_)
      warp.regions[k] = {begin, bytes, reinterpret_cast<u64>(host),
                         reinterpret_cast<u64>(init_[k].data()),
                         reinterpret_cast<u64>(rows_[k].data())};
  }
  void shared() {
    array(3, shared_.data(), 1024, 0);
    array(4, shared_.data() + 1024, 1024, 1024);
  }
  void parameters(const std::vector<u64>& all) {
    for (Warp& warp : warps_) std::copy(all.begin(), all.end(), warp.parameters);
  }
  void begin_launch() {
    threshold_ = ++epoch_ << 32;
    for (Warp& warp : warps_)
      warp.executed = warp.warp_instructions = 0, warp.budget = ~u64{0}, warp.any_undefined = 0;
  }
  void begin_block(u32 x, u32 y, u32 width, u32 grid_x) {
    std::fill(shared_.begin(), shared_.end(), std::byte{0});
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      for (u32 lane = 0; lane < 32; ++lane) {
        const u32 thread = static_cast<u32>(k) * 32 + lane;
        const u32 values[] = {thread % width,           thread / width, x, y,
                              width == 16 ? 16u : 256u, grid_x};
        for (int i = 0; i < 6; ++i)
          std::memcpy(warps_[k].registers + (24 + i) * 256 + lane * 4, &values[i], 4);
      }
    }
    barrier();
  }
  void barrier() {
    ++epoch_;
    for (std::size_t k = 0; k < warps_.size(); ++k) {
      warps_[k].mine = epoch_ << 32 | static_cast<u64>(k) << 27;
      warps_[k].threshold = threshold_;
      warps_[k].threshold_shared = epoch_ << 32;
      warps_[k].reads = reads_.data();
      warps_[k].reads_end = reads_.data() + reads_.size();
    }
  }
  // Returns the lanes whose predicate holds.
  u32 run(Warp& warp, Code code) {
    if (const u64 at = code(&warp); at != 0) {
      std::fprintf(stderr, "the code gave up at instruction %d\n", static_cast<int>(at) - 1);
      std::exit(1);
    }
    return static_cast<u32>(warp.predicate);
  }
  std::vector<Warp>& warps() { return warps_; }
  u64 total(u64 Warp::*member) const {
    u64 sum = 0;
    for (const Warp& warp : warps_) sum += warp.*member;
    return sum;
  }

 private:
  std::vector<std::byte> registers_;
  std::vector<Warp> warps_;
  std::vector<std::byte> shared_;
  std::vector<Read> reads_;
  std::array<std::vector<u64>, 5> init_;
  std::array<std::vector<Row>, 5> rows_;
  u64 epoch_ = 0, threshold_ = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
template <typename Function>
double median_of(Function function) {
  std::vector<double> seconds;
  for (int i = 0; i < 9; ++i) seconds.push_back(function());
  return median(seconds);
}

[[gnu::noinline]] void native_saxpy(float alpha, const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = __builtin_fmaf(alpha, x[i], y[i]);
}
[[gnu::noinline]] void native_matmul(const float* a, const float* b, float* __restrict__ out,
                                     int n) {
  for (int row = 0; row < n; ++row) {
    std::fill_n(out + row * n, n, 0.0f);
    for (int k = 0; k < n; ++k) {
      const float factor = a[row * n + k];
      for (int column = 0; column < n; ++column)
        out[row * n + column] = __builtin_fmaf(factor, b[k * n + column], out[row * n + column]);
    }
  }
}

constexpr u64 kX = u64{1} << 32, kY = u64{2} << 32, kZ = u64{3} << 32;
struct Arrays {
  std::vector<float> x = std::vector<float>(kN), y = x, z = x, expected = x;
  Arrays() {
    for (int i = 0; i < kN; ++i)
      x[i] = static_cast<float>(i % 1021) / 1021, y[i] = static_cast<float>(i % 509) / 509;
  }
};

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

// Launches for the bits of native code, and then for the time.
template <typename Launch>
void report(const char* name, int level, Checks checks, const Program& program, double native,
            const Machine& machine, Launch launch, const std::vector<float>& made,
            const std::vector<float>& expected, std::size_t elements) {
  launch();
  require(std::memcmp(made.data(), expected.data(), elements * 4) == 0, "it gives other bits");
  const double seconds = median_of(launch);
  const char* names[] = {"containment only", "exact bounds", "all checks"};
  std::printf("| %s | v%d, %s | %.3f | %.2f | %.1f | %.1f | %.0f | %zu |\n", name, level,
              names[static_cast<int>(checks)], seconds * 1e3,
              seconds * 1e9 / static_cast<double>(machine.total(&Warp::warp_instructions)),
              static_cast<double>(machine.total(&Warp::executed)) / seconds * 1e-9,
              seconds / native, program.make_us, program.bytes);
}

void measure_saxpy(JitRuntime& runtime, int level, Checks checks, double native) {
  Arrays arrays;
  const std::vector<Block> blocks = saxpy();
  const Program program = make(runtime, blocks, level, checks);
  Machine machine(8);
  machine.array(0, arrays.x.data(), kN * 4, kX);
  machine.array(1, arrays.y.data(), kN * 4, kY);
  machine.parameters({std::bit_cast<u32>(2.0f), kX, kY, kN});
  const auto launch = [&] {
    const double begin = processor_s();
    machine.begin_launch();
    for (u32 block = 0; block < 1024; ++block) {
      machine.begin_block(block, 0, 256, 1024);
      for (Warp& warp : machine.warps()) {
        require(machine.run(warp, program.blocks[0]) == 0, "lanes diverge");
        machine.run(warp, program.blocks[1]);
        while (machine.run(warp, program.blocks[2]) != 0) require(false, "lanes diverge");
        warp.executed += 32, warp.warp_instructions += 1;  // ret
      }
    }
    return processor_s() - begin;
  };
  arrays.expected = arrays.y;
  native_saxpy(2, arrays.x.data(), arrays.expected.data(), kN);
  report("saxpy", level, checks, program, native, machine, launch, arrays.y, arrays.expected, kN);
}

void measure_matmul(JitRuntime& runtime, int level, Checks checks, double native) {
  Arrays arrays;
  const std::vector<Block> blocks = matmul();
  const Program program = make(runtime, blocks, level, checks);
  Machine machine(8);
  machine.array(0, arrays.x.data(), kN * 4, kX);
  machine.array(1, arrays.y.data(), kN * 4, kY);
  machine.array(2, arrays.z.data(), kN * 4, kZ);
  machine.shared();
  machine.parameters({kX, kY, kZ, kSide, 0});
  const auto launch = [&] {
    const double begin = processor_s();
    machine.begin_launch();
    const auto all = [&](int block) {
      for (Warp& warp : machine.warps())
        machine.run(warp, program.blocks[static_cast<std::size_t>(block)]);
    };
    for (u32 y = 0; y < kSide / 16; ++y) {
      for (u32 x = 0; x < kSide / 16; ++x) {
        machine.begin_block(x, y, 16, kSide / 16);
        all(0);
        do {
          all(1), machine.barrier();
          all(2), machine.barrier();
          all(3);
        } while (static_cast<u32>(machine.warps()[0].predicate) != 0);
        all(4);
      }
    }
    return processor_s() - begin;
  };
  native_matmul(arrays.x.data(), arrays.y.data(), arrays.expected.data(), kSide);
  report("matmul", level, checks, program, native, machine, launch, arrays.z, arrays.expected,
         kSide * kSide);
}

}  // namespace

int main() {
  JitRuntime runtime;
  Arrays arrays;
  const auto timed = [](auto function) {
    return median_of([&] {
      const double begin = processor_s();
      function();
      return processor_s() - begin;
    });
  };
  const double saxpy_s = timed([&] { native_saxpy(2, arrays.x.data(), arrays.y.data(), kN); });
  const double matmul_s =
      timed([&] { native_matmul(arrays.x.data(), arrays.y.data(), arrays.z.data(), kSide); });
  std::printf("native: saxpy %.3f ms, matmul %.3f ms\n\n", saxpy_s * 1e3, matmul_s * 1e3);
  std::printf(
      "| kernel | code | ms | ns a warp instruction | G thread-instructions/s | times native | "
      "made in µs | bytes |\n|---|---|---|---|---|---|---|---|\n");
  const bool has_v4 = CpuInfo::host().features().x86().hasAVX512_F() &&
                      CpuInfo::host().features().x86().hasAVX512_DQ();
  for (int level : {3, 4}) {
    if (level == 4 && !has_v4) continue;
    for (const auto& [measure, native_s] :
         {std::pair(&measure_saxpy, saxpy_s), std::pair(&measure_matmul, matmul_s)}) {
      for (Checks checks : {Checks::none, Checks::bounds, Checks::all})
        measure(runtime, level, checks, native_s);
    }
  }
}
