// Prints figures F7, F8 and F9 of the CPU device; a tool, not a test.
//   build/tests/cpu_figures [--workers N] [KERNEL...]
// F7: thread-instructions a second of six kernels on one core without checks, by the processor time
// of the median of nine runs each (which other programs disturb less than a clock); with --workers
// also how many times faster N threads are by the clock, the two measured in turn.
// F8: the same with all checks, and how many times as long that takes. What a kernel only writes
// has no values before. F9: a new process for each run, from cuInit to the end of a first vector
// addition of PTX text.
#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRuns = 9, kStarts = 15;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": error " + std::to_string(result) + ", " +
                           api().device->last_error());
}
CUdeviceptr memory(std::size_t bytes) {
  CUdeviceptr address = 0;
  check(api().alloc(&address, bytes), "cuMemAlloc");
  check(api().fill32(address, 0, bytes / 4), "cuMemsetD32");
  return address;
}

struct Kernel {
  const char* name;
  std::array<unsigned, 2> grid;
  std::array<unsigned, 2> block;
  std::vector<std::uint64_t> arguments;  ///< the least significant bytes of each
  std::uint64_t output = 0;              ///< address of what it writes only, 0 if nothing
  std::uint64_t output_bytes = 0;
};

class Figures {
 public:
  Figures() {
    check(api().init(0), "cuInit");
    check(api().create_context(&context_, 0, 0), "cuCtxCreate");
    check(api().load(&module_, read_text("figures.sm_90.ptx").c_str()), "cuModuleLoadData");
    constexpr std::uint64_t n = 1 << 20, side = 256;
    const CUdeviceptr x = memory(n * 4), y = memory(n * 4), z = memory(n * 4);
    std::vector<std::uint8_t> bytes(n);  // all of 256 values, as evenly as may be
    std::uint32_t state = 1;
    for (std::uint8_t& byte : bytes) {
      state = state * 1664525 + 1013904223;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
    const CUdeviceptr text = memory(n);
    check(api().to_device(text, bytes.data(), n), "cuMemcpyHtoD");
    const std::uint64_t two = 0x40000000;  // 2.0f
    kernels_ = {{"saxpy", {1024, 1}, {256, 1}, {two, x, y, n}},
                {"matmul", {side / 16, side / 16}, {16, 16}, {x, y, z, side}, z, side * side * 4},
                {"histogram", {64, 1}, {256, 1}, {text, z, n}},
                {"scan", {n / 256, 1}, {256, 1}, {x, y}, y, n * 4},
                {"stencil", {n / 256, 1}, {256, 1}, {x, y, n}, y, n * 4},
                {"mandelbrot",
                 {side / 16, side / 16},
                 {16, 16},
                 {text, side, side, 200},
                 text,
                 side * side}};
  }

  /// Prints the speeds of the kernels of these names, or of all.
  void speeds(unsigned workers, const std::vector<std::string_view>& names) {
    const auto unwanted = [&](const Kernel& kernel) {
      return !names.empty() && std::find(names.begin(), names.end(), kernel.name) == names.end();
    };
    std::erase_if(kernels_, unwanted);
    if (kernels_.empty()) throw std::runtime_error("no kernel has such a name");
    Rates plain, checked;
    double cost = 0;
    const char* dearest = "";
    std::printf("%-12s %14s %12s %10s %8s %8s %14s %6s\n", "kernel", "thread-instr", "warp-instr",
                "ms", "ns/warp", "G/s", "all checks G/s", "cost");
    for (const Kernel& kernel : kernels_) {
      std::vector<double> seconds, with_checks;
      for (int i = 0; i < kRuns; ++i) {  // in turn, so that a slower machine is so for both
        run(kernel, 1);
        seconds.push_back(cpu_);
        run(kernel, 1, true);
        with_checks.push_back(cpu_);
      }
      const double took = median(seconds), took_more = median(with_checks);
      plain.add(static_cast<double>(threads_) / took * 1e-9);
      checked.add(static_cast<double>(threads_) / took_more * 1e-9);
      if (took_more / took > cost) dearest = kernel.name;
      cost = std::max(cost, took_more / took);
      std::printf("%-12s %14llu %12llu %10.3f %8.2f %8.2f %14.2f %6.2f\n", kernel.name,
                  static_cast<unsigned long long>(threads_),
                  static_cast<unsigned long long>(warps_), took * 1e3,
                  took * 1e9 / static_cast<double>(warps_), plain.last, checked.last,
                  took_more / took);
    }
    std::printf("F7: geometric mean %.2f, least %.2f G thread-instructions/s\n", plain.mean(),
                plain.least);
    std::printf(
        "F8: with all checks geometric mean %.2f, least %.2f G thread-instructions/s; %.2f times "
        "as "
        "long in the geometric mean, at most %.2f (%s)\n",
        checked.mean(), checked.least, plain.mean() / checked.mean(), cost, dearest);
    if (workers > 1) {
      ratios(workers, false);
      ratios(workers, true);
    }
  }

 private:
  struct Rates {
    double logarithms = 0, least = 1e9, last = 0;
    int count = 0;
    void add(double rate) {
      logarithms += std::log(rate);
      least = std::min(least, rate);
      last = rate;
      ++count;
    }
    [[nodiscard]] double mean() const { return std::exp(logarithms / count); }
  };

  // Processor time says what the ratio would be on a machine that does nothing else.
  void ratios(unsigned workers, bool all) {
    const char* const checks = all ? "all checks, " : "";
    double logarithms = 0;
    for (const Kernel& kernel : kernels_) {
      std::vector<double> one, many, one_cpu, many_cpu;
      for (int i = 0; i < kRuns; ++i) {
        one.push_back(run(kernel, 1, all));
        one_cpu.push_back(cpu_);
        many.push_back(run(kernel, workers, all));
        many_cpu.push_back(cpu_);
      }
      const double ratio = median(one) / median(many);
      logarithms += std::log(ratio);
      std::printf("%-12s %s%u workers: ratio %.2f, processor time %.2f\n", kernel.name, checks,
                  workers, ratio, median(many_cpu) / median(one_cpu));
    }
    std::printf("%s: %s%u workers are %.2f times as fast as one (geometric mean)\n",
                all ? "F8" : "F7", checks, workers,
                std::exp(logarithms / static_cast<double>(kernels_.size())));
  }

  double run(const Kernel& kernel, unsigned workers, bool all = false) {
    const std::string options = std::string(R"({"checks": [)") +
                                (all ? R"("memory", "init", "race", "sync")" : "") +
                                R"(], "workers": )" + std::to_string(workers) + "}";
    if (api().device->configure(nullptr, options.c_str()) != 0 ||
        (all && kernel.output != 0 &&
         api().device->forget(nullptr, kernel.output, kernel.output_bytes) != 0))
      throw std::runtime_error(api().device->last_error());
    CUfunction function = nullptr;
    check(api().function(&function, module_, kernel.name), kernel.name);
    std::vector<std::uint64_t> arguments = kernel.arguments;
    std::vector<void*> pointers;
    for (std::uint64_t& argument : arguments) pointers.push_back(&argument);
    timespec before{}, after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    const auto begin = Clock::now();
    check(api().launch(function, kernel.grid[0], kernel.grid[1], 1, kernel.block[0],
                       kernel.block[1], 1, 0, nullptr, pointers.data(), nullptr),
          kernel.name);
    check(api().synchronize(), kernel.name);
    const double took = since(begin);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    cpu_ = static_cast<double>(after.tv_sec - before.tv_sec) +
           static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
    if (const std::vector<Json> found = reports(); !found.empty())
      throw std::runtime_error(found[0].dump());
    const Json counted = counters().at(0);
    threads_ = counted["ptx_thread_instructions"];
    warps_ = counted["ptx_warp_instructions"];
    return took;
  }

  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<Kernel> kernels_;
  std::uint64_t threads_ = 0, warps_ = 0;
  double cpu_ = 0;
};

// Runs in a new process: prints the seconds from cuInit on, and those with opening the library.
void first_addition() {
  const std::string text = read_text("seeds.sm_90.ptx");
  const auto opened = Clock::now();
  const Api& device = api();
  const auto begin = Clock::now();
  check(device.init(0), "cuInit");
  CUcontext context = nullptr;
  check(device.create_context(&context, 0, 0), "cuCtxCreate");
  CUmodule module = nullptr;
  CUfunction saxpy = nullptr;
  check(device.load(&module, text.c_str()), "cuModuleLoadData");
  check(device.function(&saxpy, module, "saxpy"), "saxpy");
  std::vector<float> x(1 << 16, 1.0f), y(1 << 16, 2.0f);
  unsigned long long n = x.size();
  float one = 1;
  CUdeviceptr at_x = 0, at_y = 0;
  check(device.alloc(&at_x, n * 4), "cuMemAlloc");
  check(device.alloc(&at_y, n * 4), "cuMemAlloc");
  check(device.to_device(at_x, x.data(), n * 4), "cuMemcpyHtoD");
  check(device.to_device(at_y, y.data(), n * 4), "cuMemcpyHtoD");
  void* arguments[] = {&one, &at_x, &at_y, &n};
  check(device.launch(saxpy, static_cast<unsigned>(n / 256), 1, 1, 256, 1, 1, 0, nullptr, arguments,
                      nullptr),
        "saxpy");
  check(device.to_host(y.data(), at_y, n * 4), "cuMemcpyDtoH");
  const double took = since(begin), with_opening = since(opened);
  if (y.front() != 3.0f || y.back() != 3.0f) throw std::runtime_error("1 + 2 is not 3");
  std::printf("%.9f %.9f\n", took, with_opening);
}

void starts(const char* self) {
  std::vector<double> took, with_opening;
  for (int i = 0; i < kStarts; ++i) {
    const std::string command = "'" + std::string(self) + "' --first";
    std::FILE* child = popen(command.c_str(), "r");
    double seconds = 0, more = 0;
    if (child == nullptr || std::fscanf(child, "%lf %lf", &seconds, &more) != 2 ||
        pclose(child) != 0)
      throw std::runtime_error("a new process failed");
    took.push_back(seconds);
    with_opening.push_back(more);
  }
  std::printf(
      "F9: cuInit to the end of a first vector addition %.2f ms, with opening the library "
      "%.2f ms\n",
      median(took) * 1e3, median(with_opening) * 1e3);
}

// The bytes of the file that are loaded, which are what `strip` leaves but for a few kilobytes.
void library_size() {
  std::ifstream file(WARPMARK_CPU_LIBRARY, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  std::uint64_t end = 0;
  for (unsigned i = 0; file && i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  std::printf("F9: library %.2f MB without debug information (end of its last segment)\n",
              static_cast<double>(end) * 1e-6);
}

}  // namespace
}  // namespace warpmark::test

int main(int count, char** arguments) {
  const std::string_view first = count > 1 ? arguments[1] : "";
  try {
    if (first == "--first") {
      warpmark::test::first_addition();
      return 0;
    }
    unsigned workers = 1;
    int next = 1;
    if (first == "--workers" && count > 2) {
      workers = static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10));
      next = 3;
    }
    if (workers == 0 || (count > next && arguments[next][0] == '-')) {
      std::fprintf(stderr, "usage: cpu_figures [--workers N] [KERNEL...]\n");
      return 2;
    }
    warpmark::test::Figures().speeds(workers, {arguments + next, arguments + count});
    if (count > next) return 0;
    warpmark::test::starts(arguments[0]);
    warpmark::test::library_size();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_figures: %s\n", error.what());
    return 1;
  }
}
