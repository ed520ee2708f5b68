// Prints figure F9 of the CPU device; a tool, not a test. (cpu_programs prints F7 and F8.)
//   build/tests/cpu_figures
// A new process for each run, from cuInit to the end of a first vector addition of PTX text; and the
// size of the library.
#include <elf.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kStarts = 15;

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
    warpmark::test::starts(arguments[0]);
    warpmark::test::library_size();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_figures: %s\n", error.what());
    return 1;
  }
}
