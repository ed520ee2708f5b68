// A tool that looks for the greatest errors of the approximate operations and prints the table of
// docs/cpu-numerics.md. Arguments: the distance between inputs (1: all 2^32 of binary32; default),
// the number of threads, and the operations, if not all.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "device/machine/approximations.hpp"

namespace {

using namespace warpmark::cpu;

Worst search(const Approximation& operation, std::uint64_t step, unsigned threads, int level) {
  const char kind = operation.kinds[1];
  // All of the 16-bit formats; of binary64 as many as of binary32, spread by an odd distance.
  const std::uint64_t space = kind == 'h' || kind == 'b' ? 1 << 16 : std::uint64_t{1} << 32;
  const std::uint64_t distance = kind == 'F' ? 0x9e3779b97f4a7c15 : kind == 'f' ? step : 1;
  // Exact references are slow.
  const std::uint64_t count = kind == 'F'   ? std::min<std::uint64_t>(space / step, 1 << 24)
                              : kind == 'f' ? (space + step - 1) / step
                                            : space;
  const std::uint64_t part = (count / threads + 32) / 32 * 32;
  Worst worst;
  std::mutex mutex;
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      const std::uint64_t from = t * part;
      if (from >= count) return;
      const Worst found =
          sweep(operation, from * distance, distance, std::min(part, count - from), level);
      const std::lock_guard lock(mutex);
      worst.merge(found);
    });
  }
  for (std::thread& worker : workers) worker.join();
  return worst;
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  const auto threads =
      count > 2 ? static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10)) : 1u;
  if (step == 0 || threads == 0 || threads > 256) {
    std::fputs("usage: approximate_error [DISTANCE [THREADS [OPERATION...]]], both at least 1\n",
               stderr);
    return 2;
  }
  int level = 4;
  while (handlers_of_level(level, Watch::bounds) == nullptr) --level;
  std::puts(
      "| operation | promised by the PTX ISA | greatest error, as promised | at | greatest error, "
      "ulp | at | inputs |\n| --- | --- | --- | --- | --- | --- | --- |");
  for (const Approximation& operation : approximations()) {
    const auto wanted = [&](const char* name) {
      return std::strcmp(name, operation.operation) == 0;
    };
    if (count > 3 && std::none_of(arguments + 3, arguments + count, wanted)) continue;
    const Worst worst = search(operation, step, threads, level);
    // The worst operands are evaluated again, exactly.
    const double measured = exactly(operation, worst.at_measured, level).measured;
    const double ulps = exactly(operation, worst.at_ulps, level).ulps;
    std::printf("| `%s` | %s | %.6g | 0x%llx | %.6f | 0x%llx | %llu |\n", operation.operation,
                operation.bound_text, measured, static_cast<unsigned long long>(worst.at_measured),
                ulps, static_cast<unsigned long long>(worst.at_ulps),
                static_cast<unsigned long long>(worst.inputs));
    std::fflush(stdout);
  }
  return 0;
}
