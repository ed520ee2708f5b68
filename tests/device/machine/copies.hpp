// Kernels of asynchronous copies with their inputs: what the CPU device makes of each, and whether
// a GPU gives the same bytes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "device/machine/machine.hpp"

namespace warpmark::test {

using Bytes = std::vector<std::uint8_t>;

struct CopyCase {
  std::string name, ptx, kernel = "k";
  /// The kernel's parameters: m the tensor map, i and o memory with `in` and `out`, n `number`.
  std::string parameters = "io";
  int number = 0;
  std::string symbol;  ///< a variable of the module, into which the tensor map is copied
  Bytes in, out;       ///< before the launch
  Bytes expected;      ///< `out` after it; empty: only compared
  unsigned blocks = 1, threads = 32;
  /// Makes the tensor map of memory at an address: that of `in`, or of `out`.
  std::function<CUresult(const Machine&, CUtensorMap*, CUdeviceptr in, CUdeviceptr out)> map;
};

inline Bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// `out` after the launch.
inline Bytes run(const Machine& machine, const CopyCase& test) {
  machine.enter();
  const CUfunction kernel = machine.function(test.ptx, test.kernel.c_str());
  CUdeviceptr in = machine.upload(test.in), out = machine.upload(test.out);
  CUtensorMap map{};
  if (test.map) Machine::must(test.map(machine, &map, in, out), "tensor map");
  if (!test.symbol.empty()) machine.set_symbol(kernel, test.symbol.c_str(), &map, sizeof map);
  int number = test.number;
  std::vector<void*> parameters;
  for (const char what : test.parameters) {
    parameters.push_back(what == 'm'   ? static_cast<void*>(&map)
                         : what == 'i' ? static_cast<void*>(&in)
                         : what == 'o' ? static_cast<void*>(&out)
                                       : &number);
  }
  machine.launch(kernel, test.blocks, test.threads, parameters.data());
  Bytes after(test.out.size()), unused(test.in.size());
  machine.download(after, out);
  machine.download(unused, in);
  return after;
}

/// Where two differ first, as a text for people; "" where they do not.
inline std::string difference(const Bytes& got, const Bytes& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (got[i] == wanted[i]) continue;
    std::string text = "from byte " + std::to_string(i) + " on: got";
    const auto show = [&](const Bytes& bytes) {
      char two[4];
      for (std::size_t k = i; k < std::min(i + 16, bytes.size()); ++k) {
        std::snprintf(two, sizeof two, " %02x", bytes[k]);
        text += two;
      }
    };
    show(got);
    text += ", not";
    show(wanted);
    std::size_t count = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) count += got[k] != wanted[k] ? 1 : 0;
    return text + "; " + std::to_string(count) + " of " + std::to_string(wanted.size()) + " bytes";
  }
  return "";
}

inline const Machine& cpu_machine() {
  static const Machine machine(WARPMARK_CPU_LIBRARY);
  return machine;
}
inline const Machine& gpu_machine() {
  static const Machine machine("libcuda.so.1");
  return machine;
}

/// NVIDIA's assembler takes the kernels, where there is one.
inline void expect_assembled(const std::vector<CopyCase>& cases) {
  if (std::string(WARPMARK_PTXAS).find("NOTFOUND") != std::string::npos || *WARPMARK_PTXAS == '\0')
    GTEST_SKIP() << "no ptxas";
  const std::string file =
      ::testing::TempDir() + "warpmark_copies_" + std::to_string(getpid()) + ".ptx";
  for (const CopyCase& test : cases) {
    std::ofstream(file) << test.ptx;
    const std::string command =
        "'" WARPMARK_PTXAS "' -w -arch=sm_90 -o /dev/null '" + file + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << test.name << "\n" << test.ptx;
  }
  std::remove(file.c_str());
}

inline void expect_right(const std::vector<CopyCase>& cases) {
  for (const CopyCase& test : cases) {
    try {
      const Bytes got = run(cpu_machine(), test);
      if (!test.expected.empty()) {
        EXPECT_EQ(difference(got, test.expected), "") << test.name;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << test.name << ": " << error.what() << "\n" << test.ptx;
      return;  // the context is gone
    }
  }
}

/// A table of what a GPU gives otherwise. An error there ends the process's use of the GPU, so that
/// the rest is not run; WARPMARK_TEST_FIRST=N begins with the case of that number.
inline void expect_same(const std::vector<CopyCase>& cases) {
  const char* first = std::getenv("WARPMARK_TEST_FIRST");
  std::size_t differ = 0;
  for (std::size_t i = first == nullptr ? 0 : std::strtoul(first, nullptr, 10); i < cases.size();
       ++i) {
    const CopyCase& test = cases[i];
    std::string text;
    try {
      const Bytes there = run(gpu_machine(), test);
      text = difference(run(cpu_machine(), test), there);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "case " << i << ", " << test.name << ": " << error.what();
      return;
    }
    if (text.empty()) continue;
    ++differ;
    std::printf("case %zu, %s: %s\n", i, test.name.c_str(), text.c_str());
  }
  EXPECT_EQ(differ, 0U) << "of " << cases.size();
}

}  // namespace warpmark::test
