// Measures how fast PTX is parsed, in MB/s: ptx_speed FILE… (best of several runs of each).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "ptx/error.hpp"
#include "ptx/parser.hpp"

int main(int argc, char** argv) {
  double bytes = 0, seconds = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    double best = 1e9;
    std::size_t symbols = 0;
    try {
      for (int run = 0; run < 7; ++run) {
        std::string copy = text;
        const auto begin = std::chrono::steady_clock::now();
        const warpmark::cpu::Module module = warpmark::cpu::parse_ptx(std::move(copy));
        const auto end = std::chrono::steady_clock::now();
        best = std::min(best, std::chrono::duration<double>(end - begin).count());
        symbols = module.functions.size() + module.variables.size();
      }
    } catch (const warpmark::cpu::PtxError& error) {
      std::printf("%s: %s\n", argv[i], error.what());
      return 1;
    }
    const auto size = static_cast<double>(text.size());
    bytes += size;
    seconds += best;
    std::printf("%8.1f MB/s  %9.0f bytes  %6zu symbols  %s\n", size / best / 1e6, size, symbols,
                argv[i]);
  }
  std::printf("%8.1f MB/s  all\n", bytes / seconds / 1e6);
  return 0;
}
