// Prints how many thread-instructions a second the CPU device executes; a tool, not a test.
//   build/tests/cpu_speed [--workers N] [KERNEL...]
// of the kernels whose name has one of the words in it, or all; with --workers how many times
// faster N threads are than one, the two measured in turn, and how much more processor time they
// take together: on a busy machine that says what the ratio would be on a free one.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string_view>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

const char* const kFmaLoop = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry fma_loop(.param .u64 out, .param .u32 n) {
.reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<8>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %tid.x;
cvt.rn.f32.u32 %f1, %r3; mov.f32 %f2, 0f3F000000; mov.f32 %f3, 0f3DCCCCCD;
LOOP:
fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3;
fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f1, %f1, %f2, %f3;
add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;
mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], %f1; ret;
})";

// One warp, a product of m16n8k16 in binary16 each time around.
const char* const kTensorLoop = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry tensor_loop(.param .u64 out, .param .u32 n) {
.reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .f32 %f<8>;
ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r3, %tid.x;
mov.b32 %r4, 0x3c003800; mov.b32 %r5, 0xbc003a00; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
LOOP:
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r5, %r4, %r5}, {%r5, %r4}, {%f1, %f2, %f3, %f4};
add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;
mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], %f1; ret;
})";

struct Choice {
  unsigned workers = 0;                 ///< to compare with one; 0 compares the checks
  std::vector<std::string_view> words;  ///< of kernels' names
  [[nodiscard]] bool has(std::string_view name) const {
    return words.empty() || std::any_of(words.begin(), words.end(), [&](std::string_view word) {
             return name.find(word) != std::string_view::npos;
           });
  }
};
Choice choice;

struct Best {
  double seconds = 1e9, cpu_seconds = 1e9;  ///< wall clock; processor time of all threads
  std::uint64_t instructions = 0;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <typename Launch>
void run_once(const char* name, Launch launch, const std::string& options, Best& best) {
  if (api().device->configure(nullptr, options.c_str()) != 0)
    throw std::runtime_error(api().device->last_error());
  const double cpu_begin = cpu_seconds();
  const auto begin = std::chrono::steady_clock::now();
  launch();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const double cpu = cpu_seconds() - cpu_begin;
  if (api().synchronize() != CUDA_SUCCESS)
    throw std::runtime_error(std::string(name) + " failed: " + reports().at(0).dump());
  best.instructions = counters().at(0)["ptx_thread_instructions"];
  best.seconds = std::min(best.seconds, took.count());
  best.cpu_seconds = std::min(best.cpu_seconds, cpu);
}

template <typename Launch>
void compare_workers(const char* name, Launch launch) {
  constexpr int runs = 15;
  Best one, many;
  const std::string options = R"({"check": "memory", "workers": )";
  for (int run = 0; run < runs; ++run) {
    run_once(name, launch, options + "1}", one);
    run_once(name, launch, options + std::to_string(choice.workers) + "}", many);
  }
  std::printf("%-24s 1 worker %7.2f ms, %u workers %7.2f ms, ratio %.2f; processor time %.2f\n",
              name, one.seconds * 1e3, choice.workers, many.seconds * 1e3,
              one.seconds / many.seconds, many.cpu_seconds / one.cpu_seconds);
}

template <typename Launch>
void measure(const char* name, Launch launch) {
  if (!choice.has(name)) return;
  if (choice.workers != 0) {
    compare_workers(name, launch);
    return;
  }
  constexpr std::pair<const char*, const char*> kChecks[] = {
      {"memory", R"({"checks": ["memory"]})"},
      {"none", R"({"checks": []})"},
      {"all", R"({"checks": ["memory", "init", "race", "sync"]})"}};
  for (const auto& [check, configured] : kChecks) {
    Best best;
    for (int run = 0; run < 5; ++run) run_once(name, launch, configured, best);
    reports();  // the input of a kernel that is only timed may have no values
    std::printf("%-24s check=%-7s %12llu thread-instructions %8.2f ms %8.0f M/s\n", name, check,
                static_cast<unsigned long long>(best.instructions), best.seconds * 1e3,
                static_cast<double>(best.instructions) / best.seconds / 1e6);
  }
}

CUfunction kernel(const std::string& text, const char* name) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (api().load(&module, text.c_str()) != CUDA_SUCCESS ||
      api().function(&function, module, name) != CUDA_SUCCESS) {
    throw std::runtime_error(api().device->last_error());
  }
  return function;
}

void run() {
  CUcontext context = nullptr;
  api().init(0);
  api().create_context(&context, 0, 0);
  unsigned long long n = 1 << 20;
  CUdeviceptr x = 0, y = 0;
  api().alloc(&x, n * 4);
  api().alloc(&y, n * 4);
  CUfunction saxpy = kernel(read_text("seeds.sm_90.ptx"), "saxpy");
  float a = 2;
  void* saxpy_parameters[] = {&a, &x, &y, &n};
  measure("saxpy, grid stride",
          [&] { api().launch(saxpy, 8, 1, 1, 256, 1, 1, 0, nullptr, saxpy_parameters, nullptr); });
  measure("saxpy, thread each", [&] {
    api().launch(saxpy, 4096, 1, 1, 256, 1, 1, 0, nullptr, saxpy_parameters, nullptr);
  });
  CUfunction fma = kernel(kFmaLoop, "fma_loop");
  unsigned loops = 10000;
  void* fma_parameters[] = {&y, &loops};
  measure("fma loop",
          [&] { api().launch(fma, 1, 1, 1, 256, 1, 1, 0, nullptr, fma_parameters, nullptr); });
  CUfunction tensor = kernel(kTensorLoop, "tensor_loop");
  measure("tensor loop",
          [&] { api().launch(tensor, 1, 1, 1, 32, 1, 1, 0, nullptr, fma_parameters, nullptr); });
  CUfunction sum = kernel(read_text("flow.sm_90.ptx"), "block_sum");
  int count = 1 << 20;
  void* sum_parameters[] = {&x, &y, &count};
  measure("shared-memory tree",
          [&] { api().launch(sum, 4096, 1, 1, 256, 1, 1, 0, nullptr, sum_parameters, nullptr); });
  CUfunction nested = kernel(read_text("flow.sm_90.ptx"), "nested");
  int threads = 1 << 12;
  void* nested_parameters[] = {&y, &threads};
  measure("divergent loops", [&] {
    api().launch(nested, 16, 1, 1, 256, 1, 1, 0, nullptr, nested_parameters, nullptr);
  });
  CUfunction strided = kernel(read_text("memory.sm_90.ptx"), "strided");
  int stride = 3;
  void* strided_parameters[] = {&y, &x, &stride, &count};
  measure("gather, stride 3", [&] {
    api().launch(strided, 1366, 1, 1, 256, 1, 1, 0, nullptr, strided_parameters, nullptr);
  });
  const std::string speed = read_text("speed.sm_90.ptx");
  CUdeviceptr z = 0;
  api().alloc(&z, n * 4);
  float b = 6;
  std::uint16_t half_a = 0x4500, half_b = 0x4600;
  const auto linear = [&](const char* title, const char* name, bool half, unsigned vector) {
    CUfunction function = kernel(speed, name);
    long long elements = static_cast<long long>(n) / vector;
    void* parameters[] = {half ? static_cast<void*>(&half_a) : &a,
                          &x,
                          half ? static_cast<void*>(&half_b) : &b,
                          &y,
                          &z,
                          &elements};
    measure(title, [&] {
      api().launch(function, static_cast<unsigned>((elements + 255) / 256), 1, 1, 256, 1, 1, 0,
                   nullptr, parameters, nullptr);
    });
  };
  linear("linear_combination", "linear", false, 1);
  linear("linear_combination x4", "linear4", false, 4);
  linear("linear, half", "linear_half", true, 1);
  linear("linear, half x8", "linear_half8", true, 8);
  CUfunction shuffles = kernel(speed, "sum_shuffle");
  long long quads = static_cast<long long>(n) / 4;
  void* shuffle_parameters[] = {&x, &y, &quads};
  measure("sum with shuffles", [&] {
    api().launch(shuffles, 64, 1, 1, 256, 1, 1, 0, nullptr, shuffle_parameters, nullptr);
  });
  api().destroy_context(context);
}

}  // namespace
}  // namespace warpmark::test

int main(int count, char** arguments) {
  using warpmark::test::choice;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument != "--workers") {
      choice.words.push_back(argument);
    } else if (++i == count || (choice.workers = static_cast<unsigned>(
                                    std::strtoul(arguments[i], nullptr, 10))) == 0) {
      std::fprintf(stderr, "cpu_speed: --workers needs a number\n");
      return 2;
    }
  }
  try {
    warpmark::test::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_speed: %s\n", error.what());
    return 1;
  }
}
