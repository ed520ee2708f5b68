// Prints what twenty programs take on one core of the CPU device; a tool, not a test.
//   build/tests/cpu_programs [--workers N | --json RUNS] [PROGRAM...]
// For each the processor time of the median of seven runs without checks and with all of them, in
// turn, and how many times as long the checks take (figure F8); for twelve of them also the time of
// the same work in C++ on one thread, compiled with -O3 -march=native -ffast-math, and how many
// times as long the device takes (figure F7). Both must give the same results. With --workers also
// how many times as fast N threads are by the clock, with all checks, the two in turn, and how many
// times as much processor time they take: on a machine that does other things only that says what
// is lost. With --json it runs the twelve alone, without checks, and prints a line of JSON for each
// (tests/figures/native.py).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "device/machine/native_programs.hpp"
#include "device/support/client.hpp"

namespace warpmark::test {
namespace {

constexpr int kRuns = 7;
constexpr int kSide = 256, kElements = 1 << 20, kBodies = 2048, kRows = 1 << 15;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
void check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  throw std::runtime_error(what + ": error " + std::to_string(result) + ", " +
                           api().device->last_error());
}

// An array of the host and its memory on the device.
template <typename T>
struct Array {
  std::vector<T> host;
  CUdeviceptr device = 0;
  explicit Array(std::size_t size) : host(size) {
    check(api().alloc(&device, bytes()), "cuMemAlloc");
  }
  [[nodiscard]] std::size_t bytes() const { return host.size() * sizeof(T); }
  void upload() const { check(api().to_device(device, host.data(), bytes()), "cuMemcpyHtoD"); }
};

struct Program {
  const char* name;
  std::array<unsigned, 2> grid, block;
  std::vector<std::uint64_t> arguments;  ///< the least significant bytes of each
  std::function<void()> prepare;         ///< memory as it must be before each launch
  std::function<void()> native;          ///< null: none
  /// The greatest difference between the two results, relative to the greatest value.
  std::function<double()> difference;
  std::function<void()> prepare_native = {};
};

template <typename T>
double difference(const Array<T>& array, const std::vector<T>& expected) {
  std::vector<T> found(expected.size());
  check(api().to_host(found.data(), array.device, found.size() * sizeof(T)), "cuMemcpyDtoH");
  double most = 0, greatest = 1e-30;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto one = static_cast<double>(found[i]), other = static_cast<double>(expected[i]);
    greatest = std::max(greatest, std::abs(other));
    most = std::max(most, std::abs(one - other));
  }
  return most / greatest;
}

/// The share of the first `count` elements that differ.
template <typename T>
double share_of_others(const Array<T>& array, std::size_t count) {
  std::vector<T> found(count);
  check(api().to_host(found.data(), array.device, count * sizeof(T)), "cuMemcpyDtoH");
  std::size_t others = 0;
  for (std::size_t i = 0; i < count; ++i) others += found[i] == array.host[i] ? 0 : 1;
  return static_cast<double>(others) / static_cast<double>(count);
}

std::uint64_t bits(float value) {
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, &value, sizeof pattern);
  return pattern;
}

class Programs {
 public:
  Programs() {
    for (const char* text : {"figures.sm_90.ptx", "programs.sm_90.ptx"})
      check(api().load(&modules_.emplace_back(), read_text(text).c_str()), text);
    std::uint32_t state = 1;
    const auto random = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
    for (float& value : x_.host) value = static_cast<float>(random()) * 0x1p-24f;
    for (float& value : y_.host) value = static_cast<float>(random()) * 0x1p-24f;
    // The lower bits of such a generator repeat themselves soon.
    for (std::uint8_t& value : text_.host) value = static_cast<std::uint8_t>(random() >> 16);
    for (int i = 0; i <= kRows; ++i) begin_.host[static_cast<std::size_t>(i)] = 16 * i;
    for (std::int32_t& value : column_.host)
      value = static_cast<std::int32_t>(random() % kElements);
    for (std::int32_t& value : numbers_.host) value = static_cast<std::int32_t>(random());
    x_.upload();
    text_.upload();
    begin_.upload();
    column_.upload();
    numbers_.upload();
    out_ = y_.host;
    add();
  }

  /// Prints what native code takes and the device without checks, in turn.
  void compare(int runs, const std::vector<std::string_view>& names) {
    for (const Program& program : programs_) {
      if (!program.native || !wanted(program, names)) continue;
      Json line = {
          {"program", program.name}, {"device_s", Json::array()}, {"native_s", Json::array()}};
      for (int i = 0; i < runs; ++i) {
        line["device_s"].push_back(launch(program, false));
        line["native_s"].push_back(time_native(program));
      }
      line["thread_instructions"] = instructions_;
      line["warp_instructions"] = warp_instructions_;
      std::printf("%s\n", line.dump().c_str());
    }
  }

  void run(unsigned workers, const std::vector<std::string_view>& names) {
    std::printf("%-18s %12s %10s %10s %6s %10s %7s %6s%s\n", "program", "thread-instr", "ms",
                "checks ms", "cost", "native ms", "times", "G/s",
                workers > 1 ? " workers processor" : "");
    Mean costs, times, rates, rates_of_six, checked_of_six, ratios, ratios_of_six, work;
    double worst = 0;
    for (const Program& program : programs_) {
      if (!wanted(program, names)) continue;
      const bool of_six = &program - programs_.data() < 6;
      std::vector<double> plain, checked, native, one, many, one_work, many_work;
      for (int i = 0; i < kRuns; ++i) {  // in turn, so that a slower machine is so for all
        plain.push_back(launch(program, false));
        checked.push_back(launch(program, true));
        if (program.native) native.push_back(time_native(program));
      }
      for (int i = 0; i < kRuns && workers > 1; ++i) {
        one_work.push_back(launch(program, true));
        one.push_back(clock_);
        many_work.push_back(launch(program, true, workers));
        many.push_back(clock_);
      }
      const double cost = median(checked) / median(plain);
      const double rate = static_cast<double>(instructions_) / median(plain) * 1e-9;
      std::printf("%-18s %12llu %10.3f %10.3f %6.2f", program.name,
                  static_cast<unsigned long long>(instructions_), median(plain) * 1e3,
                  median(checked) * 1e3, cost);
      if (program.native) {
        const double ratio = median(plain) / median(native);
        std::printf(" %10.3f %7.1f", median(native) * 1e3, ratio);
        times.add(ratio);
      } else {
        std::printf(" %10s %7s", "", "");
      }
      std::printf(" %6.2f", rate);
      costs.add(cost);
      rates.add(rate);
      worst = std::max(worst, cost);
      if (of_six) rates_of_six.add(rate), checked_of_six.add(rate / cost);
      if (workers > 1) {
        const double ratio = median(one) / median(many),
                     more = median(many_work) / median(one_work);
        std::printf(" %7.2f %9.2f", ratio, more);
        ratios.add(ratio);
        work.add(more);
        if (of_six) ratios_of_six.add(ratio);
      }
      std::printf("\n");
    }
    if (costs.count == 0) throw std::runtime_error("no program has such a name");
    std::printf(
        "all checks take %.2f times as long in the geometric mean, at most %.2f times; "
        "%.2f G thread-instructions/s without\n",
        costs.value(), worst, rates.value());
    if (rates_of_six.count > 0)
      std::printf("%d of the six of F7: %.2f G thread-instructions/s, %.2f with all checks\n",
                  rates_of_six.count, rates_of_six.value(), checked_of_six.value());
    if (times.count > 0)
      std::printf("native C++ is %.1f times as fast in the geometric mean of %d\n", times.value(),
                  times.count);
    if (workers > 1)
      std::printf(
          "%u workers with all checks are %.2f times as fast as one, %.2f in the six of F7, and "
          "take "
          "%.2f times the processor time\n",
          workers, ratios.value(), ratios_of_six.value(), work.value());
  }

 private:
  /// A geometric mean.
  struct Mean {
    double logarithms = 0;
    int count = 0;
    void add(double value) {
      logarithms += std::log(value);
      ++count;
    }
    [[nodiscard]] double value() const { return std::exp(logarithms / std::max(count, 1)); }
  };

  static bool wanted(const Program& program, const std::vector<std::string_view>& names) {
    return names.empty() || std::find(names.begin(), names.end(), program.name) != names.end();
  }

  void add() {
    constexpr unsigned tiles = kSide / 16;
    constexpr std::uint64_t n = kElements, side = kSide;
    const auto y = [this] { y_.upload(); };
    const auto results = [this](std::size_t count) {
      return difference(z_,
                        std::vector<float>(out_.begin(), out_.begin() + static_cast<long>(count)));
    };
    const auto all = [results] { return results(kElements); };
    const float *px = x_.host.data(), *py = y_.host.data();
    float* out = out_.data();
    programs_ = {
        {"saxpy",
         {4096, 1},
         {256, 1},
         {bits(2), x_.device, y_.device, n},
         y,
         [=] { native::saxpy(2, px, out, kElements); },
         [this] { return difference(y_, out_); },
         [this] { std::copy(y_.host.begin(), y_.host.end(), out_.begin()); }},
        {"matmul",
         {tiles, tiles},
         {16, 16},
         {x_.device, y_.device, z_.device, side},
         y,
         [=] { native::matmul(px, py, out, kSide); },
         [=] { return results(side * side); }},
        {"histogram",
         {64, 1},
         {256, 1},
         {text_.device, bins_.device, n},
         [this] { std::fill(bins_.host.begin(), bins_.host.end(), 0), bins_.upload(); },
         [this] {
           std::fill(bins_.host.begin(), bins_.host.end(), 0);
           native::histogram(text_.host.data(), bins_.host.data(), kElements);
         },
         [this] { return difference(bins_, bins_.host); }},
        {"scan",
         {4096, 1},
         {256, 1},
         {numbers_.device, sorted_.device},
         {},
         [this] { native::scan(numbers_.host.data(), sorted_.host.data(), kElements); },
         [this] { return difference(sorted_, sorted_.host); }},
        {"stencil",
         {4096, 1},
         {256, 1},
         {x_.device, z_.device, n},
         {},
         [=] { native::stencil(px, out, kElements); },
         all},
        {"mandelbrot",
         {tiles, tiles},
         {16, 16},
         {image_.device, side, side, 200},
         {},
         [this] { native::mandelbrot(image_.host.data(), kSide, kSide, 200); },
         // One pixel in 500, at the border, may take another number of steps.
         [this] { return share_of_others(image_, kSide * kSide) / 20; }},
        {"all_pairs",
         {kBodies / 128, 1},
         {128, 1},
         {x_.device, z_.device, kBodies},
         {},
         [=] { native::all_pairs(px, out, kBodies); },
         [=] { return results(4 * kBodies); }},
        {"transpose",
         {32, 32},
         {32, 8},
         {x_.device, z_.device, 1024},
         {},
         [=] { native::transpose(px, out, 1024); },
         all},
        {"dot",
         {256, 1},
         {256, 1},
         {x_.device, y_.device, z_.device, n},
         [this] { y_.upload(), check(api().fill32(z_.device, 0, 1), "cuMemsetD32"); },
         [=] { out[0] = native::dot(px, py, kElements); },
         [=] { return results(1); }},
        {"sparse_product",
         {kRows / 256, 1},
         {256, 1},
         {begin_.device, column_.device, y_.device, x_.device, z_.device, kRows},
         y,
         [=, this] {
           native::sparse_product(begin_.host.data(), column_.host.data(), py, px, out, kRows);
         },
         [=] { return results(kRows); }},
        {"black_scholes",
         {4096, 1},
         {256, 1},
         {x_.device, y_.device, z_.device, n},
         y,
         [=] { native::black_scholes(px, py, out, kElements); },
         all},
        {"heat",
         {64, 64},
         {16, 16},
         {x_.device, z_.device, 1024},
         [this] { check(api().fill32(z_.device, 0, kElements), "cuMemsetD32"); },
         [=] { native::heat(px, out, 1024); },
         all,
         [this] { std::fill(out_.begin(), out_.end(), 0.0f); }},
        {"all_pairs_by_tiles",
         {kBodies / 128, 1},
         {128, 1},
         {x_.device, z_.device, kBodies},
         {},
         {},
         {}},
        {"life", {64, 64}, {16, 16}, {text_.device, image_.device, 1024}, {}, {}, {}},
        {"gather", {4096, 1}, {256, 1}, {x_.device, z_.device, n}, {}, {}, {}},
        {"linear4", {1024, 1}, {256, 1}, {x_.device, y_.device, z_.device, n / 4}, y, {}, {}},
        {"sum_by_shuffles",
         {256, 1},
         {256, 1},
         {x_.device, z_.device, n},
         [this] { check(api().fill32(z_.device, 0, 1), "cuMemsetD32"); },
         {},
         {}},
        {"bitonic", {1024, 1}, {256, 1}, {numbers_.device, sorted_.device}, {}, {}, {}},
        {"matrix_vector", {128, 1}, {256, 1}, {x_.device, y_.device, z_.device, 1024}, y, {}, {}},
        {"column_sums", {4, 1}, {256, 1}, {x_.device, z_.device, 1024, 1024}, {}, {}, {}}};
  }

  CUfunction function_of(const char* name) {
    CUfunction function = nullptr;
    for (CUmodule one : modules_) {
      if (api().function(&function, one, name) == CUDA_SUCCESS) return function;
    }
    throw std::runtime_error(std::string(name) + ": no module has it");
  }

  /// Returns the processor time.
  double launch(const Program& program, bool all, unsigned workers = 1) {
    if (program.prepare) program.prepare();
    const std::string options = std::string(R"({"checks": [)") +
                                (all ? R"("memory", "init", "race", "sync")" : "") +
                                R"(], "workers": )" + std::to_string(workers) + "}";
    if (api().device->configure(nullptr, options.c_str()) != 0)
      throw std::runtime_error(api().device->last_error());
    CUfunction function = function_of(program.name);
    std::vector<std::uint64_t> arguments = program.arguments;
    std::vector<void*> pointers;
    for (std::uint64_t& argument : arguments) pointers.push_back(&argument);
    const auto begin = std::chrono::steady_clock::now();
    const double before = processor_s();
    check(api().launch(function, program.grid[0], program.grid[1], 1, program.block[0],
                       program.block[1], 1, 0, nullptr, pointers.data(), nullptr),
          program.name);
    check(api().synchronize(), program.name);
    const double took = processor_s() - before;
    clock_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (const std::vector<Json> found = reports(); !found.empty())
      throw std::runtime_error(found[0].dump());
    const Json counted = counters().at(0);
    instructions_ = counted["ptx_thread_instructions"];
    warp_instructions_ = counted["ptx_warp_instructions"];
    return took;
  }

  // Also holds the two results against each other.
  static double time_native(const Program& program) {
    if (program.prepare_native) program.prepare_native();
    const double before = processor_s();
    program.native();
    const double took = processor_s() - before;
    if (const double apart = program.difference(); !(apart < 1e-4))
      throw std::runtime_error(std::string(program.name) + ": the results differ by " +
                               std::to_string(apart));
    return took;
  }

  struct Context {  // before all memory
    CUcontext context = nullptr;
    Context() {
      check(api().init(0), "cuInit");
      check(api().create_context(&context, 0, 0), "cuCtxCreate");
    }
  };
  Context context_;
  std::vector<CUmodule> modules_;
  Array<float> x_{kElements}, y_{kElements}, z_{kElements};
  Array<std::uint8_t> text_{kElements}, image_{kElements};
  Array<std::uint32_t> bins_{256};
  Array<std::int32_t> begin_{kRows + 1}, column_{16 * kRows}, numbers_{kElements},
      sorted_{kElements};
  std::vector<float> out_;  ///< of native programs
  std::vector<Program> programs_;
  std::uint64_t instructions_ = 0, warp_instructions_ = 0;  ///< of the last launch
  double clock_ = 0;                                        ///< likewise, by the clock
};

}  // namespace
}  // namespace warpmark::test

int main(int count, char** arguments) {
  try {
    warpmark::test::Programs programs;
    const std::string_view first = count > 2 ? arguments[1] : "";
    const int number = first.starts_with("--") ? std::max(1, std::atoi(arguments[2])) : 1;
    if (first == "--json")
      programs.compare(number, {arguments + 3, arguments + count});
    else if (first == "--workers")
      programs.run(static_cast<unsigned>(number), {arguments + 3, arguments + count});
    else
      programs.run(1, {arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpu_programs: %s\n", error.what());
    return 1;
  }
}
